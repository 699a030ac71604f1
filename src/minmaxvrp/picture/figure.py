"""A picture as a whole: title, map, inset, list of routes, symbols, scale bar; `save` writes png, svg or pdf.

Last step of the walk. `scene` says what is shown, `marks` draws it, `placement` finds room for texts. All
sizes are inches. What explains the map stands below it; an inset, if there is one, beside it.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problem.distance import EARTH_RADIUS_KM, is_geographic
from ..problem.instance import Instance
from ..problem.solution import Solution
from . import marks
from .inset import draw_inset, inset_shape
from .placement import LabelPlacement, label_longest, name_stops, tag_routes
from .scene import FAINT, INK, PLAIN, Scene, picture_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAP_WIDTH = 7.0
PANEL = 2.4
"""Width of the inset, where there is one."""
MARGIN, TOP, SYMBOLS = 0.3, 0.75, 0.38
LIST_ROW = 0.185
"""Height of a line of the list of routes."""
LETTER = 0.06
"""Mean width of a letter of the list."""

LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": 8.5,
    "borderaxespad": 0,
    "borderpad": 0,
    "handletextpad": 0.5,
    "columnspacing": 1.6,
    "labelspacing": 0.45,
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
    map_height = _map_height(scene)
    beside = scene.far.any()
    list_beside = beside and _list_beside(scene, map_height)
    below = SYMBOLS + (0.0 if list_beside or not scene.listed else LIST_ROW * _list_rows(scene) + 0.12)
    width = MAP_WIDTH + 2 * MARGIN + (PANEL + 0.2 if beside else 0.0)
    height = below + map_height + TOP
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((MARGIN / width, below / height, MAP_WIDTH / width, map_height / height))
    _set_limits(axes, scene, map_height / MAP_WIDTH)
    marks.draw_links(axes, scene)
    marks.draw_routes(axes, scene)
    marks.draw_arrows(axes, scene)
    marks.draw_customers(axes, scene)
    marks.draw_open_ends(axes, scene)
    marks.draw_depots(axes, scene)
    _write_title(figure, scene, title)
    _explain_symbols(figure, axes, scene)
    panel, top = MARGIN + MAP_WIDTH + 0.2, height - TOP
    if beside:
        deep = PANEL * inset_shape(scene)
        place = (panel / width, (top - deep) / height, PANEL / width, deep / height)
        draw_inset(figure.add_axes(place), axes, scene)
    if list_beside:
        _list_routes(figure, scene, (panel, top - deep - 0.15), 1)
    elif scene.listed:
        _list_routes(figure, scene, (MARGIN, below - 0.06), _list_columns(scene))
    if is_geographic(instance.kind) and scene.span > 0:
        _draw_scale_bar(figure, axes, scene)
    _write_labels(axes, scene)
    return figure


def _write_labels(axes: "Axes", scene: Scene) -> None:
    labels = LabelPlacement(axes, scene)
    if scene.routes:
        label_longest(labels, scene)
    if scene.listed:
        tag_routes(labels, scene)
    if scene.named:
        name_stops(labels, scene)


def _map_height(scene: Scene) -> float:
    width, height = np.ptp(scene.points[~scene.far], axis=0)
    return MAP_WIDTH * float(min(max(height / max(width, 1e-9), 0.45), 1.15))


def _set_limits(axes: "Axes", scene: Scene, shape: float) -> None:
    """Equal scales both ways; where the map is wider or higher than the stops, they are in its middle."""
    near = scene.points[~scene.far]
    low, high = near.min(axis=0), near.max(axis=0)
    side = float(max(high[0] - low[0], (high[1] - low[1]) / shape)) * 1.08 or 1.0
    middle = (low + high) / 2.0
    axes.set_axis_off()
    axes.set_xlim(middle[0] - side / 2, middle[0] + side / 2)
    axes.set_ylim(middle[1] - side * shape / 2, middle[1] + side * shape / 2)
    axes.set_aspect("equal")
    axes.apply_aspect()


def _write_title(figure: "Figure", scene: Scene, title: str) -> None:
    width, height = figure.get_size_inches()
    text = (title or scene.instance.name or scene.instance.problem).replace("$", r"\$")
    figure.text(MARGIN / width, 1 - 0.34 / height, text, fontsize=13, fontweight="bold", color=INK)
    figure.text(MARGIN / width, 1 - 0.58 / height, scene.facts(), fontsize=9, color=FAINT)


def _explain_symbols(figure: "Figure", axes: "Axes", scene: Scene) -> None:
    """Depots, stops, pickups, deliveries and lines, at the foot of the picture."""
    from matplotlib.lines import Line2D

    starts, ends = scene.start_depots, scene.end_depots
    symbols = [("s", INK, "start" if ends.any() or scene.instance.has_fleet else "depot")]
    symbols += [("D", INK, "end")] if ends.any() else []
    symbols += [("s", "white", "unused depot")] if not (starts | ends).all() else []
    symbols += [("o", "white", "last stop")] if any(route.is_open for route in scene.routes) else []
    numbered = ", in order of visits" if scene.numbered and not len(scene.instance.pairs) else ""
    symbols += [(marker, PLAIN, word + numbered) for _, marker, word in scene.groups()]
    handles = [
        Line2D([], [], linestyle="", marker=m, markerfacecolor=c, markeredgecolor=INK if c == "white" else c)
        for m, c, _ in symbols
    ]
    words = [word for *_, word in symbols]
    if 0 < len(scene.instance.pairs) <= marks.MAX_LINKS:
        handles.append(Line2D([], [], color=PLAIN, linestyle=(0, (1, 1.6)), linewidth=1.1))
        words.append("pickup to delivery")
    if scene.listed and not all(route.is_open for route in scene.routes):
        handles.append(Line2D([], [], color=PLAIN, linestyle=marks.BACK, linewidth=1.5))
        words.append("way back")
    width, height = figure.get_size_inches()
    axes.legend(
        *(handles, words),
        **LEGEND,
        loc="lower left",
        bbox_to_anchor=(MARGIN / width, 0.14 / height),
        bbox_transform=figure.transFigure,
        ncols=len(words),
        labelcolor=FAINT,
        handlelength=1.6,
    )


def _list_columns(scene: Scene) -> int:
    """As many columns as fit below the map."""
    letters = max(len(scene.describe(k)) for k in range(len(scene.routes)))
    return min(len(scene.routes), max(1, int(MAP_WIDTH / (LETTER * letters + 0.45))))


def _list_rows(scene: Scene) -> int:
    return -(-len(scene.routes) // _list_columns(scene)) if scene.listed else 0


def _list_beside(scene: Scene, map_height: float) -> bool:
    """Whether the list of routes fits below the inset."""
    room = map_height - PANEL * inset_shape(scene) - 0.15
    short = all(LETTER * len(scene.describe(k)) + 0.45 <= PANEL for k in range(len(scene.routes)))
    return scene.listed and short and LIST_ROW * len(scene.routes) <= room


def _list_routes(figure: "Figure", scene: Scene, corner: tuple[float, float], columns: int) -> None:
    """Tag, length and stops of each route, from an upper left corner in inches on; the longest in bold."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour, linewidth=3.4 if k == scene.longest else 1.8, linestyle=scene.dash(k))
        for k, colour in enumerate(scene.colours)
    ]
    texts = [scene.describe(k).replace("$", r"\$") for k in range(len(scene.routes))]
    width, height = figure.get_size_inches()
    legend = figure.legend(
        *(lines, texts),
        **LEGEND,
        loc="upper left",
        bbox_to_anchor=(corner[0] / width, corner[1] / height),
        ncols=columns,
    )
    legend.get_texts()[scene.longest].set_fontweight("bold")


def _draw_scale_bar(figure: "Figure", axes: "Axes", scene: Scene) -> None:
    """A bar of a round number of kilometres, at the foot of the picture on the right."""
    from matplotlib.lines import Line2D

    km_per_unit = scene.span * np.pi / 180.0 * EARTH_RADIUS_KM  # the plane is in degrees of latitude
    low, high = axes.get_xlim()
    room = 0.18 * (high - low) * km_per_unit
    step = 10.0 ** np.floor(np.log10(room))
    kilometres = step * max(k for k in (1, 2, 5) if k * step <= room)
    share = kilometres / km_per_unit / (high - low)
    width, height = figure.get_size_inches()
    pixels = axes.bbox.width / (figure.dpi * width)
    right, level = (MARGIN + MAP_WIDTH) / width, 0.2 / height
    ends = [right - share * pixels, right]
    figure.add_artist(Line2D(ends, [level, level], color=FAINT, linewidth=1.5, solid_capstyle="butt"))
    figure.text(
        ends[0] - 0.008, level, f"{kilometres:g} km", ha="right", va="center", fontsize=8.5, color=FAINT
    )
