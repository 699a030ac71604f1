"""How long the command line takes to answer: `--help`, `info`, `check`, and `solve` with one iteration.

    python benchmarks/startup.py [--runs 5]

Prints the least and the median of several runs, in seconds on the clock and of CPU time (user + system of the
whole process), and which heavy packages were imported. The targets: under 0.5 s of CPU time and none of them,
for `solve` with search under 1.5 s on the clock. At last one `solve --time 1` with an empty cache, which
compiles the kernels: under about 20 s.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "numba", "scipy", "matplotlib")


def seconds(arguments: list[str], cache: str | None = None) -> tuple[float, float]:
    """On the clock, and of CPU time."""
    environment = os.environ | ({} if cache is None else {"MINMAXVRP_CACHE_DIR": cache})
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "minmaxvrp", *arguments], check=True, capture_output=True, env=environment
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def heavy_imports(arguments: list[str]) -> list[str]:
    command = [sys.executable, "-X", "importtime", "-m", "minmaxvrp", *arguments]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    names = {line.rpartition("|")[2].strip() for line in report.splitlines()}
    return [name for name in HEAVY if name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    city = str(ROOT / "examples" / "city.csv")
    solve = ["solve", city, "--vehicles", "5"]
    with tempfile.TemporaryDirectory() as folder:
        plan = str(Path(folder) / "plan.json")
        fast = [*solve, "--no-search", "--out", plan]
        seconds(fast)
        commands = {
            "--help": ["--help"],
            "info examples/city.csv": ["info", city, "--vehicles", "5"],
            "check examples/city.csv": ["check", city, plan, "--vehicles", "5"],
            "solve --no-search": fast,
            "solve --iterations 1": [*solve, "--iterations", "1"],
        }
        seconds(commands["solve --iterations 1"])  # compiles the kernels if they are not in the cache
        print(f"{'':<26} {'on the clock':>17}  {'CPU time':>17}")
        print(f"{'command':<26} {'least':>8} {'median':>8}  {'least':>8} {'median':>8}  heavy imports")
        for name, arguments in commands.items():
            wall, cpu = zip(*(seconds(arguments) for _ in range(runs)), strict=True)
            cells = [
                f"{value:6.2f} s" for times in (wall, cpu) for value in (min(times), statistics.median(times))
            ]
            heavy = ", ".join(heavy_imports(arguments)) or "none"
            print(f"{name:<26} {cells[0]} {cells[1]}  {cells[2]} {cells[3]}  {heavy}", flush=True)
        wall_first, cpu_first = seconds([*solve, "--time", "1"], str(Path(folder) / "cache"))
        print(f"{'first solve --time 1':<26} {wall_first:6.2f} s {'':>8}  {cpu_first:6.2f} s")


if __name__ == "__main__":
    main()
