"""Which part of a search got faster, on a busy machine: `python benchmarks/kernel_duel.py OLD NEW…`.

`duel.py` compares whole runs. Here the same run (one seed) is repeated, and each of its pieces is taken at
its shortest: the calls of the compiled `anneal`, a few milliseconds each, what Python does between them, and
what comes before the first and after the last (start, tables, polish). A piece is short enough to escape
disturbance in one of the repetitions, so the sums are steady to about 1 % where whole runs vary by 10 %.
Compare checkouts whose calls are equally long: a long one escapes less often, so its shortest is longer.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from duel import start

CHILD = """
import gc, json, sys, time
try:
    from minmaxvrp.search.compilation import fill_cache
    from minmaxvrp.search.improve import improve
    try:
        import minmaxvrp.search.one_search as home
    except ImportError:  # up to commit 62e7e84
        import minmaxvrp.search.makespan as home
except ImportError:  # up to commit 9f0ada4
    from minmaxvrp.search.warm import fill_cache
    from minmaxvrp.search.anneal import improve
    import minmaxvrp.search.anneal as home
fill_cache()
gc.enable()
compiled, marks = home.anneal, []

def marked(*arguments):
    marks.append(time.process_time_ns())
    done = compiled(*arguments)
    marks.append(time.process_time_ns())
    return done

home.anneal = marked
from minmaxvrp.stop import MaxIterations
from search_speed import instance
problem, size, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
instance = instance(problem, size, 7)
print("ready", flush=True)
for line in sys.stdin:
    gc.collect()
    marks[:] = [time.process_time_ns()]
    outcome = improve(instance, MaxIterations(iterations), seed=int(line))
    marks.append(time.process_time_ns())
    print(json.dumps([outcome.makespan, [b - a for a, b in zip(marks, marks[1:])]]), flush=True)
"""
SEED = 3


def pieces(process: "subprocess.Popen[str]") -> tuple[float, list[int]]:
    """Makespan, and nanoseconds of: before, call, between, call, …, after."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{SEED}\n")
    process.stdin.flush()
    makespan, durations = json.loads(process.stdout.readline())
    return makespan, durations


def shortest(
    processes: "list[subprocess.Popen[str]]", rounds: int
) -> tuple[list[list[int]], list[set[float]]]:
    """For each process the shortest duration of every piece, and its answers."""
    best: list[list[int]] = [[] for _ in processes]
    answers: list[set[float]] = [set() for _ in processes]
    for turn in range(rounds):
        order = range(len(processes))
        for k in order if turn % 2 else reversed(order):
            makespan, durations = pieces(processes[k])
            answers[k].add(makespan)
            best[k] = [min(pair) for pair in zip(best[k] or durations, durations, strict=True)]
    return best, answers


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkouts", type=Path, nargs="+", help="folders; the first is what is compared with")
    parser.add_argument("--problems", nargs="+", default=["mtsp", "mpdp", "mdvrp"])
    parser.add_argument("--sizes", nargs="+", default=["50", "200"])
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=16)
    options = parser.parse_args()
    print(
        "| problem | customers | checkout | kernel, ms | between, ms | around, ms | kernel's ratio | same |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as cache:
        for problem in options.problems:
            for size in options.sizes:
                arguments = [problem, size, str(options.iterations)]
                processes = [start(folder, arguments, cache, CHILD) for folder in options.checkouts]
                best, answers = shortest(processes, options.rounds)
                for folder, durations, found in zip(options.checkouts, best, answers, strict=True):
                    calls, between = sum(durations[1::2]) / 1e6, sum(durations[2:-1:2]) / 1e6
                    around = (durations[0] + durations[-1]) / 1e6
                    ratio, same = sum(best[0][1::2]) / 1e6 / calls, found == answers[0]
                    cells = [problem, size, folder.name or "."]
                    cells += [f"{calls:.1f}", f"{between:.2f}", f"{around:.1f}", f"{ratio:.3f}"]
                    print(f"| {' | '.join(cells)} | {'yes' if same else 'no'} |", flush=True)
                for process in processes:
                    process.communicate()


if __name__ == "__main__":
    main()
