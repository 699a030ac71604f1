"""What a setting of the search is worth: mean makespans over a sweep of its values, all else at the defaults.

    python benchmarks/tune_search.py mtsp50-5 blink 0 0.01 0.03 --seconds 1 --count 16

The row is named as in `fresh_seeds.py`, of any size and fleet. Uniform instances of seeds 5001 and up, which
serve for this alone; the search alone, one core, `--rounds` seeds of the search for each instance, the values
in turn. The column `±` is the standard error of the mean difference to the first line, the defaults.
"""

import argparse
import re
import statistics

from minmaxvrp import InputError, MaxRuntime, solve
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search.settings import check_settings
from minmaxvrp.stop import MaxCpuTime

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
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="whose seconds")
    options = parser.parse_args()
    problem, customers, vehicles = parse(options.row)
    depots = 6 if "mdvrp" in problem else None
    instances = [
        uniform(problem, customers, vehicles, num_depots=depots, seed=FIRST_SEED + k, count=1)[0]
        for k in range(options.count)
    ]

    values = [int(text) if re.fullmatch(r"-?\d+", text) else float(text) for text in options.values]
    sweep: list[dict[str, float]] = [{}, *({options.setting: value} for value in values)]
    try:
        for changes in sweep:
            check_settings(changes)
    except InputError as error:
        raise SystemExit(str(error)) from None
    limit = MaxCpuTime if options.clock == "cpu" else MaxRuntime
    solve(instances[0], limit(0.1), policy=None, then="none")  # kernels are loaded
    found: list[list[float]] = [[] for _ in sweep]
    for instance in instances:
        for seed in range(options.rounds):
            for makespans, changes in zip(found, sweep, strict=True):  # in turn: a noisy machine disturbs all
                stop = limit(options.seconds)
                result = solve(instance, stop, seed=seed, policy=None, then="none", settings=changes)
                makespans.append(result.makespan)
    print(f"| {options.setting} | makespan | to the defaults, % | ± |")
    print("| --- | --- | --- | --- |")
    print(f"| default | {statistics.fmean(found[0]):.5f} | | |")
    for text, makespans in zip(options.values, found[1:], strict=True):
        gaps = [100.0 * (new / old - 1.0) for new, old in zip(makespans, found[0], strict=True)]
        error = statistics.stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else float("nan")
        print(f"| {text} | {statistics.fmean(makespans):.5f} | {statistics.fmean(gaps):+.4f} | {error:.4f} |")


if __name__ == "__main__":
    main()
