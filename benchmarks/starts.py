"""What the network's solutions are worth to the search: a short search from them and from a greedy plan.

    OMP_NUM_THREADS=1 python benchmarks/starts.py [WEIGHTS]

One core, mTSP, instances of seed 79, 8 symmetries × 16 permutations, the best solution as the start. The
search has the time of the third column in both cases; the network's own time comes on top of it.
"""

import sys
import time

import numpy as np

from minmaxvrp.policy import Policy
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search.improve import improve
from minmaxvrp.stop import MaxIterations, MaxRuntime

CASES = ((50, 3, 0.1, 20), (100, 5, 0.2, 12), (200, 10, 0.5, 8), (500, 20, 1.0, 4))


def main() -> None:
    policy = Policy.load(sys.argv[1] if len(sys.argv) > 1 else "mtsp")
    print("| size | M | search, s | network, s | network | search from greedy | search from the network |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for size, vehicles, seconds, count in CASES:
        instances = uniform("mtsp", size, vehicles, seed=79, count=count)
        policy.construct(instances[:1])
        improve(instances[0], MaxIterations(10))
        began = time.perf_counter()
        starts = [policy.construct([instance], threads=1)[0] for instance in instances]
        spent = (time.perf_counter() - began) / count
        alone = [improve(i, MaxRuntime(seconds)).makespan for i in instances]
        after = [
            improve(i, MaxRuntime(seconds), start=s).makespan for i, s in zip(instances, starts, strict=True)
        ]
        guess = [makespan(i, s[0]) for i, s in zip(instances, starts, strict=True)]
        means = " | ".join(f"{np.mean(values):.4f}" for values in (guess, alone, after))
        print(f"| {size} | {vehicles} | {seconds:g} | {spent:.2f} | {means} |", flush=True)


if __name__ == "__main__":
    main()
