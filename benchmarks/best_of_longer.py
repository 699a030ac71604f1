"""How far the search is from the best of longer runs from other seeds and starts, on cells of own instances.

    python benchmarks/best_of_longer.py clustered [--cells 12] [--first 0] [--out FILE] [--minutes M]
    python benchmarks/best_of_longer.py long-routes [--cells 12] [--first 0] [--out FILE] [--minutes M]

mTSP with one depot, instances by `generate --distribution`. clustered: all distributions, N/50 seconds of CPU
time on one core for a cell; long-routes: 150 to 400 nodes and 3 to 7 vehicles, N/10 seconds. The network is
not used. The best known of a cell is the best of that run and of runs of five times its budget: with the
search's own starts, and from the greedy start alone (a search that is stuck agrees with itself). The last row
is the mean. Each makespan is a line of FILE as soon as it is there, and is not searched for again. A call
ends after M minutes, with exit code 3 where cells are missing.
"""

import argparse
import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from answers import Answer, Answers

from minmaxvrp.problem.generate import instances
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime, MaxIterations

Cell = tuple[str, int, int]
"""Distribution, nodes, vehicles."""

LONGER = 5.0
"""Times the budget that the runs have which a cell is compared with."""


@dataclass(frozen=True)
class Sample:
    """The cells of one question."""

    per_second: float
    """Nodes for each second of the budget."""
    seed: int
    """Of the instance of the first cell; the next cell has the next seed."""
    longer: tuple[tuple[int, bool], ...]
    """Seed of each longer run, and whether the search's own starts are among the starts."""
    cells: tuple[Cell, ...]


SAMPLES = {
    "clustered": Sample(
        per_second=50.0,
        seed=6101,
        longer=((1, True), (2, False)),
        cells=(
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
        ),
    ),
    "long-routes": Sample(
        per_second=10.0,
        seed=6301,
        longer=((1, True), (2, True), (3, False)),
        cells=(
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
        ),
    ),
}


def search(cell: Cell, instance_seed: int, seconds: float, seed: int, own_start: bool) -> Answer:
    """The makespan that one run finds. Raises `KeyboardInterrupt` when it was interrupted."""
    distribution, size, vehicles = cell
    (instance,) = instances("mtsp", size, vehicles, distribution=distribution, seed=instance_seed)
    found = minimise_makespan(instance, MaxCpuTime(seconds), seed=seed, own_start=own_start)
    if found.interrupted:  # what it has then is no answer to keep
        raise KeyboardInterrupt
    return {"makespan": found.makespan}


def makespans(sample: Sample, number: int, answers: Answers) -> list[float]:
    """Of the run that is judged, then of the longer ones."""
    cell, instance_seed = sample.cells[number], sample.seed + number
    budget = cell[1] / sample.per_second
    found = []
    for seed, own_start, seconds in ((0, True, budget), *((*run, LONGER * budget) for run in sample.longer)):
        asked = {"instance_seed": instance_seed, "seconds": seconds, "seed": seed, "own_start": own_start}
        answer = answers.get({"cell": list(cell), **asked}, partial(search, cell, **asked))
        found.append(float(answer["makespan"]))
    return found


def main() -> None:
    """Print a row for each cell, and the mean."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("sample", choices=list(SAMPLES))
    arguments.add_argument("--cells", type=int, default=12, help="how many of the cells")
    arguments.add_argument("--first", type=int, default=0, help="the first of them, counted from 0")
    arguments.add_argument("--out", type=Path, help="file of the makespans, a line each")
    arguments.add_argument("--minutes", type=float, default=math.inf, help="measure no longer than this")
    given = arguments.parse_args()
    sample, answers = SAMPLES[given.sample], Answers(given.out, given.minutes)
    minimise_makespan(instances("mtsp", 100, 2)[0], MaxIterations(10))  # compiles
    runs = " | ".join(f"longer, seed {seed}" if own else "from greedy" for seed, own in sample.longer)
    print(f"| distribution | N | M | s | makespan | {runs} | gap, % |")
    print("| --- " * (6 + len(sample.longer)) + "|", flush=True)
    gaps = []
    for number in range(given.first, min(given.first + given.cells, len(sample.cells))):
        found = makespans(sample, number, answers)
        gaps.append(100.0 * (found[0] / min(found) - 1.0))
        distribution, size, vehicles = sample.cells[number]
        cells = " | ".join(f"{value:.4f}" for value in found)
        seconds = size / sample.per_second
        print(
            f"| {distribution} | {size} | {vehicles} | {seconds:g} | {cells} | {gaps[-1]:.2f} |", flush=True
        )
    print("| mean " + "| " * (4 + len(sample.longer)) + f"| {np.mean(gaps):.2f} |")


if __name__ == "__main__":
    main()
