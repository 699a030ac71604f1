"""How far single long routes are from the best round trip after `route_polish`, and how long it takes.

    python benchmarks/route_polish.py [--kicks 2 10 50] [--seed 7431]

The first route of a start with three vehicles, shortened by kicks, three times with different random numbers.
The gap is that to the tour of LKH (`pip install elkai`); CPU time on one core.
"""

import argparse
import time

import elkai
import numpy as np

from minmaxvrp.problem.check import route_lengths
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.construction.tour_start import tour_start
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.one_search import leg_unit
from minmaxvrp.search.tours.route_polish import shorten_routes
from minmaxvrp.stop import MaxIterations

CELLS = (("drilled", 1400), ("drilled", 900), ("clustered", 900), ("uniform", 900))
"""Distribution, nodes."""
UNITS = 1e6
"""Whole numbers for LKH: of the side of the square."""


def shortest(instance: Instance, plan: Solution) -> float:
    """The length of LKH's round trip through the customers of the first route."""
    node = np.array([0, *plan.routes[0].customers])
    away = instance.distance(node[:, None], node[None, :])
    tour = elkai.DistanceMatrix((away * UNITS).astype(int).tolist()).solve_tsp(runs=1)
    return float(away[tour[:-1], tour[1:]].sum())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kicks", type=float, nargs="+", default=[2.0, 10.0, 50.0], help="per customer")
    arguments.add_argument("--seed", type=int, default=7431, help="of the first instance")
    given = arguments.parse_args()
    minimise_makespan(instances("mtsp", 100, 2)[0], MaxIterations(10))  # compiles
    print("| distribution | N | on the route | kicks per customer | gap, % | ms | kicks per second |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for number, (distribution, size) in enumerate(CELLS):
        instance = instances("mtsp", size, 3, distribution=distribution, seed=given.seed + number)[0]
        problem = prepare(instance, leg_unit(instance, construct(instance)))
        start = tour_start(instance, problem, MaxIterations(1), 0)
        plan = Solution(start.routes[:1])
        best, customers = shortest(instance, plan), len(plan.routes[0])
        for kicks in given.kicks:
            began = time.process_time()
            found = [shorten_routes(problem, plan, kicks, random_stream(seed)) for seed in (1, 2, 3)]
            seconds = (time.process_time() - began) / len(found)
            gap = 100.0 * (np.mean([route_lengths(instance, one)[0] for one in found]) / best - 1.0)
            row = f"{distribution} | {size} | {customers} | {kicks:g} | {gap:.2f} | {1000.0 * seconds:.0f}"
            print(f"| {row} | {kicks * customers / seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
