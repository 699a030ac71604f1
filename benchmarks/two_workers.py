"""Two workers on one instance: do they reach the makespan of one in 0.6 of its time?

    python benchmarks/two_workers.py [--sizes N …] [--vehicles M …] [--seconds T] [--seeds K …]
                                     [--problem mtsp] [--share 0.6] [--clock wall|cpu] [--independent]

For each instance of `generate PROBLEM --size N --vehicles M --seed K`: one worker with T seconds, then two
workers with a share of T, both with `solve`; the difference of the makespans, and the share of T after which
two workers had reached the makespan of one (– if they did not). Workers share one plan where it is improved
by groups of routes (`by_groups`) and where `shares_routes` says so, elsewhere each has a seed of its own;
`--independent` gives two workers seeds of their own everywhere, for comparison. Sizes and vehicles go
together if there are as many of the one as of the other. Needs two idle cores; `--clock cpu` does not: there
two workers have twice the CPU time, as if neither ever waited for the other.
"""

import argparse
import itertools
import time
from statistics import mean
from typing import NamedTuple

from minmaxvrp import Instance, MaxRuntime, Progress, solve
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search import groups, share
from minmaxvrp.stop import MaxCpuTime


class Run(NamedTuple):
    """What one run came to."""

    makespan: float
    iterations: int
    reached: float
    """Seconds of its clock after which the target was met; infinite if it was not."""


def run(instance: Instance, seconds: float, workers: int, clock: str, target: float = 0.0) -> Run:
    """One `solve`; with the CPU clock each worker has so many seconds."""
    cpu = clock == "cpu"
    now = time.process_time if cpu else time.perf_counter
    began, reached = now(), float("inf")

    def note(progress: Progress) -> None:
        nonlocal reached
        if progress.makespan <= target:
            reached = min(reached, now() - began)

    stop = MaxCpuTime(seconds * workers) if cpu else MaxRuntime(seconds)
    result = solve(instance, stop, workers=workers, then="none", on_progress=note)
    if result.makespan <= target:
        reached = min(reached, now() - began)
    return Run(result.makespan, result.iterations, reached / workers if cpu else reached)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--problem", default="mtsp")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 2_000, 5_000])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[20])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--seeds", type=int, nargs="+", default=[71, 72])
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--independent", action="store_true", help="two workers never share")
    words = parser.parse_args()
    for workers in (1, 2):  # compiles and loads on first use
        run(uniform(words.problem, 1_000, 10, seed=1)[0], 0.5, workers, words.clock)
    short = words.share * words.seconds
    paired = len(words.sizes) == len(words.vehicles)
    cells = (zip if paired else itertools.product)(words.sizes, words.vehicles)
    limits = groups.LARGE, groups.MEDIUM, share.EFFORT
    print(f"{words.problem}, {words.seconds:g} s for one worker, {short:g} s for two, {words.clock} clock")
    print("customers  vehicles  seed  one worker  two workers   difference  reached after  iterations")
    for size, vehicles in cells:
        differences = []
        for seed in words.seeds:
            instance = uniform(words.problem, size, vehicles, seed=seed)[0]
            alone = run(instance, words.seconds, 1, words.clock)
            if words.independent:
                groups.LARGE, groups.MEDIUM, share.EFFORT = size + 1, size + 1, 0.0
            both = run(instance, short, 2, words.clock, alone.makespan)
            groups.LARGE, groups.MEDIUM, share.EFFORT = limits
            differences.append(100 * (both.makespan / alone.makespan - 1))
            after = f"{both.reached / words.seconds:.2f} T" if both.reached < float("inf") else "–"
            print(
                f"{size:9}  {vehicles:8}  {seed:4}  {alone.makespan:10.4f}  {both.makespan:11.4f}  "
                f"{differences[-1]:+9.2f} %  {after:>13}  {both.iterations / alone.iterations:10.2f}",
                flush=True,
            )
        print(f"{size:9}  {vehicles:8}  mean {'':23}  {mean(differences):+9.2f} %", flush=True)


if __name__ == "__main__":
    main()
