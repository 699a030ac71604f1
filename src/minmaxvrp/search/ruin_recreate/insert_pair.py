"""Best joint insertion of a pickup and its delivery: one pass along each route, some skipped by chance."""

from ...jit import inlined, kernel
from ..arrays.distances import CALL, Problem, by_distance_mode, distance, distance_by, distance_into_by
from ..arrays.edits import insert
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, Routes
from ..settings import SearchSettings
from .candidate_routes import cheapest_candidate, estimate_routes
from .depots import open_route
from .price import insertion_price, overlooks


@kernel
def insert_pair(problem: Problem, routes: Routes, settings: SearchSettings, pickup: int) -> None:
    """Insert a pickup and its delivery on the route and at the positions that cost least."""
    delivery, vehicles = problem.partner[pickup], problem.num_vehicles
    if vehicles <= settings.full_scan_routes:
        best, at, then = _scan_all_routes(problem, routes, settings, pickup)
    else:
        best, at, then = _scan_near_routes(problem, routes, settings, pickup)
    if at >= 0 and overlooks(routes, settings):
        at, then = _blink(problem, routes, settings, pickup, routes.vehicle[at])
    if routes.state.num_free > 0 and not (at >= 0 and overlooks(routes, settings)):
        inner = problem.service[pickup] + distance(problem, pickup, delivery) + problem.service[delivery]
        fresh = open_route(problem, routes, pickup, delivery, inner, at, best)
        if fresh != at:
            at, then = fresh, pickup
    if at < 0:
        vehicle = random_index(routes.rng, vehicles)
        while routes.size[vehicle] == 0:
            vehicle = random_index(routes.rng, vehicles)
        at, then = problem.num_nodes + vehicle, pickup
    insert(problem, routes, pickup, at)
    insert(problem, routes, delivery, then)


@kernel
def _blink(
    problem: Problem, routes: Routes, settings: SearchSettings, pickup: int, vehicle: int
) -> tuple[int, int]:
    """A random position on a route for the pickup, and the cheapest behind it for the delivery, with blinks.

    Otherwise a pair would only ever stand where both are cheapest at the moment.
    """
    delivery, at = problem.partner[pickup], problem.num_nodes + vehicle
    for _ in range(random_index(routes.rng, routes.size[vehicle] + 1)):
        at = routes.after[at]
    follower = routes.node[routes.after[at]]
    best, then = distance(problem, pickup, delivery) + distance(problem, delivery, follower), pickup
    best -= distance(problem, pickup, follower)
    entry = routes.after[at]
    while entry < problem.num_nodes:
        price = distance(problem, entry, delivery) - routes.leg[entry]
        price += distance(problem, delivery, routes.node[routes.after[entry]])
        if price < best or uniform(routes.rng) < settings.blink:
            best, then = price, entry
        entry = routes.after[entry]
    return at, then


@kernel
def _scan_touched_routes(
    problem: Problem, routes: Routes, settings: SearchSettings, pickup: int
) -> tuple[float, int, int]:
    """Routes with room from the ruin first: the price found there rules most of the full ones out."""
    best, at, then = INFINITE, -1, -1
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        if routes.size[vehicle] > 0:
            best, at, then = _scan_route(problem, routes, settings, pickup, vehicle, best, at, then)
    return best, at, then


@kernel
def _scan_all_routes(
    problem: Problem, routes: Routes, settings: SearchSettings, pickup: int
) -> tuple[float, int, int]:
    """The touched routes, then all others; compiled once for each mode of distances."""
    return by_distance_mode(_over_all, problem, routes, settings, pickup)


@inlined
def _over_all(
    problem: Problem, routes: Routes, settings: SearchSettings, pickup: int, how: int
) -> tuple[float, int, int]:
    """What `_scan_route` does, for one route after the other; written out, as sharing it was slower."""
    best, at, then = INFINITE, -1, -1
    touched = routes.state.num_touched
    for k in range(touched + problem.num_vehicles):
        if k < touched:
            vehicle = routes.touched_vehicles[k]
        else:
            vehicle = k - touched
            if routes.touched_step[vehicle] == routes.state.step:
                continue
        if routes.size[vehicle] == 0 or insertion_price(routes, routes.length[vehicle], 0.0) >= best:
            continue
        added, first, second = _cheapest_on_route(problem, routes, vehicle, pickup, how)
        added = insertion_price(routes, routes.length[vehicle], added)
        if added < best and uniform(routes.rng) >= settings.blink:
            best, at, then = added, first, second
    return best, at, then


@kernel
def _scan_near_routes(
    problem: Problem, routes: Routes, settings: SearchSettings, pickup: int
) -> tuple[float, int, int]:
    """The touched routes, then those that look cheap beside near neighbours, while they do.

    If the pair still makes a route too long, also others from a random one on: one far away may have room.
    """
    best, at, then = _scan_touched_routes(problem, routes, settings, pickup)
    for count in range(estimate_routes(problem, routes, pickup), 0, -1):
        vehicle = cheapest_candidate(routes, count, best)
        if vehicle < 0:
            break
        best, at, then = _scan_route(problem, routes, settings, pickup, vehicle, best, at, then)
    if at >= 0 and routes.length[routes.vehicle[at]] + best <= routes.state.threshold:
        return best, at, then
    vehicle = random_index(routes.rng, problem.num_vehicles)
    for _ in range(settings.full_scan_routes):
        vehicle = vehicle + 1 if vehicle + 1 < problem.num_vehicles else 0
        if routes.size[vehicle] > 0 and routes.touched_step[vehicle] != routes.state.step:
            best, at, then = _scan_route(problem, routes, settings, pickup, vehicle, best, at, then)
    return best, at, then


@kernel
def _scan_route(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    pickup: int,
    vehicle: int,
    best: float,
    at: int,
    then: int,
) -> tuple[float, int, int]:
    """Improve (price, entry before the pickup, entry before the delivery) with one route.

    One that is too long already for any price below the best is not looked at.
    """
    if insertion_price(routes, routes.length[vehicle], 0.0) >= best:
        return best, at, then
    added, first, second = _cheapest(problem, routes, pickup, vehicle)
    if added < best:
        added = insertion_price(routes, routes.length[vehicle], added)
        if added < best and uniform(routes.rng) >= settings.blink:
            return added, first, second
    return best, at, then


@kernel
def _cheapest(problem: Problem, routes: Routes, pickup: int, vehicle: int) -> tuple[float, int, int]:
    """The least length that a pair adds to a route, and the entries before the pickup and the delivery."""
    return by_distance_mode(_cheapest_on_route, problem, routes, vehicle, pickup)


@inlined
def _cheapest_on_route(
    problem: Problem, routes: Routes, vehicle: int, pickup: int, how: int
) -> tuple[float, int, int]:
    """The least length that a pair adds to a route, and the entries before the pickup and the delivery.

    While walking along the route, `early` is the cheapest detour for the pickup before the current leg.

    `joint` is the best price with the delivery right behind the pickup, `apart` the best otherwise. Both are
    kept branch-free, as a processor would often mispredict which is better.
    """
    delivery = problem.partner[pickup]
    both = distance_by(problem, how, pickup, delivery)
    entry = problem.num_nodes + vehicle
    place = routes.node[entry]
    to_pickup = distance_into_by(problem, how, place, pickup)
    to_delivery = distance_into_by(problem, how, place, delivery)
    joint, joint_at = INFINITE, -1
    apart, first, second = INFINITE, -1, -1
    early, early_at = INFINITE, -1
    node = routes.after[entry]
    while node < problem.num_nodes:
        leg = routes.leg[entry]
        from_pickup = distance_by(problem, how, pickup, node)
        from_delivery = distance_by(problem, how, delivery, node)
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
    from_delivery = distance_by(problem, how, delivery, routes.node[node]) - routes.leg[entry]
    if to_pickup + both + from_delivery < joint:
        joint, joint_at = to_pickup + both + from_delivery, entry
    if early + to_delivery + from_delivery < apart:
        apart, first, second = early + to_delivery + from_delivery, early_at, entry
    if joint <= apart:
        apart, first, second = joint, joint_at, pickup
    return apart + problem.service[pickup] + problem.service[delivery], first, second
