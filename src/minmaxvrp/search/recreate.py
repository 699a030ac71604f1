"""Put the removed customers back, one after another, each where it is cheapest for the makespan.

Greedy insertion with blinks (Christiaens and Vanden Berghe 2020). The price of a position is the
length it adds, plus a multiple of what the route then exceeds the threshold by.
"""

from .compiled import inlined, kernel
from .depots import choose_depots, end_price, open_route
from .draw import uniform
from .layout import (
    AFTER,
    BEFORE,
    FREE,
    PLACE,
    SIZE,
    TOUCHED,
    TOUCHED_LIST,
    UNITS,
    VEHICLE,
    Routes,
)
from .links import put_in
from .metric import (
    ALONE,
    NEAR_DEPOT,
    PARTNER,
    SERVICE,
    Problem,
    distance,
    distance_into,
    has_table,
    read_or_measured,
    read_or_measured_into,
)
from .pairs import insert_pair
from .price import objective, priced
from .settings import Settings


@kernel
def recreate(problem: Problem, routes: Routes, settings: Settings, limit: float) -> bool:
    """Insert all units in a random kind of order, then give the touched routes their best depots.

    It gives up, and returns False, as soon as a route is so long that the objective must end above `limit`:
    what is inserted later makes nothing shorter, unless detours do. Not where depots are chosen only at the
    end, which may make routes shorter: several depots with a limit of vehicles, or with pairs.
    """
    final = problem.num_depots == 1 or (problem.free_depots and not problem.has_pairs)
    if problem.free_depots:
        for k in range(routes.num[TOUCHED]):
            choose_depots(problem, routes, routes.fleet[TOUCHED_LIST, k])
    _sort_units(problem, routes)
    for k in range(routes.num[UNITS]):
        customer = routes.units[k]
        if problem.info[PARTNER, customer] >= 0:
            insert_pair(problem, routes, settings, customer)
        else:
            insert_customer(problem, routes, settings, customer)
        vehicle = routes.link[VEHICLE, customer]
        if final and objective(problem, routes, settings, vehicle) > limit:
            return False
    if problem.num_depots > 1:
        for k in range(routes.num[TOUCHED]):
            choose_depots(problem, routes, routes.fleet[TOUCHED_LIST, k])
    return True


@kernel
def _sort_units(problem: Problem, routes: Routes) -> None:
    """Order of insertion: random (4 of 7), far from the depots first (2 of 7), near first."""
    kind = int(uniform(routes.rng) * 7.0)
    units, key = routes.units, routes.key
    for k in range(routes.num[UNITS]):
        customer = units[k]
        if kind < 4:
            value = uniform(routes.rng)
        else:
            value = problem.point[ALONE, customer] if kind == 6 else -problem.point[ALONE, customer]
        at = k
        while at > 0 and key[at - 1] > value:
            key[at], units[at] = key[at - 1], units[at - 1]
            at -= 1
        key[at], units[at] = value, customer


@kernel
def insert_customer(problem: Problem, routes: Routes, settings: Settings, customer: int) -> None:
    """Insert one customer at its cheapest position."""
    at, price = -1, 1e300
    if problem.num_nodes - problem.num_depots <= settings.full_scan:
        at, price = _scan_all(problem, routes, settings, customer)
        if problem.free_depots:
            at, price = _scan_ends(problem, routes, settings, customer, at, price)
    else:
        at, price = _scan_near(problem, routes, settings, customer)
    if routes.num[FREE] > 0:
        at = open_route(problem, routes, settings, customer, customer, at, price)
    if at < 0:  # every position was blinked away, or every neighbour is taken out
        vehicle = _shortest(problem, routes)
        at = problem.num_nodes + vehicle
    put_in(problem, routes, customer, at)
    if problem.free_depots:
        vehicle = routes.link[VEHICLE, customer]
        if at >= problem.num_nodes or routes.link[AFTER, customer] >= problem.num_nodes:
            choose_depots(problem, routes, vehicle)


@kernel
def _shortest(problem: Problem, routes: Routes) -> int:
    """The shortest route that has customers."""
    best, found = 1e300, -1
    for vehicle in range(problem.num_vehicles):
        if routes.fleet[SIZE, vehicle] > 0 and routes.length[vehicle] < best:
            best, found = routes.length[vehicle], vehicle
    return found


@kernel
def _scan_all(problem: Problem, routes: Routes, settings: Settings, customer: int) -> tuple[int, float]:
    """The cheapest of all positions behind a customer or a start depot of a used vehicle."""
    if has_table(problem):
        return _cheapest_of_all(problem, routes, settings, customer, True)
    return _cheapest_of_all(problem, routes, settings, customer, False)


@inlined
def _cheapest_of_all(
    problem: Problem, routes: Routes, settings: Settings, customer: int, table: bool
) -> tuple[int, float]:
    best, at = 1e300, -1
    service = problem.point[SERVICE, customer]
    for k in range(problem.num_depots, problem.num_nodes + problem.num_vehicles):
        vehicle = routes.link[VEHICLE, k]
        if vehicle < 0 or (k >= problem.num_nodes and routes.fleet[SIZE, vehicle] == 0):
            continue
        added = service - routes.leg[k]
        added += read_or_measured_into(problem, table, routes.link[PLACE, k], customer)
        added += read_or_measured(problem, table, customer, routes.link[PLACE, routes.link[AFTER, k]])
        if added < best:
            added = priced(routes, routes.length[vehicle], added)
            if added < best and uniform(routes.rng) >= settings.blink:
                best, at = added, k
    return at, best


@kernel
def _scan_near(problem: Problem, routes: Routes, settings: Settings, customer: int) -> tuple[int, float]:
    """The cheapest of the positions beside a near neighbour, and of all first and last ones near a depot."""
    if has_table(problem):
        at, best = _cheapest_near(problem, routes, settings, customer, True)
    else:
        at, best = _cheapest_near(problem, routes, settings, customer, False)
    if problem.info[NEAR_DEPOT, customer] == 1 or problem.free_depots:
        at, best = _scan_ends(problem, routes, settings, customer, at, best)
    return at, best


@inlined
def _cheapest_near(
    problem: Problem, routes: Routes, settings: Settings, customer: int, table: bool
) -> tuple[int, float]:
    best, at = 1e300, -1
    service = problem.point[SERVICE, customer]
    near = problem.neighbours
    for k in range(min(settings.near, near.shape[1])):
        other = near[customer, k]
        vehicle = routes.link[VEHICLE, other]
        if vehicle < 0:
            continue
        spot = other
        for _ in range(2):
            added = service - routes.leg[spot]
            added += read_or_measured_into(problem, table, routes.link[PLACE, spot], customer)
            added += read_or_measured(problem, table, customer, routes.link[PLACE, routes.link[AFTER, spot]])
            if added < best:
                added = priced(routes, routes.length[vehicle], added)
                if added < best and uniform(routes.rng) >= settings.blink:
                    best, at = added, spot
            spot = routes.link[BEFORE, other]
    return at, best


@kernel
def _scan_ends(
    problem: Problem, routes: Routes, settings: Settings, customer: int, at: int, best: float
) -> tuple[int, float]:
    """First and last positions of up to 24 vehicles, from a random one on."""
    service = problem.point[SERVICE, customer]
    vehicles, nodes = problem.num_vehicles, problem.num_nodes
    vehicle = int(uniform(routes.rng) * vehicles)
    for _ in range(min(24, vehicles)):
        vehicle = vehicle + 1 if vehicle + 1 < vehicles else 0
        if routes.fleet[SIZE, vehicle] == 0:
            continue
        first, last = nodes + vehicle, routes.link[BEFORE, nodes + vehicles + vehicle]
        for side in range(2):
            spot = first if side == 0 else last
            if problem.free_depots:
                added = service + end_price(problem, routes, customer, vehicle, side == 0)
            else:
                added = service - routes.leg[spot]
                added += distance_into(problem, routes.link[PLACE, spot], customer)
                added += distance(problem, customer, routes.link[PLACE, routes.link[AFTER, spot]])
            if added < best:
                added = priced(routes, routes.length[vehicle], added)
                if added < best:
                    best, at = added, spot
    return at, best
