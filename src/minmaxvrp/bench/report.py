"""What the measurements say: rows with means, bounds, published figures and gaps; tables of them.

Last on the walk of `bench`. A row is a suite with one number of vehicles, or one instance file.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from . import published_figures
from .store import Experiment, Measurement
from .suites import PUBLISHED_COUNT, PUBLISHED_SEED

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = ("DPN-x8aug-x16per", "HGA", "LKH3")
"""Published methods with a column of their own."""


@dataclass(frozen=True, kw_only=True)
class Row(Experiment):
    """One line of a table. Makespans are means over the instances, in their unit; times are seconds."""

    instance: str | None
    """Name of the file's instance; None for a suite of random ones."""
    instances: int
    """Solved: those that failed are not part of the means."""
    objective: float
    lower_bound: float
    seconds_per_instance: float
    iterations_per_second: float | None
    published: dict[str, float] = field(default_factory=dict)
    best_published: float | None = None
    best_known: float | None = None
    proven_optimal: bool = False
    gap_percent: float | None = None
    """To the best known makespan of a file, else to the best published mean."""
    comparable: bool = True
    """Whether the published figures are of exactly these instances."""
    failures: tuple[str, ...] = ()
    """Why a rival has no answer, one reason per instance."""
    notes: tuple[str, ...] = ()


def rows(measurements: Iterable[Measurement]) -> list[Row]:
    """The rows of some measurements, in the order of their first measurement."""
    groups: dict[tuple[object, ...], list[Measurement]] = {}
    for m in measurements:
        groups.setdefault(_group(m), []).append(m)
    return [_row(group) for group in groups.values()]


def latest(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Of each row only what its latest code measured."""
    every = list(measurements)
    code = {_group(m): m.code for m in every}
    newest = {m.key: m for m in every if code[_group(m)] == m.code}
    return list(newest.values())


def mean_gap(found: Sequence[Row]) -> float | None:
    """The mean gap of the rows that have one, in percent."""
    gaps = [row.gap_percent for row in found if row.gap_percent is not None]
    return sum(gaps) / len(gaps) if gaps else None


def as_json(found: Sequence[Row]) -> dict[str, Any]:
    """The object that `bench --json` prints."""
    lines = [{k: None if v != v else v for k, v in asdict(row).items()} for row in found]  # JSON has no NaN
    return {"rows": lines, "mean_gap_percent": mean_gap(found)}


def _group(m: Measurement) -> tuple[object, ...]:
    budget = (m.method, m.policy, m.seed, m.time, m.clock, m.settings)
    return (m.suite, m.set_seed, m.vehicles, m.name, m.instance if m.name else "", *budget)


def _row(group: Sequence[Measurement]) -> Row:
    first = group[0]
    solved = [m for m in group if not m.failure]
    seconds = sum(m.seconds for m in solved)
    iterations = sum(m.iterations for m in solved)
    row = Row(
        **{shared.name: getattr(first, shared.name) for shared in fields(Experiment)},
        instance=first.name or None,
        instances=len(solved),
        objective=_mean([m.objective for m in solved]),
        lower_bound=_mean([m.lower_bound for m in solved]),
        seconds_per_instance=_mean([m.seconds for m in solved]),
        iterations_per_second=iterations / seconds if iterations and seconds > 0 else None,
        failures=tuple(m.failure for m in group if m.failure),
    )
    row = _with_published(row) if row.instance is None else _with_best_known(row, first)
    if row.settings:
        row = replace(row, notes=(*row.notes, f"settings of the search: {row.settings}"))
    if not row.failures:
        return row
    note = f"{len(row.failures)} of {len(group)} failed: {row.failures[0]}"
    return replace(row, notes=(*row.notes, note), gap_percent=row.gap_percent if solved else None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _with_published(row: Row) -> Row:
    figures = published_figures.suite_row(row.problem, row.size, row.vehicles)
    if figures is None:
        return row
    best = figures.best()[1]
    notes = []
    if not figures.comparable:
        notes.append("published means are of another sample of the same distribution")
    if row.set_seed != PUBLISHED_SEED:
        notes.append(f"instances of seed {row.set_seed}, published means are of other ones")
    if row.instances != PUBLISHED_COUNT:
        notes.append(f"{row.instances} instances, published means are of {PUBLISHED_COUNT}")
    return replace(
        row,
        published=dict(figures.objective),
        best_published=best,
        gap_percent=100.0 * (row.objective / best - 1.0),
        comparable=not notes,
        notes=tuple(notes),
    )


def _with_best_known(row: Row, measured: Measurement) -> Row:
    figures = published_figures.instance_row(row.instance or "", row.vehicles)
    objectives = dict(figures.objective) if figures is not None else {}
    best = measured.best_known
    if best is None:
        return replace(row, published=objectives)
    value = float(round(row.objective)) if measured.rounded and row.instances else row.objective
    return replace(
        row,
        published=objectives,
        best_published=min(objectives.values(), default=None),
        best_known=best,
        proven_optimal=measured.proven_optimal,
        gap_percent=100.0 * (value / best - 1.0),
        notes=("best known as a whole number: compared after rounding",) if measured.rounded else (),
    )


def cells(found: Sequence[Row]) -> tuple[list[str], list[list[str]], list[str]]:
    """Headings, the cells of each row, and the footnotes that the cells' marks refer to."""
    footnotes: list[str] = []
    files = any(row.instance is not None for row in found)
    body = []
    for row in found:
        for note in row.notes:
            if note not in footnotes:
                footnotes.append(note)
        mark = "".join(_mark(footnotes.index(note)) for note in row.notes)
        body.append(_file_cells(row, mark) if files else _suite_cells(row, mark))
    if files and len(found) > 1:
        gap = mean_gap(found)
        seconds = sum(row.seconds_per_instance for row in found) / len(found)
        body.append(["mean", *[""] * 6, _percent(gap), f"{seconds:.2f}"])
    return _headings(files), body, [f"{_mark(k)} {note}" for k, note in enumerate(footnotes)]


def table(found: Sequence[Row]) -> "Table":
    """The rows for a terminal."""
    from rich import box
    from rich.table import Table

    headings, body, footnotes = cells(found)
    view = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        view.add_column(heading, justify="left" if heading in ("suite", "instance", "method") else "right")
    for line in body:
        view.add_row(*line)
    if footnotes:
        view.caption = "\n".join(footnotes)
        view.caption_justify = "left"
    return view


def markdown(found: Sequence[Row]) -> str:
    """The rows as a Markdown table with its footnotes."""
    headings, body, footnotes = cells(found)
    lines = [headings, ["---"] * len(headings), *body]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    text += "".join(f"\n\n{note}" for note in footnotes) + "\n"
    return text.replace("*", r"\*")  # a mark, not emphasis


def _headings(files: bool) -> list[str]:
    if files:
        return [
            "instance",
            "M",
            "method",
            "budget, s",
            "makespan",
            "lower bound",
            "best known",
            "gap, %",
            "s",
        ]
    head = ["suite", "M", "method", "instances", "budget, s", "makespan", "lower bound", "best published"]
    return [*head, "DPN ×8 ×16", *SHOWN[1:], "gap, %", "s / instance"]


def _suite_cells(row: Row, mark: str) -> list[str]:
    figures = published_figures.suite_row(row.problem, row.size, row.vehicles)
    shown = [None if figures is None else figures.figure(method) for method in SHOWN]
    return [
        row.suite,
        str(row.vehicles),
        row.method,
        str(row.instances),
        f"{row.time:g}",
        _number(row.objective),
        _number(row.lower_bound),
        _number(row.best_published) + mark,
        *(_number(value) for value in shown),
        _percent(row.gap_percent),
        _number(row.seconds_per_instance, 2),
    ]


def _file_cells(row: Row, mark: str) -> list[str]:
    best = "–" if row.best_known is None else f"{row.best_known:,.6g}".replace(",", "")
    return [
        row.instance or "",
        str(row.vehicles),
        row.method,
        f"{row.time:g}",
        _number(row.objective, 3),
        _number(row.lower_bound, 3),
        best + (" optimal" if row.proven_optimal else "") + mark,
        _percent(row.gap_percent),
        _number(row.seconds_per_instance, 2),
    ]


def _number(value: float | None, digits: int = 4) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _mark(index: int) -> str:
    return "*†‡§¶"[index] if index < 5 else f"[{index + 1}]"
