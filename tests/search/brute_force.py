"""The optimum of tiny instances by trying everything."""

import itertools

from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution


def optimum(instance: Instance) -> float:
    """The smallest makespan of all orders, all cuts into routes and all depots; up to 6 customers."""
    customers = list(instance.customers)
    best = float("inf")
    lengths: dict[tuple[tuple[int, ...], int], float] = {}
    for order in itertools.permutations(customers):
        for marks in itertools.product((False, True), repeat=len(order) - 1):
            parts = _cut(order, marks)
            if len(parts) > instance.num_vehicles or not _keeps_pairs(instance, parts):
                continue
            for starts in itertools.product(range(instance.num_depots), repeat=len(parts)):
                if not _has_room(instance, starts):
                    continue
                worst = 0.0
                for part, start in zip(parts, starts, strict=True):
                    if (part, start) not in lengths:
                        lengths[part, start] = _shortest_end(instance, part, start)
                    worst = max(worst, lengths[part, start])
                best = min(best, worst)
    return best


def _cut(order: tuple[int, ...], marks: tuple[bool, ...]) -> list[tuple[int, ...]]:
    cuts = [0, *(k + 1 for k, mark in enumerate(marks) if mark), len(order)]
    return [order[a:b] for a, b in itertools.pairwise(cuts)]


def _keeps_pairs(instance: Instance, parts: list[tuple[int, ...]]) -> bool:
    broken = violations(instance, Solution(tuple(Route.of(part) for part in parts)))
    return not any(v.rule in ("pair split", "pickup after delivery") for v in broken)


def _has_room(instance: Instance, starts: tuple[int, ...]) -> bool:
    caps = instance.vehicles_per_depot
    return caps is None or all(starts.count(depot) <= cap for depot, cap in enumerate(caps))


def _shortest_end(instance: Instance, part: tuple[int, ...], start: int) -> float:
    ends = range(instance.num_depots) if instance.return_to == "any" else [start]
    return min(makespan(instance, Solution((Route.of(part, start, end),))) for end in ends)
