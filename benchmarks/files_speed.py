"""How long large files take: read a table of 100,000 stops in every format, check a plan for it.

    python benchmarks/files_speed.py [--stops 100000] [--runs 3]

Prints the least CPU seconds (user + system) of several runs. The targets: seconds for the CSV, under
2 s for `check`, reading both files included. `benchmarks/startup.py` measures --help and info.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from minmaxvrp.problem import files
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

NUM_VEHICLES = 50


def least(runs: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def command_seconds(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "minmaxvrp", *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stops", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    points = rng.random((options.stops, 2)) * 100
    names = tuple(f"stop {k}" for k in range(options.stops))
    named = Instance.mtsp(points[0], points[1:], NUM_VEHICLES, names=names)
    bare = Instance.mtsp(points[0], points[1:], NUM_VEHICLES)
    plan = Solution.of(np.array_split(1 + rng.permutation(options.stops - 1), NUM_VEHICLES))
    print(f"{options.stops:,} stops, least CPU of {options.runs} runs")
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".csv", ".json", ".geojson", ".npz", ".tsp", ".txt"):
            path, instance = Path(folder) / f"stops{ending}", bare if ending in (".tsp", ".txt") else named
            written = least(1, lambda i=instance, p=path: files.write(i, p))  # type: ignore[misc]
            read = least(options.runs, lambda p=path: files.read(p))  # type: ignore[misc]
            size = path.stat().st_size / 1e6
            print(f"  {ending:<10} read {read:6.2f} s   write {written:6.2f} s   {size:6.1f} MB")
        for ending in (".json", ".sol", ".geojson"):
            path = Path(folder) / f"plan{ending}"
            written = least(1, lambda p=path: files.write_solution(p, named, plan))  # type: ignore[misc]
            read = least(options.runs, lambda p=path: files.read_solution(p, named))  # type: ignore[misc]
            print(f"  plan {ending:<8} read {read:4.2f} s   write {written:6.2f} s")
        judged = least(options.runs, lambda: (violations(named, plan), makespan(named, plan)))
        print(f"  violations and makespan    {judged:6.2f} s")
        check = ["check", str(Path(folder) / "stops.csv"), str(Path(folder) / "plan.json")]
        seconds = min(command_seconds(check) for _ in range(options.runs))
        print(f"  minmaxvrp check stops.csv plan.json, whole process {seconds:.2f} s")


if __name__ == "__main__":
    main()
