"""A network alone on one very large mTSP instance: makespan, bound and CPU time of one greedy rollout.

    OMP_NUM_THREADS=1 python benchmarks/large_policy.py 10000 500 750 1000
    OMP_NUM_THREADS=1 python benchmarks/large_policy.py 50000 500 --weights mtsp-no-navigation

Nodes, then numbers of vehicles. One uniform instance of seed 93; the solution goes through the checker.
"""

import argparse
import time

import torch

from minmaxvrp.policy import Policy
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.generate import uniform

SEED = 93


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("nodes", type=int)
    parser.add_argument("vehicles", type=int, nargs="+")
    parser.add_argument("--weights", default="mtsp-no-navigation", help="name or file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    policy = Policy.load(options.weights)
    print("| nodes | vehicles | makespan | bound | CPU s |\n| --- | --- | --- | --- | --- |")
    for vehicles in options.vehicles:
        [instance] = uniform("mtsp", options.nodes, vehicles, seed=SEED)
        start = time.process_time()
        solution = policy.construct([instance], symmetries=1, permutations=1, threads=1)[0][0]
        spent = time.process_time() - start
        if broken := violations(instance, solution):
            raise SystemExit(f"the solution breaks a rule: {broken[0]}")
        found = f"{makespan(instance, solution):.4f} | {lower_bound(instance):.4f} | {spent:.1f}"
        print(f"| {options.nodes} | {vehicles} | {found} |", flush=True)


if __name__ == "__main__":
    main()
