"""Microseconds of CPU time per iteration of annealing against the number of customers on a route.

    python benchmarks/iteration_cost.py [--iterations 50000] [--seed 13]

From wedges around the depot, with the settings of a group of `decompose`: a few routes of 200 to 5,000
customers each, as in plans of 1,000 customers and 5 vehicles up to 100,000 customers and 20 vehicles.
"""

import argparse
import itertools
import time

from minmaxvrp import MaxIterations, MaxRuntime, solve
from minmaxvrp.interrupt import catch_signals
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.construction.sweep_start import sweep_starts
from minmaxvrp.search.decompose import NEIGHBOURS
from minmaxvrp.search.one_search import Goal, Search, leg_unit
from minmaxvrp.search.phases import FIRST_TEMPERATURE
from minmaxvrp.search.settings import settings_for

SIZES = ((1_000, 5), (4_000, 8), (10_000, 2))
"""Customers and vehicles."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--iterations", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=13)
    words = parser.parse_args()
    solve(uniform("mtsp", 200, 4, seed=1)[0], MaxRuntime(0.1))  # compiles and loads on first use
    print("customers  vehicles  µs per iteration  makespan")
    with catch_signals() as interrupt:
        for size, vehicles in SIZES:
            instance = uniform("mtsp", size, vehicles, seed=words.seed)[0]
            start = construct(instance, 0)
            problem = prepare(instance, leg_unit(instance, start))
            *_, start = itertools.islice(sweep_starts(instance, problem, 0, lambda: False), 3)
            unit = leg_unit(instance, start)
            problem = prepare(instance, unit, NEIGHBOURS)
            defaults = settings_for(problem)
            settings = defaults._replace(first_temperature=FIRST_TEMPERATURE, shorten_incumbents=0)
            goal = Goal(MaxIterations(words.iterations), 0.0, unit, time.perf_counter(), interrupt)
            search = Search(problem, goal, settings, start, 0, 1)
            began = time.process_time()
            search.run()
            each = 1e6 * (time.process_time() - began) / words.iterations
            print(f"{size:9}  {vehicles:8}  {each:16.1f}  {search.progress().makespan:8.4f}", flush=True)


if __name__ == "__main__":
    main()
