"""How much the starts of long routes differ: cut tours, wedges around the depot, coarse instances.

    python benchmarks/tour_starts.py [--tours 4] [--seed 7401]

Makespans, each route shortened by kicks as in the search. The coarse instance is that of one tour, searched
for its share of N/50 seconds of CPU time; `best` is where the search would begin with N/50 seconds.
"""

import argparse

import numpy as np

from minmaxvrp.interrupt import Interrupt
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.generate import instances
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.construction.sweep_start import sweep_starts
from minmaxvrp.search.construction.tour_start import ROUTE_KICKS, search_coarsely, tour_start
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.one_search import leg_unit
from minmaxvrp.search.tours.route_polish import shorten_routes
from minmaxvrp.stop import MaxCpuTime, MaxIterations

CELLS = (("drilled", 1000, 3), ("drilled", 1400, 5), ("clustered", 1000, 3), ("uniform", 1000, 5))
"""Distribution, nodes, vehicles."""
ONCE = MaxIterations(1)
"""A budget for which the start is one tour cut into routes."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tours", type=int, default=4, help="with different kicks")
    arguments.add_argument("--seed", type=int, default=7401, help="of the first instance")
    given = arguments.parse_args()
    minimise_makespan(instances("mtsp", 100, 2)[0], MaxIterations(10))  # compiles
    print(
        "| distribution | N | M |",
        " | ".join(f"tour {k + 1}" for k in range(given.tours)),
        "| wedges | coarse | best |",
    )
    print("| --- | --- | --- |" + " --- |" * (given.tours + 3), flush=True)
    for number, (distribution, size, vehicles) in enumerate(CELLS):
        instance = instances("mtsp", size, vehicles, distribution=distribution, seed=given.seed + number)[0]
        problem = prepare(instance, leg_unit(instance, construct(instance)))
        found = [makespan(instance, tour_start(instance, problem, ONCE, seed)) for seed in range(given.tours)]
        wedges = [
            makespan(instance, shorten_routes(problem, plan, ROUTE_KICKS, random_stream(0)))
            for plan in sweep_starts(instance, problem, 0, lambda: False)
        ]
        order = np.concatenate([route.customers for route in tour_start(instance, problem, ONCE, 0).routes])
        plan = search_coarsely(instance, order, MaxCpuTime(size / 50.0), 0, Interrupt())
        coarse = makespan(instance, shorten_routes(problem, plan, ROUTE_KICKS, random_stream(0)))
        best = makespan(instance, tour_start(instance, problem, MaxCpuTime(size / 50.0), 0))
        row = " | ".join(f"{value:.4f}" for value in (*found, min(wedges), coarse, best))
        print(f"| {distribution} | {size} | {vehicles} | {row} |", flush=True)


if __name__ == "__main__":
    main()
