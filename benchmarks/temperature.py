"""What drawing rollouts at a temperature is worth: best of 8 symmetries × 16 vehicle orders, means.

    OMP_NUM_THREADS=1 python benchmarks/temperature.py PROBLEM CUSTOMERS DEPOTS COUNT WEIGHTS…

    OMP_NUM_THREADS=1 python benchmarks/temperature.py mtsp 50 1 30 mtsp
    OMP_NUM_THREADS=1 python benchmarks/temperature.py mtsp 100 1 20 mtsp

Uniform instances of seed 1234, M = 3, 5, 7 up to 50 customers, else 5, 7, 10. WEIGHTS: files or names.
"""

import sys

import torch

from minmaxvrp.policy import Policy
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.generate import uniform

TEMPERATURES = (0.0, 1.0, 0.6, 0.5, 0.4, 0.3, 0.25, 0.15)
"""0: greedy."""
SEED = 1234


def main() -> None:
    problem, (customers, depots, count) = sys.argv[1], map(int, sys.argv[2:5])
    fleets = (3, 5, 7) if customers <= 50 else (5, 7, 10)
    torch.set_num_threads(1)
    print("| weights | temperature |" + "".join(f" M={m} |" for m in fleets))
    print("| --- | --- |" + " --- |" * len(fleets))
    for weights in sys.argv[5:]:
        policy = Policy.load(weights)
        for temperature in TEMPERATURES:
            cells = []
            for vehicles in fleets:
                several = depots if depots > 1 else None
                drawn = uniform(problem, customers, vehicles, num_depots=several, seed=SEED, count=count)
                found = policy.construct(drawn, temperature=temperature, threads=1)
                best = [makespan(instance, one[0]) for instance, one in zip(drawn, found, strict=True)]
                cells.append(f"{sum(best) / len(best):.4f}")
            print(f"| {weights} | {temperature or 'greedy'} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
