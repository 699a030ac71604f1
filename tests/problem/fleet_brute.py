"""The exact optimum of tiny instances with a fleet, by plain enumeration: the yardstick of bounds and search.

Shares no code with the package except the instance's fields and its distances.
"""

import math

from minmaxvrp.problem.fleet import NOWHERE, Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution

LARGEST = 7
"""More customers than this take minutes."""

Paths = dict[int, tuple[float, Route]]


def fleet_optimum(instance: Instance) -> tuple[float, Solution]:
    """The smallest possible makespan (in the instance's unit) and a solution that has it.

    The shortest route of every vehicle through every set of customers that it may serve (Held and Karp), then
    the best set for each vehicle after the other. `max_length` is not part of it. Raises `ValueError` above
    `LARGEST` customers.
    """
    if instance.num_customers > LARGEST:
        raise ValueError(f"{instance.num_customers} customers, expected at most {LARGEST}")
    everybody = 2**instance.num_customers - 1
    best: dict[int, tuple[float, tuple[Route, ...]]] = {0: (0.0, ())}  # of each set served so far
    for number, vehicle in enumerate(instance.vehicles):
        routes = _routes(instance, number, vehicle)
        longer: dict[int, tuple[float, tuple[Route, ...]]] = {}
        for served, (value, chosen) in best.items():
            for more, (length, route) in routes.items():
                if served & more == 0:
                    makespan = max(value, length)
                    if makespan < longer.get(served | more, (math.inf, ()))[0]:
                        longer[served | more] = makespan, (*chosen, route)
        best = longer
    value, chosen = best[everybody]
    return value, Solution(chosen)


def _routes(instance: Instance, number: int, vehicle: Vehicle) -> Paths:
    """The vehicle's shortest route through each set of customers that it may serve, also the empty set."""
    depots = range(instance.num_depots)
    found: Paths = {}
    for start in depots if vehicle.start is None else [vehicle.start]:
        if vehicle.end == "nowhere":
            ends = [NOWHERE]
        elif vehicle.end == "any":
            ends = list(depots)
        else:
            ends = [start if vehicle.end == "start" else int(vehicle.end or 0)]
        for served, (length, route) in _from(instance, number, start, ends, vehicle).items():
            if length < found.get(served, (math.inf, None))[0]:
                found[served] = length, route
    return found


def _from(instance: Instance, number: int, start: int, ends: list[int], vehicle: Vehicle) -> Paths:
    """The same from one start to one of `ends`."""
    distance: list[list[float]] = instance.distance_matrix().tolist()
    service: list[float] = instance.node_service.tolist()
    allowed, first = instance.allowed or {}, instance.num_depots
    may = [c for c in instance.customers if number in allowed.get(c, (number,))]
    pickup_of = {int(d): int(p) for p, d in instance.pairs}
    pairs = [1 << d - first | 1 << p - first for d, p in pickup_of.items()]
    found: Paths = {0: (vehicle.done, Route(start, (), ends[0]))}
    orders: list[tuple[float, float, tuple[int, ...]]] = [(0.0, 0.0, ())]  # travel, service, customers
    while orders:
        travel, work, order = orders.pop()
        node = order[-1] if order else start
        served = sum(1 << c - first for c in order)
        if order and all(served & pair in (0, pair) for pair in pairs):
            for end in ends:
                whole = travel + (0.0 if end == NOWHERE else distance[node][end])
                length = vehicle.done + whole / vehicle.speed + work
                if length < found.get(served, (math.inf, None))[0]:
                    found[served] = length, Route(start, order, end)
        for c in may:
            if c not in order and (c not in pickup_of or pickup_of[c] in order):
                orders.append((travel + distance[node][c], work + service[c], (*order, c)))
    return found
