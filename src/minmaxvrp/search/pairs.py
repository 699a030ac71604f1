"""Best joint insertion of a pickup and its delivery: one pass per route."""

from .compiled import kernel
from .depots import open_route
from .draw import below, uniform
from .layout import AFTER, FREE, PLACE, SEEN, SIZE, VEHICLE, Routes
from .links import put_in
from .metric import PARTNER, SERVICE, Problem, distance, distance_into
from .price import priced
from .settings import Settings


@kernel
def insert_pair(problem: Problem, routes: Routes, settings: Settings, pickup: int) -> None:
    """Insert a pickup and its delivery on the route and at the positions that cost least."""
    delivery = problem.info[PARTNER, pickup]
    best, at, then = 1e300, -1, -1
    vehicles = problem.num_vehicles
    if vehicles <= settings.pair_routes:
        for vehicle in range(vehicles):
            if routes.fleet[SIZE, vehicle] > 0:
                best, at, then = _scan_route(problem, routes, settings, pickup, vehicle, best, at, then)
    else:
        best, at, then = _scan_near_routes(problem, routes, settings, pickup)
    if routes.num[FREE] > 0:
        fresh = open_route(problem, routes, settings, pickup, delivery, at, best)
        if fresh != at:
            at, then = fresh, pickup
    if at < 0:
        vehicle = below(routes.rng, vehicles)
        while routes.fleet[SIZE, vehicle] == 0:
            vehicle = below(routes.rng, vehicles)
        at, then = problem.num_nodes + vehicle, pickup
    put_in(problem, routes, pickup, at)
    put_in(problem, routes, delivery, then)


@kernel
def _scan_near_routes(
    problem: Problem, routes: Routes, settings: Settings, pickup: int
) -> tuple[float, int, int]:
    """The routes of the nearest customers of the pickup and of the delivery, each once."""
    best, at, then = 1e300, -1, -1
    near, seen, count = problem.neighbours, routes.fleet, 0
    for k in range(near.shape[1]):
        for side in range(2):
            node = pickup if side == 0 else problem.info[PARTNER, pickup]
            vehicle = routes.link[VEHICLE, near[node, k]]
            if vehicle < 0:
                continue
            new = True
            for j in range(count):
                if seen[SEEN, j] == vehicle:
                    new = False
                    break
            if new:
                seen[SEEN, count] = vehicle
                count += 1
                best, at, then = _scan_route(problem, routes, settings, pickup, vehicle, best, at, then)
        if count + 2 > settings.pair_routes:
            break
    return best, at, then


@kernel
def _scan_route(
    problem: Problem,
    routes: Routes,
    settings: Settings,
    pickup: int,
    vehicle: int,
    best: float,
    at: int,
    then: int,
) -> tuple[float, int, int]:
    """Improve (price, entry before the pickup, entry before the delivery) with one route.

    While walking, `early` is the cheapest detour for the pickup before the current leg.
    """
    delivery = problem.info[PARTNER, pickup]
    service = problem.point[SERVICE, pickup] + problem.point[SERVICE, delivery]
    length = routes.length[vehicle]
    both = distance(problem, pickup, delivery)
    early, early_at = 1e300, -1
    entry = problem.num_nodes + vehicle
    node = routes.link[PLACE, entry]
    to_pickup, to_delivery = distance_into(problem, node, pickup), distance_into(problem, node, delivery)
    while True:
        follower = routes.link[AFTER, entry]
        node = routes.link[PLACE, follower]
        leg = routes.leg[entry]
        from_delivery = distance(problem, delivery, node)
        first_at, added = entry, to_pickup + both + from_delivery - leg
        detour = early + to_delivery + from_delivery - leg
        if detour < added:
            first_at, added = early_at, detour
        added += service
        if added < best:
            added = priced(routes, length, added)
            if added < best and uniform(routes.rng) >= settings.blink:
                best, at = added, first_at
                then = pickup if first_at == entry else entry
        if follower >= problem.num_nodes:
            return best, at, then
        from_pickup = distance(problem, pickup, node)
        if to_pickup + from_pickup - leg < early:
            early, early_at = to_pickup + from_pickup - leg, entry
        entry = follower
        to_pickup, to_delivery = from_pickup, from_delivery
        if not problem.symmetric:
            to_pickup, to_delivery = distance(problem, node, pickup), distance(problem, node, delivery)
