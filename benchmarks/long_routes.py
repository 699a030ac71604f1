"""How far the search is from the best of longer runs, on long routes of few vehicles.

    python benchmarks/long_routes.py [--cells 12] [--first 0] [--per-second 10] [--longer 5] [--seed 6301]

mTSP with one depot, instances by `generate --distribution`, seed 6301 and up, 150 to 400 nodes and 3 to 7
vehicles. Each cell is searched for N/10 seconds of CPU time on one core, without the network. Its gap is that
to the best of this run and of three runs of five times its budget, from different seeds and starts: two from
all starts, one from the greedy start alone. The last row has the means.
"""

import argparse

import numpy as np

from minmaxvrp.problem.generate import instances
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime, MaxIterations

CELLS = (
    ("uniform", 150, 3),
    ("clustered", 150, 5),
    ("uniform", 200, 3),
    ("clustered", 200, 4),
    ("uniform", 200, 6),
    ("drilled", 250, 3),
    ("uniform", 250, 5),
    ("clustered", 300, 3),
    ("uniform", 300, 7),
    ("drilled", 300, 5),
    ("uniform", 400, 4),
    ("clustered", 400, 6),
)
"""Distribution, nodes, vehicles."""
LONGER = ((1, True), (2, True), (3, False))
"""Seed, and whether the search's own start is among the starts, of each longer run."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cells", type=int, default=len(CELLS), help="how many of the cells")
    arguments.add_argument("--first", type=int, default=0, help="the first of them")
    arguments.add_argument(
        "--per-second", type=float, default=10.0, help="nodes for each second of the budget"
    )
    arguments.add_argument("--longer", type=float, default=5.0, help="how much longer the other runs take")
    arguments.add_argument("--seed", type=int, default=6301, help="of the instance of the first cell")
    given = arguments.parse_args()
    minimise_makespan(instances("mtsp", 100, 2)[0], MaxIterations(10))  # compiles
    print("| distribution | N | M | s | makespan | longer, seed 1 | seed 2 | from greedy | gap, % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    gaps = []
    for number in range(given.first, min(given.first + given.cells, len(CELLS))):
        distribution, size, vehicles = CELLS[number]
        seed, seconds = given.seed + number, size / given.per_second
        instance = instances("mtsp", size, vehicles, distribution=distribution, seed=seed)[0]
        found = minimise_makespan(instance, MaxCpuTime(seconds)).makespan
        longer = [
            minimise_makespan(
                instance, MaxCpuTime(given.longer * seconds), seed=other, own_start=own
            ).makespan
            for other, own in LONGER
        ]
        gaps.append(100.0 * (found / min(found, *longer) - 1.0))
        row = f"{distribution} | {size} | {vehicles} | {seconds:g} | {found:.4f}"
        row = " | ".join([row, *(f"{value:.4f}" for value in longer)])
        print(f"| {row} | {gaps[-1]:.2f} |", flush=True)
    print(f"| mean | | | | | | | | {np.mean(gaps):.2f} |")


if __name__ == "__main__":
    main()
