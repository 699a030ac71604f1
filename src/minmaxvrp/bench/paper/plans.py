"""Solutions side by side, as in the paper's last figures: one row per instance, one panel per method.

Each panel is a fresh solution by a method of `bench`, through the checker; makespans are in the titles.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InternalError
from ...problem import check
from ...problem.instance import Instance
from ...problem.solution import Solution
from ..measure import RunOptions
from ..methods import find_method
from ..suites import suite_cases
from .catalogue import Item
from .networks import find_run
from .runs import ResultsPlace, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Panel:
    """One solution and who made it."""

    heading: str
    instance: Instance
    solution: Solution


def make(item: Item, place: ResultsPlace) -> str:
    """Solve, draw, and return the Markdown of the item."""
    for suite, counts in item.settings["suites"].items():
        rows = []
        for vehicles in counts:
            place.say(f"{item.name}: {suite} M={vehicles}")
            rows.append(panels(item, place, suite, vehicles))
        _draw(rows, place.folder / f"plans-{suite}.svg")
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """The pictures that are there."""
    names = [f"plans-{suite}.svg" for suite in item.settings["suites"]]
    return "\n".join(f"![solutions side by side]({n})\n" for n in names if (place.folder / n).is_file())


def panels(item: Item, place: ResultsPlace, suite: str, vehicles: int) -> list[Panel]:
    """The first instance of a suite by every contender that can solve it."""
    (case,) = suite_cases(suite, (vehicles,), 1)
    found = []
    for contender in item.contenders:
        problem = case.instance.problem
        policy: str | None = "auto"
        if contender.trained:
            policy = find_run(item, place, str(item.settings[contender.trained].get(problem, "–")))
        if policy is None or not contender.knows(problem):
            continue
        options = contender.options(policy, item.most_seconds)[-1]
        heading = f"Equity-Transformer {title(options)[7:]}" if contender.trained else title(options)
        found.append(Panel(heading, case.instance, _solution(case.instance, options)))
    return found


def _solution(instance: Instance, options: RunOptions) -> Solution:
    """A method's answer, checked."""
    solution = find_method(options.method).solve(instance, options.budget(instance)).solution
    found = check.violations(instance, solution)
    if found:
        raise InternalError(f"{options.method} breaks {len(found)} rules: {found[0]}")
    return solution


def _draw(rows: list[list[Panel]], path: Path) -> None:
    from matplotlib.figure import Figure

    columns = max(len(row) for row in rows)
    figure = Figure(figsize=(3.4 * columns, 3.7 * len(rows)), layout="constrained")
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for axes_row, row in zip(grid, rows, strict=True):
        for axes in axes_row[len(row) :]:
            axes.set_visible(False)
        for axes, panel in zip(axes_row, row, strict=False):
            _draw_panel(axes, panel)
    figure.savefig(path, metadata={"Date": None})


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    points, instance = panel.instance.plane, panel.instance
    longest = check.makespan(instance, panel.solution)
    for route, length in zip(
        panel.solution.routes, check.route_lengths(instance, panel.solution), strict=True
    ):
        path = points[list(route.nodes)]
        axes.plot(path[:, 0], path[:, 1], lw=2.2 if length >= longest else 1.0, alpha=0.85)
    depots = points[: instance.num_depots]
    pickups, deliveries = instance.pairs[:, 0], instance.pairs[:, 1]
    plain = sorted(set(instance.customers) - set(instance.pairs.ravel().tolist()))
    axes.scatter(points[plain][:, 0], points[plain][:, 1], s=6, color="black", zorder=3)
    axes.scatter(points[pickups][:, 0], points[pickups][:, 1], s=14, color="tab:blue", marker="D", zorder=3)
    axes.scatter(
        points[deliveries][:, 0], points[deliveries][:, 1], s=20, color="tab:red", marker="*", zorder=3
    )
    axes.scatter(depots[:, 0], depots[:, 1], s=50, color="black", marker="s", zorder=4)
    axes.set_title(f"{panel.heading}\nM = {instance.num_vehicles}: {longest:.4f}", fontsize=9)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
