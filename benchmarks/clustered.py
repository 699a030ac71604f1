"""How far the search is from the best of everything that has been run, on clustered stops and long routes.

    python benchmarks/clustered.py [--cells 12] [--per-second 50] [--longer 5] [--seed 6101]

mTSP with one depot, instances by `generate --distribution`, seed 6101 and up. Each cell is searched for N/50
seconds of CPU time on one core, without the network. The best known of a cell is the best of that run and of
two runs of five times its budget with other seeds: one from all starts, one from the greedy start alone (a
search that is stuck agrees with itself). The last row has the means.
"""

import argparse

import numpy as np

from minmaxvrp.problem.generate import instances
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime, MaxIterations

CELLS = (
    ("drilled", 500, 3),
    ("drilled", 1000, 5),
    ("clustered", 500, 5),
    ("clustered", 1000, 10),
    ("city", 700, 4),
    ("line", 600, 5),
    ("ring", 600, 3),
    ("grid", 800, 10),
    ("duplicates", 800, 5),
    ("uniform", 500, 3),
    ("drilled", 1500, 20),
    ("clustered", 2000, 20),
)
"""Distribution, nodes, vehicles."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cells", type=int, default=len(CELLS), help="how many of the cells")
    arguments.add_argument(
        "--per-second", type=float, default=50.0, help="nodes for each second of the budget"
    )
    arguments.add_argument(
        "--longer", type=float, default=5.0, help="how much longer the two other runs take"
    )
    arguments.add_argument("--seed", type=int, default=6101, help="of the first instance")
    given = arguments.parse_args()
    minimise_makespan(instances("mtsp", 100, 2)[0], MaxIterations(10))  # compiles
    print("| distribution | N | M | s | makespan | longer | from greedy | gap, % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    gaps = []
    for number, (distribution, size, vehicles) in enumerate(CELLS[: given.cells]):
        seed = given.seed + number
        instance = instances("mtsp", size, vehicles, distribution=distribution, seed=seed)[0]
        seconds = size / given.per_second
        found = minimise_makespan(instance, MaxCpuTime(seconds)).makespan
        longer = minimise_makespan(instance, MaxCpuTime(given.longer * seconds), seed=1).makespan
        greedy = minimise_makespan(
            instance, MaxCpuTime(given.longer * seconds), seed=2, own_start=False
        ).makespan
        gaps.append(100.0 * (found / min(found, longer, greedy) - 1.0))
        row = f"{distribution} | {size} | {vehicles} | {seconds:g}"
        print(f"| {row} | {found:.4f} | {longer:.4f} | {greedy:.4f} | {gaps[-1]:.2f} |", flush=True)
    print(f"| mean | | | | | | | {np.mean(gaps):.2f} |")


if __name__ == "__main__":
    main()
