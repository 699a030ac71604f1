"""Iterations per second of the search by size and problem: `python benchmarks/search_speed.py`.

The time for the start solution and the tables is not counted; a cell is the best of several runs, because the
machine is slower at times but never faster.
"""

import argparse
import time

import numpy as np

from minmaxvrp.problem.instance import Instance
from minmaxvrp.stop import MaxIterations, MaxRuntime

SIZES = (50, 100, 200, 500, 1000, 5000)


def instance(problem: str, size: int, seed: int) -> Instance:
    """A uniform instance with one vehicle for 20 customers, at least 3."""
    depots = 1 if problem in ("mtsp", "mpdp") else 6
    points = np.random.default_rng([seed, size]).uniform(size=(depots + size, 2))
    vehicles = max(3, size // 20)
    pairs = np.arange(1, size + 1).reshape(2, -1).T if problem == "mpdp" else np.zeros((0, 2))
    return Instance(
        points, depots, vehicles, pairs=pairs, return_to="any" if problem == "fmdvrp" else "start"
    )


def main() -> None:
    from minmaxvrp.search.improve import improve  # here: `duel.py` uses this module with older checkouts

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=float, default=3.0, help="seconds for each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs for each cell")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    chosen = parser.parse_args()
    began = time.perf_counter()
    improve(instance("mtsp", 50, 0), MaxIterations(1))
    print(f"loading or compiling the kernels: {time.perf_counter() - began:.1f} s")
    print("iterations per second")
    print("problem " + "".join(f"{f'N={size}':>10}" for size in chosen.sizes))
    for problem in ("mtsp", "mpdp", "mdvrp", "fmdvrp"):
        cells = []
        for size in chosen.sizes:
            rates = []
            for _ in range(chosen.rounds):
                outcome = improve(instance(problem, size, chosen.seed), MaxRuntime(chosen.time))
                rates.append(outcome.iterations / (outcome.seconds - outcome.trace[0].seconds))
            cells.append(max(rates))
        print(f"{problem:8}" + "".join(f"{cell:10.0f}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
