"""The innermost steps on routes: link and unlink customers, log and undo, rank, keep the best."""

from ..jit import entry, inlined, kernel
from .arrays import (
    AFTER,
    BEFORE,
    BEST_AFTER,
    BEST_PLACE,
    CLOCK,
    DIRTY,
    FREE,
    FREE_AT,
    FREE_LIST,
    INSERTED,
    OFF,
    OUT,
    OUT_AT,
    PLACE,
    PUT,
    PUT_AT,
    REMOVED,
    REQUESTS,
    SIZE,
    STAMP,
    TOUCHED,
    TOUCHED_LIST,
    VEHICLE,
    WAS_END,
    WAS_START,
    Ints,
    Routes,
)
from .distances import SERVICE, Problem, distance


@entry
def clear_routes(problem: Problem, routes: Routes) -> None:
    """Take every customer out."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    routes.link[VEHICLE, :nodes] = vehicles
    routes.leg[:nodes] = OFF
    for node in range(nodes):
        routes.link[BEFORE, node] = node
    routes.num[:] = 0
    routes.num[FREE] = vehicles
    routes.used[:] = 0
    routes.fleet[SIZE, :] = 0
    routes.length[:] = 0.0
    routes.fleet[STAMP, :] = 0
    routes.fleet[DIRTY, :] = 1
    for vehicle in range(vehicles):
        first, last = nodes + vehicle, nodes + vehicles + vehicle
        routes.link[AFTER, first], routes.link[BEFORE, last] = last, first
        routes.link[AFTER, last], routes.link[BEFORE, first] = last, first
        routes.link[VEHICLE, first] = routes.link[VEHICLE, last] = vehicle
        routes.link[PLACE, first] = routes.link[PLACE, last] = 0
        routes.leg[first] = routes.leg[last] = 0.0
        routes.fleet[FREE_LIST, vehicle] = routes.fleet[FREE_AT, vehicle] = vehicle
    rebuild_longest(routes)


@entry
def fill_route(problem: Problem, routes: Routes, vehicle: int, start: int, end: int, customers: Ints) -> None:
    """Give an empty vehicle its depots and customers."""
    first, last = problem.num_nodes + vehicle, problem.num_nodes + problem.num_vehicles + vehicle
    routes.link[PLACE, first], routes.link[PLACE, last] = start, end
    at = first
    for customer in customers:
        link(problem, routes, customer, at)
        at = customer
    update_longest(routes, vehicle)


@inlined
def link(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at`."""
    follower = routes.link[AFTER, at]
    vehicle = routes.link[VEHICLE, at]
    into = distance(problem, routes.link[PLACE, at], customer)
    on = distance(problem, customer, routes.link[PLACE, follower])
    routes.length[vehicle] += into + on - routes.leg[at] + problem.point[SERVICE, customer]
    routes.leg[at], routes.leg[customer] = into, on
    _chain(routes, customer, at, follower, vehicle)


@inlined
def _chain(routes: Routes, customer: int, at: int, follower: int, vehicle: int) -> None:
    routes.link[AFTER, at], routes.link[BEFORE, customer] = customer, at
    routes.link[AFTER, customer], routes.link[BEFORE, follower] = follower, customer
    routes.link[VEHICLE, customer] = vehicle
    if routes.fleet[SIZE, vehicle] == 0:
        routes.used[routes.link[PLACE, at]] += 1
        routes.num[FREE] -= 1
        other = routes.fleet[FREE_LIST, routes.num[FREE]]
        where = routes.fleet[FREE_AT, vehicle]
        routes.fleet[FREE_LIST, where], routes.fleet[FREE_AT, other] = other, where
    routes.fleet[SIZE, vehicle] += 1


@inlined
def _unchain(routes: Routes, customer: int) -> None:
    at, follower, vehicle = (
        routes.link[BEFORE, customer],
        routes.link[AFTER, customer],
        routes.link[VEHICLE, customer],
    )
    routes.link[AFTER, at], routes.link[BEFORE, follower] = follower, at
    routes.link[VEHICLE, customer] = routes.fleet.shape[1]
    routes.fleet[SIZE, vehicle] -= 1
    if routes.fleet[SIZE, vehicle] == 0:
        routes.used[routes.link[PLACE, at]] -= 1
        routes.fleet[FREE_LIST, routes.num[FREE]] = vehicle
        routes.fleet[FREE_AT, vehicle] = routes.num[FREE]
        routes.num[FREE] += 1


@inlined
def touch(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Remember a route's length and depots before the current step changes it."""
    if routes.fleet[STAMP, vehicle] != routes.num[CLOCK]:
        routes.fleet[STAMP, vehicle] = routes.num[CLOCK]
        routes.fleet[TOUCHED_LIST, routes.num[TOUCHED]] = vehicle
        routes.num[TOUCHED] += 1
        routes.was[vehicle] = routes.length[vehicle]
        first = problem.num_nodes + vehicle
        routes.fleet[WAS_START, vehicle] = routes.link[PLACE, first]
        routes.fleet[WAS_END, vehicle] = routes.link[PLACE, first + problem.num_vehicles]


@kernel
def begin_step(routes: Routes) -> None:
    """Start a step: nothing is removed, inserted or touched yet."""
    routes.num[CLOCK] += 1
    routes.num[REMOVED] = routes.num[INSERTED] = routes.num[TOUCHED] = routes.num[REQUESTS] = 0


@inlined
def remove(problem: Problem, routes: Routes, customer: int) -> None:
    """Remove a customer and log how to put it back."""
    at, follower, vehicle = (
        routes.link[BEFORE, customer],
        routes.link[AFTER, customer],
        routes.link[VEHICLE, customer],
    )
    touch(problem, routes, vehicle)
    k = routes.num[REMOVED]
    routes.num[REMOVED] += 1
    routes.log[OUT, k], routes.log[OUT_AT, k] = customer, at
    routes.log_leg[OUT_AT, k], routes.log_leg[OUT, k] = routes.leg[at], routes.leg[customer]
    own = routes.leg[customer]
    routes.leg[customer] = OFF
    _unchain(routes, customer)
    routes.link[BEFORE, customer] = customer
    if routes.fleet[SIZE, vehicle] == 0:
        routes.leg[at] = routes.length[vehicle] = 0.0
        return
    straight = distance(problem, routes.link[PLACE, at], routes.link[PLACE, follower])
    routes.length[vehicle] += straight - routes.leg[at] - own - problem.point[SERVICE, customer]
    routes.leg[at] = straight


@inlined
def insert(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at` and log how to take it out again."""
    touch(problem, routes, routes.link[VEHICLE, at])
    k = routes.num[INSERTED]
    routes.num[INSERTED] += 1
    routes.log[PUT, k], routes.log[PUT_AT, k] = customer, at
    routes.log_leg[PUT_AT, k] = routes.leg[at]
    link(problem, routes, customer, at)


@kernel
def set_depots(problem: Problem, routes: Routes, vehicle: int, start: int, end: int) -> None:
    """Move the ends of a route to other depots."""
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    if routes.fleet[SIZE, vehicle] > 0:
        routes.used[routes.link[PLACE, first]] -= 1
        routes.used[start] += 1
        opening = distance(problem, start, routes.link[AFTER, first])
        closing = distance(problem, routes.link[BEFORE, last], end)
        routes.length[vehicle] += (
            opening - routes.leg[first] + closing - routes.leg[routes.link[BEFORE, last]]
        )
        routes.leg[first] = opening
        routes.leg[routes.link[BEFORE, last]] = closing
    routes.link[PLACE, first], routes.link[PLACE, last] = start, end


@kernel
def undo(problem: Problem, routes: Routes) -> None:
    """Back to how everything was at `begin`, in reverse order of the log."""
    for k in range(routes.num[INSERTED] - 1, -1, -1):
        customer, at = routes.log[PUT, k], routes.log[PUT_AT, k]
        _unchain(routes, customer)
        routes.leg[at] = routes.log_leg[PUT_AT, k]
    if problem.num_depots > 1:
        for k in range(routes.num[TOUCHED]):
            vehicle = routes.fleet[TOUCHED_LIST, k]
            # always, as legs at the ends may have been logged with depots in between
            set_depots(
                problem, routes, vehicle, routes.fleet[WAS_START, vehicle], routes.fleet[WAS_END, vehicle]
            )
    for k in range(routes.num[REMOVED] - 1, -1, -1):
        customer, at = routes.log[OUT, k], routes.log[OUT_AT, k]
        _chain(routes, customer, at, routes.link[AFTER, at], routes.link[VEHICLE, at])
        routes.leg[at], routes.leg[customer] = routes.log_leg[OUT_AT, k], routes.log_leg[OUT, k]
    for k in range(routes.num[TOUCHED]):
        vehicle = routes.fleet[TOUCHED_LIST, k]
        routes.length[vehicle] = routes.was[vehicle]


@kernel
def update_longest(routes: Routes, vehicle: int) -> None:
    """Replay the tournament for one vehicle whose length has changed."""
    slot = (len(routes.top) // 2 + vehicle) >> 1
    while slot >= 1:
        left, right = routes.top[2 * slot], routes.top[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.top[slot] = right if better else left
        slot >>= 1


@kernel
def rebuild_longest(routes: Routes) -> None:
    """Play the whole tournament."""
    leaves = len(routes.top) // 2
    for slot in range(leaves):
        routes.top[leaves + slot] = slot if slot < routes.fleet.shape[1] else -1
    for slot in range(leaves - 1, 0, -1):
        left, right = routes.top[2 * slot], routes.top[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.top[slot] = right if better else left


@entry
def keep_start(problem: Problem, routes: Routes) -> None:
    """`keep_best` for Python."""
    keep_best(problem, routes)


@kernel
def keep_best(problem: Problem, routes: Routes) -> None:
    """Copy the routes that changed since the last best solution into the best one."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    for vehicle in range(vehicles):
        if routes.fleet[DIRTY, vehicle] == 0:
            continue
        routes.fleet[DIRTY, vehicle] = 0
        entry = nodes + vehicle
        routes.best[BEST_PLACE, entry] = routes.link[PLACE, entry]
        routes.best[BEST_PLACE, entry + vehicles] = routes.link[PLACE, entry + vehicles]
        while True:
            follower = routes.link[AFTER, entry]
            routes.best[BEST_AFTER, entry] = follower
            if follower >= nodes:
                break
            entry = follower
