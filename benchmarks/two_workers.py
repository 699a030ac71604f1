"""Two workers on one instance: do they reach the makespan of one in 0.6 of its time?

    python benchmarks/two_workers.py [--sizes N …] [--vehicles M …] [--seconds T] [--seeds K …]
                                     [--problem mtsp] [--share 0.6] [--clock wall|cpu]

For each instance of `generate PROBLEM --size N --vehicles M --seed K`: one worker with T seconds, two workers
with a share of T, both with `solve`; then the mean difference of the makespans. Workers share the work where
a plan is improved by groups of routes (`by_groups`), elsewhere each has a seed of its own. Needs two idle
cores; `--clock cpu` does not: there two workers have twice the CPU time, as if neither ever waited for the
other.
"""

import argparse
import itertools
from statistics import mean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--problem", default="mtsp")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 2_000, 5_000])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[20])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--seeds", type=int, nargs="+", default=[71, 72])
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    words = parser.parse_args()

    from minmaxvrp import Instance, MaxRuntime, solve
    from minmaxvrp.problem.generate import uniform
    from minmaxvrp.stop import MaxCpuTime

    def run(instance: Instance, seconds: float, workers: int) -> tuple[float, int]:
        stop = MaxCpuTime(seconds * workers) if words.clock == "cpu" else MaxRuntime(seconds)
        result = solve(instance, stop, workers=workers, then="none")
        return result.makespan, result.iterations

    run(uniform(words.problem, 200, 4, seed=1)[0], 0.1, 1)  # compiles and loads on first use
    short = words.share * words.seconds
    print("customers  vehicles  seed  one worker  two workers   difference  iterations")
    for size, vehicles in itertools.product(words.sizes, words.vehicles):
        differences = []
        for seed in words.seeds:
            instance = uniform(words.problem, size, vehicles, seed=seed)[0]
            alone, few = run(instance, words.seconds, 1)
            shared, many = run(instance, short, 2)
            differences.append(100 * (shared / alone - 1))
            print(
                f"{size:9}  {vehicles:8}  {seed:4}  {alone:10.4f}  {shared:11.4f}  "
                f"{differences[-1]:+9.2f} %  {many / few:10.2f}",
                flush=True,
            )
        print(f"{size:9}  {vehicles:8}  mean {'':23}  {mean(differences):+9.2f} %", flush=True)


if __name__ == "__main__":
    main()
