"""The mutable form of a solution inside the search: linked lists with lengths and an undo log.

`load` and `unload` turn a `Solution` into this form and back. Every vehicle has two sentinels, one
for its start and one for its end depot, so that linking and unlinking need no special cases; `place`
maps a customer to itself and a sentinel to its depot. Lengths are in the search's own unit (see
`metric`), each with service included.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.solution import Route, Solution
from .compiled import entry, kernel
from .metric import Problem, distance

Ints = NDArray[np.int64]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# entries of `Routes.num`
REMOVED, INSERTED, TOUCHED, FREE, UNITS, CLOCK, IMPROVED = range(7)
# entries of `Routes.value`
COST, BEST, THRESHOLD = range(3)


class Routes(NamedTuple):
    """All arrays of one search; M vehicles, n = D+N nodes, n+2M list entries."""

    after: Ints
    """[n+2M] the next entry; a start sentinel's is the first customer or the end sentinel."""
    before: Ints
    vehicle: Ints
    """[n+2M] whose route an entry is on; -1: a customer that is taken out."""
    place: Ints
    """[n+2M] the node of an entry: itself, or the depot of a sentinel."""
    leg: Floats
    """[n+2M] distance to the next entry; 0 for an empty route."""
    length: Floats
    size: Counts
    free: Ints
    """The vehicles without customers, in a stack; `free_at` is where each one is."""
    free_at: Ints
    used: Counts
    """[D] how many non-empty routes start at each depot."""
    top: Ints
    """Tournament of the vehicles by length: top[1] is the longest route."""
    best_after: Ints
    best_place: Ints
    dirty: NDArray[np.bool_]
    """Whether a route has changed since the best solution was kept."""
    out: Ints
    """Log of removals: customer, entry before it; legs of both at that time in `out_leg`."""
    out_leg: Floats
    put: Ints
    put_leg: Floats
    touched: Ints
    stamp: Counts
    was: Floats
    """Length of a touched route before the step."""
    was_place: Ints
    units: Ints
    """Customers to insert again; a pair is named by its pickup."""
    key: Floats
    seen: Ints
    """Scratch for the routes that an insertion has looked at."""
    num: Counts
    value: Floats
    rng: NDArray[np.uint64]


def empty_routes(problem: Problem, rng: NDArray[np.uint64]) -> Routes:
    """Routes of all vehicles without any customer."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    entries = nodes + 2 * vehicles
    leaves = 1 << max(0, vehicles - 1).bit_length()

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Routes(
        after=ints(entries),
        before=ints(entries),
        vehicle=np.full(entries, -1, dtype=np.int64),
        place=np.arange(entries, dtype=np.int64),
        leg=np.zeros(entries),
        length=np.zeros(vehicles),
        size=np.zeros(vehicles, dtype=np.int64),
        free=ints(vehicles),
        free_at=ints(vehicles),
        used=np.zeros(problem.num_depots, dtype=np.int64),
        top=ints(2 * leaves),
        best_after=ints(entries),
        best_place=ints(entries),
        dirty=np.ones(vehicles, dtype=np.bool_),
        out=ints(nodes, 2),
        out_leg=np.zeros((nodes, 2)),
        put=ints(nodes, 2),
        put_leg=np.zeros((nodes, 2)),
        touched=ints(vehicles),
        stamp=np.zeros(vehicles, dtype=np.int64),
        was=np.zeros(vehicles),
        was_place=ints(vehicles, 2),
        units=ints(nodes),
        key=np.zeros(nodes),
        seen=ints(nodes),
        num=np.zeros(8, dtype=np.int64),
        value=np.zeros(4),
        rng=rng,
    )


def load(problem: Problem, routes: Routes, solution: Solution) -> None:
    """Put a feasible solution into the arrays; vehicles without a route stay free."""
    clear(problem, routes)
    for vehicle, route in enumerate(r for r in solution.routes if r.customers):
        fill(problem, routes, vehicle, route.start, route.end, np.array(route.customers, dtype=np.int64))


def unload(problem: Problem, after: Ints, place: Ints) -> Solution:
    """The solution in the arrays, without empty routes."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    found = []
    for vehicle in range(vehicles):
        customers = []
        entry = after[nodes + vehicle]
        while entry < nodes:
            customers.append(entry)
            entry = after[entry]
        if customers:
            found.append(Route.of(customers, place[nodes + vehicle], place[nodes + vehicles + vehicle]))
    return Solution(tuple(found))


@entry
def clear(problem: Problem, routes: Routes) -> None:
    """Take every customer out."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    routes.vehicle[:nodes] = -1
    routes.num[:] = 0
    routes.num[FREE] = vehicles
    routes.used[:] = 0
    routes.size[:] = 0
    routes.length[:] = 0.0
    routes.stamp[:] = 0
    routes.dirty[:] = True
    for vehicle in range(vehicles):
        first, last = nodes + vehicle, nodes + vehicles + vehicle
        routes.after[first], routes.before[last] = last, first
        routes.after[last], routes.before[first] = last, first
        routes.vehicle[first] = routes.vehicle[last] = vehicle
        routes.place[first] = routes.place[last] = 0
        routes.leg[first] = routes.leg[last] = 0.0
        routes.free[vehicle] = routes.free_at[vehicle] = vehicle
    rank_all(routes)


@entry
def fill(problem: Problem, routes: Routes, vehicle: int, start: int, end: int, customers: Ints) -> None:
    """Give an empty vehicle its depots and customers."""
    first, last = problem.num_nodes + vehicle, problem.num_nodes + problem.num_vehicles + vehicle
    routes.place[first], routes.place[last] = start, end
    at = first
    for customer in customers:
        link(problem, routes, customer, at)
        at = customer
    rank(routes, vehicle)


@kernel
def link(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at`."""
    follower = routes.after[at]
    vehicle = routes.vehicle[at]
    into = distance(problem, routes.place[at], customer)
    on = distance(problem, customer, routes.place[follower])
    routes.length[vehicle] += into + on - routes.leg[at] + problem.service[customer]
    routes.leg[at], routes.leg[customer] = into, on
    _chain(routes, customer, at, follower, vehicle)


@kernel
def _chain(routes: Routes, customer: int, at: int, follower: int, vehicle: int) -> None:
    routes.after[at], routes.before[customer] = customer, at
    routes.after[customer], routes.before[follower] = follower, customer
    routes.vehicle[customer] = vehicle
    if routes.size[vehicle] == 0:
        routes.used[routes.place[at]] += 1
        routes.num[FREE] -= 1
        other = routes.free[routes.num[FREE]]
        where = routes.free_at[vehicle]
        routes.free[where], routes.free_at[other] = other, where
    routes.size[vehicle] += 1


@kernel
def _unchain(routes: Routes, customer: int) -> None:
    at, follower, vehicle = routes.before[customer], routes.after[customer], routes.vehicle[customer]
    routes.after[at], routes.before[follower] = follower, at
    routes.vehicle[customer] = -1
    routes.size[vehicle] -= 1
    if routes.size[vehicle] == 0:
        routes.used[routes.place[at]] -= 1
        routes.free[routes.num[FREE]] = vehicle
        routes.free_at[vehicle] = routes.num[FREE]
        routes.num[FREE] += 1


@kernel
def touch(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Remember a route's length and depots before the current step changes it."""
    if routes.stamp[vehicle] != routes.num[CLOCK]:
        routes.stamp[vehicle] = routes.num[CLOCK]
        routes.touched[routes.num[TOUCHED]] = vehicle
        routes.num[TOUCHED] += 1
        routes.was[vehicle] = routes.length[vehicle]
        first = problem.num_nodes + vehicle
        routes.was_place[vehicle, 0] = routes.place[first]
        routes.was_place[vehicle, 1] = routes.place[first + problem.num_vehicles]


@kernel
def begin(routes: Routes) -> None:
    """Start a step: nothing is removed, inserted or touched yet."""
    routes.num[CLOCK] += 1
    routes.num[REMOVED] = routes.num[INSERTED] = routes.num[TOUCHED] = routes.num[UNITS] = 0


@kernel
def take_out(problem: Problem, routes: Routes, customer: int) -> None:
    """Remove a customer and log how to put it back."""
    at, follower, vehicle = routes.before[customer], routes.after[customer], routes.vehicle[customer]
    touch(problem, routes, vehicle)
    k = routes.num[REMOVED]
    routes.num[REMOVED] += 1
    routes.out[k, 0], routes.out[k, 1] = customer, at
    routes.out_leg[k, 0], routes.out_leg[k, 1] = routes.leg[at], routes.leg[customer]
    _unchain(routes, customer)
    if routes.size[vehicle] == 0:
        routes.leg[at] = routes.length[vehicle] = 0.0
        return
    straight = distance(problem, routes.place[at], routes.place[follower])
    routes.length[vehicle] += straight - routes.leg[at] - routes.leg[customer] - problem.service[customer]
    routes.leg[at] = straight


@kernel
def put_in(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at` and log how to take it out again."""
    touch(problem, routes, routes.vehicle[at])
    k = routes.num[INSERTED]
    routes.num[INSERTED] += 1
    routes.put[k, 0], routes.put[k, 1] = customer, at
    routes.put_leg[k, 0] = routes.leg[at]
    link(problem, routes, customer, at)


@kernel
def set_depots(problem: Problem, routes: Routes, vehicle: int, start: int, end: int) -> None:
    """Move the ends of a route to other depots."""
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    if routes.size[vehicle] > 0:
        routes.used[routes.place[first]] -= 1
        routes.used[start] += 1
        opening = distance(problem, start, routes.after[first])
        closing = distance(problem, routes.before[last], end)
        routes.length[vehicle] += opening - routes.leg[first] + closing - routes.leg[routes.before[last]]
        routes.leg[first] = opening
        routes.leg[routes.before[last]] = closing
    routes.place[first], routes.place[last] = start, end


@kernel
def undo(problem: Problem, routes: Routes) -> None:
    """Back to how everything was at `begin`, in reverse order of the log."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    several = problem.num_depots > 1
    for k in range(routes.num[INSERTED] - 1, -1, -1):
        customer, at = routes.put[k, 0], routes.put[k, 1]
        _unchain(routes, customer)
        routes.leg[at] = routes.put_leg[k, 0]
    if several:
        for k in range(routes.num[TOUCHED]):
            vehicle = routes.touched[k]
            start, end = routes.was_place[vehicle, 0], routes.was_place[vehicle, 1]
            if routes.place[nodes + vehicle] != start or routes.place[nodes + vehicles + vehicle] != end:
                set_depots(problem, routes, vehicle, start, end)
    for k in range(routes.num[REMOVED] - 1, -1, -1):
        customer, at = routes.out[k, 0], routes.out[k, 1]
        _chain(routes, customer, at, routes.after[at], routes.vehicle[at])
        routes.leg[at], routes.leg[customer] = routes.out_leg[k, 0], routes.out_leg[k, 1]
    for k in range(routes.num[TOUCHED]):
        vehicle = routes.touched[k]
        routes.length[vehicle] = routes.was[vehicle]


@kernel
def rank(routes: Routes, vehicle: int) -> None:
    """Replay the tournament for one vehicle whose length has changed."""
    slot = (len(routes.top) // 2 + vehicle) >> 1
    while slot >= 1:
        left, right = routes.top[2 * slot], routes.top[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.top[slot] = right if better else left
        slot >>= 1


@kernel
def rank_all(routes: Routes) -> None:
    """Play the whole tournament."""
    leaves = len(routes.top) // 2
    for slot in range(leaves):
        routes.top[leaves + slot] = slot if slot < len(routes.length) else -1
    for slot in range(leaves - 1, 0, -1):
        left, right = routes.top[2 * slot], routes.top[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.top[slot] = right if better else left


@entry
def keep_best(problem: Problem, routes: Routes) -> None:
    """Copy the routes that changed since the last best solution into the best one."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    for vehicle in range(vehicles):
        if not routes.dirty[vehicle]:
            continue
        routes.dirty[vehicle] = False
        entry = nodes + vehicle
        routes.best_place[entry] = routes.place[entry]
        routes.best_place[entry + vehicles] = routes.place[entry + vehicles]
        while True:
            follower = routes.after[entry]
            routes.best_after[entry] = follower
            if follower >= nodes:
                break
            entry = follower
