"""What a table of suites says in a line or two, for the head of its section and the page's summary.

Means over the columns: of whole samples against the paper's DPN, of every rival against the search on the
same instances.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from .. import published_figures
from ..store import Measurement
from ..suites import PUBLISHED_COUNT
from .runs import label
from .table_rows import Sample, largest_search, of_suite, restricted

DPN = "DPN-x8aug-x16per"
LKH = "LKH3"


@dataclass(frozen=True)
class Apart:
    """How much longer than a reference in one column of a table."""

    suite: str
    percent: float
    solutions: int


def in_short(found: Sequence[Sample]) -> str:
    """Both as a list; empty where there is nothing to compare."""
    against = (
        ("the paper's DPN ×8 ×16, all instances", against_the_paper(found)),
        ("the search on the same instances", _against_the_search(found)),
    )
    return "\n".join(f"* Against {whom}: {_listed(apart)}." for whom, apart in against if apart)


def against_the_paper(found: Sequence[Sample], published: str = DPN) -> dict[str, list[Apart]]:
    """Search and network on all instances of a suite, against a published row: the DPN ×8 ×16, say."""
    apart: dict[str, list[Apart]] = defaultdict(list)
    for sample in found:
        for column in _columns(sample.measurements):
            first = column[0]
            row = published_figures.suite_row(first.problem, first.size, first.vehicles)
            theirs = row.figure(published) if row is not None else None
            if theirs is None or len(column) < PUBLISHED_COUNT or first.method not in ("search", "policy"):
                continue
            name = "search" if first.method == "search" else label(first)
            mean = fmean(m.objective for m in column)
            apart[name].append(Apart(first.suite, 100.0 * (mean / theirs - 1.0), len(column)))
    return apart


def _against_the_search(found: Sequence[Sample]) -> dict[str, list[Apart]]:
    """Every method against the search's largest sample of the suite, on the same instances."""
    apart: dict[str, list[Apart]] = defaultdict(list)
    for suite in dict.fromkeys(m.suite for sample in found for m in sample.measurements):
        here = of_suite(found, suite)
        reference = largest_search(here)
        for sample in here:
            if reference is None or sample.measurements[0].method == "search":
                continue
            for column in _columns(m for m in sample.measurements if not m.failure):
                part = Sample(sample.label, tuple(column))
                if (same := restricted(reference, part)) is not None:
                    ours = fmean(m.objective for m in same.measurements)
                    mean = fmean(m.objective for m in column)
                    percent = 100.0 * (mean / ours - 1.0)
                    apart[sample.label].append(Apart(suite, percent, len(column)))
    return apart


def _columns(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """By suite and number of vehicles."""
    groups: dict[tuple[str, int], list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[m.suite, m.vehicles].append(m)
    return list(groups.values())


def _listed(apart: Mapping[str, Sequence[Apart]]) -> str:
    """Such as `LKH-3, 3 s +0.26 % (9 solutions); PyVRP, …`."""
    parts = []
    for name, values in apart.items():
        count = sum(value.solutions for value in values)
        many = f"{count:,} solution{'s' if count != 1 else ''}"
        parts.append(f"{name} {fmean(value.percent for value in values):+.2f} % ({many})")
    return "; ".join(parts)
