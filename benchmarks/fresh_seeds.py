"""Whether the settings of the search hold on fresh instances: the budget against ten times as much.

    python benchmarks/fresh_seeds.py [ROW…] [--count 16] [--seed 4001] [--keep FILE] [--minutes 4] [--again]

A row is a problem with its customers and vehicles, such as `mtsp50-5`; without a name all rows of 50 and 100
customers. Uniform instances of seeds 4001 and up, one seed for each, 6 depots where there are several; the
search alone, one core. A run ends early where the makespan reaches its lower bound; all rows take up to 27
minutes. With `--keep` each pair of runs is a line of FILE, and a second call goes on where the first one
ended; `--minutes` ends a call early, with exit code 3 if rows are missing. `--again` measures the short runs
anew against the best makespans in FILE. The kernels are loaded before the first run, not within its budget.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from minmaxvrp import Instance, MaxRuntime, solve
from minmaxvrp.problem.generate import uniform

SECONDS = {50: 0.25, 100: 0.5}
"""The budget for each instance, by its customers."""
TIMES = 10.0
"""How much longer the run is that the budget is compared with."""
FLEETS = {50: (3, 5, 7), 100: (5, 7, 10)}
PROBLEMS = ("mtsp", "mpdp", "mdvrp", "fmdvrp")
ROWS = {f"{p}{size}-{m}": (p, size, m) for p in PROBLEMS for size in SECONDS for m in FLEETS[size]}

Pair = tuple[float, float]


def makespans(instance: Instance, seconds: float) -> Pair:
    """Makespan with the budget, and the best of it and of a longer run with another seed."""
    usual = solve(instance, MaxRuntime(seconds), seed=0, policy=None, then="none").makespan
    longer = solve(instance, MaxRuntime(TIMES * seconds), seed=1, policy=None, then="none").makespan
    return usual, min(usual, longer)


def measure(row: str, seed: int, best: float | None) -> Pair:
    """Both makespans of one instance; where the best one is known already, only the usual run is made."""
    problem, size, vehicles = ROWS[row]
    depots = 6 if "mdvrp" in problem else None
    (instance,) = uniform(problem, size, vehicles, num_depots=depots, seed=seed, count=1)
    if best is None:
        return makespans(instance, SECONDS[size])
    usual = solve(instance, MaxRuntime(SECONDS[size]), seed=0, policy=None, then="none").makespan
    return usual, min(usual, best)


def load_kernels() -> None:
    """Solve something small: the first search of a process loads its kernels within its budget."""
    (instance,) = uniform("mpdp", 20, 3, num_depots=None, seed=0, count=1)
    solve(instance, MaxRuntime(3.0), policy=None, then="none")


def read(file: Path | None) -> dict[tuple[str, int], Pair]:
    """The pairs that earlier calls have measured with the same budgets."""
    if file is None or not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {
        (line["row"], line["seed"]): (line["usual"], line["longer"])
        for line in lines
        if line["seconds"] == SECONDS[ROWS[line["row"]][1]]
    }


def table_row(row: str, pairs: list[Pair]) -> str:
    """The row's means, and on how many instances the longer run was better."""
    usual, longer = (statistics.fmean(values) for values in zip(*pairs, strict=True))
    above = sum(a > b * (1.0 + 1e-9) for a, b in pairs)
    cells = [f"{SECONDS[ROWS[row][1]]:g}", f"{usual:.4f}", f"{longer:.4f}"]
    return f"| {row} | {len(pairs)} | {' | '.join(cells)} | {100.0 * (usual / longer - 1.0):.4f} | {above} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as mtsp50-5")
    parser.add_argument("--count", type=int, default=16, help="instances for each row")
    parser.add_argument("--seed", type=int, default=4001, help="of the first instance")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="JSON lines that a later call goes on with")
    parser.add_argument("--again", action="store_true", help="short runs anew, longer ones from FILE")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="measure no longer than this")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"{unknown[0]!r}, expected some of {', '.join(ROWS)}")
    end = time.monotonic() + 60.0 * options.minutes
    known = read(options.keep)
    best = {key: pair[1] for key, pair in known.items()} if options.again else {}
    if options.again:
        known = {}
    load_kernels()
    print("| row | instances | seconds | makespan | ten times as long | above, % | instances above |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in options.rows or ROWS:
        seeds = range(options.seed, options.seed + options.count)
        for seed in seeds:
            if (row, seed) in known:
                continue
            if time.monotonic() > end:
                sys.exit(3)
            known[row, seed] = usual, longer = measure(row, seed, best.get((row, seed)))
            if options.keep is not None:
                line = {"row": row, "seed": seed, "seconds": SECONDS[ROWS[row][1]]}
                with options.keep.open("a") as file:
                    print(json.dumps(line | {"usual": usual, "longer": longer}), file=file)
        print(table_row(row, [known[row, seed] for seed in seeds]), flush=True)


if __name__ == "__main__":
    main()
