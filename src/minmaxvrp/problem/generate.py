"""Random instances by seed: for training, for tests, and the test sets of the DPN paper.

`instances` draws any problem from any distribution; `published_set` repeats the recipe of the paper's
test sets number by number. All coordinates lie in the unit square.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .distance import Floats
from .instance import Instance

PROBLEMS = ("mtsp", "mpdp", "mdvrp", "fmdvrp")
DEFAULT_DEPOTS = 6
"""Depots of a multi-depot instance unless said otherwise: those of the paper's smaller tables."""

Draw = Callable[[np.random.Generator, int], Floats]


def uniform(
    problem: str, size: int, num_vehicles: int, num_depots: int | None = None, seed: int = 0, count: int = 1
) -> list[Instance]:
    """`count` instances with nodes uniform in the unit square; see `instances`."""
    return instances(problem, size, num_vehicles, num_depots=num_depots, seed=seed, count=count)


def instances(
    problem: str,
    size: int,
    num_vehicles: int,
    *,
    distribution: str = "uniform",
    num_depots: int | None = None,
    seed: int = 0,
    count: int = 1,
) -> list[Instance]:
    """`count` random instances of a problem (mtsp, mpdp, mdvrp, fmdvrp) from a distribution.

    `size` counts as in the paper: for mtsp the nodes including the depot, otherwise the customers.
    Depots come from the same distribution as the customers. Raises `InputError` for an unknown
    name or a size that is too small, or odd for mpdp.
    """
    draw = DISTRIBUTIONS.get(distribution)
    if draw is None:
        raise InputError(f"distribution = {distribution!r}, expected one of {', '.join(DISTRIBUTIONS)}")
    depots, customers = _shape(problem, size, num_depots)
    _check_count(count)
    rng = np.random.default_rng(_seed(seed, 2**63))
    made = []
    for index in range(count):
        points = rng.permutation(draw(rng, depots + customers))  # depots are nodes like any other
        label = f"{problem}{size}-{distribution}-{seed}-{index}"
        made.append(_build(problem, points[:depots], points[depots:], num_vehicles, label))
    return made


def published_set(
    problem: str,
    size: int,
    num_vehicles: int,
    num_depots: int | None = None,
    seed: int = 3333,
    count: int = 100,
) -> list[Instance]:
    """The paper's test set of a problem and size, bit for bit where it is published (mtsp, mpdp).

    One legacy `RandomState` draws all coordinates of the set: for mtsp the nodes of all instances,
    the first one being the depot; otherwise first the depots of all instances, then the customers. The
    multi-depot sets are not public: the same recipe gives others of the same distribution. Another
    `count` gives another set.
    """
    depots, customers = _shape(problem, size, num_depots)
    _check_count(count)
    random = np.random.RandomState(_seed(seed, 2**32))  # what the published sets came from
    if problem == "mtsp":
        points = random.uniform(size=(count, depots + customers, 2))
        starts, stops = points[:, :depots], points[:, depots:]
    else:
        starts = random.uniform(size=(count, depots, 2))
        stops = random.uniform(size=(count, customers, 2))
    label = f"{problem}{size}-published-{seed}"
    return [
        _build(problem, starts[index], stops[index], num_vehicles, f"{label}-{index}")
        for index in range(count)
    ]


def _build(problem: str, depots: Floats, customers: Floats, num_vehicles: int, name: str) -> Instance:
    """An instance of a problem from its points; the first half of an mpdp's customers are the pickups."""
    if problem == "mtsp":
        return Instance.mtsp(depots[0], customers, num_vehicles, name=name)
    if problem == "mpdp":
        half = len(customers) // 2
        return Instance.mpdp(depots[0], customers[:half], customers[half:], num_vehicles, name=name)
    make = Instance.mdvrp if problem == "mdvrp" else Instance.fmdvrp
    return make(depots, customers, num_vehicles, name=name)


def _shape(problem: str, size: int, num_depots: int | None) -> tuple[int, int]:
    """Numbers of depots and customers."""
    if problem not in PROBLEMS:
        raise InputError(f"problem = {problem!r}, expected one of {', '.join(PROBLEMS)}")
    single = problem in ("mtsp", "mpdp")
    depots = num_depots if num_depots is not None else 1 if single else DEFAULT_DEPOTS
    if _whole("num_depots", depots) < 1 or (single and depots != 1):
        raise InputError(f"num_depots = {depots}, expected {'1' if single else '1 or more'} for {problem}")
    least = 1 if problem in ("mdvrp", "fmdvrp") else 2
    if _whole("size", size) < least:
        raise InputError(f"size = {size}, expected {least} or more for {problem}")
    if problem == "mpdp" and size % 2:
        raise InputError(f"size = {size}, expected an even number for mpdp: pickups and deliveries")
    return depots, size - 1 if problem == "mtsp" else size


def _whole(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{what} = {value!r}, expected a whole number")
    return int(value)


def _check_count(count: Any) -> None:
    if _whole("count", count) < 0:
        raise InputError(f"count = {count}, expected 0 or more")


def _seed(seed: Any, limit: int) -> int:
    if not 0 <= _whole("seed", seed) < limit:
        raise InputError(f"seed = {seed}, expected 0 to {limit - 1}")
    return int(seed)


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


DISTRIBUTIONS: dict[str, Draw] = {
    "uniform": _uniform,
    "gaussian": _gaussian,
    "explosion": _explosion,
    "rotation": _rotation,
}
"""The distributions by name; the last three are those of the paper's generalisation table."""
