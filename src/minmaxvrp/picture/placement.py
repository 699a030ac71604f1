"""Texts on the map, placed so that they cover neither stops nor lines nor one another.

After `figure` has put routes and symbols on paper: the longest route's label first, then the tags of the
routes, then as many names of stops as there is room for.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problem.distance import Floats
from .marks import link_arcs
from .palette import ink_on
from .scene import FAINT, INK, MAX_NAMED, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

Places = Sequence[tuple[float, float]]
PLACES = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7))
"""Directions in which a text may lie from its point, best first."""


class LabelPlacement:
    """Remembers which pixels of the map are taken."""

    def __init__(self, axes: "Axes", scene: Scene) -> None:
        self.axes = axes
        self.points = scene.points
        self.renderer: Any = axes.figure._get_renderer()  # type: ignore[union-attr]
        self.frame = np.array([*axes.bbox.min, *axes.bbox.max])
        pixels = axes.transData.transform(scene.points)
        depots = scene.instance.num_depots
        crowd = pixels if len(pixels) <= 4 * MAX_NAMED else pixels[:depots]
        radius = 4.5 if scene.numbered else 2.5
        reach = np.full((len(crowd), 1), radius * axes.figure.dpi / 72.0)
        reach[:depots] = 5.5 * axes.figure.dpi / 72.0
        self.boxes = np.concatenate([crowd - reach, crowd + reach], axis=1)
        """[taken, 4] left, bottom, right, top in pixels."""
        self.strokes = _strokes(axes, scene) if scene.routes else np.zeros((0, 2))

    def put(
        self,
        text: str,
        point: Floats,
        offset: float,
        *,
        clear: bool = False,
        must: bool = False,
        **style: Any,
    ) -> bool:
        """Write `text` `offset` points beside a point of the map, or on it when `offset` is 0.

        Returns whether a free place was found, with `clear` one that covers no line of a route; with `must`
        the text is written anyway.
        """
        note = self.axes.annotate(
            text.replace("$", r"\$"),
            (float(point[0]), float(point[1])),
            (0.0, 0.0),
            textcoords="offset points",
            zorder=7,
            annotation_clip=False,
            **style,
        )
        places = PLACES if offset else ((0.0, 0.0),)
        free = [(self._crossings(box), k) for k, box in self._boxes(note, places, offset) if self._free(box)]
        free = [place for place in free if place[0] == 0] if clear else free
        if not free and not must:
            note.remove()
            return False
        box = self._move(note, places[min(free)[1] if free else 0], offset)
        self.boxes = np.concatenate([self.boxes, box[None]])
        return True

    def visible(self, start: Floats, end: Floats) -> tuple[Floats, Floats] | None:
        """The ends of the part of a leg that is within the frame of the map; None if it is all outside."""
        borders = np.transpose([self.axes.get_xlim(), self.axes.get_ylim()])  # [low and high, x and y]
        with np.errstate(divide="ignore", invalid="ignore"):
            crossed = (borders - start) / (end - start)  # as shares of the leg; not a number beside a border
        enters = max(0.0, *np.nan_to_num(crossed.min(axis=0), nan=0.0))
        leaves = min(1.0, *np.nan_to_num(crossed.max(axis=0), nan=1.0))
        if enters >= leaves:
            return None
        return start + enters * (end - start), start + leaves * (end - start)

    def _boxes(self, note: "Annotation", places: Places, offset: float) -> Iterator[tuple[int, Floats]]:
        return ((k, self._move(note, place, offset)) for k, place in enumerate(places))

    def _crossings(self, box: Floats) -> int:
        """How much of the routes' lines a box would cover."""
        covered = (self.strokes > box[:2]).all(axis=1) & (self.strokes < box[2:]).all(axis=1)
        return int(covered.sum())

    def _move(self, note: "Annotation", direction: tuple[float, float], offset: float) -> Floats:
        dx, dy = direction
        note.set_position((dx * offset, dy * offset))
        note.set_horizontalalignment("left" if dx > 0 else "right" if dx < 0 else "center")
        note.set_verticalalignment("bottom" if dy > 0 else "top" if dy < 0 else "center")
        note.update_positions(self.renderer)
        note.update_bbox_position_size(self.renderer)
        extent = (note.get_bbox_patch() or note).get_window_extent(self.renderer)
        return np.array([*extent.min, *extent.max])

    def _free(self, box: Floats) -> bool:
        inside = (box[:2] >= self.frame[:2] - 2).all() and (box[2:] <= self.frame[2:] + 2).all()
        overlap = (self.boxes[:, :2] < box[2:]).all(axis=1) & (self.boxes[:, 2:] > box[:2]).all(axis=1)
        return bool(inside) and not overlap.any()


def _strokes(axes: "Axes", scene: Scene) -> Floats:
    """[samples, 2] pixels along the lines of routes and links, some three pixels apart."""
    samples = []
    for path in (*(scene.line(k) for k in range(len(scene.routes))), *link_arcs(scene)):
        line = axes.transData.transform(path)
        for start, end in itertools.pairwise(line):
            steps = 1 + int(np.linalg.norm(end - start) / 3.0)
            samples.append(start + (end - start) * np.linspace(0.0, 1.0, steps, endpoint=False)[:, None])
    return np.concatenate(samples)


def label_longest(labels: LabelPlacement, scene: Scene) -> None:
    """`longest 12.3 km`, beside the stop of the longest route that is farthest from its depot.

    Where the route leaves the map for stops in the inset, it may also stand beside the legs that lead there.
    """
    k = scene.longest
    far = scene.far[np.asarray(scene.routes[k].nodes)]
    line = scene.line(k)
    leading = [labels.visible(*leg) for leg in itertools.pairwise(line) if far.any()]
    middles = [a + share * (b - a) for a, b in filter(None, leading) for share in (0.9, 0.7, 0.5, 0.3)]
    line = np.array([*line[~far], *middles])
    order = np.argsort(-np.linalg.norm(line - line[0], axis=1), kind="stable")
    text = f"longest {scene.instance.units.text(float(scene.lengths[k]))}"
    colour = scene.colours[k]
    box = {"boxstyle": "round,pad=0.35", "facecolor": colour, "edgecolor": "white"}
    style: dict[str, Any] = {"color": ink_on(colour), "fontsize": 9, "fontweight": "bold", "bbox": box}
    for offset, clear in ((12, True), (24, True), (40, True), (12, False)):
        if any(labels.put(text, line[stop], offset, clear=clear, **style) for stop in order[:16]):
            return
    labels.put(text, line[order[0]], 12, must=True, **style)


def tag_routes(labels: LabelPlacement, scene: Scene) -> None:
    """Each route's tag, such as R3, on one of its longest legs, away from the depots if it can be."""
    for k in range(len(scene.routes)):
        line = scene.line(k)
        legs = np.linalg.norm(np.diff(line, axis=0), axis=1)
        legs[[0] if scene.routes[k].is_open else [0, -1]] *= 0.5  # near a depot the routes run together
        colour = scene.colours[k]
        box = {"boxstyle": "round,pad=0.18", "facecolor": "white", "edgecolor": colour, "linewidth": 1.2}
        style: dict[str, Any] = {"color": colour, "fontsize": 7, "fontweight": "bold", "bbox": box}
        order = np.argsort(-legs, kind="stable")[:10]
        parts = list(filter(None, (labels.visible(line[leg], line[leg + 1]) for leg in order)))
        places = [a + share * (b - a) for share in (0.5, 0.3, 0.7) for a, b in parts] or [line[0]]
        text = scene.tag(k)
        if not any(labels.put(text, place, 0, **style) for place in places):
            labels.put(text, places[0], 0, must=True, **style)


def name_stops(labels: LabelPlacement, scene: Scene) -> None:
    """The names of the depots, then of the stops, where there is room beside the lines."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2, foreground="white")]
    for node in range(scene.instance.num_nodes):
        depot = node < scene.instance.num_depots
        style: dict[str, Any] = {
            "fontsize": 8.5 if depot else 6.5,
            "fontweight": "bold" if depot else "normal",
            "color": INK if depot else FAINT,
            "path_effects": halo,
        }
        text, point = scene.instance.label(node), scene.points[node]
        if scene.far[node]:
            continue  # named in the inset
        if depot and labels.put(text, point, 8.0, **style):
            continue
        offsets = (8.0, 14.0, 22.0) if depot else (5.5, 8.5)
        if not any(labels.put(text, point, offset, clear=not depot, **style) for offset in offsets) and depot:
            labels.put(text, point, 8.0, must=True, **style)
