"""How long the command line takes to answer: CPU seconds of `--help`, `info` and `check`.

    python benchmarks/startup.py [--runs 5]

Prints the least and the median of several runs (user + system time of the whole process) and which
heavy packages were imported. The target is under 0.5 s, and none of them.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "numba", "scipy", "matplotlib")


def cpu_seconds(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "minmaxvrp", *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
    with tempfile.TemporaryDirectory() as folder:
        plan = str(Path(folder) / "plan.json")
        fast = ["solve", city, "--vehicles", "5", "--no-search", "--no-policy", "--out", plan]
        cpu_seconds(fast)
        commands = {
            "--help": ["--help"],
            "info examples/city.csv": ["info", city, "--vehicles", "5"],
            "check examples/city.csv": ["check", city, plan, "--vehicles", "5"],
            "solve --no-search": fast,
        }
        print(f"{'command':<26} {'least':>8} {'median':>8}  heavy imports")
        for name, arguments in commands.items():
            times = [cpu_seconds(arguments) for _ in range(runs)]
            heavy = ", ".join(heavy_imports(arguments)) or "none"
            print(f"{name:<26} {min(times):6.2f} s {statistics.median(times):6.2f} s  {heavy}")


if __name__ == "__main__":
    main()
