"""Texts on the map, placed so that they cover neither stops nor one another.

After `figure` has put routes and symbols on paper: the longest route's label first, then the route
numbers, then as many names of stops as there is room for.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..problem.distance import Floats
from .scene import FAINT, INK, MAX_NAMED, Scene, length_text

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
        reach = np.full((len(crowd), 1), 2.5 * axes.figure.dpi / 72.0)
        reach[:depots] *= 2.0
        self.boxes = np.concatenate([crowd - reach, crowd + reach], axis=1)
        """[taken, 4] left, bottom, right, top in pixels."""
        self.strokes = _strokes(axes, scene) if scene.listed else np.zeros((0, 2))

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
    """[samples, 2] pixels along the routes' lines, some five pixels apart."""
    samples = []
    for k in range(len(scene.routes)):
        line = axes.transData.transform(scene.line(k))
        for start, end in itertools.pairwise(line):
            steps = 1 + int(np.linalg.norm(end - start) / 5.0)
            samples.append(start + (end - start) * np.linspace(0.0, 1.0, steps, endpoint=False)[:, None])
    return np.concatenate(samples)


def label_longest(labels: LabelPlacement, scene: Scene) -> None:
    """`longest 12.3 km`, beside the stop of the longest route that is farthest from its depot."""
    k = scene.longest
    line = scene.line(k)
    order = np.argsort(-np.linalg.norm(line - line[0], axis=1), kind="stable")
    text = f"longest {length_text(scene.instance.kind, float(scene.lengths[k]))}"
    box = {"boxstyle": "round,pad=0.35", "facecolor": scene.colour(k), "edgecolor": "white"}
    style: dict[str, Any] = {"color": "white", "fontsize": 9, "fontweight": "bold", "bbox": box}
    for clear in (True, False):
        if any(labels.put(text, line[stop], 10, clear=clear, **style) for stop in order[:12]):
            return
    labels.put(text, line[order[0]], 10, must=True, **style)


def number_routes(labels: LabelPlacement, scene: Scene) -> None:
    """Each route's number in a disc on one of its longest legs, away from the depots if it can be."""
    for k in range(len(scene.routes)):
        line = scene.line(k)
        legs = np.linalg.norm(np.diff(line, axis=0), axis=1)
        legs[[0, -1]] *= 0.5  # near a depot the routes run together
        box = {"boxstyle": "circle,pad=0.22", "facecolor": scene.colour(k), "edgecolor": "white"}
        style: dict[str, Any] = {"color": "white", "fontsize": 7.5, "fontweight": "bold", "bbox": box}
        order = np.argsort(-legs, kind="stable")[:8]
        places = [(line[leg] + line[leg + 1]) / 2.0 for leg in order]
        text = str(scene.numbers[k])
        if not any(labels.put(text, place, 0, **style) for place in places):
            labels.put(text, places[0], 0, must=True, **style)


def name_stops(labels: LabelPlacement, scene: Scene) -> None:
    """The names of the depots, then of the stops, where there is room."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2, foreground="white")]
    for node in range(scene.instance.num_nodes):
        depot = node < scene.instance.num_depots
        labels.put(
            *(scene.instance.label(node), scene.points[node], 8.0 if depot else 5.0),
            fontsize=8.5 if depot else 6.5,
            fontweight="bold" if depot else "normal",
            color=INK if depot else FAINT,
            path_effects=halo,
        )
