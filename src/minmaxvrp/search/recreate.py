"""Put the removed customers back, one after another, each where it is cheapest for the makespan.

Greedy insertion with blinks (Christiaens and Vanden Berghe 2020). The price of a position is the
length it adds, plus a multiple of what the route then exceeds the threshold by.
"""

from .compiled import kernel
from .depots import choose_depots, open_route
from .draw import uniform
from .metric import Problem, distance
from .pairs import insert_pair
from .routes import FREE, THRESHOLD, TOUCHED, UNITS, Routes, put_in
from .settings import Settings


@kernel
def recreate(problem: Problem, routes: Routes, settings: Settings) -> None:
    """Insert all units in a random kind of order, then give the touched routes their best depots."""
    _sort_units(problem, routes)
    for k in range(routes.num[UNITS]):
        customer = routes.units[k]
        if problem.partner[customer] >= 0:
            insert_pair(problem, routes, settings, customer)
        else:
            insert_customer(problem, routes, settings, customer)
    if problem.num_depots > 1:
        for k in range(routes.num[TOUCHED]):
            choose_depots(problem, routes, routes.touched[k])


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
            value = problem.alone[customer] if kind == 6 else -problem.alone[customer]
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
    else:
        at, price = _scan_near(problem, routes, settings, customer)
    if routes.num[FREE] > 0:
        at = open_route(problem, routes, settings, customer, customer, at, price)
    if at < 0:  # every position was blinked away, or every neighbour is taken out
        at = problem.num_nodes + routes.top[1]
        for vehicle in range(problem.num_vehicles):
            if routes.length[vehicle] < routes.length[at - problem.num_nodes] and routes.size[vehicle] > 0:
                at = problem.num_nodes + vehicle
    put_in(problem, routes, customer, at)


@kernel
def _scan_all(problem: Problem, routes: Routes, settings: Settings, customer: int) -> tuple[int, float]:
    """The cheapest of all positions behind a customer or a start depot of a used vehicle."""
    best, at = 1e300, -1
    service, threshold = problem.service[customer], routes.value[THRESHOLD]
    for k in range(problem.num_depots, problem.num_nodes + problem.num_vehicles):
        vehicle = routes.vehicle[k]
        if vehicle < 0 or (k >= problem.num_nodes and routes.size[vehicle] == 0):
            continue
        added = service - routes.leg[k]
        added += distance(problem, routes.place[k], customer)
        added += distance(problem, customer, routes.place[routes.after[k]])
        if added < best:
            over = routes.length[vehicle] + added - threshold
            if over > 0.0:
                added += settings.weight * min(over, added)
            if added < best and uniform(routes.rng) >= settings.blink:
                best, at = added, k
    return at, best


@kernel
def _scan_near(problem: Problem, routes: Routes, settings: Settings, customer: int) -> tuple[int, float]:
    """The cheapest of the positions beside a near neighbour, and of all first and last ones near a depot."""
    best, at = 1e300, -1
    service, threshold = problem.service[customer], routes.value[THRESHOLD]
    near = problem.neighbours
    for k in range(min(settings.near, near.shape[1])):
        other = near[customer, k]
        vehicle = routes.vehicle[other]
        if vehicle < 0:
            continue
        spot = other
        for _ in range(2):
            added = service - routes.leg[spot]
            added += distance(problem, routes.place[spot], customer)
            added += distance(problem, customer, routes.place[routes.after[spot]])
            if added < best:
                over = routes.length[vehicle] + added - threshold
                if over > 0.0:
                    added += settings.weight * min(over, added)
                if added < best and uniform(routes.rng) >= settings.blink:
                    best, at = added, spot
            spot = routes.before[other]
    if problem.near_depot[customer]:
        at, best = _scan_ends(problem, routes, settings, customer, at, best)
    return at, best


@kernel
def _scan_ends(
    problem: Problem, routes: Routes, settings: Settings, customer: int, at: int, best: float
) -> tuple[int, float]:
    """First and last positions of up to 24 vehicles, from a random one on."""
    service, threshold = problem.service[customer], routes.value[THRESHOLD]
    vehicles, nodes = problem.num_vehicles, problem.num_nodes
    vehicle = int(uniform(routes.rng) * vehicles)
    for _ in range(min(24, vehicles)):
        vehicle = vehicle + 1 if vehicle + 1 < vehicles else 0
        if routes.size[vehicle] == 0:
            continue
        spot = nodes + vehicle
        for _ in range(2):
            added = service - routes.leg[spot]
            added += distance(problem, routes.place[spot], customer)
            added += distance(problem, customer, routes.place[routes.after[spot]])
            if added < best:
                over = routes.length[vehicle] + added - threshold
                if over > 0.0:
                    added += settings.weight * min(over, added)
                if added < best:
                    best, at = added, spot
            spot = routes.before[nodes + vehicles + vehicle]
    return at, best
