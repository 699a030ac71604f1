"""Our rows of the paper's tables: what the item has measured, and results of `bench` that are committed.

Between `runs` (measurements) and `result_tables` (Markdown). `experiments.toml` names the committed files
under `results`; their measurements are never averaged with the item's own nor with those of another file.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import report
from ..store import Measurement, read_measurements
from ..suites import PUBLISHED_SEED
from .catalogue import Item
from .runs import NAMES, ResultsPlace, label

MARKS = "¹²³⁴⁵⁶⁷⁸⁹"
"""Of committed files, in the order of the item."""
ORDER = ("greedy", "policy", "policy+search", *NAMES)
"""Of the rows of a table."""
COMMITS = "commits.json"
"""Commits of codes that were measured before measurements named theirs."""


@dataclass(frozen=True)
class CommittedFile:
    """Results of `bench` that an item's tables take rows from."""

    file: str
    """In the folder of committed results."""
    command: str
    """What made it."""
    budget: str = ""
    """Such as `0.1 s per customer`, where the seconds differ from instance to instance."""
    best_of_seeds: bool = False
    """Whether a figure is the best of the runs with different seeds."""
    mark: str = ""


@dataclass(frozen=True)
class Sample:
    """One row: the measurements of one method, budget and source."""

    label: str
    measurements: tuple[Measurement, ...]
    mark: str = ""
    """Of its committed file; empty for the item's own."""

    @property
    def heading(self) -> str:
        """Label and mark."""
        return self.label + (f" {self.mark}" if self.mark else "")


def kept(item: Item, place: ResultsPlace) -> list[Measurement]:
    """What the item's file has, of the latest code of each row."""
    path = place.results(item)
    return report.latest(read_measurements(path)) if path.exists() else []


def committed_files(item: Item, place: ResultsPlace) -> list[CommittedFile]:
    """The committed files of the item that are there, each with its mark."""
    entries: Sequence[dict[str, Any]] = item.settings.get("results", ())
    named = [CommittedFile(**entry, mark=mark) for entry, mark in zip(entries, MARKS, strict=False)]
    return [one for one in named if (place.committed / one.file).is_file()]


def committed(one: CommittedFile, item: Item, place: ResultsPlace) -> list[Measurement]:
    """A file's measurements of the item's suites or folder, published seed and default settings."""
    suites = {*item.settings.get("suites", ()), item.settings.get("folder")}
    return [
        m
        for m in report.latest(read_measurements(place.committed / one.file))
        if m.suite in suites and m.set_seed in (None, PUBLISHED_SEED) and not m.settings
    ]


def samples(item: Item, place: ResultsPlace) -> list[Sample]:
    """All rows of ours, in reading order."""
    found = _grouped(kept(item, place), CommittedFile("", ""))
    for one in committed_files(item, place):
        measurements = committed(one, item, place)
        found += _grouped(_best_of_seeds(measurements) if one.best_of_seeds else measurements, one)
    return sorted(found, key=_place)


def origins(item: Item, place: ResultsPlace) -> str:
    """A line for each committed file: command, commit, dates, clock and machine."""
    known = _commits(place.committed)
    lines = []
    for one in committed_files(item, place):
        found = committed(one, item, place)
        commits = ", ".join(sorted({_commit(m, known) for m in found}))
        dates = sorted({m.date for m in found if m.date})
        when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "no date"
        clock = " and ".join(sorted({m.clock for m in found}))
        machine = ", ".join(sorted({m.cpu for m in found if m.cpu}))
        path = (place.committed / one.file).as_posix()
        text = f"{one.mark} `{path}`, made by `{one.command}` at commit {commits}; {when}; "
        lines.append(f"{text}budgets and times on the {clock} clock, one core of {machine}.")
    return "\n\n".join(lines)


def restricted(sample: Sample, like: Sample) -> Sample | None:
    """`sample` on the instances of `like` alone; None where it lacks one of them."""
    wanted = {_case(m) for m in like.measurements}
    found = tuple(m for m in sample.measurements if _case(m) in wanted)
    if len({_case(m) for m in found}) < len(wanted):
        return None
    return replace(sample, measurements=found)


def of_suite(found: Iterable[Sample], suite: str) -> list[Sample]:
    """Each row's measurements of one suite; of the same method and budget the row with the most."""
    largest: dict[str, Sample] = {}
    for sample in found:
        part = replace(sample, measurements=tuple(m for m in sample.measurements if m.suite == suite))
        before = largest.get(sample.label)
        if part.measurements and (before is None or len(part.measurements) > len(before.measurements)):
            largest[sample.label] = part
    return list(largest.values())


def largest_search(found: Iterable[Sample]) -> Sample | None:
    """The search's sample with the most instances: what others are compared with."""
    searches = [sample for sample in found if sample.measurements[0].method == "search"]
    return max(searches, key=lambda sample: len(sample.measurements), default=None)


def _grouped(measurements: Iterable[Measurement], source: CommittedFile) -> list[Sample]:
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[_label(m, source)].append(m)
    return [Sample(name, tuple(group), source.mark) for name, group in groups.items()]


def _label(m: Measurement, source: CommittedFile) -> str:
    if source.best_of_seeds:
        return f"{label(m)}, best of {m.seed} seeds"
    return f"{NAMES.get(m.method, m.method)}, {source.budget}" if source.budget else label(m)


def _best_of_seeds(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Of each instance the run with the least makespan; its `seed` is then the number of runs."""
    groups: dict[tuple[object, ...], list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[_case(m), m.method, m.policy, m.time].append(m)
    return [replace(min(g, key=lambda m: m.objective), seed=len(g)) for g in groups.values()]


def _case(m: Measurement) -> tuple[object, ...]:
    return (m.suite, m.set_seed, m.vehicles, m.index, m.name)


def _place(sample: Sample) -> tuple[object, ...]:
    first = sample.measurements[0]
    return (ORDER.index(first.method), first.policy or "", first.time, sample.mark)


def _commit(m: Measurement, known: dict[str, str | None]) -> str:
    commit = m.commit or known.get(m.code)
    return commit[:7] if commit else f"unknown (code {m.code})"


def _commits(folder: Path) -> dict[str, str | None]:
    path = folder / COMMITS
    if not path.is_file():
        return {}
    found: dict[str, str | None] = json.loads(path.read_text(encoding="utf-8"))["commits"]
    return found
