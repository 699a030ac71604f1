"""What a picture shows: points in the unit square, routes with colours, lengths with units.

Comes before `figure`, `marks` and `placement`, which put it on paper; no matplotlib here.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..problem import check
from ..problem.distance import Floats
from ..problem.instance import Indices, Instance
from ..problem.solution import Route, Solution
from .palette import COLOURS, route_colours

ENDINGS = (".png", ".svg", ".pdf")
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Past the last colour the colours repeat with another dash pattern."""
INK = "#222222"
FAINT = "#7d7d7d"
PLAIN = "#555555"

MAX_NAMED = 90
"""With more stops than this, names would be a grey carpet."""
MAX_NUMBERED = 160
"""With more customers than this, the order of visits is not written on them."""
LONGEST_TAG = 12
"""Letters of a vehicle's name on the map."""
MAX_LISTED = 24
"""With more routes than this, the list below the map and the tags on it are left out."""
MAX_DOTS = 20_000
"""With more customers than this, single dots on routes cannot be seen."""
MAX_VECTOR = 5_000
"""With more customers than this, svg and pdf hold the map as an image."""

FAR_SHARE = 0.05
"""At most this share of the stops (but at least one) may be left to the inset."""
FAR_FACTOR = 2.5
"""An inset is worth it when the rest is then drawn this many times as large."""


@dataclass(frozen=True)
class Scene:
    """An instance and the routes that visit a customer, ready to draw."""

    instance: Instance
    points: Floats
    """[D+N, 2] x, y; between 0 and 1 but for the far stops."""
    far: NDArray[np.bool_]
    """[D+N] stops so far away that they are in the inset only."""
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
        plane = np.asarray(instance.plane)
        far = far_stops(plane, instance.num_depots)
        low = plane[~far].min(axis=0)
        span = _span(plane[~far])
        points = (plane - low) / span if span > 0 else np.zeros_like(plane)
        chosen = [(n, r) for n, r in enumerate(solution.routes if solution else (), 1) if r.customers]
        routes = tuple(route for _, route in chosen)
        every = check.route_lengths(instance, solution or Solution(()))
        lengths = every[[number - 1 for number, _ in chosen]]
        longest = int(np.argmax(lengths)) if len(lengths) else -1
        return cls(instance, points, far, span, routes, tuple(n for n, _ in chosen), lengths, longest)

    @cached_property
    def colours(self) -> list[str]:
        """Of the routes."""
        return route_colours(len(self.routes))

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
    def numbered(self) -> bool:
        """Whether there are few enough customers to write the order of visits on them."""
        return bool(self.routes) and self.instance.num_customers <= MAX_NUMBERED

    @property
    def named(self) -> bool:
        """Whether stops have names, and are few enough to write them."""
        return self.instance.names is not None and self.instance.num_nodes <= MAX_NAMED

    @property
    def rasterized(self) -> bool:
        """Whether vector formats hold the map as an image."""
        return self.instance.num_nodes > MAX_VECTOR

    @property
    def start_depots(self) -> NDArray[np.bool_]:
        """[D] whether a route starts there; without routes every depot counts as used."""
        used = np.full(self.instance.num_depots, not self.routes)
        used[[route.start for route in self.routes]] = True
        return used

    @property
    def end_depots(self) -> NDArray[np.bool_]:
        """[D] whether routes end there, and none starts there."""
        ends = np.zeros(self.instance.num_depots, dtype=np.bool_)
        ends[[route.end for route in self.routes if not route.is_open]] = True
        return ends & ~self.start_depots

    def title(self, k: int) -> str:
        """What to call route k: its vehicle's name if it has one, or its number."""
        number, fleet = self.numbers[k], self.instance.fleet
        name = fleet[number - 1].name if fleet and number <= len(fleet) else ""
        return name or f"R{number}"

    def tag(self, k: int) -> str:
        """The same, short, for the line of route k."""
        title = self.title(k)
        return title if len(title) <= LONGEST_TAG else f"{title[: LONGEST_TAG - 1]}…"

    def groups(self) -> list[tuple[Indices, str, str]]:
        """Node numbers, symbol and word of each kind of customer that the instance has."""
        pairs = self.instance.pairs
        plain = np.setdiff1d(np.asarray(self.instance.customers), pairs)
        groups = [(plain, "o", "stop"), (pairs[:, 0], "^", "pickup"), (pairs[:, 1], "v", "delivery")]
        return [group for group in groups if len(group[0])]

    def describe(self, k: int) -> str:
        """Route k in the list: tag, length, stops and, with several depots, where it starts and ends."""
        route, instance = self.routes[k], self.instance
        length = instance.units.text(float(self.lengths[k]))
        text = f"{self.title(k)}  {length}  {count_text(len(route), 'stop')}"
        if instance.num_depots == 1:
            return text
        ends = dict.fromkeys((route.start, *(() if route.is_open else (route.end,))))
        return f"{text}  {' → '.join(instance.label(node) for node in ends)}{' → …' * route.is_open}"

    def facts(self) -> str:
        """The line below the title."""
        instance = self.instance
        fleet = count_text(instance.num_vehicles, "vehicle")
        if 0 < len(self.routes) < instance.num_vehicles:
            fleet = f"{len(self.routes):,} of {fleet} used"
        counts = [count_text(instance.num_customers, "stop"), count_text(instance.num_depots, "depot"), fleet]
        if self.routes:
            longest = instance.units.text(float(self.lengths.max()))
            counts.append(f"longest route {longest}")
            counts.append(f"total {instance.units.text(float(self.lengths.sum()))}")
            if self.lengths.max() > 0:
                share = self.lengths.sum() / (instance.num_vehicles * self.lengths.max())
                counts.append(f"balance {100 * share:.0f} %")
        return " · ".join(counts)


def far_stops(plane: Floats, num_depots: int) -> NDArray[np.bool_]:
    """[D+N] the few stops without which the map would be drawn much larger; mostly none."""
    far = np.zeros(len(plane), dtype=np.bool_)
    away = np.abs(plane - np.median(plane, axis=0)).max(axis=1)
    away[:num_depots] = 0.0  # every route begins there
    order = np.argsort(-away, kind="stable")
    for count in range(1, 1 + max(1, int(FAR_SHARE * len(plane)))):
        rest = _span(plane[order[count:]]) if len(plane) > 8 * count else 0.0
        if rest > 0 and _span(plane) >= FAR_FACTOR * rest:
            far[order[:count]] = True
            break
    return far


def _span(plane: Floats) -> float:
    return float(np.ptp(plane, axis=0).max())


def count_text(count: int, noun: str) -> str:
    """Such as `1 stop` and `1,200 stops`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def picture_format(path: Path | str) -> str:
    """The format that a file's ending names; raises `InputError` for an unknown one."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path}: ending {ending!r}, expected one of {', '.join(ENDINGS)}")
    return ending[1:]
