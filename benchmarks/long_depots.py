"""The search on long routes of several depots, without the network: one line for each cell.

    python benchmarks/long_depots.py [--cells 12] [--first 0] [--per-second 20] [--seed 0]

MDVRP and FMDVRP, instances by `generate --distribution` with seeds 7601 and up, 200 to 1,000 customers. Some
cells have a limit of vehicles for each depot. Each is searched for a part of a second of CPU time for each
customer on one core. To compare two checkouts, run it with PYTHONPATH on the `src` of each.
"""

import argparse
from dataclasses import replace

import numpy as np

from minmaxvrp.problem.generate import instances
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime, MaxIterations

CELLS = (
    ("mdvrp", "uniform", 200, 6, 4, 0),
    ("mdvrp", "clustered", 250, 5, 3, 0),
    ("mdvrp", "uniform", 250, 5, 5, 1),
    ("mdvrp", "uniform", 350, 2, 4, 2),
    ("fmdvrp", "uniform", 200, 6, 4, 0),
    ("fmdvrp", "clustered", 300, 8, 5, 0),
    ("mdvrp", "uniform", 400, 3, 4, 2),
    ("mdvrp", "uniform", 250, 2, 5, 3),
    ("mdvrp", "uniform", 300, 10, 6, 0),
    ("fmdvrp", "uniform", 300, 5, 3, 2),
    ("mdvrp", "clustered", 200, 10, 5, 0),
    ("mdvrp", "uniform", 500, 3, 6, 2),
    ("mdvrp", "clustered", 1000, 5, 5, 0),
    ("fmdvrp", "uniform", 1000, 6, 4, 0),
    ("mdvrp", "uniform", 900, 3, 4, 2),
)
"""Problem, distribution, customers, depots, vehicles, vehicles of each depot (0: no limit)."""
FIRST_SEED = 7601
"""Of the instance of the first cell; the next cell has the next one."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cells", type=int, default=12, help="how many of the cells")
    arguments.add_argument("--first", type=int, default=0, help="the first of them")
    arguments.add_argument("--per-second", type=float, default=20.0, help="customers for each second")
    arguments.add_argument("--seed", type=int, default=0, help="of the search")
    given = arguments.parse_args()
    minimise_makespan(instances("mdvrp", 100, 2)[0], MaxIterations(10))  # compiles
    print("| problem | distribution | N | D | M | limit | makespan | iterations |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for number in range(given.first, min(given.first + given.cells, len(CELLS))):
        problem, distribution, size, depots, vehicles, limit = CELLS[number]
        instance = instances(
            problem, size, vehicles, distribution=distribution, num_depots=depots, seed=FIRST_SEED + number
        )[0]
        if limit:
            instance = replace(instance, vehicles_per_depot=np.full(depots, limit))
        found = minimise_makespan(instance, MaxCpuTime(size / given.per_second), seed=given.seed)
        row = f"{problem} | {distribution} | {size} | {depots} | {vehicles} | {limit or ''}"
        print(f"| {row} | {found.makespan:.5f} | {found.iterations:,} |", flush=True)


if __name__ == "__main__":
    main()
