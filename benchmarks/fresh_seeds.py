"""Whether the settings of the search hold on fresh instances: the budget against ten times as much.

    python benchmarks/fresh_seeds.py [ROW…] [--count 16] [--seed 4001]

A row is a problem with its customers and vehicles, such as `mtsp50-5`; without a name all rows of 50 and 100
customers. Uniform instances of seeds 4001 and up, one seed for each, 6 depots where there are several; the
search alone, one core, with the budget of `benchmarks/run_search.sh`. All rows take up to 3.3 hours: less
where the makespan reaches its lower bound.
"""

import argparse
import statistics

from minmaxvrp import Instance, MaxRuntime, solve
from minmaxvrp.problem.generate import uniform

BUDGETS = {
    ("mtsp", 50): 1.0,
    ("mtsp", 100): 3.0,
    ("mpdp", 50): 1.0,
    ("mpdp", 100): 3.0,
    ("mdvrp", 50): 2.0,
    ("mdvrp", 100): 5.0,
    ("fmdvrp", 50): 2.0,
    ("fmdvrp", 100): 5.0,
}
"""Seconds for each instance."""
FLEETS = {50: (3, 5, 7), 100: (5, 7, 10)}
ROWS = {f"{p}{size}-{m}": (p, size, m) for p, size in BUDGETS for m in FLEETS[size]}


def makespans(instance: Instance, seconds: float) -> tuple[float, float]:
    """Makespan with the budget, and the best of it and of a run of ten times the budget with another seed."""
    usual = solve(instance, MaxRuntime(seconds), seed=0, policy=None, then="none").makespan
    longer = solve(instance, MaxRuntime(10.0 * seconds), seed=1, policy=None, then="none").makespan
    return usual, min(usual, longer)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as mtsp50-5")
    parser.add_argument("--count", type=int, default=16, help="instances for each row")
    parser.add_argument("--seed", type=int, default=4001, help="of the first instance")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"{unknown[0]!r}, expected some of {', '.join(ROWS)}")
    print("| row | instances | seconds | makespan | ten times as long | above, % | instances above |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.rows or ROWS:
        problem, size, vehicles = ROWS[name]
        seconds, depots = BUDGETS[problem, size], 6 if "mdvrp" in problem else None
        pairs = []
        for seed in range(options.seed, options.seed + options.count):
            (instance,) = uniform(problem, size, vehicles, num_depots=depots, seed=seed, count=1)
            pairs.append(makespans(instance, seconds))
        usual, longer = (statistics.fmean(values) for values in zip(*pairs, strict=True))
        above = sum(a > b * (1.0 + 1e-9) for a, b in pairs)
        cells = [f"{seconds:g}", f"{usual:.4f}", f"{longer:.4f}", f"{100.0 * (usual / longer - 1.0):.4f}"]
        print(f"| {name} | {options.count} | {' | '.join(cells)} | {above} |", flush=True)


if __name__ == "__main__":
    main()
