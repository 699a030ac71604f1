"""How long a robot fleet takes to replan: `python benchmarks/replan.py [--seconds 0.2] [--rounds 20]`.

Five robots that need not return drive to 80 waypoints. Every round each robot drives on: the waypoints that
it has reached are gone, as many new ones appear, and the robots stand somewhere else. The plan of the round
before is carried over and solved again for each `keep`, in one process with warm kernels. Printed are the
seconds of the whole call (new instance, plan carried over, solve), and how long the plan is compared with one
that was searched from scratch for five seconds.
"""

import argparse
import statistics
import time

import numpy as np
from numpy.typing import NDArray

from minmaxvrp import Instance, MaxRuntime, Solution, carry_over, solve
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.keep import Keep

ROBOTS, WAYPOINTS, REACHED = 5, 80, 2
KEEPS: tuple[Keep, ...] = ("order", "vehicle", "nothing")


def instance_of(robots: NDArray[np.float64], waypoints: dict[str, NDArray[np.float64]]) -> Instance:
    """Robots where they stand and the waypoints that are left."""
    names = (*(f"robot {k}" for k in range(ROBOTS)), *waypoints)
    fleet = tuple(Vehicle(start=k, end="nowhere") for k in range(ROBOTS))
    return Instance(np.vstack([robots, *waypoints.values()]), ROBOTS, ROBOTS, fleet=fleet, names=names)


def drive(
    instance: Instance, plan: Solution, rng: np.random.Generator, count: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], int]:
    """Each robot reaches its next waypoints; as many new ones appear."""
    assert instance.names is not None
    robots = instance.coordinates[:ROBOTS].copy()
    left = {instance.names[node]: instance.coordinates[node] for node in instance.customers}
    for k, route in enumerate(plan.routes):
        for node in route.customers[:REACHED]:
            robots[k] = left.pop(instance.names[node])
    while len(left) < WAYPOINTS:
        left[f"waypoint {count}"] = rng.uniform(size=2)
        count += 1
    return robots, left, count


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2, help="time limit of each solve")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--compare", type=float, default=5.0, help="seconds of the search from scratch; 0: none"
    )
    options = parser.parse_args()
    print("| keep | seconds, median | largest | iterations | above a search from scratch | stops moved |")
    print("| --- | --- | --- | --- | --- | --- |")
    for keep in KEEPS:
        rng = np.random.default_rng(options.seed)
        points = {f"waypoint {k}": rng.uniform(size=2) for k in range(WAYPOINTS)}
        before = instance_of(rng.uniform(size=(ROBOTS, 2)), points)
        plan, count = solve(before, MaxRuntime(2.0)).solution, WAYPOINTS  # warms the kernels
        times, iterations, above, moved = [], [], [], []
        for _ in range(options.rounds):
            robots, waypoints, count = drive(before, plan, rng, count)
            began = time.perf_counter()
            today = instance_of(robots, waypoints)
            result = solve(
                today, MaxRuntime(options.seconds), start=carry_over(plan, before, today), keep=keep
            )
            times.append(time.perf_counter() - began)
            iterations.append(result.iterations)
            moved.append(result.moved or 0)
            if options.compare > 0:
                scratch = solve(today, MaxRuntime(options.compare), then="none").makespan
                above.append(result.makespan / scratch - 1.0)
            before, plan = today, result.solution
        cells = [keep, f"{statistics.median(times):.3f}", f"{max(times):.3f}"]
        cells += [f"{statistics.median(iterations):,.0f}"]
        cells += [f"{100 * statistics.mean(above):.1f} %" if above else "–", f"{statistics.mean(moved):.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
