"""Gap to the best known makespan against seconds per instance: docs/figures/gap-against-seconds.svg and .png.

    OMP_NUM_THREADS=1 python benchmarks/gap_against_seconds.py [SUITE…] [--methods …] [--most S] [--draw]

Measures what benchmarks/results/paper/speed.jsonl does not have yet (the same as `minmaxvrp paper speed`),
on one core with budgets in CPU time, then draws. `--most` leaves out longer budgets, `--draw` draws only.
"""

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

from minmaxvrp.bench.paper import speed
from minmaxvrp.bench.paper.catalogue import find_item
from minmaxvrp.bench.paper.runs import ResultsPlace
from minmaxvrp.cli.bench_progress import bench_bar

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suites", nargs="*", help="of the item `speed`; by default all")
    parser.add_argument("--most", type=float, help="longest budget in seconds")
    parser.add_argument("--methods", default="", help="such as search,policy+search; by default all")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    words = parser.parse_args()
    item = find_item("speed")
    chosen = {s: m for s, m in item.settings["suites"].items() if not words.suites or s in words.suites}
    named = words.methods.split(",") if words.methods else []
    item = replace(item, contenders=tuple(c for c in item.contenders if not named or c.method in named))
    item = replace(item, settings={**item.settings, "suites": chosen, "most_seconds": words.most})
    place = ResultsPlace(ROOT / "benchmarks" / "results" / "paper", ROOT, bench_bar, print)
    text = speed.show(item, place) if words.draw else speed.make(item, place)
    print(text)
    for ending in ("svg", "png"):
        name = f"gap-against-seconds.{ending}"
        shutil.move(place.folder / name, ROOT / "docs" / "figures" / name)


if __name__ == "__main__":
    main()
