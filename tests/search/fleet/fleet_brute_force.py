"""The best plans of tiny fleets by trying everything, written without the search and without the checker."""

import itertools

from minmaxvrp.problem.fleet import possible_ends, possible_starts
from minmaxvrp.problem.instance import Instance

INFINITE = float("inf")


def best_lengths(
    instance: Instance, order: dict[int, tuple[int, ...]] | None = None
) -> list[tuple[float, ...]]:
    """Sorted route lengths, longest first, of every way to give the customers to the vehicles.

    Each vehicle drives its customers in the shortest order. `order` are the customers that a vehicle keeps,
    in their order; up to 6 customers.
    """
    customers = list(instance.customers)
    order = order or {}
    home = {node: vehicle for vehicle, nodes in order.items() for node in nodes}
    lengths: dict[tuple[int, tuple[int, ...]], float] = {}
    found = []
    for choice in itertools.product(range(instance.num_vehicles), repeat=len(customers)):
        if any(home.get(node, vehicle) != vehicle for node, vehicle in zip(customers, choice, strict=True)):
            continue
        routes = []
        for vehicle in range(instance.num_vehicles):
            part = tuple(node for node, chosen in zip(customers, choice, strict=True) if chosen == vehicle)
            if (vehicle, part) not in lengths:
                lengths[vehicle, part] = _shortest(instance, vehicle, part, order.get(vehicle, ()))
            routes.append(lengths[vehicle, part])
        if max(routes) < INFINITE:
            found.append(tuple(sorted(routes, reverse=True)))
    return found


def optimal_makespan(instance: Instance, order: dict[int, tuple[int, ...]] | None = None) -> float:
    """The smallest makespan."""
    return min(best_lengths(instance, order))[0]


def _shortest(instance: Instance, number: int, part: tuple[int, ...], order: tuple[int, ...]) -> float:
    """Length of the shortest route of a vehicle through some customers; infinite if a rule forbids it."""
    vehicle = instance.vehicles[number]
    if not part:
        return vehicle.done
    allowed = instance.allowed or {}
    if any(number not in allowed.get(node, (number,)) for node in part):
        return INFINITE
    best = INFINITE
    for nodes in itertools.permutations(part):
        if not _keeps_pairs(instance, nodes) or tuple(node for node in nodes if node in order) != order:
            continue
        inner = sum(float(instance.distance(a, b)) for a, b in itertools.pairwise(nodes))
        for start in possible_starts(instance, vehicle):
            for end in possible_ends(instance, vehicle, start):
                closing = 0.0 if end < 0 else float(instance.distance(nodes[-1], end))
                best = min(best, float(instance.distance(start, nodes[0])) + inner + closing)
    return vehicle.done + best / vehicle.speed + sum(float(instance.node_service[node]) for node in part)


def _keeps_pairs(instance: Instance, nodes: tuple[int, ...]) -> bool:
    place = {node: position for position, node in enumerate(nodes)}
    for pickup, delivery in instance.pairs.tolist():
        if (pickup in place) != (delivery in place):
            return False
        if pickup in place and place[pickup] > place[delivery]:
            return False
    return True
