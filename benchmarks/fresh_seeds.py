"""Whether the settings of the search hold on fresh instances: the budget against ten times as much.

    python benchmarks/fresh_seeds.py [ROW…] [--budget tables] [--count 16] [--keep FILE] [--minutes 4]

A row is a problem with its customers and vehicles, such as `mtsp50-5`; without a name all rows of 50 and 100
customers. Uniform instances of seeds 4001 and up, one seed for each, 6 depots where there are several; the
search alone, one core. The budget is that of the tables of docs/results.md (`tables`: 1 to 5 seconds, up to
195 minutes for all rows) or a quarter and half a second (`short`: up to 27 minutes), in CPU time, so that a
busy machine makes no difference. A run ends early where the makespan reaches its lower bound.

With `--keep` each pair of runs is a line of FILE, and a second call goes on where the first one ended. All
rows get their first instance, then all get their second one; `--minutes` ends a call early (0: at once), with
the table of what there is and exit code 3. The kernels are loaded before the first run, outside its budget.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from minmaxvrp import Instance, solve
from minmaxvrp.problem.generate import uniform
from minmaxvrp.stop import MaxCpuTime

PROBLEMS = ("mtsp", "mpdp", "mdvrp", "fmdvrp")
FLEETS = {50: (3, 5, 7), 100: (5, 7, 10)}
ROWS = {f"{p}{size}-{m}": (p, size, m) for p in PROBLEMS for size in FLEETS for m in FLEETS[size]}
SHORT = {50: 0.25, 100: 0.5}
TABLES = {
    **{("mtsp", 50): 1.0, ("mtsp", 100): 3.0, ("mpdp", 50): 1.0, ("mpdp", 100): 3.0},
    **{("mdvrp", 50): 2.0, ("mdvrp", 100): 5.0, ("fmdvrp", 50): 2.0, ("fmdvrp", 100): 5.0},
}
"""As in `run_search.sh`."""
TIMES = 10.0
"""How much longer the run is that the budget is compared with."""

Pair = tuple[float, float]


def seconds_of(row: str, budget: str) -> float:
    """The budget for each instance of a row."""
    problem, size, _ = ROWS[row]
    return SHORT[size] if budget == "short" else TABLES[problem, size]


def instance_of(row: str, seed: int) -> Instance:
    """The instance of a seed."""
    problem, size, vehicles = ROWS[row]
    depots = 6 if "mdvrp" in problem else None
    return uniform(problem, size, vehicles, num_depots=depots, seed=seed, count=1)[0]


def makespans(instance: Instance, seconds: float) -> Pair:
    """Makespan with the budget, and the best of it and of a longer run with another seed."""
    usual = solve(instance, MaxCpuTime(seconds), seed=0, policy=None, then="none").makespan
    longer = solve(instance, MaxCpuTime(TIMES * seconds), seed=1, policy=None, then="none").makespan
    return usual, min(usual, longer)


def load_kernels() -> None:
    """Solve something small: the first search of a process loads its kernels within its budget."""
    (instance,) = uniform("mpdp", 20, 3, num_depots=None, seed=0, count=1)
    solve(instance, MaxCpuTime(3.0), policy=None, then="none")


def read(file: Path | None, budget: str) -> dict[tuple[str, int], Pair]:
    """The pairs that earlier calls have measured with the same budget."""
    if file is None or not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {
        (line["row"], line["seed"]): (line["usual"], line["longer"])
        for line in lines
        if line["seconds"] == seconds_of(line["row"], budget)
    }


def print_table(found: dict[str, list[Pair]], budget: str) -> None:
    """For each row the means, and on how many instances the longer run was better."""
    print("| row | instances | seconds | makespan | ten times as long | above, % | instances above |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row, pairs in found.items():
        if not pairs:
            continue
        usual, longer = (statistics.fmean(values) for values in zip(*pairs, strict=True))
        above = sum(a > b * (1.0 + 1e-9) for a, b in pairs)
        cells = [row, str(len(pairs)), f"{seconds_of(row, budget):g}", f"{usual:.4f}", f"{longer:.4f}"]
        print(f"| {' | '.join(cells)} | {100.0 * (usual / longer - 1.0):.4f} | {above} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as mtsp50-5")
    parser.add_argument("--budget", choices=("tables", "short"), default="tables", help="for each instance")
    parser.add_argument("--count", type=int, default=16, help="instances for each row")
    parser.add_argument("--seed", type=int, default=4001, help="of the first instance")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="JSON lines that a later call goes on with")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="measure no longer than this")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"{unknown[0]!r}, expected some of {', '.join(ROWS)}")
    rows, seeds = options.rows or list(ROWS), range(options.seed, options.seed + options.count)
    known = read(options.keep, options.budget)
    missing = [(row, seed) for seed in seeds for row in rows if (row, seed) not in known]
    end = time.monotonic() + 60.0 * options.minutes
    if missing and options.minutes > 0:
        load_kernels()
    while missing and time.monotonic() < end:
        row, seed = missing.pop(0)
        seconds = seconds_of(row, options.budget)
        known[row, seed] = usual, longer = makespans(instance_of(row, seed), seconds)
        if options.keep is not None:
            line = {"row": row, "seed": seed, "seconds": seconds, "usual": usual, "longer": longer}
            with options.keep.open("a") as file:
                print(json.dumps(line), file=file)
    print_table({row: [known[row, s] for s in seeds if (row, s) in known] for row in rows}, options.budget)
    if missing:
        sys.exit(3)


if __name__ == "__main__":
    main()
