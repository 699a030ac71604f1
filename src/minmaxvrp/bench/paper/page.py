"""docs/paper.md: every item with its command, what was run and what came out, made from the kept results."""

from pathlib import Path

from ..store import read_measurements
from .catalogue import Item, find_item, items
from .make import show
from .runs import ResultsPlace
from .table_rows import committed_files, origins

INTRODUCTION = """# The paper, table by table

The tables and figures of *DPN: Decoupling Partition and Navigation for Neural Solvers of Min-max Vehicle
Routing Problems* (ICML 2024), made again with this package. Rows marked *paper* are as printed there; rows
marked *ours* were measured with the command above them, every solution through the checker, budgets and
times in CPU seconds of one core. Rows with a sign such as ¹ are committed results of `bench` on the same
instances, whose command, commit and clock are told above the table; each row says of how many instances it
is, and below a smaller sample the search is shown on the same instances. NCE, DAN and ScheduleNet are
published figures only: their programs are not part of this comparison. `minmaxvrp paper` lists all items; the
same command goes on where it was interrupted.

This page is made by `minmaxvrp paper page --out benchmarks/results/paper`; the items were run with the same
`--out`. What an item was run with is said below its heading: `--quick` means a small sample, whose means do
not compare with means over 100 instances digit by digit.
"""


def write_page(place: ResultsPlace, page: Path) -> list[str]:
    """Write the page and copy the pictures beside it; the names of the items that have results."""
    from ...problem.files.atomic import write_text

    parts, shown = [INTRODUCTION, _contents()], []
    for item in items():
        text = show(item, place) if _has_results(item, place) else ""
        if text:
            shown.append(item.name)
        parts.append(_section(item, place, text))
    body = "\n".join(parts)
    figures = page.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for picture in sorted(place.folder.glob("*.svg")) + sorted(place.folder.glob("*.png")):
        picture.replace(figures / picture.name)
        body = body.replace(f"]({picture.name})", f"](figures/{picture.name})")
    write_text(page, body)
    return shown


def _contents() -> str:
    lines = ["| item | in the paper | what | whole | `--quick` |", "| --- | --- | --- | --- | --- |"]
    for item in items():
        quick = find_item(item.name, quick=True)
        what = f"[{item.name}](#{item.name})"
        lines.append(f"| {what} | {item.paper} | {item.about} | {duration(item)} | {duration(quick)} |")
    return "\n".join(lines) + "\n"


def duration(item: Item) -> str:
    """Such as `12 min` or `16.7 h`, of one idle core."""
    return f"{item.minutes:g} min" if item.minutes < 120 else f"{item.minutes / 60:.1f} h"


def _section(item: Item, place: ResultsPlace, text: str) -> str:
    note = f"\n{item.note}\n" if item.note else ""
    how = f"`{item.command}`, {duration(item)} on one core."
    head = f"## {item.name}\n\n{item.about} ({item.paper}). {how}\n{note}"
    if not text:
        return f"{head}\n**Not run yet.**\n"
    said = [_ran(item, place)] if _was_run(item, place) else []
    said += [place.remark(item)] if place.remark(item) else []
    if taken := origins(item, place):
        said.append(f"**Committed results** of `bench`, in rows marked with these signs:\n\n{taken}")
    return "\n\n".join([head.rstrip(), *said, text])


def _ran(item: Item, place: ResultsPlace) -> str:
    """With what the results were made."""
    made = " and ".join(f"`{command}`" for command in place.commands(item))
    how = f"with {made}" if made else "in part, not to its end yet"
    path = place.results(item)
    if not path.exists():
        return f"**Run** {how}."
    found = read_measurements(path)
    dates = sorted({m.date for m in found if m.date})
    machine = ", ".join(sorted({m.cpu for m in found if m.cpu}))
    cases = {(m.suite, m.vehicles, m.index, m.name) for m in found}
    longest = max((m.time for m in found), default=0.0)
    text = f"**Run** {how}: {len(found)} solutions of {len(cases)} instances, budgets up to {longest:g} s"
    trained = sorted({p.parent.name for p in place.folder.glob(f"training/{item.name}-*/*")})
    if trained:
        text += "; networks trained: " + ", ".join(name.removeprefix(f"{item.name}-") for name in trained)
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    return f"{text}; {when}, one core of {machine}." if dates else text + "."


def _has_results(item: Item, place: ResultsPlace) -> bool:
    return _was_run(item, place) or bool(committed_files(item, place))


def _was_run(item: Item, place: ResultsPlace) -> bool:
    return place.results(item).exists() or bool(place.commands(item))
