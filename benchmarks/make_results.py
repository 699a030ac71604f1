"""Write the summary and the tables of docs/results.md from the measurements in benchmarks/results/*.jsonl.

Usage: python benchmarks/make_results.py
Text outside the marker lines of docs/results.md is kept. Each file of measurements is a table of its
own; long.jsonl and ortools.jsonl are yardsticks for the search's.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from minmaxvrp.bench import published_figures, report
from minmaxvrp.bench.store import Measurement, read_measurements
from minmaxvrp.natural_order import natural_key

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"
SUMMARY, TABLES = "summary", "tables"
PAPER = "DPN-x8aug-x16per"
OPTIMAL = 1e-6
"""A makespan this close to the lower bound, as a share, is the optimum."""
TITLES = {
    "search": "Search",
    "policy": "Network alone",
    "policy_search": "Network and search",
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
            parts.append(f"### {heading}\n\n{report.markdown(rows)}\n{origin(stem, behind)}\n")
    if found.get("long"):
        parts.append(f"### Against long runs\n\n{long_runs(found)}\n")
    if found.get("ortools"):
        parts.append(f"### Against OR-Tools\n\n{against_ortools(found)}\n")
    return "\n".join(parts) if parts else "No measurements yet.\n"


def split(measurements: Sequence[Measurement]) -> dict[str, list[report.Row]]:
    """Rows in reading order, a table for each folder of files and each problem."""
    rows = sorted(
        report.rows(measurements),
        key=lambda r: (ORDER.index(r.problem), r.instance is not None, natural_key(r.suite), *_place(r)),
    )
    groups: dict[str, list[report.Row]] = defaultdict(list)
    for row in rows:
        groups[row.suite if row.instance is not None else row.problem].append(row)
    return dict(groups)


def _place(row: report.Row) -> tuple[Any, ...]:
    return (row.size, row.instance or "", row.vehicles, row.method, row.time, row.seed)


def origin(stem: str, measurements: Sequence[Measurement]) -> str:
    """Command, machine, dates and commits behind a table."""
    dates = sorted({m.date for m in measurements if m.date})
    machines = ", ".join(sorted({m.cpu for m in measurements if m.cpu}))
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "–"
    seeds = ", ".join(str(s) for s in sorted({m.seed for m in measurements}))
    commits = ", ".join(sorted({commit_of(m) for m in measurements}))
    command = f"`{COMMANDS[stem]}`. " if stem in COMMANDS else ""
    return f"{command}One core of {machines or '–'} per instance; {when}; seed {seeds}; commit {commits}."


def commit_of(measured: Measurement) -> str:
    """The commit that a measurement names, or that its code belongs to; else the digest of its code."""
    known = measured.commit or _commits().get(measured.code)
    return known[:7] if known else f"unknown (code {measured.code})"


@cache
def _commits() -> dict[str, str]:
    """Commits of codes from before measurements named theirs."""
    path = RESULTS / "commits.json"
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["commits"] if path.is_file() else {}
    return known


FACTS = (
    "instances",
    "customers",
    "seconds used on one core, mean",
    "proven optimal",
    "to the best published figures",
    "to the paper's DPN ×8 ×16",
    "to OR-Tools with 60 s",
    "to the best of long runs",
    "network alone, to the paper's DPN ×8 ×16",
)


def summary(found: dict[str, list[Measurement]]) -> str:
    """How good, how fast, against whom: a column for each problem; gaps are means over the rows."""
    long, ortools = _gaps(found, long_rows), _gaps(found, ortools_rows)
    columns = {}
    for problem in ORDER:
        ours = [m for m in found.get("search", ()) if m.problem == problem]
        if not ours:
            continue
        rows = report.rows(ours)
        optimal = sum(m.objective <= m.lower_bound * (1 + OPTIMAL) for m in ours) / len(ours)
        alone = report.rows([m for m in found.get("policy", ()) if m.problem == problem])
        columns[problem] = (
            f"{len(ours):,}",
            _range([r.size for r in rows]),
            f"{fmean(m.seconds for m in ours):.1f}",
            f"{100 * optimal:.0f} %",
            _mean([r.gap_percent for r in rows]),
            _mean([_to_paper(r) for r in rows]),
            _mean(ortools[problem]),
            _mean(long[problem]),
            _mean([_to_paper(r) for r in alone]),
        )
    lines = _opened("; ".join(["", *columns]))
    for k, fact in enumerate(FACTS):
        lines.append(f"| {' | '.join([fact, *(column[k] for column in columns.values())])} |")
    return "\n".join(lines) + "\n" + _public_summary(found.get("public", ()))


def _public_summary(measurements: Sequence[Measurement]) -> str:
    rows = [row for row in report.rows(measurements) if row.gap_percent is not None]
    if not rows:
        return ""
    better = sum(row.gap_percent < -0.001 for row in rows if row.gap_percent is not None)
    same = sum(abs(row.gap_percent) <= 0.001 for row in rows if row.gap_percent is not None)
    mean = fmean(row.gap_percent for row in rows if row.gap_percent is not None)
    return (
        f"\nPublic files: {len(rows)}, a tenth of a second per customer on one core: {mean:+.2f} % to the "
        f"best known makespans on average, {same} equal to them, {better} shorter.\n"
    )


def _to_paper(row: report.Row) -> float | None:
    figures = published_figures.suite_row(row.problem, row.size, row.vehicles)
    paper = None if figures is None else figures.figure(PAPER)
    return None if paper is None else 100.0 * (row.objective / paper - 1.0)


def _gaps(found: dict[str, list[Measurement]], compare: Any) -> dict[str, list[float]]:
    gaps: dict[str, list[float]] = defaultdict(list)
    for problem, _, gap in compare(found):
        gaps[problem].append(gap)
    return gaps


def _mean(gaps: Sequence[float | None]) -> str:
    known = [gap for gap in gaps if gap is not None]
    return f"{fmean(known):+.2f} %" if known else "–"


def _range(numbers: Sequence[int]) -> str:
    return f"{min(numbers)} to {max(numbers)}" if len(set(numbers)) > 1 else str(numbers[0])


Compared = tuple[str, str, float]
"""Problem, a line of a table, gap in percent."""


def long_rows(found: dict[str, list[Measurement]]) -> list[Compared]:
    """The search's rows beside the best of several long runs on the same instances."""
    ours = {_case(m): m for m in found.get("search", ())}
    groups: dict[tuple[Any, ...], dict[Case, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    for m in found.get("long", ()):
        if _case(m) in ours:
            groups[ORDER.index(m.problem), m.size, m.suite, m.vehicles, m.time][_case(m)].append(m)
    rows = []
    for (problem, _, suite, vehicles, time), runs in sorted(groups.items()):
        seeds = max(len(group) for group in runs.values())
        whole = {case: group for case, group in runs.items() if len(group) == seeds}
        best = {case: min(m.objective for m in group) for case, group in whole.items()}
        alike = sum(max(m.objective for m in whole[case]) < best[case] * (1 + 1e-6) for case in whole)
        least = fmean(best.values())
        cells = f"{suite} | {vehicles} | {len(whole)} | {seeds} × {time:g} s | {least:.4f}"
        cells += f" | {alike}" if seeds > 1 else " | –"
        compared, gap = _compared([ours[case] for case in whole], least)
        rows.append((ORDER[problem], f"| {cells} | {compared} |", gap))
    return rows


def long_runs(found: dict[str, list[Measurement]]) -> str:
    """The table of `long_rows`."""
    lines = _opened("suite; M; instances; runs; best of them; all runs alike; budget of ours; ours; gap, %")
    lines += [line for _, line, _ in long_rows(found)]
    return "\n".join(lines) + "\n\n" + origin("long", found.get("long", ())) + "\n"


def ortools_rows(found: dict[str, list[Measurement]]) -> list[Compared]:
    """The search's rows beside OR-Tools on the same instances."""
    ours = {_case(m): m for m in found.get("search", ())}
    groups: dict[tuple[Any, ...], list[Measurement]] = defaultdict(list)
    for m in found.get("ortools", ()):
        if _case(m) in ours:
            groups[ORDER.index(m.problem), m.size, m.suite, m.vehicles, m.time].append(m)
    rows = []
    for (problem, _, suite, vehicles, time), group in sorted(groups.items()):
        theirs = fmean(m.objective for m in group)
        cells = f"{suite} | {vehicles} | {len(group)} | {time:g} s | {theirs:.4f}"
        compared, gap = _compared([ours[_case(m)] for m in group], theirs)
        rows.append((ORDER[problem], f"| {cells} | {compared} |", gap))
    return rows


def against_ortools(found: dict[str, list[Measurement]]) -> str:
    """The table of `ortools_rows`."""
    lines = _opened("suite; M; instances; budget of OR-Tools; OR-Tools; budget of ours; ours; gap, %")
    lines += [line for _, line, _ in ortools_rows(found)]
    return "\n".join(lines) + "\n\n" + origin("ortools", found.get("ortools", ())) + "\n"


def _case(m: Measurement) -> Case:
    return (m.suite, m.set_seed, m.vehicles, m.index)


def _opened(headings: str) -> list[str]:
    names = headings.split("; ")
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]


def _compared(ours: Sequence[Measurement], yardstick: float) -> tuple[str, float]:
    """Budget, mean and gap of the search's measurements as cells, and the gap in percent."""
    mean = fmean(m.objective for m in ours)
    gap = 100 * (mean / yardstick - 1)
    return f"{ours[0].time:g} s | {mean:.4f} | {gap:+.3f}", gap


def put(page: str, part: str, text: str) -> str:
    """The page with `text` between the marker lines of `part`."""
    head, _, rest = page.partition(BEGIN.format(part))
    _, _, tail = rest.partition(END.format(part))
    return f"{head}{BEGIN.format(part)}\n\n{text}\n{END.format(part)}{tail}"


def main() -> None:
    """Put summary and tables between their markers."""
    found = load(RESULTS)
    page = put(PAGE.read_text(encoding="utf-8"), SUMMARY, summary(found))
    PAGE.write_text(put(page, TABLES, page_tables(found)), encoding="utf-8")
    print(f"{PAGE.name}: summary and tables written")


if __name__ == "__main__":
    main()
