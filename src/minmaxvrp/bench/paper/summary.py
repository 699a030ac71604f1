"""The first screen of docs/paper.md: how good, against whom, and what follows from it.

Made from the kept results like all of the page: whole samples against the paper's DPN (`outcomes`), rivals
against the search with the same CPU time (`paired`), the ablations' order, the network as a start (`speed`).
"""

from collections.abc import Sequence
from statistics import fmean

from .. import report
from ..store import Measurement, read_measurements
from . import ablations
from .catalogue import Item, find_item
from .outcomes import LKH, against_the_paper
from .paired import Paired, mean_over_suites, paired
from .runs import NAMES, ResultsPlace
from .speed import ENOUGH, WITH_NETWORK, start_verdict
from .table_rows import samples

TABLES = ("table1", "table2", "table4")
HEAD = "| who | against | makespan | of | where |\n" + "|" + " --- |" * 5
BUDGETS = (3.0, 10.0)
"""CPU seconds with which rivals are told here."""


def summary(place: ResultsPlace) -> str:
    """A table and a few sentences; empty without results."""
    lines = [line for name in TABLES for line in _against_the_paper(find_item(name), place)]
    speed = find_item("speed")
    path = place.results(speed)
    kept = report.latest(read_measurements(path)) if path.exists() else []
    lines += _rivals(kept)
    said = [start_verdict(kept), *_ablations(place)]
    parts = ["## How good, against whom", "Less is better."] if lines else []
    parts += ["\n".join([HEAD, *lines])] if lines else []
    parts += ["\n".join(f"* {sentence}" for sentence in said if sentence)] if any(said) else []
    return "\n\n".join(parts) + "\n" if parts else ""


def _against_the_paper(item: Item, place: ResultsPlace) -> list[str]:
    """Search and network against the DPN as published, and the search against LKH-3 as published."""
    every = samples(item, place)
    found = [(who, "DPN ×8 ×16", a) for who, a in sorted(against_the_paper(every).items(), reverse=True)]
    found += [(who, "LKH-3", a) for who, a in against_the_paper(every, LKH).items() if who == "search"]
    lines = []
    for who, whom, apart in found:
        suites = ", ".join(sorted({column.suite for column in apart}, key=item.settings["suites"].index))
        percent, many = fmean(column.percent for column in apart), sum(column.solutions for column in apart)
        lines.append(
            f"| {who} | the paper's {whom}, {suites} "
            f"| {percent:+.2f} % | {many:,} solutions | [{item.name}](#{item.name}) |"
        )
    return lines


def _rivals(measurements: Sequence[Measurement]) -> list[str]:
    """Each rival against the search, both with the same CPU time, from five instances on."""
    lines = []
    pairs = [pair for pair in paired(measurements) if pair.method != WITH_NETWORK]
    for method, name in NAMES.items():
        for budget in BUDGETS:
            here = [pair for pair in pairs if (pair.method, pair.budget) == (method, budget)]
            count = sum(len(pair.apart) for pair in here)
            if count >= ENOUGH:
                lines.append(
                    f"| {name}, {budget:g} s | the search, {budget:g} s, {_suites(here)} "
                    f"| {mean_over_suites(here):+.2f} % | {count} instances | [speed](#speed) |"
                )
    return lines


def _suites(pairs: Sequence[Paired]) -> str:
    return ", ".join(sorted({pair.suite for pair in pairs}))


def _ablations(place: ResultsPlace) -> list[str]:
    """Whether the paper's order of its parts is found, by problem."""
    item = find_item("ablations")
    return [
        f"Ablations on {suite} ([more](#ablations)): {said}"
        for suite, said in ablations.orders(item, place).items()
    ]
