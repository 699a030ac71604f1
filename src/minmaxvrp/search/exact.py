"""Tiny instances exactly: all ways to share up to six customers among the vehicles.

`improve` asks it before it searches. The shortest route for each set of customers comes from dynamic
programming (Held and Karp 1962), the best plan from trying all partitions into such sets.
"""

from collections.abc import Iterator
from operator import itemgetter

from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..result import Then

MOST_CUSTOMERS, MOST_DEPOTS = 6, 10
"""With more of either, trying all plans takes longer than a short search."""
MOST_CHOICES = 1_000
"""Ways to choose the depots of all routes, where depots have limits."""
DIGITS = 10
"""Of a length, as a share of the longest leg: equal lengths must compare as equal."""

Customers = frozenset[int]
Trip = tuple[float, Route]
Ways = dict[tuple[Customers, int], tuple[float, tuple[int, ...]]]
"""For customers served and the last of them, the shortest way from a depot: its length, and its order."""


def best_plan(instance: Instance, then: Then) -> Solution | None:
    """The best plan in the order of `then`; None where the instance is too large for it."""
    depots, vehicles = instance.num_depots, min(instance.num_vehicles, instance.num_customers)
    if instance.num_customers > MOST_CUSTOMERS or depots > MOST_DEPOTS:
        return None
    limits = instance.vehicles_per_depot
    limit = [vehicles] * depots if limits is None else limits.tolist()
    everyone, trips = frozenset(instance.customers), _shortest_trips(instance)
    if min(limit) >= vehicles:  # the best depot is always free
        trips = {chosen: [min(best, key=itemgetter(0))] for chosen, best in trips.items()}
    elif depots**vehicles > MOST_CHOICES:
        return None
    best = min(_plans(trips, everyone, vehicles, limit), key=lambda plan: _rank(plan, then))
    return Solution(tuple(route for _, route in best))


def _rank(plan: tuple[Trip, ...], then: Then) -> tuple[float, ...]:
    """What plans are compared by: the lengths, longest first; or the longest, and the total length."""
    lengths = sorted((length for length, _ in plan), reverse=True)
    return (lengths[0], round(sum(lengths), DIGITS - 1)) if then == "total" else tuple(lengths)


def _plans(
    trips: dict[Customers, list[Trip]], left: Customers, vehicles: int, limit: list[int]
) -> Iterator[tuple[Trip, ...]]:
    """All plans of shortest trips for the customers left."""
    if not left:
        yield ()
        return
    for chosen, best in trips.items() if vehicles else ():
        if min(left) not in chosen or not chosen <= left:
            continue
        for trip in best:
            depot = trip[1].start
            if limit[depot] > 0:
                limit[depot] -= 1
                for others in _plans(trips, left - chosen, vehicles - 1, limit):
                    yield (trip, *others)
                limit[depot] += 1


def _shortest_trips(instance: Instance) -> dict[Customers, list[Trip]]:
    """For each set of customers that keeps pairs together, the shortest trip from each depot."""
    partner = {a: b for p, d in instance.pairs.tolist() for a, b in ((p, d), (d, p))}
    legs = (instance.distance_matrix() + instance.node_service).tolist()  # service at a leg's end
    scale = max(map(max, legs)) or 1.0
    trips: dict[Customers, list[Trip]] = {}
    for start in range(instance.num_depots):
        ends = range(instance.num_depots) if instance.return_to == "any" else [start]
        ways: Ways = {(frozenset(), start): (0.0, ())}
        for _ in instance.customers:
            ways = _longer(instance, ways, legs)
            shortest: dict[Customers, Trip] = {}
            for (served, last), (length, order) in ways.items():
                if all(partner.get(customer, customer) in served for customer in served):
                    end = min(ends, key=legs[last].__getitem__)
                    closed = round((length + legs[last][end]) / scale, DIGITS)
                    if served not in shortest or closed < shortest[served][0]:
                        shortest[served] = (closed, Route(start, order, end))
            for served, trip in shortest.items():
                trips.setdefault(served, []).append(trip)
    return trips


def _longer(instance: Instance, ways: Ways, legs: list[list[float]]) -> Ways:
    """The shortest ways with one customer more; a delivery only behind its pickup."""
    pickup = dict(instance.pairs[:, ::-1].tolist())
    longer: Ways = {}
    for (served, at), (length, order) in ways.items():
        for customer in instance.customers:
            if customer in served or (customer in pickup and pickup[customer] not in served):
                continue
            key, way = (served | {customer}, customer), length + legs[at][customer]
            if key not in longer or way < longer[key][0]:
                longer[key] = (way, (*order, customer))
    return longer
