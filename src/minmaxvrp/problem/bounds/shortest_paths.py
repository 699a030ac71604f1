"""How short the way between two nodes can be along any route: what the bounds add up.

A route may go from a to b through other customers, and rounded distances and explicit matrices
can make that detour shorter than the direct leg. `ShortestPaths` never overestimates. Before it comes the
instance, after it the bounds.
"""

import numpy as np
from numpy.typing import NDArray

from ..distance import EARTH_RADIUS_KM, Distance, Floats
from ..instance import Instance

SEARCHED_NODES = 2000
"""Up to this size the shortest ways are searched where the triangle inequality may fail."""

METRIC = (Distance.EUCLIDEAN, Distance.GREAT_CIRCLE)
"""Kinds that keep the triangle inequality also after rounding to floating-point numbers."""


class ShortestPaths:
    """Lower bounds on the length of any path between two nodes that passes customers only.

    Three cases:

    * Euclidean and great-circle distances are metrics, so no path is shorter than the direct leg.
    * Other kinds, up to `SEARCHED_NODES`: the shortest path itself (Dijkstra), which no path
      undercuts by definition. Service at the customers on the way counts.
    * Other kinds above that size: see `_undercut`.
    """

    def __init__(self, instance: Instance) -> None:
        """Prepare the distances of `instance`: N² of them where paths are searched."""
        self.instance = instance
        self.customers: NDArray[np.int64] = np.arange(instance.num_depots, instance.num_nodes)
        self.searched = instance.kind not in METRIC and instance.num_nodes <= SEARCHED_NODES
        self._distances = instance.distance_matrix() if self.searched else None
        self._least = None if instance.matrix is None or self.searched else _least_entries(instance.matrix)

    def out(self, nodes: NDArray[np.int64]) -> Floats:
        """[len(nodes), N] from each of `nodes` to every customer."""
        if self._distances is None:
            return self.direct(nodes[:, None], self.customers[None, :])
        return self._search(self._distances, nodes)

    def back(self, nodes: NDArray[np.int64]) -> Floats:
        """[len(nodes), N] from every customer to each of `nodes`."""
        if self._distances is None:
            return self.direct(self.customers[None, :], nodes[:, None])
        return self._search(self._distances.T, nodes)

    def direct(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Floats:
        """From `start` to `end` without a search (broadcast); valid only where `searched` is False."""
        direct = self.instance.distance(start, end)
        kind = self.instance.kind
        if kind is Distance.EUCLIDEAN:
            return direct
        if kind is Distance.GREAT_CIRCLE:  # near the antipode the arcsine is good to 10⁻⁸ only
            return np.where(direct > 0.99 * np.pi * EARTH_RADIUS_KM, direct - 1e-3, direct)
        return self._undercut(start, end, direct)

    def _undercut(self, start: NDArray[np.int64], end: NDArray[np.int64], direct: Floats) -> Floats:
        """A valid bound on paths for kinds without the triangle inequality.

        CEIL_2D, ATT and GEO round an exact metric x up: to ⌈x⌉, or to ⌊x⌋ + 1. Both are subadditive
        (⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉, ⌊x + y⌋ + 1 ≤ (⌊x⌋ + 1) + (⌊y⌋ + 1)), so a path is no shorter than the
        direct leg, but for a floating-point error at a whole number: less 1 is safe. EUC_2D rounds
        to the nearest: with whole coordinates a leg x is 0 or √k with k whole, and ⌊x + ½⌋ ≥ x/√2 for
        all of them (equality at k = 2), so a path is at least the straight line/√2. Between other
        coordinates legs below ½ are free: 0. In a matrix the path leaves `start` and enters `end`: at
        least the smallest entry of that row, and of that column.
        """
        if self._least is not None:
            rows, columns = self._least
            return np.where(start == end, 0.0, np.maximum(rows[start], columns[end]))
        if self.instance.kind is Distance.EUC_2D:
            points = self.instance.coordinates
            if (points != np.rint(points)).any():
                return np.zeros_like(direct)
            line = points[start] - points[end]
            return np.asarray(np.hypot(line[..., 0], line[..., 1]) / 1.4142136)
        return np.maximum(direct - 1.0, 0.0)

    def _search(self, distances: Floats, nodes: NDArray[np.int64]) -> Floats:
        """Dijkstra from each node over dense rows; passing customer i costs its service."""
        found = np.empty((len(nodes), len(self.customers)))
        first = self.instance.num_depots
        among = distances[first:, first:] + self.instance.node_service[first:, None]
        for row, node in enumerate(nodes):
            length = distances[node, first:].copy()
            if node >= first:
                length[node - first] = 0.0
            reached = length.copy()  # infinite once a customer is final
            for _ in range(len(length)):
                nearest = int(reached.argmin())
                reached[nearest] = np.inf
                through = length[nearest] + among[nearest]
                better = through < length
                length[better] = through[better]
                reached[better] = through[better]
            found[row] = length
        return found


def _least_entries(matrix: Floats) -> tuple[Floats, Floats]:
    """The smallest entry of each row and of each column off the diagonal."""
    rows, columns = np.empty(len(matrix)), np.full(len(matrix), np.inf)
    for node, row in enumerate(matrix):
        others = row.copy()
        others[node] = np.inf
        rows[node] = others.min()
        np.minimum(columns, others, out=columns)
    return rows, columns
