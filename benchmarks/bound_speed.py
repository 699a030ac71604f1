"""How long the lower bound of a solve takes: `python benchmarks/bound_speed.py [--instances 12]`.

Milliseconds of processor time, the mean over instances of a seed that no result is reported for, each
the best of three runs.
`PYTHONPATH` set to the `src` of another checkout measures that one; the mean bound tells if they agree.
"""

import argparse
import statistics
import time

from minmaxvrp.bench.suites import suite_cases
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.instance import Instance

ROWS = (
    ("mtsp50", 3),
    ("mtsp100", 5),
    ("mtsp500", 30),
    ("mtsp1000", 50),
    ("mpdp50", 3),
    ("mpdp100", 5),
    ("mpdp200", 10),
    ("mdvrp50", 3),
    ("mdvrp100", 7),
    ("fmdvrp50", 5),
    ("fmdvrp100", 7),
)


def timed(instance: Instance) -> tuple[float, float]:
    """Milliseconds and bound."""
    best, bound = float("inf"), 0.0
    for _ in range(3):
        began = time.process_time()
        bound = lower_bound(instance)
        best = min(best, time.process_time() - began)
    return 1000.0 * best, bound


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instances", type=int, default=12)
    parser.add_argument("--seed", type=int, default=77)
    options = parser.parse_args()
    print("| suite | M | milliseconds | mean bound |")
    print("| --- | --- | --- | --- |")
    for suite, vehicles in ROWS:
        cases = suite_cases(suite, [vehicles], options.instances, options.seed)
        times, bounds = zip(*(timed(case.instance) for case in cases), strict=True)
        mean, bound = statistics.fmean(times), statistics.fmean(bounds)
        print(f"| {suite} | {vehicles} | {mean:.0f} | {bound:.6f} |", flush=True)


if __name__ == "__main__":
    main()
