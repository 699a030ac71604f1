"""Whether the search of one checkout is faster than another's: `python benchmarks/duel.py OLD [NEW]`.

    git worktree add ../old HEAD~1
    python benchmarks/duel.py ../old .

Both run in turn, a fraction of a second each, so that a noisy machine disturbs them alike: the median of
the ratios is steadier than times of whole runs; the quartiles say how steady. The answers are compared as
well. Each checkout's kernels are compiled at first, in a cache of their own.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CHILD = """
import gc, sys, time
try:
    from minmaxvrp.search.compilation import fill_cache
    from minmaxvrp.search.improve import improve
except ImportError:  # up to commit 9f0ada4
    from minmaxvrp.search.warm import fill_cache
    from minmaxvrp.search.anneal import improve
fill_cache()
gc.enable()
from minmaxvrp.stop import MaxIterations
from search_speed import instance
problem, size, iterations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
instance = instance(problem, size, 7)
if "fleet" in sys.argv[4:]:
    from dataclasses import replace
    from minmaxvrp.problem.fleet import Vehicle
    from minmaxvrp.search.fleet.improve_fleet import improve_fleet as improve
    instance = replace(instance, fleet=(Vehicle(),) * instance.num_vehicles)
    improve(instance, MaxIterations(1))
print("ready", flush=True)
for line in sys.stdin:
    began = time.process_time()
    outcome = improve(instance, MaxIterations(iterations), seed=int(line))
    print(time.process_time() - began, outcome.makespan, flush=True)
"""


def start(checkout: Path, arguments: list[str], cache: str, program: str = CHILD) -> "subprocess.Popen[str]":
    """A process with a checkout's search, ready to run."""
    here = Path(__file__).resolve().parent
    environment = os.environ | {
        "PYTHONPATH": f"{checkout.resolve() / 'src'}{os.pathsep}{here}",
        "MINMAXVRP_CACHE_DIR": cache,
        "NUMBA_OPT": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise SystemExit(f"{checkout}: the search did not start")
    return process


def run(process: "subprocess.Popen[str]", seed: int) -> tuple[float, str]:
    """Seconds and answer of one run."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{seed}\n")
    process.stdin.flush()
    seconds, makespan = process.stdout.readline().split()
    return float(seconds), makespan


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old", type=Path, help="folder of one checkout")
    parser.add_argument("new", type=Path, nargs="?", default=Path(), help="folder of the other")
    parser.add_argument("--problems", nargs="+", default=["mtsp", "mpdp", "mdvrp", "fmdvrp"])
    parser.add_argument("--sizes", nargs="+", default=["100"])
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--fleet", action="store_true", help="the search for fleets, on vehicles alike")
    options = parser.parse_args()
    print("| problem | customers | times as fast | quartiles | new, thousand iterations/s | same answers |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as cache:
        for problem in options.problems:
            for size in options.sizes:
                arguments = [problem, size, str(options.iterations), *(["fleet"] if options.fleet else [])]
                pair = [start(checkout, arguments, cache) for checkout in (options.old, options.new)]
                ratios, best, same = [], float("inf"), True
                for seed in range(options.rounds):
                    turn = pair if seed % 2 == 0 else pair[::-1]
                    old, new = [run(process, seed) for process in turn][:: 1 if seed % 2 == 0 else -1]
                    ratios.append(old[0] / new[0])
                    best, same = min(best, new[0]), same and old[1] == new[1]
                low, middle, high = statistics.quantiles(ratios, n=4)
                rate = f"{options.iterations / best / 1000.0:.0f}"
                cells = [problem, size, f"{middle:.2f}", f"{low:.2f} – {high:.2f}", rate]
                print(f"| {' | '.join(cells)} | {'yes' if same else 'no'} |", flush=True)
                for process in pair:
                    process.communicate()


if __name__ == "__main__":
    main()
