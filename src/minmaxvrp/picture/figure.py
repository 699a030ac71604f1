"""Draws a scene: routes, symbols, legends, title, scale bar; `save` writes png, svg or pdf.

The longest route is thick and labelled, the others are thin; nothing else competes with them.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problem.distance import EARTH_RADIUS_KM, is_geographic
from ..problem.instance import Instance
from ..problem.solution import Solution
from .placement import LabelPlacement, label_longest, name_stops, number_routes
from .scene import FAINT, INK, MAX_DOTS, MAX_NAMED, PLAIN, Scene, count_text, length_text, picture_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAP_WIDTH = 7.0  # inches, as all sizes here
PANEL_WIDTH = 2.4
LEFT, BOTTOM, TOP = 0.3, 0.45, 0.75

LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": 8.5,
    "borderaxespad": 0,
    "borderpad": 0,
    "handletextpad": 0.5,
    "columnspacing": 1.6,
    "labelspacing": 0.55,
}


def save(path: Path | str, instance: Instance, solution: Solution | None = None, title: str = "") -> None:
    """Draw an instance, or a solution of it, into a file whose ending names the format.

    Raises `InputError` for an unknown ending or a file that cannot be written.
    """
    style = picture_format(path)
    figure = draw(instance, solution, title)
    import matplotlib

    from ..problem.files import write_bytes

    stream = io.BytesIO()

    # Without dates and random identifiers the same picture is the same file.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(style)
    with matplotlib.rc_context({"svg.hashsalt": "minmaxvrp"}):
        figure.savefig(stream, format=style, dpi=150, metadata=metadata, facecolor="white")
    write_bytes(path, stream.getvalue())


def draw(instance: Instance, solution: Solution | None = None, title: str = "") -> "Figure":
    """A matplotlib figure of an instance or of a solution of it.

    The solution may break rules, but must not name nodes that do not exist.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scene = Scene.of(instance, solution)
    width, height = np.ptp(scene.points, axis=0)
    map_height = MAP_WIDTH * min(max(height / max(width, 1e-9), 0.45), 1.25)
    size = np.array([LEFT + MAP_WIDTH + 0.3, BOTTOM + map_height + TOP])
    size[0] += PANEL_WIDTH if scene.listed else 0.0
    figure = Figure(figsize=tuple(size))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((LEFT / size[0], BOTTOM / size[1], MAP_WIDTH / size[0], map_height / size[1]))
    _set_limits(axes, scene)
    _draw_routes(axes, scene)
    _draw_customers(axes, scene)
    _draw_depots(axes, scene)
    _write_title(figure, scene, title)
    _explain_symbols(figure, axes, scene)
    labels = LabelPlacement(axes, scene)
    if scene.routes:
        label_longest(labels, scene)
    if scene.listed:
        number_routes(labels, scene)
        _list_routes(figure, scene)
    if instance.names is not None and instance.num_nodes <= MAX_NAMED:
        name_stops(labels, scene)
    if is_geographic(instance.kind) and scene.span > 0:
        _draw_scale_bar(figure, axes, scene)
    return figure


def _set_limits(axes: "Axes", scene: Scene) -> None:
    low, high = scene.points.min(axis=0), scene.points.max(axis=0)
    pad = 0.04 if scene.span > 0 else 0.5
    axes.set_axis_off()
    axes.set_xlim(low[0] - pad, high[0] + pad)
    axes.set_ylim(low[1] - pad, high[1] + pad)
    axes.set_aspect("equal")
    axes.apply_aspect()


def _draw_routes(axes: "Axes", scene: Scene) -> None:
    from matplotlib.collections import LineCollection

    customers = scene.instance.num_customers
    thin = 1.5 if customers <= 500 else 0.9 if customers <= 5000 else 0.5
    others = [k for k in range(len(scene.routes)) if k != scene.longest]
    lines = LineCollection(
        [scene.line(k) for k in others],
        colors=[scene.colour(k) for k in others],
        linestyles=[scene.dash(k) for k in others],
        linewidths=thin,
        rasterized=scene.rasterized,
        zorder=2,
    )
    axes.add_collection(lines, autolim=False)
    if scene.routes:
        x, y = scene.line(scene.longest).T
        thick = max(2.4 * thin, 1.8)
        for colour, width in (("white", thick + 1.6), (scene.colour(scene.longest), thick)):
            axes.plot(
                *(x, y),
                color=colour,
                linewidth=width,
                solid_joinstyle="round",
                rasterized=scene.rasterized,
                zorder=3,
            )
    elif 0 < len(scene.instance.pairs) <= 200:  # without routes: which delivery belongs to a pickup
        pairs = list(scene.points[scene.instance.pairs])
        axes.add_collection(LineCollection(pairs, colors=FAINT, linewidths=0.8, linestyles="dotted"))


def _draw_customers(axes: "Axes", scene: Scene) -> None:
    instance = scene.instance
    if instance.num_customers > MAX_DOTS and scene.routes:
        return
    colours = np.full(instance.num_nodes, PLAIN, dtype=object)
    for k, route in enumerate(scene.routes):
        colours[list(route.customers)] = scene.colour(k)
    size = float(np.clip(9000 / instance.num_customers, 1.0, 30.0))
    for nodes, marker, _ in scene.groups():
        x, y = scene.points[nodes].T
        axes.scatter(
            *(x, y),
            s=size * (1.0 if marker == "o" else 1.6),
            c=list(colours[nodes]),
            marker=marker,
            edgecolors="white",
            linewidths=0.6 if size > 8 else 0.0,
            rasterized=scene.rasterized,
            zorder=4,
        )


def _draw_depots(axes: "Axes", scene: Scene) -> None:
    used = scene.used_depots
    for nodes, face in ((np.flatnonzero(~used), "white"), (np.flatnonzero(used), INK)):
        x, y = scene.points[nodes].T
        axes.scatter(x, y, s=130, marker="s", c="white", linewidths=0, zorder=5)
        axes.scatter(x, y, s=70, marker="s", c=face, edgecolors=INK, linewidths=1.2, zorder=5)


def _write_title(figure: "Figure", scene: Scene, title: str) -> None:
    instance = scene.instance
    counts = (
        (instance.num_customers, "stop"),
        (instance.num_depots, "depot"),
        (instance.num_vehicles, "vehicle"),
    )
    facts = " · ".join(count_text(count, noun) for count, noun in counts)
    if scene.routes:
        facts += f" · longest route {length_text(instance.kind, float(scene.lengths.max()))}"
    width, height = figure.get_size_inches()
    text = (title or instance.name or instance.problem).replace("$", r"\$")
    figure.text(LEFT / width, 1 - 0.34 / height, text, fontsize=13, fontweight="bold", color=INK)
    figure.text(LEFT / width, 1 - 0.58 / height, facts, fontsize=9, color=FAINT)


def _explain_symbols(figure: "Figure", axes: "Axes", scene: Scene) -> None:
    """Depots, stops, pickups and deliveries, below the map."""
    from matplotlib.lines import Line2D

    used = scene.used_depots
    symbols = [("s", INK, "depot")] if used.any() else []
    symbols += [("s", "white", "unused depot")] if not used.all() else []
    symbols += [(marker, PLAIN, word) for _, marker, word in scene.groups()]
    handles = [
        Line2D([], [], linestyle="", marker=m, markerfacecolor=c, markeredgecolor=INK if c == "white" else c)
        for m, c, _ in symbols
    ]
    width, height = figure.get_size_inches()
    axes.legend(
        *(handles, [word for *_, word in symbols]),
        **LEGEND,
        loc="lower left",
        bbox_to_anchor=(LEFT / width, 0.14 / height),
        bbox_transform=figure.transFigure,
        ncols=len(symbols),
        labelcolor=FAINT,
    )


def _list_routes(figure: "Figure", scene: Scene) -> None:
    """Number, length and stops of each route, beside the map; the longest one in bold."""
    from matplotlib.lines import Line2D

    lines, texts = [], []
    for k, route in enumerate(scene.routes):
        weight = 3.6 if k == scene.longest else 1.5
        lines.append(Line2D([], [], color=scene.colour(k), linewidth=weight, linestyle=scene.dash(k)))
        length = length_text(scene.instance.kind, float(scene.lengths[k]))
        texts.append(f"{scene.numbers[k]}   {length}   {count_text(len(route), 'stop')}")
    width, height = figure.get_size_inches()
    corner = ((LEFT + MAP_WIDTH + 0.2) / width, 1 - TOP / height)
    legend = figure.legend(lines, texts, **LEGEND, loc="upper left", bbox_to_anchor=corner)
    legend.get_texts()[scene.longest].set_fontweight("bold")


def _draw_scale_bar(figure: "Figure", axes: "Axes", scene: Scene) -> None:
    """A bar of a round number of kilometres, below the map on the right."""
    km_per_unit = scene.span * np.pi / 180.0 * EARTH_RADIUS_KM  # the plane is in degrees of latitude
    low, high = axes.get_xlim()
    room = 0.22 * (high - low) * km_per_unit
    step = 10.0 ** np.floor(np.log10(room))
    kilometres = step * max(k for k in (1, 2, 5) if k * step <= room)
    share = kilometres / km_per_unit / (high - low)
    width, height = figure.get_size_inches()
    pixels = axes.bbox.width / (figure.dpi * width)
    right, level = (LEFT + MAP_WIDTH) / width, 0.2 / height
    from matplotlib.lines import Line2D

    ends = [right - share * pixels, right]
    figure.add_artist(Line2D(ends, [level, level], color=FAINT, linewidth=1.5, solid_capstyle="butt"))
    figure.text(
        ends[0] - 0.008, level, f"{kilometres:g} km", ha="right", va="center", fontsize=8.5, color=FAINT
    )
