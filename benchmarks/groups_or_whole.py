"""The whole plan or groups of routes, one worker or two: makespans after equal CPU time.

    python benchmarks/groups_or_whole.py [--sizes N …] [--vehicles M …] [--seconds T] [--seeds K …]
                                         [--distribution uniform] [--ways whole groups groups2]

For each instance of `generate mtsp --distribution … --size N --vehicles M --seed K`: `whole` searches the
plan as a whole and `groups` by groups of routes, each with one worker and T seconds of CPU time; `groups2`
and `whole2` have two workers and 1.15 T of all threads together, about what two cores have in 0.6 T if 0.05 T
of it is work that only one can do. Differences are to the first way.
"""

import argparse
import itertools
from statistics import mean

from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.decompose import minimise_by_groups
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime

WAYS = ("whole", "groups", "whole2", "groups2")
TWO = 1.15
"""Of the CPU time of one worker, for two together."""


def run(instance: Instance, way: str, seconds: float) -> float:
    """The makespan that one way comes to."""
    minimise = minimise_by_groups if way.startswith("groups") else minimise_makespan
    workers = 2 if way.endswith("2") else 1
    return minimise(instance, MaxCpuTime(seconds * (TWO if workers == 2 else 1.0)), workers=workers).makespan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[10])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[81, 82, 83])
    parser.add_argument("--distribution", default="uniform")
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=["whole", "groups", "groups2"])
    words = parser.parse_args()
    run(instances("mtsp", 300, 4, seed=1)[0], "groups", 0.1)  # compiles and loads on first use
    for size, vehicles in itertools.product(words.sizes, words.vehicles):
        differences: dict[str, list[float]] = {way: [] for way in words.ways}
        for seed in words.seeds:
            (instance,) = instances("mtsp", size, vehicles, distribution=words.distribution, seed=seed)
            found = {way: run(instance, way, words.seconds) for way in words.ways}
            for way, makespan in found.items():
                differences[way].append(100 * (makespan / found[words.ways[0]] - 1))
            shown = "  ".join(f"{way} {value:.4f}" for way, value in found.items())
            print(f"{size:6}  {vehicles:4}  seed {seed}  {shown}", flush=True)
        means = "  ".join(f"{way} {mean(values):+.2f} %" for way, values in differences.items())
        print(f"{size:6}  {vehicles:4}  mean  {means}", flush=True)


if __name__ == "__main__":
    main()
