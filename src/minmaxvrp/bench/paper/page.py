"""docs/paper.md: every item with its command, what was run and what came out, made from the kept results."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..store import read_measurements
from .catalogue import Item, find_item, items
from .make import show
from .runs import ResultsPlace
from .summary import summary
from .table_rows import Sample, committed_files, origins, samples
from .training_curves import TrainingLog

INTRODUCTION = """# The paper, table by table

The tables and figures of *DPN: Decoupling Partition and Navigation for Neural Solvers of Min-max Vehicle
Routing Problems* (ICML 2024), made again with this package, with its search and other solvers beside them.
*Search* is what `solve` does; *network* is the DPN with our weights, trained for hours of a processor where
the paper's had days of a GPU.
"""
READING = """## How to read it

* Rows marked *paper* are as printed there, rows marked *ours* are measured, every solution through the
  checker. NCE, DAN and ScheduleNet are published figures only.
* ×8 ×16 are symmetries and vehicle orders, *drawn* sampled and not greedy.
* Budgets and times are CPU seconds of one core. Below each table stands with what it was made: commands,
  instances, dates; rows with a sign such as ¹ are results of `bench`, told there.
* `minmaxvrp paper ITEM` makes an item, `--quick` a small sample of it, and the same command goes on where it
  was interrupted. `minmaxvrp paper page` writes this page; both with `--out benchmarks/results/paper`.
"""


def write_page(place: ResultsPlace, page: Path) -> list[str]:
    """Write the page and copy the pictures beside it; the names of the items that have results."""
    from ...problem.files.atomic import write_text

    sections, shown = [], []
    for item in items():
        text = _shown(item, place) if _has_results(item, place) else ""
        if text:
            shown.append(item.name)
        sections.append(_section(item, place, text))
    parts = [INTRODUCTION, summary(place), READING, _contents(place, shown), *sections]
    body = "\n".join(parts)
    figures = page.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for picture in sorted(place.folder.glob("*.svg")) + sorted(place.folder.glob("*.png")):
        picture.replace(figures / picture.name)
        body = body.replace(f"]({picture.name})", f"](figures/{picture.name})")
    write_text(page, body)
    return shown


def _shown(item: Item, place: ResultsPlace) -> str:
    """What is kept of the whole item, or of a quick run with settings of its own."""
    return show(item, place) or show(find_item(item.name, quick=True), place)


def _contents(place: ResultsPlace, shown: Sequence[str]) -> str:
    """Every item with how far it has been run."""
    lines = ["| item | in the paper | what | run so far | whole run | `--quick` |", "|" + " --- |" * 6]
    for item in items():
        quick = find_item(item.name, quick=True)
        state = _state(item, place) if item.name in shown else "not yet"
        what = f"[{item.name}](#{item.name}) | {item.paper} | {item.about} | {state}"
        lines.append(f"| {what} | {duration(item)} | {duration(quick)} |")
    return "\n".join(lines) + "\n"


def _state(item: Item, place: ResultsPlace) -> str:
    """Such as `whole`, or how many instances the largest and the smallest sample have."""
    commands = place.commands(item)
    if item.command in commands and item.command not in place.interrupted(item):
        return "whole"
    if item.kind == "training" and (trained := _trained(item, place)):
        return trained
    found = [sample for sample in samples(item, place) if sample.label]
    counts = sorted({n for sample in found for n in _instances(sample)})
    if not counts or item.kind in ("files", "times"):
        return "quick" if commands else "in part"
    many = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    return f"{many} instance{'s' if counts != [1] else ''} a row"


def _trained(item: Item, place: ResultsPlace) -> str:
    """How many networks have been trained and for how long; empty without any."""
    runs = place.training(item.name).glob("*/log.jsonl")
    minutes = [TrainingLog.read(log.parent).minutes for log in runs]
    return f"{len(minutes)} networks, {min(minutes):.1f} CPU min each" if minutes else ""


def _instances(sample: Sample) -> set[int]:
    """How many instances each column of a row has."""
    return set(Counter((m.suite, m.vehicles) for m in sample.measurements).values())


def duration(item: Item) -> str:
    """Such as `12 min` or `16.7 h`, of one idle core."""
    return f"{item.minutes:g} min" if item.minutes < 120 else f"{item.minutes / 60:.1f} h"


def _section(item: Item, place: ResultsPlace, text: str) -> str:
    """What it is, what came out, and last how it was measured."""
    where = f" ({item.paper})" if item.paper != "–" else ""
    head = f"## {item.name}\n\n{item.about}{where}.{' ' + item.note if item.note else ''}"
    if not text:
        return f"{head}\n\n**Not run yet**: `{item.command}`, {duration(item)} on one core.\n"
    made = [_ran(item, place)] if _was_run(item, place) else []
    made += [place.remark(item)] if place.remark(item) else []
    if taken := origins(item, place):
        made.append(f"Rows with a sign are results of `bench`:\n\n{taken}")
    return "\n\n".join([head, text.rstrip(), *made]) + "\n"


def _ran(item: Item, place: ResultsPlace) -> str:
    """With what the results were made."""
    commands = place.commands(item)
    listed = "".join(
        f"\n* `{command}`{', interrupted' if command in place.interrupted(item) else ''}"
        for command in commands
    )
    how = "**Made with**" if commands else "**Made with** a run that has not come to its end yet"
    path = place.results(item)
    if not path.exists():
        return f"{how}\n{listed}"
    found = read_measurements(path)
    dates = sorted({m.date for m in found if m.date})
    machine = ", ".join(sorted({m.cpu for m in found if m.cpu}))
    commits = ", ".join(sorted({m.commit.rstrip("+")[:7] for m in found if m.commit}))
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no date"
    cases = {(m.suite, m.vehicles, m.index, m.name) for m in found}
    many = f"{len(found):,} solutions of {len(cases):,} instance{'s' if len(cases) != 1 else ''}"
    at = f", commit {commits}" if commits else ""
    return f"{how} ({many}; {when}{at}; one core of {machine})" + (f":\n{listed}" if listed else ".")


def _has_results(item: Item, place: ResultsPlace) -> bool:
    return _was_run(item, place) or bool(committed_files(item, place))


def _was_run(item: Item, place: ResultsPlace) -> bool:
    return place.results(item).exists() or bool(place.commands(item))
