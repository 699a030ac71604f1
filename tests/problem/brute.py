"""The exact optimum of tiny instances, by plain enumeration: the yardstick of bounds and solvers.

Shares no code with the package except the instance's fields and its distances.
"""

import math
from functools import cache

from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution

LARGEST = 8
"""More customers than this take minutes."""


def optimum(instance: Instance) -> tuple[float, Solution]:
    """The smallest possible makespan (in the instance's unit) and a solution that has it.

    Held–Karp over the customers of one route, then every partition of the customers into at
    most M routes. Raises `ValueError` above `LARGEST` customers.
    """
    if instance.num_customers > LARGEST:
        raise ValueError(f"{instance.num_customers} customers, expected at most {LARGEST}")
    routes = _best_routes(instance)
    caps = _caps(instance)

    @cache
    def split(left: int, vehicles: int, free: tuple[int, ...]) -> tuple[float, tuple[Route, ...]]:
        """Best makespan of visiting the set `left` with what remains of the fleet."""
        if left == 0:
            return 0.0, ()
        best: tuple[float, tuple[Route, ...]] = (math.inf, ())
        if vehicles == 0:
            return best
        lowest = left & -left  # the first customer left is on one of the routes: choose that route
        rest = left ^ lowest
        extra = rest
        while True:
            for depot in range(instance.num_depots):
                if free[depot] == 0 or (depot, lowest | extra) not in routes:
                    continue
                length, route = routes[depot, lowest | extra]
                if length < best[0]:
                    fewer = tuple(f - (k == depot) for k, f in enumerate(free))
                    value, others = split(rest ^ extra, vehicles - 1, fewer)
                    best = min(best, (max(length, value), (route, *others)), key=lambda b: b[0])
            if extra == 0:
                return best
            extra = (extra - 1) & rest

    value, chosen = split(2**instance.num_customers - 1, instance.num_vehicles, caps)
    return value, Solution(chosen)


def _caps(instance: Instance) -> tuple[int, ...]:
    if instance.vehicles_per_depot is None:
        return (instance.num_vehicles,) * instance.num_depots
    return tuple(min(int(v), instance.num_vehicles) for v in instance.vehicles_per_depot)


def _best_routes(instance: Instance) -> dict[tuple[int, int], tuple[float, Route]]:
    """Shortest route of each start depot and each set of customers that one route may visit."""
    distance: list[list[float]] = instance.distance_matrix().tolist()
    service: list[float] = instance.node_service.tolist()
    first = instance.num_depots
    pickup_of = {int(d) - first: int(p) - first for p, d in instance.pairs}
    pairs = [1 << d | 1 << p for d, p in pickup_of.items()]
    found: dict[tuple[int, int], tuple[float, Route]] = {}
    for depot in range(instance.num_depots):
        ends = [depot] if instance.return_to == "start" else range(instance.num_depots)
        paths: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {(0, depot): (0.0, ())}
        for visited in range(2**instance.num_customers):  # every subset comes after its own subsets
            for node in [depot] if visited == 0 else range(first, instance.num_nodes):
                if (visited, node) not in paths:
                    continue
                length, order = paths[visited, node]
                if visited and not any(visited & pair not in (0, pair) for pair in pairs):
                    end = min(ends, key=lambda k: distance[node][k])
                    total = length + distance[node][end]
                    if (depot, visited) not in found or total < found[depot, visited][0]:
                        found[depot, visited] = total, Route(depot, order, end)
                for bit in range(instance.num_customers):
                    waits = bit in pickup_of and not visited >> pickup_of[bit] & 1
                    if visited >> bit & 1 or waits:
                        continue
                    step = length + distance[node][first + bit] + service[first + bit]
                    key = (visited | 1 << bit, first + bit)
                    if key not in paths or step < paths[key][0]:
                        paths[key] = step, (*order, first + bit)
    return found
