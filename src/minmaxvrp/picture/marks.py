"""Routes, stops and depots as marks on the map: what `figure` draws on it.

The longest route is thick, the others are thin. Arrowheads show the direction, the last leg, back to a
depot, is dashed, the last stop of an open route has a ring, a dotted arc links a pickup to its delivery,
the order of visits is written on the stops.
"""

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problem.distance import Floats
from .palette import ink_on
from .scene import FAINT, INK, MAX_DOTS, PLAIN, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72.0
"""Points to the inch; sizes below are in points."""
BACK = (0, (3.5, 2.0))
"""Dashes of the leg back to a depot."""
MAX_ARROWS = 3_000
"""With more customers than this, arrowheads would be a carpet."""
MAX_LINKS = 80
"""With more pairs than this, the arcs from pickups to deliveries are left out."""


def points_per_unit(axes: "Axes") -> float:
    """Length on paper of one unit of the map."""
    width = axes.bbox.width / axes.figure.dpi * POINTS
    low, high = axes.get_xlim()
    return float(width / (high - low))


def line_widths(scene: Scene) -> tuple[float, float]:
    """Of ordinary routes, and of the longest."""
    customers = scene.instance.num_customers
    thin = 1.5 if customers <= 500 else 0.9 if customers <= 5000 else 0.5
    return thin, max(2.2 * thin, 1.8)


def draw_routes(axes: "Axes", scene: Scene) -> None:
    """All routes, the longest one last, with a white rim."""
    from matplotlib.collections import LineCollection

    thin, thick = line_widths(scene)
    order = [k for k in range(len(scene.routes)) if k != scene.longest]
    if scene.routes:
        order.append(scene.longest)
        rim = [scene.line(scene.longest)]
        axes.add_collection(
            LineCollection(
                rim, colors="white", linewidths=thick + 1.6, zorder=2.5, rasterized=scene.rasterized
            ),
            autolim=False,
        )
    lines, dashes, colours, widths, levels = [], [], [], [], []
    for k in order:
        line = scene.line(k)
        parts = [(line[:-1], scene.dash(k)), (line[-2:], BACK if scene.listed else scene.dash(k))]
        for part, dash in [(line, scene.dash(k))] if scene.routes[k].is_open else parts:
            lines.append(part)
            dashes.append(dash)
            colours.append(scene.colours[k])
            widths.append(thick if k == scene.longest else thin)
            levels.append(3 if k == scene.longest else 2)
    for level in sorted(set(levels)):
        chosen = [j for j, at in enumerate(levels) if at == level]
        axes.add_collection(
            LineCollection(
                [lines[j] for j in chosen],
                colors=[colours[j] for j in chosen],
                linestyles=[dashes[j] for j in chosen],
                linewidths=[widths[j] for j in chosen],
                joinstyle="round",
                rasterized=scene.rasterized,
                zorder=level,
            ),
            autolim=False,
        )


def draw_arrows(axes: "Axes", scene: Scene) -> None:
    """Arrowheads along the routes: on the first leg, then some way apart."""
    from matplotlib.collections import PolyCollection

    if scene.instance.num_customers > MAX_ARROWS:
        return
    scale, crowd = points_per_unit(axes), scene.instance.num_customers > 300
    heads, colours = [], []
    for k in range(len(scene.routes)):
        size = (10.5 if k == scene.longest else 7.0) * (0.7 if crowd else 1.0)
        for place, direction in _arrow_places(scene.line(k) * scale, 5.0 if crowd else 13.0, 38.0):
            across = np.array([-direction[1], direction[0]])
            corners = np.array(
                [direction * 0.6, across * 0.45 - direction * 0.4, -across * 0.45 - direction * 0.4]
            )
            heads.append((place + corners * size) / scale)
            colours.append(scene.colours[k])
    style: dict[str, Any] = {"facecolors": colours, "edgecolors": "white", "linewidths": 0.4, "zorder": 3.5}
    axes.add_collection(PolyCollection(heads, **style), autolim=False)


def _arrow_places(line: Floats, shortest: float, apart: float) -> list[tuple[Floats, Floats]]:
    """Middles of legs of at least `shortest` points, `apart` points of way between them, with directions."""
    places, since = [], np.inf
    for start, end in itertools.pairwise(line):
        length = float(np.hypot(*(end - start)))
        if length >= shortest and since + length / 2.0 >= apart:
            places.append((start + 0.5 * (end - start), (end - start) / length))
            since = length / 2.0
        else:
            since += length
    return places


def draw_links(axes: "Axes", scene: Scene) -> None:
    """A dotted arc from each pickup to its delivery, in the colour of the route that serves them."""
    from matplotlib.collections import LineCollection

    pairs = scene.instance.pairs
    colours, arcs = _node_colours(scene, FAINT), link_arcs(scene)
    style: dict[str, Any] = {"linestyles": [(0, (1, 1.6))], "linewidths": 1.1, "alpha": 0.75, "zorder": 1.8}
    axes.add_collection(
        LineCollection(arcs, colors=[colours[p] for p in pairs[: len(arcs), 0]], **style), autolim=False
    )


def link_arcs(scene: Scene) -> list[Floats]:
    """[points, 2] an arc from each pickup to its delivery; none where there are too many."""
    if len(scene.instance.pairs) > MAX_LINKS:
        return []
    step, arcs = np.linspace(0.0, 1.0, 24)[:, None], []
    for start, end in scene.points[scene.instance.pairs]:
        bend = (start + end) / 2.0 + 0.18 * np.array([start[1] - end[1], end[0] - start[0]])
        arcs.append((1 - step) ** 2 * start + 2 * step * (1 - step) * bend + step**2 * end)
    return arcs


def draw_customers(axes: "Axes", scene: Scene) -> None:
    """A mark for each customer in the colour of its route, with its place in the order if there is room."""
    instance = scene.instance
    if instance.num_customers > MAX_DOTS and scene.routes:
        return
    colours = _node_colours(scene, PLAIN)
    size = 95.0 if scene.numbered else float(np.clip(9000 / instance.num_customers, 1.0, 30.0))
    for nodes, marker, _ in scene.groups():
        x, y = scene.points[nodes].T
        axes.scatter(
            *(x, y),
            s=size * (1.0 if marker == "o" else 1.7),
            c=[colours[node] for node in nodes],
            marker=marker,
            edgecolors="white",
            linewidths=0.6 if size > 8 else 0.0,
            rasterized=scene.rasterized,
            zorder=4,
        )
    if scene.numbered:
        _number_customers(axes, scene)


def _number_customers(axes: "Axes", scene: Scene) -> None:
    shift = dict.fromkeys(scene.instance.pairs[:, 0].tolist(), -1.1)
    shift |= dict.fromkeys(scene.instance.pairs[:, 1].tolist(), 1.1)
    for k, route in enumerate(scene.routes):
        for place, node in enumerate(route.customers, 1):
            axes.annotate(
                str(place),
                tuple(scene.points[node]),
                (0.0, shift.get(node, 0.0) - 0.2),
                textcoords="offset points",
                ha="center",
                va="center_baseline",
                fontsize=5.6,
                fontweight="bold",
                color=ink_on(scene.colours[k]),
                zorder=4.5,
                annotation_clip=True,
            )


def _node_colours(scene: Scene, other: str) -> list[str]:
    colours = [other] * scene.instance.num_nodes
    for k, route in enumerate(scene.routes):
        for node in route.customers:
            colours[node] = scene.colours[k]
    return colours


def draw_depots(axes: "Axes", scene: Scene) -> None:
    """A filled square where routes start, a diamond where they only end, a hollow square for other depots."""
    starts, ends = scene.start_depots, scene.end_depots
    for chosen, marker, face in ((~starts & ~ends, "s", "white"), (ends, "D", INK), (starts, "s", INK)):
        x, y = scene.points[np.flatnonzero(chosen)].T
        axes.scatter(x, y, s=150, marker=marker, c="white", linewidths=0, zorder=5)
        axes.scatter(x, y, s=80, marker=marker, c=face, edgecolors=INK, linewidths=1.2, zorder=5)


def draw_open_ends(axes: "Axes", scene: Scene) -> None:
    """A ring around the last stop of each open route."""
    for k, route in enumerate(scene.routes):
        if route.is_open:
            x, y = scene.points[route.customers[-1]]
            colour = scene.colours[k]
            axes.scatter([x], [y], s=210, marker="o", c="none", edgecolors=colour, linewidths=1.6, zorder=4.6)
