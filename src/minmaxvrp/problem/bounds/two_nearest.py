"""The two nearest customers of every customer on a grid, in time about linear in their number.

Serves the total-length bound of large instances: it may say too little, never too much.
"""

import numpy as np
from numpy.typing import NDArray

from ..distance import EARTH_RADIUS_KM, TSPLIB_RADIUS_KM, Distance, Floats, geo_radians, is_geographic
from ..instance import Instance

CROWD = 24
"""A cell with more customers is looked at again with smaller cells."""
LEVELS = 16


def two_nearest(instance: Instance) -> Floats:
    """[N, 2] lower bounds on each customer's distances to its nearest and second nearest customer."""
    if instance.matrix is not None:
        return _from_matrix(instance.matrix[instance.num_depots :, instance.num_depots :])
    points = _embed(instance)
    span = float(np.ptp(points, axis=0).max())
    found = np.zeros((len(points), 2))
    todo = np.arange(len(points))
    size = span / max(1.0, np.sqrt(len(points) / 2.0))
    for _ in range(LEVELS):
        if size <= span * 1e-12 or not len(todo):
            break  # what is left lies together: 0 is a valid bound
        near, crowded = _look_around(points, todo, size)
        found[todo] = np.where(crowded[:, None], 0.0, near)
        todo = todo[crowded]
        size /= 4.0
    return _lengths(instance.kind, found)


def _look_around(points: Floats, todo: NDArray[np.int64], size: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Two nearest straight distances of the points `todo`, and whether a cell around them is crowded.

    A point outside the block of cells around one's own is at least `size` away, so whatever is
    not found nearer counts as `size`.
    """
    cells = np.floor((points - points.min(axis=0)) / size).astype(np.int64) + 1
    width = cells.max(axis=0) + 2
    weights = np.cumprod(np.concatenate([[1], width[:-1]]))
    keys = cells @ weights  # may wrap around for tiny cells: two cells then share a key, which loses nothing
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    near = np.full((len(todo), 2), size)
    crowded = np.zeros(len(todo), dtype=bool)
    dimensions = points.shape[1]
    for shift in np.ndindex(*(3,) * dimensions):
        key = keys[todo] + (np.array(shift) - 1) @ weights
        begin, end = np.searchsorted(ordered, key), np.searchsorted(ordered, key, side="right")
        crowded |= end - begin > CROWD
        for step in range(min(CROWD, int((end - begin).max(initial=0)))):
            rows = np.flatnonzero((begin + step < end) & ~crowded)
            other = order[begin[rows] + step]
            straight = np.linalg.norm(points[todo[rows]] - points[other], axis=1)
            straight[other == todo[rows]] = np.inf
            best, second = near[rows, 0], near[rows, 1]
            near[rows, 1] = np.minimum(second, np.maximum(best, straight))
            near[rows, 0] = np.minimum(best, straight)
    return near, crowded


def _embed(instance: Instance) -> Floats:
    """Customers as points whose straight distances order like the instance's: in the plane, on the sphere."""
    points = instance.coordinates[instance.num_depots :]
    if instance.kind is Distance.GREAT_CIRCLE:
        radians = np.radians(points)
    elif instance.kind is Distance.GEO:
        radians = geo_radians(points)
    else:
        return points
    latitude, longitude = radians[:, 0], radians[:, 1]
    flat = np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)


def _lengths(kind: Distance, straight: Floats) -> Floats:
    """The distance of a kind that belongs to a straight one, taken slightly short of rounding errors."""
    safe = straight * (1.0 - 1e-9)
    if is_geographic(kind):
        angle = 2.0 * np.arcsin(np.clip(safe / 2.0 - 1e-15, 0.0, 1.0 - 1e-7))
        if kind is Distance.GREAT_CIRCLE:
            return np.asarray(EARTH_RADIUS_KM * angle)
        return np.asarray(np.floor(TSPLIB_RADIUS_KM * angle + 1.0 - 1e-3))
    if kind is Distance.ATT:
        return np.asarray(np.ceil(safe / np.sqrt(10.0) - 1e-9))
    if kind is Distance.CEIL_2D:
        return np.asarray(np.ceil(safe - 1e-9))
    if kind is Distance.EUC_2D:
        return np.asarray(np.floor(safe + 0.5))
    return straight


def _from_matrix(matrix: Floats) -> Floats:
    """[N, 2] the two smallest entries to or from each customer, the shorter direction of each."""
    found = np.empty((len(matrix), 2))
    for node in range(len(matrix)):
        either = np.minimum(matrix[node], matrix[:, node])
        either[node] = np.inf
        found[node] = np.partition(np.append(either, np.inf), 1)[:2]
    return found
