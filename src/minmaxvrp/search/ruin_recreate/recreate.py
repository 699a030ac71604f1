"""Put the removed customers back, one after another, each where it is cheapest for the makespan.

Greedy insertion with blinks (Christiaens and Vanden Berghe 2020). The price of a position is the
length it adds, plus a multiple of what the route then exceeds the threshold by.
"""

from ...jit import inlined, kernel
from ..arrays.distances import (
    CALL,
    Problem,
    by_distance_mode,
    distance,
    distance_by,
    distance_into,
    distance_into_by,
)
from ..arrays.edits import insert
from ..arrays.random_numbers import uniform
from ..arrays.routes import OFF, Routes
from ..settings import SearchSettings
from .depots import choose_depots, end_price, exchange_depots, open_route
from .insert_pair import insert_pair
from .price import insertion_price, objective, overlooks, with_excess

EXCHANGE_SHARE = 0.25
"""Of the steps, where depots have limits: two routes may exchange their start depots."""

ENDS_TRIED = 24
"""Vehicles whose first and last positions are tried for a customer near a depot."""


@kernel
def recreate(problem: Problem, routes: Routes, settings: SearchSettings, limit: float) -> bool:
    """Insert all requests in a random kind of order, then give the touched routes their best depots.

    It gives up, and returns False, as soon as a route is so long that the objective must end above `limit`:
    by the triangle inequality later insertions shorten no route. It never gives up early where depots are
    chosen only at the end, which may shorten routes: several depots with a limit of vehicles, or with pairs.
    """
    final = problem.num_depots == 1 or (problem.unlimited_depots and not problem.has_pairs)
    if problem.unlimited_depots:
        for k in range(routes.state.num_touched):
            choose_depots(problem, routes, routes.touched_vehicles[k])
    sort_requests(problem, routes)
    for k in range(routes.state.num_requests):
        customer = routes.requests[k]
        if problem.partner[customer] >= 0:
            insert_pair(problem, routes, settings, customer)
        else:
            insert_customer(problem, routes, settings, customer)
        vehicle = routes.vehicle[customer]
        if final and objective(problem, routes, settings, vehicle) > limit:
            return False
    if problem.num_depots > 1:
        for k in range(routes.state.num_touched):
            choose_depots(problem, routes, routes.touched_vehicles[k])
        if not problem.unlimited_depots and uniform(routes.rng) < EXCHANGE_SHARE:
            exchange_depots(problem, routes, settings)
    return True


@kernel
def sort_requests(problem: Problem, routes: Routes) -> None:
    """Order of insertion: random (4 of 7), far from the depots first (2 of 7), near first."""
    kind = int(uniform(routes.rng) * 7.0)
    requests, key = routes.requests, routes.key
    for k in range(routes.state.num_requests):
        customer = requests[k]
        if kind < 4:
            value = uniform(routes.rng)
        else:
            value = problem.alone_length[customer] if kind == 6 else -problem.alone_length[customer]
        at = k
        while at > 0 and key[at - 1] > value:
            key[at], requests[at] = key[at - 1], requests[at - 1]
            at -= 1
        key[at], requests[at] = value, customer


@kernel
def insert_customer(problem: Problem, routes: Routes, settings: SearchSettings, customer: int) -> None:
    """Insert one customer at its cheapest position."""
    at, price = _cheapest(problem, routes, settings, customer)
    if at >= 0 and uniform(routes.rng) < settings.blink:
        at, price = _blink(problem, routes, settings, customer, at)
    if problem.unlimited_depots or (problem.near_depot[customer] and not _scans_all(problem, settings)):
        at, price = _scan_ends(problem, routes, settings, customer, at, price)
    if routes.state.num_free > 0 and not (at >= 0 and overlooks(routes, settings)):
        at = open_route(problem, routes, customer, customer, problem.service[customer], at, price)
    if at < 0:  # every neighbour is removed, or the only position was skipped
        vehicle = _shortest(problem, routes)
        at = problem.num_nodes + vehicle
    insert(problem, routes, customer, at)
    if problem.unlimited_depots:
        vehicle = routes.vehicle[customer]
        if at >= problem.num_nodes or routes.after[customer] >= problem.num_nodes:
            choose_depots(problem, routes, vehicle)


@kernel
def _blink(
    problem: Problem, routes: Routes, settings: SearchSettings, customer: int, cheapest: int
) -> tuple[int, float]:
    """The second cheapest position; now and then the third, and so on (see `SearchSettings.overlook`)."""
    leg = routes.leg[cheapest]
    routes.leg[cheapest] = OFF
    at, price = _cheapest(problem, routes, settings, customer)
    if at >= 0 and overlooks(routes, settings):
        at, price = _blink(problem, routes, settings, customer, at)
    routes.leg[cheapest] = leg
    return at, price


@kernel
def _shortest(problem: Problem, routes: Routes) -> int:
    """The shortest route that has customers."""
    best, found = 1e300, -1
    for vehicle in range(problem.num_vehicles):
        if routes.size[vehicle] > 0 and routes.length[vehicle] < best:
            best, found = routes.length[vehicle], vehicle
    return found


@inlined
def _scans_all(problem: Problem, settings: SearchSettings) -> bool:
    """Whether every position is tried, and not only those beside near neighbours."""
    return problem.num_nodes - problem.num_depots <= settings.full_scan_customers


@kernel
def _cheapest(problem: Problem, routes: Routes, settings: SearchSettings, customer: int) -> tuple[int, float]:
    """The cheapest position of all if customers are few, else of those beside near neighbours.

    The loops are branch-free where the best so far is kept: a processor would often mispredict it.
    """
    if _scans_all(problem, settings):
        return by_distance_mode(_cheapest_of_all, problem, routes, settings, customer)
    return by_distance_mode(_cheapest_near, problem, routes, settings, customer)


@inlined
def _cheapest_of_all(
    problem: Problem, routes: Routes, settings: SearchSettings, customer: int, how: int
) -> tuple[int, float]:
    """The cheapest of all positions; the sentinel leg `OFF` behind a removed customer is never cheapest.

    Of the settings nothing is needed: they are there for `by_distance_mode`.
    """
    service = problem.service[customer]
    threshold, weight = routes.state.threshold, routes.state.excess_weight
    best, at = 1e300, -1
    for k in range(problem.num_depots, problem.num_nodes):
        added = service - routes.leg[k] + distance_into_by(problem, how, k, customer)
        added += distance_by(problem, how, customer, routes.node[routes.after[k]])
        added = with_excess(added, routes.length[routes.vehicle[k]] - threshold, weight)
        if added < best:
            best, at = added, k
    for vehicle in range(problem.num_vehicles):
        k = problem.num_nodes + vehicle
        if routes.size[vehicle] == 0:
            continue
        added = service - routes.leg[k] + distance_into_by(problem, how, routes.node[k], customer)
        added += distance_by(problem, how, customer, routes.node[routes.after[k]])
        added = with_excess(added, routes.length[vehicle] - threshold, weight)
        if added < best:
            best, at = added, k
    return at, best


@inlined
def _cheapest_near(
    problem: Problem, routes: Routes, settings: SearchSettings, customer: int, how: int
) -> tuple[int, float]:
    """The cheapest position next to a near neighbour.

    A removed neighbour is its own predecessor, so that both legs beside it are the sentinel `OFF` and neither
    position is ever cheapest.
    """
    best, at = 1e300, -1
    service = problem.service[customer]
    threshold, weight = routes.state.threshold, routes.state.excess_weight
    near = problem.neighbours
    for k in range(min(settings.num_neighbours, near.shape[1])):
        other = near[customer, k]
        full = routes.length[routes.vehicle[other]] - threshold
        into = distance_into_by(problem, how, other, customer)
        added = service - routes.leg[other] + into
        added += distance_by(problem, how, customer, routes.node[routes.after[other]])
        added = with_excess(added, full, weight)
        if added < best:
            best, at = added, other
        spot = routes.before[other]
        added = service - routes.leg[spot]
        added += distance_into_by(problem, how, routes.node[spot], customer)
        added += into if how != CALL or problem.symmetric else distance(problem, customer, other)
        added = with_excess(added, full, weight)
        if added < best:
            best, at = added, spot
    return at, best


@kernel
def _scan_ends(
    problem: Problem, routes: Routes, settings: SearchSettings, customer: int, at: int, best: float
) -> tuple[int, float]:
    """First and last positions of up to `ENDS_TRIED` vehicles, from a random one on."""
    service = problem.service[customer]
    vehicles, nodes = problem.num_vehicles, problem.num_nodes
    vehicle = int(uniform(routes.rng) * vehicles)
    for _ in range(min(ENDS_TRIED, vehicles)):
        vehicle = vehicle + 1 if vehicle + 1 < vehicles else 0
        if routes.size[vehicle] == 0:
            continue
        first, last = nodes + vehicle, routes.before[nodes + vehicles + vehicle]
        for side in range(2):
            spot = first if side == 0 else last
            if problem.unlimited_depots:
                added = service + end_price(problem, routes, customer, vehicle, side == 0, best - service)
            else:
                added = service - routes.leg[spot]
                added += distance_into(problem, routes.node[spot], customer)
                added += distance(problem, customer, routes.node[routes.after[spot]])
            if added < best:
                added = insertion_price(routes, routes.length[vehicle], added)
                if added < best:
                    best, at = added, spot
    return at, best
