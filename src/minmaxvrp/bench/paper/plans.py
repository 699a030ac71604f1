"""Solutions side by side, as in the paper's last figures: one row per instance, one panel per method.

Each panel is a solution by a method of `bench`, through the checker; makespans are in the titles. The
solutions are kept, the pictures are drawn from them.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError, InternalError
from ...problem import check
from ...problem.files.atomic import write_text
from ...problem.instance import Instance
from ...problem.solution import Route, Solution
from ..measure import RunOptions
from ..methods import find_method
from ..suites import suite_cases
from .catalogue import TIMELESS, Contender, Item
from .drawing import save_figure
from .networks import find_run, trained_for
from .runs import NAMES, ResultsPlace, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEPT = "plans-kept.jsonl"
"""One line for each instance: its solutions, so that the pictures can be drawn again."""


@dataclass(frozen=True)
class Panel:
    """One solution and who made it."""

    heading: str
    instance: Instance
    solution: Solution | None
    failure: str = ""
    """Why a rival has no solution."""


PanelRow = list[Panel]
"""The panels of one instance."""


def make(item: Item, place: ResultsPlace) -> str:
    """Solve, draw, and return the Markdown of the item."""
    rows = []
    for suite, counts in item.settings["suites"].items():
        for vehicles in counts:
            place.say(f"{item.name}: {suite} M={vehicles}")
            found = panels(item, place, suite, vehicles)
            rows.append({"suite": suite, "vehicles": vehicles, "panels": [_as_json(p) for p in found]})
    place.folder.mkdir(parents=True, exist_ok=True)
    write_text(place.folder / KEPT, "\n".join(json.dumps(row) for row in rows) + "\n")
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """A picture for each suite, drawn from the kept solutions."""
    path = place.folder / KEPT
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    suites: dict[str, list[PanelRow]] = defaultdict(list)
    for entry in map(json.loads, lines):
        (case,) = suite_cases(entry["suite"], (entry["vehicles"],), 1)
        suites[entry["suite"]].append([_from_json(case.instance, values) for values in entry["panels"]])
    parts = []
    for suite, rows in suites.items():
        target = place.folder / f"plans-{suite}.svg"
        _draw(rows, target)
        parts.append(f"![{suite}: solutions side by side]({target.name})\n")
    return "\n".join(parts)


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
        found.append(_panel(_heading(contender, options), case.instance, options))
    return found


def _heading(contender: Contender, options: RunOptions) -> str:
    """Such as `DPN, our weights ×8 ×16` or `LKH-3, 30 s`."""
    if options.method == "policy":
        how = trained_for(options.policy) if contender.trained else "our weights"
        who = "Equity-Transformer" if contender.trained else "DPN"
        return title(options).replace("policy", f"{who}, {how}")
    name = NAMES.get(options.method, options.method)
    return name if options.method in TIMELESS else f"{name}, {options.seconds:g} s"


def _panel(heading: str, instance: Instance, options: RunOptions) -> Panel:
    """A method's answer; where a rival fails, its reason."""
    try:
        return Panel(heading, instance, _solution(instance, options))
    except InternalError as error:
        if not find_method(options.method).rival:
            raise
        return Panel(heading, instance, None, str(error))


def _solution(instance: Instance, options: RunOptions) -> Solution:
    """A method's answer, checked."""
    solution = find_method(options.method).solve(instance, options.budget(instance)).solution
    found = check.violations(instance, solution)
    if found:
        raise InternalError(f"{options.method} breaks {len(found)} rules: {found[0]}")
    return solution


def _as_json(panel: Panel) -> dict[str, Any]:
    routes = [] if panel.solution is None else [list(route.nodes) for route in panel.solution.routes]
    return {"heading": panel.heading, "routes": routes, "failure": panel.failure}


def _from_json(instance: Instance, values: dict[str, Any]) -> Panel:
    """A kept panel; raises `InputError` for a solution that is not one of the instance."""
    if values["failure"]:
        return Panel(values["heading"], instance, None, values["failure"])
    solution = Solution.of(Route.of(nodes[1:-1], nodes[0], nodes[-1]) for nodes in values["routes"])
    if found := check.violations(instance, solution):
        raise InputError(f"{KEPT}: {values['heading']} breaks {len(found)} rules: {found[0]}")
    return Panel(values["heading"], instance, solution)


def _draw(rows: Sequence[PanelRow], path: Path) -> None:
    from matplotlib.figure import Figure

    columns = max(len(row) for row in rows)
    figure = Figure(figsize=(3.4 * columns, 4.2 * len(rows)), layout="constrained")
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for axes_row, row in zip(grid, rows, strict=True):
        for axes in axes_row[len(row) :]:
            axes.set_visible(False)
        for axes, panel in zip(axes_row, row, strict=False):
            _draw_panel(axes, panel)
    save_figure(figure, path)


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    points, instance = panel.instance.plane, panel.instance
    said = panel.failure[:40]
    if panel.solution is not None:
        _draw_routes(axes, instance, panel.solution)
        said = f"{check.makespan(instance, panel.solution):.4f}"
    pickups, deliveries = instance.pairs[:, 0], instance.pairs[:, 1]
    plain = sorted(set(instance.customers) - set(instance.pairs.ravel().tolist()))
    axes.scatter(points[plain][:, 0], points[plain][:, 1], s=6, color="black", zorder=3)
    axes.scatter(points[pickups][:, 0], points[pickups][:, 1], s=14, color="tab:blue", marker="D", zorder=3)
    axes.scatter(
        points[deliveries][:, 0], points[deliveries][:, 1], s=20, color="tab:red", marker="*", zorder=3
    )
    _draw_depots(axes, panel)
    axes.set_title(f"{panel.heading}\nM = {instance.num_vehicles}: {said}", fontsize=9)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def _draw_depots(axes: "Axes", panel: Panel) -> None:
    """Those that a route uses are full squares, red where there are several, as in the paper."""
    instance, points = panel.instance, panel.instance.plane
    routes = panel.solution.routes if panel.solution is not None else ()
    used = {node for route in routes if len(route.nodes) > 2 for node in (route.nodes[0], route.nodes[-1])}
    colour = "red" if instance.num_depots > 1 else "black"
    for depot in range(instance.num_depots):
        inside, edge = (colour, colour) if depot in used else ("white", "black")
        x, y = points[depot]
        axes.scatter([x], [y], s=50, marker="s", zorder=4, facecolor=inside, edgecolor=edge)


def _draw_routes(axes: "Axes", instance: Instance, solution: Solution) -> None:
    """The longest route as a thick line."""
    longest = check.makespan(instance, solution)
    for route, length in zip(solution.routes, check.route_lengths(instance, solution), strict=True):
        path = instance.plane[list(route.nodes)]
        axes.plot(path[:, 0], path[:, 1], lw=2.2 if length >= longest else 1.0, alpha=0.85)
