"""What a setting of the search is worth: mean makespans over a sweep of its values, all else at the defaults.

    python benchmarks/tune_search.py mtsp50-5 blink 0 0.01 0.03 --seconds 1 --count 16

The row is named as in `fresh_seeds.py`, of any size and fleet. Uniform instances of seeds 5001 and up, which
serve for this alone; the search alone, one core, `--rounds` seeds of the search for each instance.
The column `±` is the standard error of the mean difference to the first line, the defaults.
"""

import argparse
import re
import statistics

from minmaxvrp import InputError, MaxRuntime, solve
from minmaxvrp.problem.generate import uniform

FIRST_SEED = 5001


def parse(row: str) -> tuple[str, int, int]:
    """Problem, customers, vehicles."""
    found = re.fullmatch(r"(mtsp|mpdp|mdvrp|fmdvrp)(\d+)-(\d+)", row)
    if found is None:
        raise SystemExit(f"{row!r}, expected a row such as mtsp50-5")
    return found[1], int(found[2]), int(found[3])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("row")
    parser.add_argument("setting")
    parser.add_argument("values", nargs="+")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each run")
    parser.add_argument("--count", type=int, default=16, help="instances")
    parser.add_argument("--rounds", type=int, default=1, help="seeds of the search for each instance")
    options = parser.parse_args()
    problem, customers, vehicles = parse(options.row)
    depots = 6 if "mdvrp" in problem else None
    instances = [
        uniform(problem, customers, vehicles, num_depots=depots, seed=FIRST_SEED + k, count=1)[0]
        for k in range(options.count)
    ]

    def run(changes: dict[str, float]) -> list[float]:
        stop = MaxRuntime(options.seconds)
        return [
            solve(i, stop, seed=seed, policy=None, then="none", settings=changes).makespan
            for i in instances
            for seed in range(options.rounds)
        ]

    print(f"| {options.setting} | makespan | to the defaults, % | ± |")
    print("| --- | --- | --- | --- |")
    usual = run({})
    print(f"| default | {statistics.fmean(usual):.5f} | | |", flush=True)
    for text in options.values:
        value = int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        try:
            found = run({options.setting: value})
        except InputError as error:
            raise SystemExit(str(error)) from None
        changes = [100.0 * (new / old - 1.0) for new, old in zip(found, usual, strict=True)]
        error = statistics.stdev(changes) / len(changes) ** 0.5 if len(changes) > 1 else float("nan")
        mean = statistics.fmean(changes)
        print(f"| {text} | {statistics.fmean(found):.5f} | {mean:+.4f} | {error:.4f} |", flush=True)


if __name__ == "__main__":
    main()
