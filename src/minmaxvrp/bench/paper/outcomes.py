"""What a table of suites says in one or two sentences, for the head of its section on the page.

Means over the columns: of whole samples against the paper's DPN, of every rival against the search on the
same instances.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from .. import published_figures
from ..store import Measurement
from ..suites import PUBLISHED_COUNT
from .runs import label
from .table_rows import Sample, largest_search, of_suite, restricted

DPN = "DPN-x8aug-x16per"


def in_short(found: Sequence[Sample]) -> str:
    """Both sentences; empty where there is nothing to compare."""
    return " ".join(part for part in (_against_the_paper(found), _against_the_search(found)) if part)


def _against_the_paper(found: Sequence[Sample]) -> str:
    """Search and network on all instances of a suite, against the paper's DPN ×8 ×16."""
    apart: dict[str, list[float]] = defaultdict(list)
    for sample in found:
        for column in _columns(sample.measurements):
            first = column[0]
            row = published_figures.suite_row(first.problem, first.size, first.vehicles)
            theirs = row.figure(DPN) if row is not None else None
            if theirs is None or len(column) < PUBLISHED_COUNT or first.method not in ("search", "policy"):
                continue
            name = "search" if first.method == "search" else label(first)
            apart[name].append(100.0 * (fmean(m.objective for m in column) / theirs - 1.0))
    said = ", ".join(f"{name} {fmean(values):+.2f} % ({_many(values)})" for name, values in apart.items())
    return f"Against the paper's DPN ×8 ×16, all instances: {said}." if said else ""


def _against_the_search(found: Sequence[Sample]) -> str:
    """Every method against the search's largest sample of the suite, on the same instances."""
    apart: dict[str, list[float]] = defaultdict(list)
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
                    apart[sample.label].append(100.0 * (fmean(m.objective for m in column) / ours - 1.0))
    said = ", ".join(f"{name} {fmean(values):+.2f} % ({_many(values)})" for name, values in apart.items())
    return f"Against the search on the same instances: {said}." if said else ""


def _columns(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """By suite and number of vehicles."""
    groups: dict[tuple[str, int], list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[m.suite, m.vehicles].append(m)
    return list(groups.values())


def _many(values: Sequence[float]) -> str:
    return f"{len(values)} column{'s' if len(values) != 1 else ''}"
