"""Put the removed customers back, one after another, each where it is cheapest for the makespan.

As `search.ruin_recreate.recreate` (greedy insertion with blinks), on vehicles that are allowed to serve the
customer. The price of a position is the time it adds, plus a multiple of what the route then exceeds the
threshold by.
"""

from ...jit import inlined, kernel
from ..arrays.distances import CALL, Problem, by_distance_mode, distance
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, OFF, Routes
from ..ruin_recreate.price import insertion_price, objective, with_excess
from ..ruin_recreate.recreate import ENDS_TRIED, sort_requests
from ..settings import SearchSettings
from .changes import insert, set_depot, touch
from .pair_insertion import insert_pair
from .round_trips import best_depot, choose_depot, choose_depots, end_delta
from .vehicles import Fleet
from .ways import way, way_into, way_on

GIVE_UP = 0.9
"""Share of steps that are given up as soon as the triangle inequality says that they must end too long."""


@kernel
def recreate(problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, limit: float) -> bool:
    """Insert all requests in a random kind of order.

    It gives up, and returns False, as soon as a route is so long that the objective must end above `limit`:
    by the triangle inequality later insertions shorten no route. One step in ten goes on nevertheless, for
    distances that break the inequality.
    """
    final = not (fleet.has_round_trips and problem.has_pairs) and uniform(routes.rng) < GIVE_UP
    choose_depots(problem, fleet, routes)
    sort_requests(problem, routes)
    for k in range(routes.state.num_requests):
        customer = routes.requests[k]
        if problem.partner[customer] >= 0:
            insert_pair(problem, fleet, routes, settings, customer)
        else:
            insert_customer(problem, fleet, routes, settings, customer)
        if final and objective(problem, routes, settings, routes.vehicle[customer]) > limit:
            return False
    if problem.has_pairs:
        choose_depots(problem, fleet, routes)
    return True


@kernel
def insert_customer(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, customer: int
) -> None:
    """Insert one customer at its cheapest position."""
    at, price = _cheapest(problem, fleet, routes, settings, customer)
    if at >= 0 and uniform(routes.rng) < settings.blink:
        overlooked, leg = at, routes.leg[at]
        routes.leg[overlooked] = OFF
        at, price = _cheapest(problem, fleet, routes, settings, customer)
        routes.leg[overlooked] = leg
    if fleet.has_round_trips or (problem.near_depot[customer] and not _scans_all(problem, settings)):
        at, price = _scan_ends(problem, fleet, routes, customer, at, price)
    if routes.state.num_free > 0:
        at, price = _free_vehicle(problem, fleet, routes, customer, at, price)
    if at < 0:  # every neighbour is removed or on a vehicle that may not serve it
        at, price = _cheapest_of_vehicles(problem, fleet, routes, customer)
    if at < 0:  # the only position was skipped
        at = _shortest(problem, fleet, routes, customer)
    vehicle = routes.vehicle[at]
    if fleet.round_trip[vehicle] and routes.size[vehicle] == 0:
        touch(problem, routes, vehicle)
        set_depot(problem, fleet, routes, vehicle, best_depot(problem, customer, customer)[0])
    insert(problem, fleet, routes, customer, at)
    if fleet.round_trip[vehicle] and (at >= problem.num_nodes or routes.after[customer] >= problem.num_nodes):
        choose_depot(problem, fleet, routes, vehicle)


@inlined
def _scans_all(problem: Problem, settings: SearchSettings) -> bool:
    """Whether every position is tried, and not only those beside near neighbours."""
    return problem.num_nodes - problem.num_depots <= settings.full_scan_customers


@kernel
def _cheapest(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, customer: int
) -> tuple[int, float]:
    """The cheapest position on a route in use: of all if customers or vehicles are few, else of those beside
    near neighbours."""
    if _scans_all(problem, settings):
        return by_distance_mode(_cheapest_of_all, problem, routes, fleet, customer)
    if fleet.is_few[fleet.row[customer]]:
        return _cheapest_of_vehicles(problem, fleet, routes, customer)
    return by_distance_mode(_cheapest_near, problem, routes, (fleet, settings), customer)


@inlined
def _cheapest_of_all(
    problem: Problem, routes: Routes, fleet: Fleet, customer: int, how: int
) -> tuple[int, float]:
    """The cheapest of all positions; a removed customer's vehicle, M, may serve nobody."""
    best, at = INFINITE, -1
    row, service = fleet.row[customer], problem.service[customer]
    threshold, weight = routes.state.threshold, routes.state.excess_weight
    for k in range(problem.num_depots, problem.num_nodes):
        vehicle = routes.vehicle[k]
        if not fleet.allowed[row, vehicle]:
            continue
        added = way_into(problem, how, k, customer) - routes.leg[k]
        added += way_on(problem, how, customer, routes.node[routes.after[k]])
        added = fleet.slowness[vehicle] * added + service
        added = with_excess(added, routes.length[vehicle] - threshold, weight)
        if added < best:
            best, at = added, k
    for vehicle in range(problem.num_vehicles):
        k = problem.num_nodes + vehicle
        if routes.size[vehicle] == 0 or not fleet.allowed[row, vehicle]:
            continue
        added = way_into(problem, how, routes.node[k], customer) - routes.leg[k]
        added += way_on(problem, how, customer, routes.node[routes.after[k]])
        added = fleet.slowness[vehicle] * added + service
        added = with_excess(added, routes.length[vehicle] - threshold, weight)
        if added < best:
            best, at = added, k
    return at, best


@inlined
def _cheapest_near(
    problem: Problem, routes: Routes, given: tuple[Fleet, SearchSettings], customer: int, how: int
) -> tuple[int, float]:
    """The cheapest position next to a near neighbour."""
    fleet, settings = given
    best, at = INFINITE, -1
    row, service = fleet.row[customer], problem.service[customer]
    threshold, weight = routes.state.threshold, routes.state.excess_weight
    near = problem.neighbours
    for k in range(min(settings.num_neighbours, near.shape[1])):
        other = near[customer, k]
        vehicle = routes.vehicle[other]
        if not fleet.allowed[row, vehicle]:
            continue
        excess, slowness = routes.length[vehicle] - threshold, fleet.slowness[vehicle]
        into = way_into(problem, how, other, customer)
        added = into - routes.leg[other] + way_on(problem, how, customer, routes.node[routes.after[other]])
        added = with_excess(slowness * added + service, excess, weight)
        if added < best:
            best, at = added, other
        spot = routes.before[other]
        added = way_into(problem, how, routes.node[spot], customer) - routes.leg[spot]
        added += into if how != CALL or problem.symmetric else distance(problem, customer, other)
        added = with_excess(slowness * added + service, excess, weight)
        if added < best:
            best, at = added, spot
    return at, best


@kernel
def _cheapest_of_vehicles(problem: Problem, fleet: Fleet, routes: Routes, customer: int) -> tuple[int, float]:
    """The cheapest of all positions on the routes in use of vehicles that may serve the customer."""
    best, at = INFINITE, -1
    row, service = fleet.row[customer], problem.service[customer]
    for vehicle in range(problem.num_vehicles):
        if routes.size[vehicle] == 0 or not fleet.allowed[row, vehicle]:
            continue
        entry = problem.num_nodes + vehicle
        while True:
            added = way(problem, routes.node[entry], customer) - routes.leg[entry]
            added += way(problem, customer, routes.node[routes.after[entry]])
            added = fleet.slowness[vehicle] * added + service
            added = insertion_price(routes, routes.length[vehicle], added)
            if added < best:
                best, at = added, entry
            entry = routes.after[entry]
            if entry >= problem.num_nodes:
                break
    return at, best


@kernel
def _scan_ends(
    problem: Problem, fleet: Fleet, routes: Routes, customer: int, at: int, best: float
) -> tuple[int, float]:
    """First and last positions of up to `ENDS_TRIED` vehicles, from a random one on."""
    row, service = fleet.row[customer], problem.service[customer]
    vehicles, nodes = problem.num_vehicles, problem.num_nodes
    vehicle = random_index(routes.rng, vehicles)
    for _ in range(min(ENDS_TRIED, vehicles)):
        vehicle = vehicle + 1 if vehicle + 1 < vehicles else 0
        if routes.size[vehicle] == 0 or not fleet.allowed[row, vehicle]:
            continue
        first, last = nodes + vehicle, routes.before[nodes + vehicles + vehicle]
        for side in range(2):
            spot = first if side == 0 else last
            if fleet.round_trip[vehicle]:
                added = end_delta(problem, routes, customer, vehicle, side == 0)
            else:
                added = way(problem, routes.node[spot], customer) - routes.leg[spot]
                added += way(problem, customer, routes.node[routes.after[spot]])
            added = fleet.slowness[vehicle] * added + service
            added = insertion_price(routes, routes.length[vehicle], added)
            if added < best:
                best, at = added, spot
    return at, best


@kernel
def _free_vehicle(
    problem: Problem, fleet: Fleet, routes: Routes, customer: int, at: int, best: float
) -> tuple[int, float]:
    """The start of an unused vehicle, if that costs less; of vehicles that are alike one is looked at."""
    row, service = fleet.row[customer], problem.service[customer]
    routes.state.num_estimates += 1
    for k in range(routes.state.num_free):
        vehicle = routes.free_vehicles[k]
        kind = fleet.kind[vehicle]
        if not fleet.allowed[row, vehicle] or routes.estimate_call[kind] == routes.state.num_estimates:
            continue
        routes.estimate_call[kind] = routes.state.num_estimates
        if fleet.round_trip[vehicle]:
            added = best_depot(problem, customer, customer)[1]
        else:
            added = way(problem, fleet.start[vehicle], customer) + way(problem, customer, fleet.end[vehicle])
        added = fleet.slowness[vehicle] * added + service
        added = insertion_price(routes, routes.length[vehicle], added)
        if added < best:
            best, at = added, problem.num_nodes + vehicle
    return at, best


@kernel
def _shortest(problem: Problem, fleet: Fleet, routes: Routes, customer: int) -> int:
    """The start of the shortest route that the customer may be on."""
    best, found = INFINITE, -1
    for vehicle in range(problem.num_vehicles):
        if fleet.allowed[fleet.row[customer], vehicle] and routes.length[vehicle] < best:
            best, found = routes.length[vehicle], vehicle
    return problem.num_nodes + found
