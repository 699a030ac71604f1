"""Very large instances: makespan and time per iteration against the number of customers.

    python benchmarks/scale.py [--sizes N …] [--vehicles M …] [--seconds S …] [--workers W …] [--problem mtsp]
                               [--seed K] [--clock wall|cpu] [--whole] [--keep FILE] [--draw FILE]

Each run is a process of its own: the instance of `generate PROBLEM --size N --vehicles M --seed K`, solved
with a time limit for bound, tables, start and search. A row says the makespan, iterations per second of all
that, the seconds until the first plan and until the best, and the peak memory. `--whole` searches without
groups of routes, for comparison; `--keep` appends the rows to a file, `--draw` draws those without `--whole`,
such as to docs/figures/scale.svg (`--sizes` without numbers only draws what was kept). The defaults take
about a minute.
"""

import argparse
import itertools
import json
import multiprocessing
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any


def run(
    problem: str, size: int, vehicles: int, seconds: float, workers: int, seed: int, clock: str, whole: bool
) -> dict[str, Any]:
    """One solve in this process."""
    from minmaxvrp import MaxRuntime, Progress, solve
    from minmaxvrp.problem.generate import uniform
    from minmaxvrp.search import groups
    from minmaxvrp.stop import MaxCpuTime

    if whole:
        groups.LARGE = groups.MEDIUM = size + 1

    instance = uniform(problem, size, vehicles, seed=seed)[0]
    stop = MaxCpuTime(seconds) if clock == "cpu" else MaxRuntime(seconds)
    now = time.process_time if clock == "cpu" else time.perf_counter
    began, trace = now(), [(0.0, float("inf"))]

    def note(progress: Progress) -> None:
        if progress.makespan < trace[-1][1]:
            trace.append((now() - began, progress.makespan))

    clocks = time.perf_counter(), time.process_time()
    result = solve(instance, stop, workers=workers, on_progress=note)
    trace = [*trace[1:], (now() - began, result.makespan)]
    return {
        "problem": problem,
        "seed": seed,
        "clock": clock,
        "size": size,
        "vehicles": vehicles,
        "seconds": seconds,
        "workers": workers,
        "whole": whole,
        "makespan": result.makespan,
        "lower_bound": result.lower_bound,
        "iterations": result.iterations,
        "spent": trace[-1][0],
        "wall_seconds": time.perf_counter() - clocks[0],
        "cpu_seconds": time.process_time() - clocks[1],
        "first": trace[0][0],
        "best_at": next(seconds for seconds, makespan in trace if makespan <= result.makespan),
        "trace": trace,
        "timings": dict(result.timings),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def in_process(*task: Any) -> dict[str, Any]:
    """`run` in a process of its own, so that memory and loading are its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(run, task)


def pace_of(row: dict[str, Any]) -> float:
    """Iterations per second, bound, tables and start included."""
    return float(max(1, row["iterations"]) / row["spent"])


def which(row: dict[str, Any]) -> tuple[int, int, int]:
    """Customers, vehicles and seed: what an instance is known by."""
    return row["size"], row["vehicles"], row["seed"]


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """Two panels against N: makespan over that of the best run, and microseconds per iteration."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "scale"  # the same rows give the same file
    from matplotlib import pyplot

    figure, (quality, pace) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    best: dict[tuple[int, int, int], float] = {}
    for row in rows:
        best[which(row)] = min(row["makespan"], best.get(which(row), float("inf")))
    runs = Counter(which(row) for row in rows)
    kinds = sorted({(row["vehicles"], row["workers"], row["seconds"]) for row in rows})
    for vehicles, workers, seconds in kinds:
        kind = (vehicles, workers, seconds)
        chosen = [row for row in rows if (row["vehicles"], row["workers"], row["seconds"]) == kind]
        chosen.sort(key=lambda row: row["size"])
        sizes = [row["size"] for row in chosen]
        label = f"M = {vehicles}, {seconds:g} s, {workers} worker{'s' if workers > 1 else ''}"
        twice = [row for row in chosen if runs[which(row)] > 1]
        above = [100 * (row["makespan"] / best[which(row)] - 1) for row in twice]
        quality.plot([row["size"] for row in twice], above, "o-", label=label)
        pace.plot(sizes, [1e6 / pace_of(row) for row in chosen], "o-", label=label)
    quality.set(xscale="log", xlabel="customers", ylabel="% above the best run of the instance")
    pace.set(xscale="log", yscale="log", xlabel="customers", ylabel="µs per iteration, all included")
    quality.legend(fontsize=7)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    print(f"drawn: {file}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--problem", default="mtsp")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000, 20_000])
    parser.add_argument("--vehicles", type=int, nargs="+", default=[20])
    parser.add_argument("--seconds", type=float, nargs="+", default=[10.0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: on a busy machine")
    parser.add_argument("--whole", action="store_true", help="without groups of routes")
    parser.add_argument("--keep", type=Path, help="JSON lines to append to; rows there are drawn too")
    parser.add_argument("--draw", type=Path)
    words = parser.parse_args()
    if words.sizes:
        in_process(words.problem, 200, 4, 0.1, 1, 0, "wall", False)  # compiles on first use
    rows: list[dict[str, Any]] = []
    if words.keep and words.keep.exists():
        rows = [json.loads(line) for line in words.keep.read_text().splitlines()]
    print("customers  vehicles  workers  seconds  makespan    bound  iterations/s  first s  best s    MB")
    for size, vehicles, seconds, workers in itertools.product(
        words.sizes, words.vehicles, words.seconds, words.workers
    ):
        row = in_process(
            words.problem, size, vehicles, seconds, workers, words.seed, words.clock, words.whole
        )
        rows.append(row)
        print(
            f"{size:9}  {vehicles:8}  {workers:7}  {row['spent']:7.1f}  {row['makespan']:8.4f}  "
            f"{row['lower_bound']:7.4f}  {pace_of(row):12.0f}  "
            f"{row['first']:7.2f}  {row['best_at']:6.1f}  {row['megabytes']:4.0f}",
            flush=True,
        )
        if words.keep:
            with words.keep.open("a") as lines:
                lines.write(json.dumps({**row, "trace": []}) + "\n")
    if len(rows) > 1 and words.draw:
        draw([row for row in rows if not row["whole"] and row["problem"] == words.problem], words.draw)


if __name__ == "__main__":
    main()
