"""Best joint insertion of a pickup and its delivery: one pass along each route that may take both."""

from ...jit import inlined, kernel
from ..arrays.distances import CALL, Problem, by_distance_mode, distance
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, Routes
from ..ruin_recreate.candidate_routes import REACH
from ..ruin_recreate.price import insertion_price
from ..settings import SearchSettings
from .changes import insert, set_depot, touch
from .round_trips import best_depot
from .vehicles import Fleet
from .ways import way, way_into, way_on


@kernel
def insert_pair(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, pickup: int
) -> None:
    """Insert a pickup and its delivery on the route and at the positions that cost least."""
    delivery, vehicles, row = problem.partner[pickup], problem.num_vehicles, fleet.row[pickup]
    routes.state.num_estimates += 1
    if vehicles <= settings.full_scan_routes or fleet.is_few[row]:
        best, at, then = _scan_touched(problem, fleet, routes, settings, pickup)
        for vehicle in range(vehicles):
            best, at, then = _scan(problem, fleet, routes, settings, pickup, vehicle, best, at, then)
    else:
        best, at, then = _scan_near(problem, fleet, routes, settings, pickup)
    fresh = _free_vehicle(problem, fleet, routes, pickup, best)
    if fresh >= 0:
        at, then = problem.num_nodes + fresh, pickup
        if fleet.round_trip[fresh]:
            touch(problem, routes, fresh)
            set_depot(problem, fleet, routes, fresh, best_depot(problem, delivery, pickup)[0])
    while at < 0:  # each route was skipped by chance (blink)
        vehicle = random_index(routes.rng, vehicles)
        if fleet.allowed[row, vehicle]:
            at, then = problem.num_nodes + vehicle, pickup
    insert(problem, fleet, routes, pickup, at)
    insert(problem, fleet, routes, delivery, then)


@kernel
def _scan_touched(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, pickup: int
) -> tuple[float, int, int]:
    """Routes with room from the ruin first: the price found there rules most of the full ones out."""
    best, at, then = INFINITE, -1, -1
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        best, at, then = _scan(problem, fleet, routes, settings, pickup, vehicle, best, at, then)
    return best, at, then


@kernel
def _scan_near(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, pickup: int
) -> tuple[float, int, int]:
    """The touched routes, then those of near neighbours; all others if the pair still makes one too long."""
    best, at, then = _scan_touched(problem, fleet, routes, settings, pickup)
    near = problem.neighbours
    for k in range(min(REACH, near.shape[1])):
        for side in range(2):
            other = near[pickup if side == 0 else problem.partner[pickup], k]
            vehicle = routes.vehicle[other]
            best, at, then = _scan(problem, fleet, routes, settings, pickup, vehicle, best, at, then)
    if at >= 0 and routes.length[routes.vehicle[at]] + best <= routes.state.threshold:
        return best, at, then
    vehicle = random_index(routes.rng, problem.num_vehicles)
    for tried in range(problem.num_vehicles):
        if at >= 0 and tried >= settings.full_scan_routes:
            break
        vehicle = vehicle + 1 if vehicle + 1 < problem.num_vehicles else 0
        best, at, then = _scan(problem, fleet, routes, settings, pickup, vehicle, best, at, then)
    return best, at, then


@kernel
def _scan(
    problem: Problem,
    fleet: Fleet,
    routes: Routes,
    settings: SearchSettings,
    pickup: int,
    vehicle: int,
    best: float,
    at: int,
    then: int,
) -> tuple[float, int, int]:
    """Improve (price, entry before the pickup, entry before the delivery) with one route, once per pair."""
    if not fleet.allowed[fleet.row[pickup], vehicle] or routes.size[vehicle] == 0:
        return best, at, then
    if routes.estimate_call[vehicle] == routes.state.num_estimates:
        return best, at, then
    routes.estimate_call[vehicle] = routes.state.num_estimates
    if insertion_price(routes, routes.length[vehicle], 0.0) >= best:
        return best, at, then
    added, first, second = _cheapest(problem, routes, pickup, vehicle)
    service = problem.service[pickup] + problem.service[problem.partner[pickup]]
    price = insertion_price(routes, routes.length[vehicle], fleet.slowness[vehicle] * added + service)
    if price < best and uniform(routes.rng) >= settings.blink:
        return price, first, second
    return best, at, then


@kernel
def _cheapest(problem: Problem, routes: Routes, pickup: int, vehicle: int) -> tuple[float, int, int]:
    """The least length that a pair adds to a route, and the entries before the pickup and the delivery."""
    return by_distance_mode(_cheapest_on_route, problem, routes, vehicle, pickup)


@inlined
def _cheapest_on_route(
    problem: Problem, routes: Routes, vehicle: int, pickup: int, how: int
) -> tuple[float, int, int]:
    """While walking along the route, `early` is the cheapest detour for the pickup before the current leg,
    `joint` the best price with the delivery right behind the pickup, `apart` the best otherwise."""
    delivery = problem.partner[pickup]
    both = way_on(problem, how, pickup, delivery)
    entry = problem.num_nodes + vehicle
    place = routes.node[entry]
    to_pickup, to_delivery = way_into(problem, how, place, pickup), way_into(problem, how, place, delivery)
    joint, joint_at = INFINITE, -1
    apart, first, second = INFINITE, -1, -1
    early, early_at = INFINITE, -1
    node = routes.after[entry]
    while node < problem.num_nodes:
        leg = routes.leg[entry]
        from_pickup, from_delivery = way_on(problem, how, pickup, node), way_on(problem, how, delivery, node)
        price = to_pickup + both + from_delivery - leg
        joint_at = entry if price < joint else joint_at
        joint = price if price < joint else joint
        price = early + to_delivery + from_delivery - leg
        better = price < apart
        first = early_at if better else first
        second = entry if better else second
        apart = price if better else apart
        price = to_pickup + from_pickup - leg
        better = price < early
        early_at = entry if better else early_at
        early = price if better else early
        to_pickup, to_delivery = from_pickup, from_delivery
        if how == CALL and not problem.symmetric:
            to_pickup, to_delivery = distance(problem, node, pickup), distance(problem, node, delivery)
        entry, node = node, routes.after[node]
    from_delivery = way_on(problem, how, delivery, routes.node[node]) - routes.leg[entry]
    if to_pickup + both + from_delivery < joint:
        joint, joint_at = to_pickup + both + from_delivery, entry
    if early + to_delivery + from_delivery < apart:
        apart, first, second = early + to_delivery + from_delivery, early_at, entry
    if joint <= apart:
        apart, first, second = joint, joint_at, pickup
    return apart, first, second


@kernel
def _free_vehicle(problem: Problem, fleet: Fleet, routes: Routes, pickup: int, best: float) -> int:
    """The unused vehicle that costs least for the pair alone, if less than `best`; -1 if there is none."""
    delivery, found = problem.partner[pickup], -1
    service = problem.service[pickup] + problem.service[delivery]
    between = distance(problem, pickup, delivery)
    for k in range(routes.state.num_free):
        vehicle = routes.free_vehicles[k]
        if not fleet.allowed[fleet.row[pickup], vehicle]:
            continue
        if fleet.round_trip[vehicle]:
            added = best_depot(problem, delivery, pickup)[1]
        else:
            added = way(problem, fleet.start[vehicle], pickup) + way(problem, delivery, fleet.end[vehicle])
        added = fleet.slowness[vehicle] * (added + between) + service
        added = insertion_price(routes, routes.length[vehicle], added)
        if added < best:
            best, found = added, vehicle
    return found
