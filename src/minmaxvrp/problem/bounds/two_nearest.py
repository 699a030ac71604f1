"""The two nearest customers of every customer (k-d tree): for the `average` bound of large instances."""

import numpy as np

from ..distance import (
    EARTH_RADIUS_KM,
    TSPLIB_RADIUS_KM,
    Distance,
    Floats,
    is_geographic,
    radians,
    rounded,
)
from ..instance import Instance


def two_nearest(instance: Instance) -> Floats:
    """[N, 2] each customer's distances to its nearest and second nearest customer, never overestimated.

    Infinite where there are fewer customers.
    """
    if instance.matrix is not None:
        return _from_matrix(instance.matrix[instance.num_depots :, instance.num_depots :])
    from scipy.spatial import cKDTree

    points = _points(instance)
    straight, _ = cKDTree(points).query(points, k=3)
    return _lengths(instance.kind, straight[:, 1:])  # the first is 0: the customer itself


def _points(instance: Instance) -> Floats:
    """Customers in the plane or on the unit sphere: straight lines order them as distances do."""
    points = instance.coordinates[instance.num_depots :]
    if not is_geographic(instance.kind):
        return points
    latitude, longitude = radians(instance.kind, points).T
    across = np.cos(latitude)
    return np.stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1)


def _lengths(kind: Distance, straight: Floats) -> Floats:
    """Distances of a kind from straight lines, with a margin below for rounding errors."""
    if kind is Distance.EUCLIDEAN:
        return straight
    safe = straight * (1.0 - 1e-9)
    if is_geographic(kind):
        angle = 2.0 * np.arcsin(np.clip(safe / 2.0 - 1e-15, 0.0, 1.0 - 1e-7))
        if kind is Distance.GREAT_CIRCLE:
            return np.asarray(EARTH_RADIUS_KM * angle)
        return np.maximum(rounded(kind, TSPLIB_RADIUS_KM * angle - 1e-3), 0.0)
    if kind is Distance.ATT:
        safe = safe / np.sqrt(10.0)
    return np.maximum(rounded(kind, safe - 1e-9), 0.0)


def _from_matrix(matrix: Floats) -> Floats:
    """[N, 2] the two smallest entries to or from each customer, the shorter direction of each."""
    found = np.empty((len(matrix), 2))
    for node in range(len(matrix)):
        either = np.minimum(matrix[node], matrix[:, node])
        either[node] = np.inf
        found[node] = np.partition(np.append(either, np.inf), 1)[:2]
    return found
