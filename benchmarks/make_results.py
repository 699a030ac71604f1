"""Write the tables of docs/results.md from the measurements in benchmarks/results/*.jsonl.

Usage: python benchmarks/make_results.py
Text outside the two marker lines of docs/results.md is kept. Each file of measurements is a table of its
own; long.jsonl and ortools.jsonl are the yardsticks of the table "Against long runs".
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minmaxvrp.bench import report
from minmaxvrp.bench.store import Measurement, read_measurements

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
TITLES = {
    "search": "Search",
    "policy": "Policy",
    "policy_search": "Policy and search",
    "public": "Public instances",
}
COMMANDS = {
    "search": "benchmarks/run_search.sh",
    "public": "benchmarks/run_public.sh",
    "policy": "benchmarks/run_policy.sh",
    "policy_search": "benchmarks/run_policy.sh",
}
YARDSTICKS = ("long", "ortools")
ORDER = ("mtsp", "mpdp", "mdvrp", "fmdvrp")


def load(folder: Path) -> dict[str, list[Measurement]]:
    """The measurements of each file, of the latest code only."""
    return {path.stem: report.latest(read_measurements(path)) for path in sorted(folder.glob("*.jsonl"))}


def page_tables(found: dict[str, list[Measurement]]) -> str:
    """All tables, one after the other."""
    parts = []
    known = [stem for stem in TITLES if stem in found]
    for stem in [*known, *(s for s in found if s not in TITLES and s not in YARDSTICKS)]:
        title = TITLES.get(stem, stem)
        groups = split(found[stem])
        for name, rows in groups.items():
            heading = f"{title}: {name}" if len(groups) > 1 else title
            suites = {row.suite for row in rows}
            behind = [m for m in found[stem] if m.suite in suites]
            parts.append(f"## {heading}\n\n{report.markdown(rows)}\n{origin(stem, behind)}\n")
    if any(found.get(stem) for stem in YARDSTICKS):
        parts.append(f"## Against long runs\n\n{long_runs(found)}\n")
    return "\n".join(parts) if parts else "No measurements yet.\n"


def split(measurements: Sequence[Measurement]) -> dict[str, list[report.Row]]:
    """Rows in reading order, a table for each folder of files and each problem."""
    rows = sorted(
        report.rows(measurements),
        key=lambda r: (ORDER.index(r.problem), r.instance is not None, r.suite, *_place(r)),
    )
    groups: dict[str, list[report.Row]] = defaultdict(list)
    for row in rows:
        groups[row.suite if row.instance is not None else row.problem].append(row)
    return dict(groups)


def _place(row: report.Row) -> tuple[Any, ...]:
    return (row.size, row.instance or "", row.vehicles, row.method, row.time, row.seed)


def origin(stem: str, measurements: Sequence[Measurement]) -> str:
    """Command, machine and dates behind a table."""
    dates = sorted({m.date for m in measurements if m.date})
    machines = ", ".join(sorted({m.cpu for m in measurements if m.cpu}))
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "–"
    seeds = ", ".join(str(s) for s in sorted({m.seed for m in measurements}))
    codes = ", ".join(sorted({m.code for m in measurements}))
    command = f"`{COMMANDS[stem]}`. " if stem in COMMANDS else ""
    return f"{command}One core of {machines or '–'} per instance; {when}; seed {seeds}; code {codes}."


def long_runs(found: dict[str, list[Measurement]]) -> str:
    """How far each method is from the best of all runs on the same instances."""
    everything = [m for group in found.values() for m in group if not m.name]
    marked = {(m.suite, m.set_seed, m.vehicles, m.index) for stem in YARDSTICKS for m in found.get(stem, ())}
    best: dict[tuple[object, ...], float] = {}
    for m in everything:
        key = (m.suite, m.set_seed, m.vehicles, m.index)
        best[key] = min(best.get(key, m.objective), m.objective)
    groups: dict[tuple[Any, ...], list[Measurement]] = defaultdict(list)
    for m in everything:
        if (m.suite, m.set_seed, m.vehicles, m.index) in marked:
            groups[ORDER.index(m.problem), m.size, m.suite, m.vehicles, m.method, m.time, m.seed].append(m)
    lines = ["| suite | M | method | budget, s | seed | instances | makespan | best of all runs | gap, % |"]
    lines.append("|" + " --- |" * 9)
    for (_, _, suite, vehicles, method, time, seed), group in sorted(groups.items()):
        mean = sum(m.objective for m in group) / len(group)
        least = sum(best[m.suite, m.set_seed, m.vehicles, m.index] for m in group) / len(group)
        gap = 100 * (mean / least - 1)
        cells = f"{suite} | {vehicles} | {method} | {time:g} | {seed} | {len(group)}"
        lines.append(f"| {cells} | {mean:.4f} | {least:.4f} | {gap:+.3f} |")
    both = [m for stem in YARDSTICKS for m in found.get(stem, ())]
    return "\n".join(lines) + "\n\n`benchmarks/run_multi_depot.sh`. " + origin("", both) + "\n"


def main() -> None:
    """Put the tables between the markers."""
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    tables = page_tables(load(ROOT / "benchmarks" / "results"))
    PAGE.write_text(f"{head}{BEGIN}\n\n{tables}\n{END}{tail}", encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: tables written")


if __name__ == "__main__":
    main()
