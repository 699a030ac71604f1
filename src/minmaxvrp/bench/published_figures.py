"""The figures that the literature published, read from `published_figures.json` beside this module.

`suites` asks which numbers of vehicles a row was published for, `report` sets the published figures
beside the measured ones. Objectives are makespans, means over the instances of a row.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

SUITE_TABLES = ("medium", "large", "multi_depot")
"""Tables whose rows are suites of random instances that can be drawn again."""
FILE_TABLES = ("mtsp_set1", "mtsp_lib")
"""Tables whose rows are single public instances, rounded to whole numbers."""


@dataclass(frozen=True)
class PublishedRow:
    """What was published for one suite (or one public instance) and number of vehicles."""

    table: str
    vehicles: int
    objective: dict[str, float]
    """Makespan by method, in the order of the paper's table."""
    time: dict[str, str] = field(default_factory=dict)
    """Running time by method as printed, for all `timed_instances` of the table."""
    problem: str | None = None
    size: int | None = None
    """Nodes for mTSP (depot included), customers for the others: the paper's convention."""
    depots: int | None = None
    distribution: str | None = None
    instance: str | None = None
    comparable: bool = True
    """Whether the figures are of instances that anybody can draw or read again."""
    two_digits: frozenset[str] = frozenset()
    """Methods known to two digits only in a table of more."""

    def best(self) -> tuple[str, float]:
        """The method with the smallest figure, and that figure; figures of two digits do not count."""
        figures = {m: v for m, v in self.objective.items() if m not in self.two_digits}
        method = min(figures, key=lambda m: figures[m])
        return method, figures[method]

    def figure(self, method: str) -> float | None:
        """The figure of a method, or of its fine-tuned model where only that was published."""
        for name in (method, method.replace("DPN-", "DPN-F-")):
            if name in self.objective:
                return self.objective[name]
        return None


def suite_row(problem: str, size: int, vehicles: int) -> PublishedRow | None:
    """The published row of a suite of random instances, None where there is none."""
    for row in table_rows(*SUITE_TABLES):
        if (row.problem, row.size, row.vehicles) == (problem, size, vehicles):
            return row
    return None


def instance_row(name: str, vehicles: int) -> PublishedRow | None:
    """The published row of a public instance, None where there is none."""
    for row in table_rows(*FILE_TABLES):
        if (row.instance, row.vehicles) == (name, vehicles):
            return row
    return None


def instance_vehicles(name: str) -> tuple[int, ...]:
    """The numbers of vehicles that figures of a public instance were published for."""
    return tuple(sorted({row.vehicles for row in table_rows(*FILE_TABLES) if row.instance == name}))


def table_rows(*tables: str) -> tuple[PublishedRow, ...]:
    """All rows of the named tables, in the paper's order."""
    return tuple(row for table in tables for row in _rows()[table])


@cache
def _rows() -> dict[str, tuple[PublishedRow, ...]]:
    text = resources.files(__package__).joinpath("published_figures.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    found = {}
    for name, table in document["tables"].items():
        rough = frozenset(document["two_digits"].get(name, ()))
        found[name] = tuple(
            PublishedRow(table=name, comparable=table["comparable"], two_digits=rough, **row)
            for row in table["rows"]
        )
    return found
