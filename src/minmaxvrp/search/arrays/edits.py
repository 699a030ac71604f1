"""The innermost steps on routes: link and unlink customers, log and undo, rank, keep the best."""

from ...jit import entry, inlined, kernel
from .distances import Problem, distance
from .routes import OFF, Ints, Routes


@entry
def clear_routes(problem: Problem, routes: Routes) -> None:
    """Remove every customer: all routes empty, nothing logged."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    routes.vehicle[:nodes] = vehicles
    routes.leg[:nodes] = OFF
    for node in range(nodes):
        routes.before[node] = node
    state = routes.state
    state.num_removed = state.num_inserted = state.num_touched = state.num_requests = 0
    state.step = state.improved_at = state.num_estimates = 0
    state.num_free = vehicles
    routes.used[:] = 0
    routes.size[:] = 0
    routes.length[:] = 0.0
    routes.touched_step[:] = 0
    routes.changed[:] = 1
    for vehicle in range(vehicles):
        first, last = nodes + vehicle, nodes + vehicles + vehicle
        routes.after[first], routes.before[last] = last, first
        routes.after[last], routes.before[first] = last, first
        routes.vehicle[first] = routes.vehicle[last] = vehicle
        routes.node[first] = routes.node[last] = 0
        routes.leg[first] = routes.leg[last] = 0.0
        routes.free_vehicles[vehicle] = routes.free_position[vehicle] = vehicle
    rebuild_longest(routes)


@entry
def fill_route(problem: Problem, routes: Routes, vehicle: int, start: int, end: int, customers: Ints) -> None:
    """Give an empty vehicle its depots and customers."""
    first, last = problem.num_nodes + vehicle, problem.num_nodes + problem.num_vehicles + vehicle
    routes.node[first], routes.node[last] = start, end
    at = first
    for customer in customers:
        link(problem, routes, customer, at)
        at = customer
    update_longest(routes, vehicle)


@inlined
def link(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at`."""
    follower = routes.after[at]
    vehicle = routes.vehicle[at]
    into = distance(problem, routes.node[at], customer)
    on = distance(problem, customer, routes.node[follower])
    routes.length[vehicle] += into + on - routes.leg[at] + problem.service[customer]
    routes.leg[at], routes.leg[customer] = into, on
    _chain(routes, customer, at, follower, vehicle)


@inlined
def _chain(routes: Routes, customer: int, at: int, follower: int, vehicle: int) -> None:
    routes.after[at], routes.before[customer] = customer, at
    routes.after[customer], routes.before[follower] = follower, customer
    routes.vehicle[customer] = vehicle
    if routes.size[vehicle] == 0:
        routes.used[routes.node[at]] += 1
        routes.state.num_free -= 1
        other = routes.free_vehicles[routes.state.num_free]
        where = routes.free_position[vehicle]
        routes.free_vehicles[where], routes.free_position[other] = other, where
    routes.size[vehicle] += 1


@inlined
def _unchain(routes: Routes, customer: int) -> None:
    at, follower, vehicle = (
        routes.before[customer],
        routes.after[customer],
        routes.vehicle[customer],
    )
    routes.after[at], routes.before[follower] = follower, at
    routes.vehicle[customer] = len(routes.size)
    routes.size[vehicle] -= 1
    if routes.size[vehicle] == 0:
        routes.used[routes.node[at]] -= 1
        routes.free_vehicles[routes.state.num_free] = vehicle
        routes.free_position[vehicle] = routes.state.num_free
        routes.state.num_free += 1


@inlined
def touch(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Remember a route's length and depots before the current step changes it."""
    if routes.touched_step[vehicle] != routes.state.step:
        routes.touched_step[vehicle] = routes.state.step
        routes.touched_vehicles[routes.state.num_touched] = vehicle
        routes.state.num_touched += 1
        routes.length_before[vehicle] = routes.length[vehicle]
        first = problem.num_nodes + vehicle
        routes.start_before[vehicle] = routes.node[first]
        routes.end_before[vehicle] = routes.node[first + problem.num_vehicles]


@kernel
def begin_step(routes: Routes) -> None:
    """Start a step: nothing is removed, inserted or touched yet."""
    routes.state.step += 1
    routes.state.num_removed = routes.state.num_inserted = routes.state.num_touched = (
        routes.state.num_requests
    ) = 0


@inlined
def remove(problem: Problem, routes: Routes, customer: int) -> None:
    """Remove a customer and log how to put it back."""
    at = routes.before[customer]
    touch(problem, routes, routes.vehicle[customer])
    k = routes.state.num_removed
    routes.state.num_removed += 1
    routes.removed[k], routes.removed_at[k] = customer, at
    routes.removed_leg_into[k], routes.removed_leg[k] = routes.leg[at], routes.leg[customer]
    _unlink(problem, routes, customer)


@inlined
def _unlink(problem: Problem, routes: Routes, customer: int) -> None:
    """Take a customer out of its route; the opposite of `link`."""
    at, follower, vehicle = routes.before[customer], routes.after[customer], routes.vehicle[customer]
    own = routes.leg[customer]
    _unchain(routes, customer)
    mark_removed(routes, customer)
    if routes.size[vehicle] == 0:
        routes.leg[at] = routes.length[vehicle] = 0.0
        return
    straight = distance(problem, routes.node[at], routes.node[follower])
    routes.length[vehicle] += straight - routes.leg[at] - own - problem.service[customer]
    routes.leg[at] = straight


@inlined
def insert(problem: Problem, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at` and log how to take it out again."""
    touch(problem, routes, routes.vehicle[at])
    k = routes.state.num_inserted
    routes.state.num_inserted += 1
    routes.inserted[k], routes.inserted_at[k] = customer, at
    routes.inserted_leg[k] = routes.leg[at]
    link(problem, routes, customer, at)


@inlined
def take_back(problem: Problem, routes: Routes) -> None:
    """Remove the customer inserted last, as if the step had not inserted it."""
    routes.state.num_inserted -= 1
    _unlink(problem, routes, routes.inserted[routes.state.num_inserted])


@inlined
def mark_removed(routes: Routes, customer: int) -> None:
    """Let no position beside a customer that is on no route be ever cheapest."""
    routes.before[customer], routes.leg[customer] = customer, OFF


@kernel
def set_depots(problem: Problem, routes: Routes, vehicle: int, start: int, end: int) -> None:
    """Move the ends of a route to other depots."""
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    if routes.size[vehicle] > 0:
        routes.used[routes.node[first]] -= 1
        routes.used[start] += 1
        opening = distance(problem, start, routes.after[first])
        closing = distance(problem, routes.before[last], end)
        routes.length[vehicle] += opening - routes.leg[first] + closing - routes.leg[routes.before[last]]
        routes.leg[first] = opening
        routes.leg[routes.before[last]] = closing
    routes.node[first], routes.node[last] = start, end


@kernel
def undo(problem: Problem, routes: Routes) -> None:
    """Restore the routes as they were at `begin_step`, by reading the log backwards."""
    for k in range(routes.state.num_inserted - 1, -1, -1):
        customer, at = routes.inserted[k], routes.inserted_at[k]
        _unchain(routes, customer)
        routes.leg[at] = routes.inserted_leg[k]
    if problem.num_depots > 1:
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            # always, as legs at the ends may have been logged with depots in between
            set_depots(problem, routes, vehicle, routes.start_before[vehicle], routes.end_before[vehicle])
    for k in range(routes.state.num_removed - 1, -1, -1):
        customer, at = routes.removed[k], routes.removed_at[k]
        _chain(routes, customer, at, routes.after[at], routes.vehicle[at])
        routes.leg[at], routes.leg[customer] = routes.removed_leg_into[k], routes.removed_leg[k]
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        routes.length[vehicle] = routes.length_before[vehicle]


@kernel
def update_longest(routes: Routes, vehicle: int) -> None:
    """Update the tournament tree (its winner is the longest route) for one vehicle with a new length."""
    slot = (len(routes.tournament) // 2 + vehicle) >> 1
    while slot >= 1:
        left, right = routes.tournament[2 * slot], routes.tournament[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.tournament[slot] = right if better else left
        slot >>= 1


@kernel
def rebuild_longest(routes: Routes) -> None:
    """Build the whole tournament tree."""
    leaves = len(routes.tournament) // 2
    for slot in range(leaves):
        routes.tournament[leaves + slot] = slot if slot < len(routes.size) else -1
    for slot in range(leaves - 1, 0, -1):
        left, right = routes.tournament[2 * slot], routes.tournament[2 * slot + 1]
        better = right >= 0 and routes.length[right] > routes.length[left]
        routes.tournament[slot] = right if better else left


@entry
def keep_start(problem: Problem, routes: Routes) -> None:
    """`keep_best` for Python."""
    keep_best(problem, routes)


@kernel
def keep_best(problem: Problem, routes: Routes) -> None:
    """Copy the routes that changed since the last best solution into the best one."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    for vehicle in range(vehicles):
        if routes.changed[vehicle] == 0:
            continue
        routes.changed[vehicle] = 0
        entry = nodes + vehicle
        routes.best_node[entry] = routes.node[entry]
        routes.best_node[entry + vehicles] = routes.node[entry + vehicles]
        while True:
            follower = routes.after[entry]
            routes.best_after[entry] = follower
            if follower >= nodes:
                break
            entry = follower
