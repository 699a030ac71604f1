"""The inset beside a map whose few far stops would shrink the town: all routes, and the map's frame."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .scene import FAINT, INK, PLAIN, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def inset_shape(scene: Scene) -> float:
    """Height of the inset divided by its width."""
    width, height = np.ptp(scene.points, axis=0)
    return float(min(max(height / max(width, 1e-9), 0.5), 1.2))


def draw_inset(small: "Axes", map_axes: "Axes", scene: Scene) -> None:
    """Routes, far stops with their names, and where the map is, on axes of their own."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    low, high = scene.points.min(axis=0), scene.points.max(axis=0)
    shape = inset_shape(scene)
    side = 1.25 * float(max(high[0] - low[0], (high[1] - low[1]) / shape))
    middle = (low + high) / 2.0
    small.set_xlim(middle[0] - side / 2, middle[0] + side / 2)
    small.set_ylim(middle[1] - side * shape / 2, middle[1] + side * shape / 2)
    small.set(xticks=[], yticks=[])
    for edge in small.spines.values():
        edge.set(color=FAINT, linewidth=0.8)
    lines = [scene.line(k) for k in range(len(scene.routes))]
    small.add_collection(LineCollection(lines, colors=scene.colours, linewidths=1.0), autolim=False)
    x, y = scene.points[scene.far].T
    small.scatter(x, y, s=16, c=PLAIN, zorder=4)
    for node in np.flatnonzero(scene.far):
        right = scene.points[node, 0] > middle[0]
        small.annotate(
            scene.instance.label(int(node)).replace("$", r"\$"),
            tuple(scene.points[node]),
            (-4 if right else 4, 0),
            textcoords="offset points",
            ha="right" if right else "left",
            va="center",
            fontsize=7.5,
            color=INK,
        )
    (left, right_end), (bottom, top) = map_axes.get_xlim(), map_axes.get_ylim()
    style: dict[str, Any] = {"fill": False, "linewidth": 0.9, "clip_on": False}
    small.add_patch(Rectangle((left, bottom), right_end - left, top - bottom, edgecolor=INK, **style))
    small.set_title("far stops, and the frame of the map", fontsize=7.5, color=FAINT, pad=4)
    map_axes.add_patch(
        Rectangle((0, 0), 1, 1, transform=map_axes.transAxes, edgecolor=FAINT, zorder=0.5, **style)
    )
