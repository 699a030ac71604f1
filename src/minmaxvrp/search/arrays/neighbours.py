"""Nearest customers of each customer: where ruin spreads to and where insertion looks."""

import numpy as np
from numpy.typing import NDArray

from ...problem.distance import Distance, Floats
from ...problem.instance import Instance

Indices = NDArray[np.int64]

SMALL = 1000
"""Up to this many nodes all distances are looked at: that is done before scipy's tree would be imported."""


def nearest_customers(instance: Instance, count: int) -> Indices:
    """[D+N, k] node numbers of the k nearest customers of every node, nearest first, k <= count.

    By the matrix where there is one (the shorter direction counts), else by `instance.plane`: small
    instances by all distances, larger ones with memory proportional to the answer.
    """
    num_depots, num_nodes = instance.num_depots, instance.num_nodes
    k = max(1, min(count, instance.num_customers - 1))
    if instance.num_customers == 1:
        return np.full((num_nodes, 1), num_depots, dtype=np.int64)
    if instance.kind is Distance.MATRIX:
        return _by_matrix(instance.distance_matrix(), num_depots, k)
    plane = instance.plane - instance.plane.min(axis=0)
    largest = plane.max()
    plane = plane / largest if largest > 0 else plane
    if num_nodes <= SMALL:
        return _by_matrix(sum((x[:, None] - x) ** 2 for x in plane.T), num_depots, k)
    return _by_tree(plane, num_depots, k)


def nearest_points(points: Floats, count: int) -> Indices:
    """[n, k] the k nearest other points of each of n >= 2 points, nearest first, k <= count."""
    return _by_tree(points, 0, min(count, len(points) - 1))


def _by_tree(points: Floats, first: int, k: int) -> Indices:
    """The k nearest points of each point among those from number `first` on, without itself."""
    from scipy.spatial import cKDTree

    _, found = cKDTree(points[first:]).query(points, k=k + 1)
    found = found.astype(np.int64) + first
    own = found == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True  # depots, and points hidden among many identical ones
    return np.ascontiguousarray(found[~own].reshape(len(points), k))


def _by_matrix(matrix: Floats, num_depots: int, k: int) -> Indices:
    lists = np.empty((len(matrix), k), dtype=np.int64)
    for node in range(len(matrix)):
        row = np.minimum(matrix[node, num_depots:], matrix[num_depots:, node])
        if node >= num_depots:
            row[node - num_depots] = np.inf
        some = np.argpartition(row, k - 1)[:k] if k < len(row) else np.arange(len(row))
        lists[node] = some[np.argsort(row[some], kind="stable")] + num_depots
    return lists
