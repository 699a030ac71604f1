"""The whole plan or groups of routes, one worker or two: makespans after equal CPU time.

    python benchmarks/groups_or_whole.py [--sizes N …] [--vehicles M …] [--seconds T] [--seeds K …]
                                         [--problem mtsp] [--distribution uniform]
                                         [--ways whole groups groups2] [--two 1.2]

For each instance of `generate PROBLEM --distribution … --size N --vehicles M --seed K`: `whole` searches the
plan as a whole and `groups` by groups of routes, each with one worker and T seconds of CPU time; `groups2`,
`seeds2` (seeds of their own) and `shared2` (one annealing shared) have two workers and 1.2 T of all threads
together, what two cores have in 0.6 T. Differences are to the first way.
"""

import argparse
import itertools
from statistics import mean

from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search import share
from minmaxvrp.search.decompose import minimise_by_groups
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.stop import MaxCpuTime

WAYS = ("whole", "groups", "seeds2", "groups2", "shared2")


def run(instance: Instance, way: str, seconds: float) -> float:
    """The makespan that one way comes to in so many seconds of CPU time."""
    share.EFFORT = float("inf") if way == "shared2" else 0.0
    minimise = minimise_by_groups if way.startswith("groups") else minimise_makespan
    return minimise(instance, MaxCpuTime(seconds), workers=1 + way.endswith("2")).makespan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[10])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[81, 82, 83])
    parser.add_argument("--problem", default="mtsp")
    parser.add_argument("--distribution", default="uniform")
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=["whole", "groups", "groups2"])
    parser.add_argument("--two", type=float, default=1.2, help="CPU time of two workers, of that of one")
    words = parser.parse_args()
    for way in words.ways:  # compiles and loads on first use
        run(instances(words.problem, 300, 10, seed=1)[0], way, 0.2)
    for size, vehicles in itertools.product(words.sizes, words.vehicles):
        differences: dict[str, list[float]] = {way: [] for way in words.ways}
        for seed in words.seeds:
            (instance,) = instances(words.problem, size, vehicles, distribution=words.distribution, seed=seed)
            found = {
                way: run(instance, way, words.seconds * (words.two if way.endswith("2") else 1.0))
                for way in words.ways
            }
            for way, makespan in found.items():
                differences[way].append(100 * (makespan / found[words.ways[0]] - 1))
            shown = "  ".join(f"{way} {value:.4f}" for way, value in found.items())
            print(f"{size:6}  {vehicles:4}  seed {seed}  {shown}", flush=True)
        means = "  ".join(f"{way} {mean(values):+.2f} %" for way, values in differences.items())
        print(f"{size:6}  {vehicles:4}  mean  {means}", flush=True)


if __name__ == "__main__":
    main()
