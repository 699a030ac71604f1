"""How often the search misses the optimum of tiny instances, against a brute force apart from its code.

    python benchmarks/tiny.py [--count 100000] [--seed 2501] [--iterations 3000] [--again 200000] [--most 6]

1 to 6 customers (or `--most`), 1 to 3 vehicles, 1 to 3 depots; all mixtures of pairs, service, limits of
vehicles per depot, ends at any depot, points in the plane, on a line or on a small grid, and asymmetric
matrices without triangle inequality. `--then` in turn none, balance and total. A miss is searched again for
longer. The table counts: answers whose makespan is not optimal; answers whose makespan is but whose other
routes are not (second longest and so on, or total length); the same after the second search. An answer
below the optimum, or a lower bound above it, ends the run with an error. No network. `--alone` leaves out
that up to six customers all plans are tried (`search/exact.py`): then it counts what the steps of the
search miss. With `--most 8` some instances are too large for that, so that the search for the other routes
counts as well.
"""

import argparse
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minmaxvrp import Instance, MaxIterations, solve
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.result import Then
from minmaxvrp.search.makespan import minimise_makespan

THEN: tuple[Then, ...] = ("none", "balance", "total")
CLOSE = 1e-7
"""Lengths that differ by less than this share of the optimum are equal."""

NO_PLAN = (float("inf"),)


def tiny_instance(seed: int, number: int, most: int = 6) -> Instance:
    """The instance with this number of a seed's sequence, with up to `most` customers."""
    rng = np.random.default_rng([seed, number])
    customers, vehicles, depots = (int(rng.integers(1, top + 1)) for top in (most, 3, 3))
    nodes = depots + customers
    fields: dict[str, Any] = {}
    points = rng.random((nodes, 2))
    shape = rng.choice(["plane", "line", "grid", "matrix", "matrix"])
    if shape == "line":
        points[:, 1] = 0.0
    elif shape == "grid":
        points = np.floor(4.0 * points)
    elif shape == "matrix":
        fields |= {"kind": "matrix", "matrix": rng.random((nodes, nodes)) ** float(rng.choice([1.0, 3.0]))}
    if customers > 1 and rng.random() < 0.5:
        count = int(rng.integers(1, customers // 2 + 1))
        fields["pairs"] = (depots + rng.permutation(customers))[: 2 * count].reshape(-1, 2)
    if rng.random() < 0.5:
        limits = rng.multinomial(vehicles, np.full(depots, 1.0 / depots))
        limits[int(rng.integers(depots))] += int(rng.integers(3))
        fields["vehicles_per_depot"] = limits
    if rng.random() < 0.3:
        fields["service"] = rng.random(customers)
    fields["return_to"] = "any" if rng.random() < 0.4 else "start"
    return Instance(points, depots, vehicles, **fields)


def shortest_routes(instance: Instance) -> list[list[float]]:
    """[2^N][D] the shortest route from a depot through a set of customers, infinite where pairs forbid it."""
    depots, size = range(instance.num_depots), instance.num_customers
    leg = instance.distance_matrix().tolist()
    service = instance.node_service.tolist()
    needs = [0] * size  # customers that must come before
    partners = [0] * size
    for pickup, delivery in (instance.pairs - instance.num_depots).tolist():
        needs[delivery] = partners[delivery] = 1 << pickup
        partners[pickup] = 1 << delivery
    lengths = [[float("inf")] * len(depots) for _ in range(1 << size)]
    for start in depots:
        way = [[float("inf")] * size for _ in range(1 << size)]
        for c in range(size):
            if not needs[c]:
                node = len(depots) + c
                way[1 << c][c] = leg[start][node] + service[node]
        for chosen in range(1, 1 << size):
            whole = all(not chosen >> c & 1 or partners[c] & chosen == partners[c] for c in range(size))
            for last in range(size):
                so_far, at = way[chosen][last], len(depots) + last
                if so_far == float("inf"):
                    continue
                if whole:
                    ends = depots if instance.return_to == "any" else [start]
                    closed = so_far + min(leg[at][end] for end in ends)
                    lengths[chosen][start] = min(lengths[chosen][start], closed)
                for c in range(size):
                    if not chosen >> c & 1 and needs[c] & chosen == needs[c]:
                        node = len(depots) + c
                        longer = so_far + leg[at][node] + service[node]
                        way[chosen | 1 << c][c] = min(way[chosen | 1 << c][c], longer)
    return [[round(length, 12) for length in row] for row in lengths]  # equal lengths must be equal numbers


def optimum(instance: Instance, then: Then) -> tuple[float, ...]:
    """What the best plan is compared by: its makespan; all lengths, longest first; or makespan and total."""
    lengths = shortest_routes(instance)
    everyone = len(lengths) - 1
    limits = instance.vehicles_per_depot
    room = (instance.num_vehicles,) * instance.num_depots if limits is None else tuple(limits.tolist())

    @cache
    def best(left: int, vehicles: int, room: tuple[int, ...], most: float, total: bool) -> tuple[float, ...]:
        """The best plan for the customers `left`, no route longer than `most`; `NO_PLAN` if there is none."""
        if not left:
            return (0.0,) if total else (0.0,) * vehicles
        found = NO_PLAN
        chosen = left if vehicles else 0
        while chosen:
            if chosen & -left & left:  # the route of the first customer left
                for depot, free in enumerate(room):
                    length = lengths[chosen][depot]
                    if not free or length > most:
                        continue
                    after = (*room[:depot], free - 1, *room[depot + 1 :])
                    rest = best(left ^ chosen, vehicles - 1, after, most, total)
                    if rest != NO_PLAN:
                        whole = (length + rest[0],) if total else sorted((length, *rest), reverse=True)
                        found = min(found, tuple(whole))
            chosen = (chosen - 1) & left
        return found

    balanced = best(everyone, instance.num_vehicles, room, 1e300, False)
    if then == "balance":
        return balanced
    if then == "none":
        return balanced[:1]
    most = balanced[0] * (1.0 + 1e-12)
    return (balanced[0], *best(everyone, instance.num_vehicles, room, most, True))


class Answer(NamedTuple):
    """What a run found, and its lower bound."""

    rank: tuple[float, ...]
    """As by `optimum`."""
    bound: float


def answer(instance: Instance, then: Then, iterations: int, alone: bool) -> Answer:
    """The answer of `solve`, or of the search for the makespan alone, which tries no plans exhaustively."""
    if alone:
        bound = lower_bound(instance)
        return Answer(
            (minimise_makespan(instance, MaxIterations(iterations), lower_bound=bound).makespan,), bound
        )
    result = solve(instance, MaxIterations(iterations), then=then, policy=None)
    lengths = sorted(result.lengths, reverse=True)
    every = (*lengths, *(0.0,) * (instance.num_vehicles - len(lengths)))
    ranks = {"none": (result.makespan,), "balance": every, "total": (result.makespan, result.total)}
    return Answer(ranks[then], result.lower_bound)


def missed(found: Answer, best: tuple[float, ...]) -> str:
    """ "makespan", "others" or "" for what is not optimal; raises where an answer cannot be right."""
    margin = max(CLOSE * best[0], 1e-12)  # optima are rounded to 12 digits
    if found.bound > best[0] + margin:
        raise SystemExit(f"lower bound {found.bound}, optimum {best}")
    for k, (length, wanted) in enumerate(zip(found.rank, best, strict=True)):
        if length > wanted + margin:
            return "others" if k else "makespan"
        if length < wanted - margin:
            raise SystemExit(f"{found.rank} comes before the optimum {best}")
    return ""


def main() -> None:
    """Count the misses."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--count", type=int, default=100_000)
    arguments.add_argument("--first", type=int, default=0, help="number of the first instance")
    arguments.add_argument("--seed", type=int, default=2501)
    arguments.add_argument("--iterations", type=int, default=3_000)
    arguments.add_argument("--again", type=int, default=200_000)
    arguments.add_argument("--most", type=int, default=6, help="customers")
    arguments.add_argument(
        "--alone", action="store_true", help="the search for the makespan without enumeration"
    )
    given = arguments.parse_args()
    budgets = (given.iterations, given.again)
    misses: Counter[tuple[int, Then, str]] = Counter()
    for number in range(given.first, given.first + given.count):
        instance, then = (
            tiny_instance(given.seed, number, given.most),
            "none" if given.alone else THEN[number % 3],
        )
        best = optimum(instance, then)
        for budget in budgets:
            found = answer(instance, then, budget, given.alone)
            what = missed(found, best)
            if not what:
                break
            misses[budget, then, what] += 1
            print(f"{number}: {budget} iterations, {then}: {found.rank}, optimum {best}", flush=True)
    print(f"\n{given.count} instances, seed {given.seed}\n")
    print("| iterations | then | makespan missed | others missed |\n| --- | --- | --- | --- |")
    for budget in budgets:
        for then in THEN:
            others = "" if then == "none" else misses[budget, then, "others"]
            print(f"| {budget} | {then} | {misses[budget, then, 'makespan']} | {others} |")


if __name__ == "__main__":
    main()
