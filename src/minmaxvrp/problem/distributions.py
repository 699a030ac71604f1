"""How the points of random instances are spread over the unit square, by name.

`generate.instances` draws depots and customers together from one of them. The first four are those of the
paper; the others are what towns, circuit boards and roads look like, and where a search that is tuned
on uniform points goes wrong.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .distance import Floats

Draw = Callable[[np.random.Generator, int], Floats]


def _uniform(rng: np.random.Generator, count: int) -> Floats:
    """Uniform in the unit square."""
    return rng.uniform(size=(count, 2))


def _gaussian(rng: np.random.Generator, count: int) -> Floats:
    """One normal cloud with a random correlation of x and y, scaled to fit the unit square."""
    correlation = rng.uniform(-1.0, 1.0)
    x, y = rng.standard_normal((2, count))
    return _fit_square(np.stack([x, correlation * x + np.sqrt(1.0 - correlation**2) * y], axis=1))


def _explosion(rng: np.random.Generator, count: int) -> Floats:
    """Uniform, then an explosion clears a disc (Bossek and others 2019), scaled to fit the unit square.

    Points within a random radius of a random centre fly outwards to just beyond the radius.
    """
    points = rng.uniform(size=(count, 2))
    centre, radius = rng.uniform(size=2), rng.uniform(0.1, 0.5)
    away = points - centre
    distance = np.hypot(away[:, 0], away[:, 1])
    hit = distance < radius
    direction = away[hit] / np.maximum(distance[hit], 1e-12)[:, None]
    flight = radius + rng.exponential(0.1, size=int(hit.sum()))
    points[hit] = centre + direction * flight[:, None]
    return _fit_square(points)


def _rotation(rng: np.random.Generator, count: int) -> Floats:
    """Uniform, then a random half of the points is turned about the origin (Bossek and others 2019), scaled.

    The angle is uniform in the whole turn.
    """
    points = rng.uniform(size=(count, 2))
    turned: NDArray[np.bool_] = rng.uniform(size=count) < 0.5
    angle = rng.uniform(0.0, 2.0 * np.pi)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    points[turned] = points[turned] @ turn
    return _fit_square(points)


def _fit_square(points: Floats) -> Floats:
    """The points moved and scaled, their shape kept, so that the longer side spans the unit square."""
    span = float(np.ptp(points, axis=0).max())
    return np.asarray((points - points.min(axis=0)) / (span if span > 0.0 else 1.0))


def _clustered(rng: np.random.Generator, count: int) -> Floats:
    """Round normal clusters of unequal size and width: one for every 60 points, but 4 to 40."""
    clusters = int(np.clip(count // 60, 4, 40))
    centres, widths = rng.uniform(0.05, 0.95, size=(clusters, 2)), rng.uniform(0.005, 0.03, size=clusters)
    which = rng.choice(clusters, size=count, p=rng.dirichlet(np.full(clusters, 2.0)))
    return _fit_square(centres[which] + rng.standard_normal((count, 2)) * widths[which, None])


def _drilled(rng: np.random.Generator, count: int) -> Floats:
    """Holes of a circuit board: small dense lattices, far apart, of a few repeated shapes."""
    shapes = [(int(rng.integers(2, 7)), int(rng.integers(6, 21))) for _ in range(4)]
    pitch, points, done = 0.004, [], 0
    while done < count:
        rows, columns = shapes[int(rng.integers(len(shapes)))]
        lattice = np.argwhere(np.ones((rows, columns))) * pitch
        lattice = lattice[:, ::-1] if rng.uniform() < 0.5 else lattice
        points.append(lattice + rng.uniform(0.0, 0.95, size=2))
        done += len(lattice)
    return _fit_square(np.concatenate(points)[:count])


def _ring(rng: np.random.Generator, count: int) -> Floats:
    """A ring road: points close to a circle."""
    angle = rng.uniform(0.0, 2.0 * np.pi, size=count)
    radius = 0.45 + 0.01 * rng.standard_normal(count)
    return _fit_square(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def _line(rng: np.random.Generator, count: int) -> Floats:
    """A road: points close to a straight line of random direction."""
    angle = rng.uniform(0.0, np.pi)
    along, beside = rng.uniform(size=count), 0.005 * rng.standard_normal(count)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return _fit_square(np.stack([along, beside], axis=1) @ turn)


def _grid(rng: np.random.Generator, count: int) -> Floats:
    """Crossings of a regular grid of streets, each at most once; about a third are not taken."""
    side = int(np.ceil(np.sqrt(1.5 * count)))
    taken = rng.permutation(side * side)[:count]
    return np.stack([taken % side, taken // side], axis=1) / max(1, side - 1)


def _city(rng: np.random.Generator, count: int) -> Floats:
    """A dense centre, suburbs around it, villages along the roads that leave it, a few farms anywhere."""
    kind = rng.choice(4, size=count, p=(0.4, 0.35, 0.2, 0.05))
    angles, suburbs = rng.uniform(0.0, 2.0 * np.pi, size=6), 0.5 + rng.uniform(-0.3, 0.3, size=(8, 2))
    road, along = angles[rng.integers(6, size=count)], rng.beta(2.0, 2.0, size=count) * 0.5
    suburb, spread = rng.integers(8, size=count), rng.standard_normal((count, 2))
    places = (
        0.5 + 0.06 * spread,
        suburbs[suburb] + 0.03 * spread,
        0.5 + along[:, None] * np.stack([np.cos(road), np.sin(road)], axis=1) + 0.01 * spread,
        rng.uniform(size=(count, 2)),
    )
    return _fit_square(np.choose(kind[:, None], places))


def _duplicates(rng: np.random.Generator, count: int) -> Floats:
    """Uniform places, each the address of four customers on average: many points coincide."""
    places = rng.uniform(size=(max(1, count // 4), 2))
    return places[rng.integers(len(places), size=count)]


DISTRIBUTIONS: dict[str, Draw] = {
    "uniform": _uniform,
    "gaussian": _gaussian,
    "explosion": _explosion,
    "rotation": _rotation,
    "clustered": _clustered,
    "drilled": _drilled,
    "ring": _ring,
    "line": _line,
    "grid": _grid,
    "city": _city,
    "duplicates": _duplicates,
}
"""The distributions by name; the first is that of the paper's tables, the next three are those of its
generalisation table."""
