"""Gap to the best known makespan against seconds per instance: one panel per suite, one line per method.

The picture of the item `speed`. The best known makespan of an instance is the least that any method of any
run in the file found. Seconds are CPU time of one core, the lower bound's and the network's included,
loading and compiling not.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .. import report
from ..store import Measurement, read_measurements
from ..suites import Case, suite_cases
from .catalogue import Item
from .drawing import save_figure
from .paired import better, mean_over_suites, paired, worse
from .runs import NAMES, ResultsPlace, measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

WITH_NETWORK = "policy+search"
"""Differs from the search by its start only."""
ENOUGH = 5
"""Instances of a pair that a verdict is built on."""
OVERRUN = 1.15
"""Times the budget: what takes longer is told with its time."""
TABLE_UNITS = (
    "Mean gap to the best known makespan in percent, by budget in CPU seconds; in brackets the time used "
    "where it is not the budget. The picture shows the same against the time used. Hollow marks have fewer "
    "instances than the title says: no line with fewer than half, no mark with fewer than three."
)
FEWEST = 3
"""Instances of a point in the picture."""
LEAST_GAP = 0.003
"""Percent: a gap of 0 has no place on a logarithmic axis."""


@dataclass(frozen=True)
class Point:
    """A method with one budget on one suite."""

    method: str
    """The line it belongs to."""
    label: str
    seconds: float
    """Mean CPU seconds per instance."""
    gap: float
    """Mean percent above the best known."""
    instances: int
    budget: float
    failure: str = ""
    """Why some instances have no answer."""
    failed: int = 0

    @property
    def timed(self) -> bool:
        """Whether a budget changes it."""
        return self.label != self.method and self.method != "network"


def cases(item: Item) -> list[Case]:
    """The first instances of each suite, with its number of vehicles."""
    limit = item.settings["limit"]
    return [c for s, m in item.settings["suites"].items() for c in suite_cases(s, (m,), limit)]


def make(item: Item, place: ResultsPlace) -> str:
    """Measure, draw, and return the Markdown of the item."""
    for suite in item.settings["suites"]:  # suite by suite, so that a picture of some can be drawn early
        measured(item, place, [case for case in cases(item) if case.suite == suite])
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """The picture and the tables of what is kept."""
    kept = report.latest(read_measurements(place.results(item)))
    found = points(kept)
    target = place.folder / "gap-against-seconds.svg"
    draw(found, target)
    draw(found, target.with_suffix(".png"))
    parts = [f"![gap against seconds]({target.name})\n"]
    parts.append(f"### What the network brings as a start\n\n{start_verdict(kept)}\n\n{start_table(kept)}")
    parts.append(f"{TABLE_UNITS}\n")
    parts += [f"### {suite}\n\n{table(rows)}" for suite, rows in found.items()]
    return "\n".join(parts)


def points(measurements: Sequence[Measurement]) -> dict[str, list[Point]]:
    """By suite: every method and budget, its mean time and its mean gap to the best of all."""
    best: dict[tuple[object, ...], float] = {}
    groups: dict[tuple[str, str, float], list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[_suite(m), f"{m.method} {m.policy or ''}", m.time].append(m)
        if not m.failure:
            best[_case(m)] = min(m.objective, best.get(_case(m), m.objective))
    found: dict[str, list[Point]] = defaultdict(list)
    for (suite, _, budget), group in groups.items():
        solved = [m for m in group if not m.failure]
        gap = 100.0 * fmean(m.objective / best[_case(m)] - 1.0 for m in solved) if solved else nan
        seconds = fmean(m.seconds for m in solved) if solved else nan
        line, label = _line(group[0])
        why = next((m.failure for m in group if m.failure), "")
        failed = len(group) - len(solved)
        found[suite].append(Point(line, label, seconds, gap, len(solved), budget, why, failed))
    return dict(found)


def start_table(measurements: Sequence[Measurement]) -> str:
    """Network + search against the search alone, instance by instance with the same budget."""
    lines = [
        "| suite | budget, s | instances | longer with the network, % | standard error |",
        "|" + " --- |" * 5,
    ]
    for pair in paired(measurements):
        if pair.method == WITH_NETWORK and len(pair.apart) >= ENOUGH:
            where = f"{pair.suite}, M = {pair.vehicles} | {pair.budget:g} | {len(pair.apart)}"
            lines.append(f"| {where} | {pair.mean:+.3f} | {pair.error:.3f} |")
    return "\n".join(lines) + "\n"


def start_verdict(measurements: Sequence[Measurement]) -> str:
    """What the network brings as a start and what `solve` therefore does; empty without any pair."""
    pairs = [p for p in paired(measurements) if p.method == WITH_NETWORK and len(p.apart) >= ENOUGH]
    if not pairs:
        return ""
    gained, lost = len(better(pairs)), len(worse(pairs))
    verdict = "so `solve` does without the network unless `--policy` asks for it"
    if gained > lost:
        verdict = "`solve` does without the network all the same unless `--policy` asks for it"
    apart = mean_over_suites(pairs)
    return (
        f"With the same CPU time the search that begins with the network ends {abs(apart):.3f} % "
        f"{'above' if apart > 0 else 'below'} the search alone, mean over {len(pairs)} suites and budgets; "
        f"by more than two standard errors it is better in {gained} and worse in {lost}: {verdict}."
    )


def table(rows: Sequence[Point]) -> str:
    """One line per method, one column per budget; below it who failed and why."""
    budgets = sorted({row.budget for row in rows if row.timed})
    head = ["method", "no budget", *(f"{budget:g} s" for budget in budgets)]
    lines = [head, ["---"] * len(head)]
    most = max(row.instances for row in rows)
    order = list(STYLES)
    ordered = sorted(rows, key=lambda row: (row.timed, order.index(row.method), row.label))
    for name in dict.fromkeys(row.method if row.timed else row.label for row in ordered):
        here = [row for row in rows if name == (row.method if row.timed else row.label)]
        cells = {row.budget if row.timed else None: _cell(row, most) for row in here}
        lines.append([name, *(cells.get(column, "") for column in (None, *budgets))])
    failures = [
        f"{row.label}: {row.failed} of {row.failed + row.instances} failed: {row.failure}."
        for row in rows
        if row.failed
    ]
    said = "\n" + " ".join(failures) + "\n" if failures else ""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n" + said


def _cell(row: Point, most: int) -> str:
    """The gap; with its time where that is not the budget, with its instances where others have more."""
    if not row.instances:
        return "failed"
    said = [f"{row.seconds:.2g} s"] if row.seconds > OVERRUN * row.budget or not row.timed else []
    if row.instances + row.failed < most:
        said.append(f"{row.instances} instance{'s' if row.instances > 1 else ''}")
    return f"{row.gap:.2f} ({', '.join(said)})" if said else f"{row.gap:.2f}"


def draw(found: dict[str, list[Point]], path: Path) -> None:
    """Write the picture: a panel for each suite, one legend for all."""
    from matplotlib.figure import Figure

    columns = min(2, len(found))
    lines = -(-len(found) // columns)
    figure = Figure(figsize=(5.6 * columns, 3.9 * lines), layout="constrained")
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    drawn: dict[str, Line2D] = {}
    times = [row.seconds for rows in found.values() for row in rows if row.instances]
    for axes, (suite, rows) in zip(panels, found.items(), strict=False):
        drawn |= _draw_panel(axes, suite, rows)
        axes.set_xlim(0.8 * min(times), 1.25 * max(times))
    handles = [drawn[name] for name in STYLES if name in drawn]
    for axes in panels[len(found) :]:
        axes.set_axis_off()
    if len(panels) > len(found):
        panels[-1].legend(handles=handles, loc="center", fontsize=11, frameon=False)
    else:
        figure.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False)
    save_figure(figure, path)


STYLES = {
    "search": ("#d62728", "o", 2.2),
    "network + search": ("#ff7f0e", "s", 1.6),
    "network": ("#2ca02c", "D", 1.2),
    "greedy": ("#7f7f7f", "v", 1.2),
    "LKH-3": ("#1f77b4", "^", 1.2),
    "PyVRP": ("#9467bd", "P", 1.2),
    "HGA": ("#8c564b", "X", 1.2),
    "CROSS": ("#e377c2", "<", 1.2),
    "OR-Tools": ("#17becf", ">", 1.2),
}
"""Colour, marker and width of each line."""


def _draw_panel(axes: "Axes", suite: str, rows: Sequence[Point]) -> "dict[str, Line2D]":
    """The lines by method, through points with half of the instances or more; the others stand alone.

    Points with fewer than `FEWEST` instances are in the table only.
    """
    drawn = {}
    most = max(r.instances for r in rows)
    rows = [r for r in rows if r.instances >= min(FEWEST, most)]
    for method, (colour, marker, width) in STYLES.items():
        line = sorted((r for r in rows if r.method == method and r.instances), key=lambda r: r.seconds)
        if line:
            many = [r for r in line if 2 * r.instances >= most]
            few = [r for r in line if r.instances < most]
            style: dict[str, Any] = {"color": colour, "marker": marker, "ms": 5}
            (drawn[method],) = axes.plot(*_places(many), lw=width, label=method, **style)
            axes.plot(*_places(few), ls="", mfc="white", **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    axes.set_xlabel("CPU seconds per instance, one core")
    axes.set_ylabel(f"above best known, % (0 at {LEAST_GAP:g})")
    fewest = min(r.instances for r in rows if r.instances)
    axes.set_title(f"{suite}, {most} instances" + (f" (hollow: {fewest} or more)" if fewest < most else ""))
    axes.grid(alpha=0.3, which="both", lw=0.5)
    return drawn


def _places(rows: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Seconds and gaps, as far as a logarithmic axis has room for them."""
    return [row.seconds for row in rows], [max(row.gap, LEAST_GAP) for row in rows]


def _line(m: Measurement) -> tuple[str, str]:
    """The line in the picture, and what the point is called."""
    if m.method == "policy":
        policy = m.policy or ""
        how = policy.partition(" ×")[2].split(" temperature")[0]
        return "network", f"network ×{how}" if how else "network ×8 ×16, drawn"
    if m.method == "greedy":
        return "greedy", "greedy"
    name = NAMES.get(m.method, m.method)
    return name, f"{name}, {m.time:g} s"


def _suite(m: Measurement) -> str:
    return f"{m.suite}, M = {m.vehicles}"


def _case(m: Measurement) -> tuple[object, ...]:
    return (m.suite, m.set_seed, m.vehicles, m.index)
