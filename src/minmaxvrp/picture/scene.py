"""What a picture shows: points in the unit square, routes with colours, lengths with units.

Comes before `figure` and `placement`, which put it on paper; no matplotlib here.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..problem import check
from ..problem.distance import Distance, Floats, is_geographic
from ..problem.instance import Indices, Instance
from ..problem.solution import Route, Solution

ENDINGS = (".png", ".svg", ".pdf")

# Told apart with the common kinds of colour blindness: first Okabe and Ito's set (its yellow, too
# pale on white, left out), then hues that differ from those in lightness. Past the last one the
# colours repeat with another dash pattern; up to MAX_LISTED routes also carry their number.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"),
    *("#332288", "#882255", "#117733", "#999933", "#AA4499", "#44AA99"),
)
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
INK = "#222222"
FAINT = "#7d7d7d"
PLAIN = "#555555"

MAX_NAMED = 90
"""With more stops than this, names would be a grey carpet."""
MAX_LISTED = 24
"""With more routes than this, the list beside the map and the numbers on it are left out."""
MAX_DOTS = 20_000
"""With more customers than this, single dots on routes cannot be seen."""
MAX_VECTOR = 5_000
"""With more customers than this, svg and pdf hold the map as an image."""


@dataclass(frozen=True)
class Scene:
    """An instance and the routes that visit a customer, ready to draw."""

    instance: Instance
    points: Floats
    """[D+N, 2] x, y between 0 and 1."""
    span: float
    """Side of the unit square in the units of `Instance.plane`; 0 when all points are one."""
    routes: tuple[Route, ...]
    numbers: tuple[int, ...]
    """The number of each route in the solution, from 1."""
    lengths: Floats
    longest: int
    """Index into `routes`; -1 without routes."""

    @classmethod
    def of(cls, instance: Instance, solution: Solution | None) -> "Scene":
        """Scale the points into the unit square, so that 1e9 and 1e-9 draw alike."""
        low = instance.plane.min(axis=0)
        span = float((instance.plane.max(axis=0) - low).max())
        points = (instance.plane - low) / span if span > 0 else np.zeros_like(instance.plane)
        chosen = [(n, r) for n, r in enumerate(solution.routes if solution else (), 1) if r.customers]
        routes = tuple(route for _, route in chosen)
        lengths = check.route_lengths(instance, Solution(routes))
        longest = int(np.argmax(lengths)) if len(lengths) else -1
        return cls(instance, points, span, routes, tuple(n for n, _ in chosen), lengths, longest)

    def colour(self, k: int) -> str:
        """Of route k."""
        return COLOURS[k % len(COLOURS)]

    def dash(self, k: int) -> Any:
        """Of route k; the longest one is solid, and so are all where dashes could not be seen."""
        plain = k == self.longest or self.rasterized
        return DASHES[0 if plain else k // len(COLOURS) % len(DASHES)]

    def line(self, k: int) -> Floats:
        """[nodes of route k, 2] its points in driving order."""
        return np.asarray(self.points[np.asarray(self.routes[k].nodes)])

    @property
    def listed(self) -> bool:
        """Whether there are few enough routes to name each."""
        return 0 < len(self.routes) <= MAX_LISTED

    @property
    def rasterized(self) -> bool:
        """Whether vector formats hold the map as an image."""
        return self.instance.num_nodes > MAX_VECTOR

    @property
    def used_depots(self) -> NDArray[np.bool_]:
        """[D] whether a route starts or ends there; without routes every depot counts as used."""
        used = np.full(self.instance.num_depots, not self.routes)
        for route in self.routes:
            used[[route.start, route.end]] = True
        return used

    def groups(self) -> list[tuple[Indices, str, str]]:
        """Node numbers, symbol and word of each kind of customer that the instance has."""
        pairs = self.instance.pairs
        plain = np.setdiff1d(np.asarray(self.instance.customers), pairs)
        groups = [(plain, "o", "stop"), (pairs[:, 0], "^", "pickup"), (pairs[:, 1], "v", "delivery")]
        return [group for group in groups if len(group[0])]


def unit(kind: Distance) -> str:
    """The unit of route lengths of this kind: km, or nothing when it is that of the coordinates."""
    return "km" if is_geographic(kind) else ""


def length_text(kind: Distance, length: float) -> str:
    """A length for people: at least four significant digits, with its unit if it has one."""
    size = abs(length)
    if size >= 1e7 or 0 < size < 1e-3:
        text = f"{length:.4g}"
    elif unit(kind) or size >= 100:
        text = f"{length:.2f}"
    else:
        text = f"{length:.4f}"
    return f"{text} {unit(kind)}".strip()


def count_text(count: int, noun: str) -> str:
    """Such as `1 stop` and `1,200 stops`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def picture_format(path: Path | str) -> str:
    """The format that a file's ending names; raises `InputError` for an unknown one."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path}: ending {ending!r}, expected one of {', '.join(ENDINGS)}")
    return ending[1:]
