"""Write the tables of docs/results.md from the measurements in benchmarks/results/*.jsonl.

Usage: python benchmarks/make_results.py
Text outside the two marker lines of docs/results.md is kept. Each file of measurements is a table of its
own; long.jsonl and ortools.jsonl are yardsticks for the search's.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
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
    "long": "benchmarks/run_multi_depot.sh",
    "ortools": "benchmarks/run_multi_depot.sh",
}
YARDSTICKS = ("long", "ortools")
ORDER = ("mtsp", "mpdp", "mdvrp", "fmdvrp")
Case = tuple[str, int | None, int, int]
"""Suite, seed of the set, vehicles, index: what two runs must share to be compared."""


def load(folder: Path) -> dict[str, list[Measurement]]:
    """The measurements of each file, of the latest code only."""
    return {
        path.stem: report.latest(m for m in read_measurements(path) if not m.failure)
        for path in sorted(folder.glob("*.jsonl"))
    }


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
    if found.get("long"):
        parts.append(f"## Against long runs\n\n{long_runs(found)}\n")
    if found.get("ortools"):
        parts.append(f"## Against OR-Tools\n\n{against_ortools(found)}\n")
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
    """The search's rows beside the best of several long runs on the same instances."""
    ours = {_case(m): m for m in found.get("search", ())}
    groups: dict[tuple[Any, ...], dict[Case, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    for m in found.get("long", ()):
        if _case(m) in ours:
            groups[ORDER.index(m.problem), m.size, m.suite, m.vehicles, m.time][_case(m)].append(m)
    headings = "suite, M, instances, runs, best of them, all runs alike, budget of ours, ours, gap %"
    lines = _opened(headings)
    for (_, _, suite, vehicles, time), runs in sorted(groups.items()):
        seeds = max(len(group) for group in runs.values())
        whole = {case: group for case, group in runs.items() if len(group) == seeds}
        best = {case: min(m.objective for m in group) for case, group in whole.items()}
        alike = sum(max(m.objective for m in whole[case]) < best[case] * (1 + 1e-6) for case in whole)
        least = fmean(best.values())
        cells = f"{suite} | {vehicles} | {len(whole)} | {seeds} × {time:g} s | {least:.4f}"
        cells += f" | {alike}" if seeds > 1 else " | –"
        lines.append(f"| {cells} | {_compared([ours[case] for case in whole], least)} |")
    return "\n".join(lines) + "\n\n" + origin("long", found.get("long", ())) + "\n"


def against_ortools(found: dict[str, list[Measurement]]) -> str:
    """The search's rows beside OR-Tools on the same instances."""
    ours = {_case(m): m for m in found.get("search", ())}
    groups: dict[tuple[Any, ...], list[Measurement]] = defaultdict(list)
    for m in found.get("ortools", ()):
        if _case(m) in ours:
            groups[ORDER.index(m.problem), m.size, m.suite, m.vehicles, m.time].append(m)
    lines = _opened("suite, M, instances, budget of OR-Tools, OR-Tools, budget of ours, ours, gap %")
    for (_, _, suite, vehicles, time), group in sorted(groups.items()):
        theirs = fmean(m.objective for m in group)
        cells = f"{suite} | {vehicles} | {len(group)} | {time:g} s | {theirs:.4f}"
        lines.append(f"| {cells} | {_compared([ours[_case(m)] for m in group], theirs)} |")
    return "\n".join(lines) + "\n\n" + origin("ortools", found.get("ortools", ())) + "\n"


def _case(m: Measurement) -> Case:
    return (m.suite, m.set_seed, m.vehicles, m.index)


def _opened(headings: str) -> list[str]:
    names = headings.split(", ")
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]


def _compared(ours: Sequence[Measurement], yardstick: float) -> str:
    """Budget, mean and gap of the search's measurements."""
    mean = fmean(m.objective for m in ours)
    return f"{ours[0].time:g} s | {mean:.4f} | {100 * (mean / yardstick - 1):+.3f}"


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
