"""The innermost steps on the routes of a fleet: link and unlink customers, log and undo, keep the best.

As `search.arrays.edits`, for vehicles with a speed, work done and ends of their own. A leg is a length; the
length of a route is `done`, plus its legs at the vehicle's speed, plus service. An empty route has `done`
alone.
"""

from ...jit import inlined, kernel
from ..arrays.distances import Problem
from ..arrays.routes import OFF, Ints, Routes
from .vehicles import Fleet
from .ways import way


@kernel
def clear_plan(problem: Problem, fleet: Fleet, routes: Routes) -> None:
    """Take every customer out."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    routes.vehicle[:nodes] = vehicles
    routes.leg[:nodes] = OFF
    for node in range(nodes):
        routes.before[node] = node
    state = routes.state
    state.num_removed = state.num_inserted = state.num_touched = state.num_requests = 0
    state.step = state.improved_at = state.num_estimates = 0
    state.num_free = vehicles
    routes.size[:] = 0
    routes.touched_step[:] = 0
    routes.estimate_call[:] = 0
    routes.changed[:] = 1
    routes.length[vehicles] = 0.0
    for vehicle in range(vehicles):
        first, last = nodes + vehicle, nodes + vehicles + vehicle
        routes.after[first], routes.before[last] = last, first
        routes.after[last], routes.before[first] = last, first
        routes.vehicle[first] = routes.vehicle[last] = vehicle
        routes.node[first], routes.node[last] = fleet.start[vehicle], fleet.end[vehicle]
        routes.leg[first] = routes.leg[last] = 0.0
        routes.length[vehicle] = fleet.done[vehicle]
        routes.free_vehicles[vehicle] = routes.free_position[vehicle] = vehicle


@kernel
def fill_vehicle(problem: Problem, fleet: Fleet, routes: Routes, vehicle: int, customers: Ints) -> None:
    """Give an empty vehicle its customers."""
    at = problem.num_nodes + vehicle
    for customer in customers:
        link(problem, fleet, routes, customer, at)
        at = customer


@inlined
def link(problem: Problem, fleet: Fleet, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at`."""
    follower = routes.after[at]
    vehicle = routes.vehicle[at]
    into = way(problem, routes.node[at], customer)
    on = way(problem, customer, routes.node[follower])
    travel = into + on - routes.leg[at]
    routes.length[vehicle] += fleet.slowness[vehicle] * travel + problem.service[customer]
    routes.leg[at], routes.leg[customer] = into, on
    _chain(routes, customer, at, follower, vehicle)


@inlined
def _chain(routes: Routes, customer: int, at: int, follower: int, vehicle: int) -> None:
    routes.after[at], routes.before[customer] = customer, at
    routes.after[customer], routes.before[follower] = follower, customer
    routes.vehicle[customer] = vehicle
    recount(routes, vehicle, routes.size[vehicle] + 1)


@inlined
def _unchain(routes: Routes, customer: int) -> None:
    at, follower, vehicle = routes.before[customer], routes.after[customer], routes.vehicle[customer]
    routes.after[at], routes.before[follower] = follower, at
    routes.vehicle[customer] = len(routes.size)
    recount(routes, vehicle, routes.size[vehicle] - 1)


@inlined
def recount(routes: Routes, vehicle: int, count: int) -> None:
    """Note a vehicle's number of customers, and whether it is free."""
    if routes.size[vehicle] == 0 and count > 0:
        routes.state.num_free -= 1
        other, where = routes.free_vehicles[routes.state.num_free], routes.free_position[vehicle]
        routes.free_vehicles[where], routes.free_position[other] = other, where
    elif routes.size[vehicle] > 0 and count == 0:
        place = routes.state.num_free
        routes.free_vehicles[place], routes.free_position[vehicle] = vehicle, place
        routes.state.num_free += 1
    routes.size[vehicle] = count


@inlined
def touch(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Remember a route's length and depot before the current step changes it."""
    if routes.touched_step[vehicle] != routes.state.step:
        routes.touched_step[vehicle] = routes.state.step
        routes.touched_vehicles[routes.state.num_touched] = vehicle
        routes.state.num_touched += 1
        routes.length_before[vehicle] = routes.length[vehicle]
        routes.start_before[vehicle] = routes.node[problem.num_nodes + vehicle]


@kernel
def begin_step(routes: Routes) -> None:
    """Start a step: nothing is removed, inserted or touched yet."""
    state = routes.state
    state.step += 1
    state.num_removed = state.num_inserted = state.num_touched = state.num_requests = 0


@inlined
def remove(problem: Problem, fleet: Fleet, routes: Routes, customer: int) -> None:
    """Remove a customer and log how to put it back."""
    at, follower, vehicle = routes.before[customer], routes.after[customer], routes.vehicle[customer]
    touch(problem, routes, vehicle)
    k = routes.state.num_removed
    routes.state.num_removed += 1
    routes.removed[k], routes.removed_at[k] = customer, at
    routes.removed_leg_into[k], routes.removed_leg[k] = routes.leg[at], routes.leg[customer]
    own = routes.leg[customer]
    routes.leg[customer] = OFF
    _unchain(routes, customer)
    routes.before[customer] = customer
    if routes.size[vehicle] == 0:
        routes.leg[at] = 0.0
        routes.length[vehicle] = fleet.done[vehicle]
        return
    straight = way(problem, routes.node[at], routes.node[follower])
    travel = straight - routes.leg[at] - own
    routes.length[vehicle] += fleet.slowness[vehicle] * travel - problem.service[customer]
    routes.leg[at] = straight


@inlined
def insert(problem: Problem, fleet: Fleet, routes: Routes, customer: int, at: int) -> None:
    """Insert a customer behind entry `at` and log how to take it out again."""
    touch(problem, routes, routes.vehicle[at])
    k = routes.state.num_inserted
    routes.state.num_inserted += 1
    routes.inserted[k], routes.inserted_at[k] = customer, at
    routes.inserted_leg[k] = routes.leg[at]
    link(problem, fleet, routes, customer, at)


@kernel
def set_depot(problem: Problem, fleet: Fleet, routes: Routes, vehicle: int, depot: int) -> None:
    """Let a round trip start and end at another depot."""
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    routes.node[first] = routes.node[last] = depot
    if routes.size[vehicle] > 0:
        tail = routes.before[last]
        opening, closing = way(problem, depot, routes.after[first]), way(problem, tail, depot)
        travel = opening - routes.leg[first] + closing - routes.leg[tail]
        routes.length[vehicle] += fleet.slowness[vehicle] * travel
        routes.leg[first], routes.leg[tail] = opening, closing


@kernel
def undo(problem: Problem, fleet: Fleet, routes: Routes) -> None:
    """Back to how everything was at `begin_step`, in reverse order of the log."""
    for k in range(routes.state.num_inserted - 1, -1, -1):
        customer, at = routes.inserted[k], routes.inserted_at[k]
        _unchain(routes, customer)
        routes.leg[at] = routes.inserted_leg[k]
    if fleet.has_round_trips:
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            if fleet.round_trip[vehicle]:  # always: legs may have been logged with depots in between
                set_depot(problem, fleet, routes, vehicle, routes.start_before[vehicle])
    for k in range(routes.state.num_removed - 1, -1, -1):
        customer, at = routes.removed[k], routes.removed_at[k]
        _chain(routes, customer, at, routes.after[at], routes.vehicle[at])
        routes.leg[at], routes.leg[customer] = routes.removed_leg_into[k], routes.removed_leg[k]
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        routes.length[vehicle] = routes.length_before[vehicle]


@kernel
def longest_vehicle(fleet: Fleet, routes: Routes) -> int:
    """The vehicle with the longest route of those that may change."""
    found, most = 0, -1.0
    for vehicle in range(len(routes.size)):
        if fleet.active[vehicle] and routes.length[vehicle] > most:
            found, most = vehicle, routes.length[vehicle]
    return found


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
