"""The search for fleets against the plain search: `python benchmarks/fleet.py [--time 5] [--instances 5]`.

Each instance is solved by both, in turn, with as much CPU time: as it is by the plain search, and with its
vehicles as a fleet of vehicles that are alike by the search for fleets, which is called directly. Printed are
the mean and the largest difference of the makespan, and the iterations of the search for fleets as a share of
those of the plain search. Seeds are of this benchmark alone.
"""

import argparse
import statistics
from dataclasses import replace

import numpy as np

from minmaxvrp.problem.check import violations
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.fleet.improve_fleet import improve_fleet
from minmaxvrp.search.improve import improve
from minmaxvrp.stop import MaxCpuTime, MaxIterations

CASES = (
    *(("mtsp", 50, 5), ("mtsp", 100, 5), ("mtsp", 200, 5), ("mtsp", 200, 10)),
    *(("mdvrp", 100, 10), ("fmdvrp", 100, 10)),
    *(("mpdp", 50, 5), ("mpdp", 100, 5), ("mpdp", 200, 10)),
)


def instance_of(problem: str, size: int, vehicles: int, seed: int) -> Instance:
    """A uniform instance; six depots where there are several."""
    depots = 1 if problem in ("mtsp", "mpdp") else 6
    points = np.random.default_rng([777, seed, size]).uniform(size=(depots + size, 2))
    pairs = np.arange(1, size + 1).reshape(2, -1).T if problem == "mpdp" else np.zeros((0, 2), dtype=np.int64)
    return Instance(
        points, depots, vehicles, pairs=pairs, return_to="any" if problem == "fmdvrp" else "start"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--time", type=float, default=5.0, help="seconds of CPU time for each run")
    parser.add_argument("--instances", type=int, default=5, help="instances for each row")
    options = parser.parse_args()
    for run in (improve, improve_fleet):  # loads or compiles the kernels
        run(instance_of("mtsp", 50, 5, 0), MaxIterations(1))
    print("| problem | customers | vehicles | makespan, mean | largest | iterations |")
    print("| --- | --- | --- | --- | --- | --- |")
    for problem, size, vehicles in CASES:
        worse, rate = [], []
        for seed in range(options.instances):
            plain = instance_of(problem, size, vehicles, seed)
            fleet = replace(plain, fleet=(Vehicle(),) * vehicles)
            one = improve(plain, MaxCpuTime(options.time), seed=seed)
            two = improve_fleet(fleet, MaxCpuTime(options.time), seed=seed)
            assert violations(fleet, two.solution) == []
            worse.append(two.makespan / one.makespan - 1.0)
            rate.append(two.iterations / one.iterations)
        cells = [problem, str(size), str(vehicles)]
        cells += [f"{100 * statistics.mean(worse):+.2f} %", f"{100 * max(worse):+.2f} %"]
        print(f"| {' | '.join([*cells, f'{statistics.mean(rate):.2f}'])} |", flush=True)


if __name__ == "__main__":
    main()
