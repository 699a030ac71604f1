"""How good the other routes are: balance against searches for what is left, total against PyVRP.

    python benchmarks/then.py balance [--seed 3333] [--count 3] [--time 10] [--out FILE]
    python benchmarks/then.py total [--seed 3333] [--count 3] [--time 10] [--pyvrp 60] [--out FILE]

balance: the longest route is taken out of our plan; the longest of the others is compared with the makespan
that a search finds for their stops with one vehicle less in the same time; then without the two longest,
and the three longest. total: the total length is compared with PyVRP's, which has our makespan as the limit
of each route. Seconds are CPU time on one core. Gaps are ours / theirs - 1, mean (worst).

Each answer is a line of FILE as soon as it is there; what FILE has already is not run again.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from answers import Answer, Answers

from minmaxvrp import Instance, MaxIterations, solve
from minmaxvrp.baselines import pyvrp
from minmaxvrp.bench.suites import Case, suite_cases
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import route_lengths
from minmaxvrp.result import Result, Then
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.subproblem import restrict
from minmaxvrp.stop import MaxCpuTime

ROWS = {
    "balance": (("mtsp50", 10), ("mtsp100", 10), ("mtsp200", 20), ("mpdp50", 5), ("mdvrp50", 7)),
    "total": (("mtsp200", 20), ("mtsp500", 30), ("mtsp1000", 50), ("mdvrp100", 10), ("mpdp100", 10)),
}
TAKEN_OUT = 3


def plan(instance: Instance, then: Then, seconds: float) -> Result:
    """Our plan in this time, bound included."""
    return solve(instance, MaxCpuTime(seconds), then=then, policy=None)


def balance_gaps(instance: Instance, seconds: float) -> Answer:
    """Of the second longest route, the third and the fourth, in percent."""
    result = plan(instance, "balance", seconds)
    solution = result.solution.without_empty()
    lengths = route_lengths(instance, solution)
    longest_first = np.argsort(-lengths, kind="stable").tolist()
    gaps = []
    for out in range(1, min(TAKEN_OUT, len(longest_first) - 1) + 1):
        part = restrict(instance, solution, longest_first[out:], instance.num_vehicles - out).instance
        bound = lower_bound(part)
        found = minimise_makespan(part, MaxCpuTime(seconds), seed=100 + out, lower_bound=bound)
        gaps.append(100.0 * (float(lengths[longest_first[out]]) / found.makespan - 1.0))
    return {"gaps": gaps}


def our_total(instance: Instance, seconds: float) -> Answer:
    """Makespan, total length and number of routes of our plan."""
    result = plan(instance, "total", seconds)
    routes = len(result.solution.without_empty().routes)
    return {"makespan": result.makespan, "total": result.total, "routes": routes}


def pyvrp_total(instance: Instance, limit: float, seconds: float) -> Answer:
    """Total length and number of routes of PyVRP's plan; none where it finds no plan."""
    found = pyvrp.shortest_total(instance, limit, seconds, clock=time.process_time)
    if found is None:
        return {"total": None, "routes": None}
    return {"total": float(route_lengths(instance, found).sum()), "routes": len(found.without_empty().routes)}


def gaps_of(case: Case, asked: Answer, given: argparse.Namespace, answers: Answers) -> list[float]:
    """The gaps of one instance, in percent; none where PyVRP finds no plan."""
    if given.then == "balance":
        key = asked | {"who": "balance", "seconds": given.time}
        gaps: list[float] = answers.get(key, lambda: balance_gaps(case.instance, given.time))["gaps"]
        return gaps
    key = asked | {"who": "ours", "seconds": given.time}
    ours = answers.get(key, lambda: our_total(case.instance, given.time))
    limit = float(ours["makespan"])
    key = asked | {"who": "PyVRP", "seconds": given.pyvrp, "limit": limit}
    theirs = answers.get(key, lambda: pyvrp_total(case.instance, limit, given.pyvrp))["total"]
    return [] if theirs is None else [100.0 * (float(ours["total"]) / float(theirs) - 1.0)]


def main() -> None:
    """Print a row for each suite."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("then", choices=list(ROWS))
    arguments.add_argument("--seed", type=int, default=6201, help="of the instances")
    arguments.add_argument("--count", type=int, default=3, help="instances of each row")
    arguments.add_argument("--time", type=float, default=10.0, help="our seconds")
    arguments.add_argument("--pyvrp", type=float, default=60.0, help="PyVRP's seconds")
    arguments.add_argument("--rows", type=int, nargs="+", help="which rows, counted from 0")
    arguments.add_argument("--out", type=Path, help="file of the answers, a line each")
    given = arguments.parse_args()
    answers = Answers(given.out)
    minimise_makespan(Instance.mtsp([0, 0], np.eye(2), 1), MaxIterations(1))  # compiles
    print("| suite | M | instances | gap, % |\n| --- | --- | --- | --- |", flush=True)
    for row, (suite, vehicles) in enumerate(ROWS[given.then]):
        if given.rows and row not in given.rows:
            continue
        gaps = []
        for number, case in enumerate(suite_cases(suite, (vehicles,), given.count, given.seed)):
            asked = {"suite": suite, "vehicles": vehicles, "seed": given.seed, "number": number}
            gaps += [gaps_of(case, asked, given, answers)]
        columns = [[line[k] for line in gaps if k < len(line)] for k in range(max(map(len, gaps)))]
        cells = ", ".join(f"{np.mean(column):+.2f} ({max(column):+.2f})" for column in columns)
        print(f"| {suite} | {vehicles} | {len(gaps)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
