"""How short a path between two nodes can be: what the bounds add up.

A route may go from a to b through other customers, and with rounded distances or an explicit matrix
that detour can be shorter than the direct leg. `ShortestPaths` never overestimates. Before it comes
the instance, after it the bounds.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distance import EARTH_RADIUS_KM, Distance, Floats, pairwise
from ..instance import Instance

SEARCHED_NODES = 2000
"""Up to this size shortest paths are searched where the triangle inequality may fail."""
ALL_PAIRS_NODES = 500
"""Up to this size the paths between all nodes are found in less time than scipy takes to load."""

METRIC = (Distance.EUCLIDEAN, Distance.GREAT_CIRCLE)
"""Kinds that keep the triangle inequality also after rounding to floating-point numbers."""


class ShortestPaths:
    """Lower bounds on the length of any path between two nodes that passes customers only.

    The service of the customers passed on the way counts, that of the first and the last node does not.
    Three cases:

    * Euclidean and great-circle distances are metrics, so no path is shorter than the direct leg.
    * Other kinds, up to `SEARCHED_NODES`: the length of the shortest path.
    * Other kinds above that size: see `_without_search`.
    """

    def __init__(self, instance: Instance) -> None:
        """Look at the kind and size of `instance`; what takes N² is computed when it is first asked for."""
        self.instance = instance
        self.customers: NDArray[np.int64] = np.arange(instance.num_depots, instance.num_nodes)
        self.searched = instance.kind not in METRIC and instance.num_nodes <= SEARCHED_NODES

    def out(self, nodes: NDArray[np.int64]) -> Floats:
        """[len(nodes), N] from each of `nodes` to every customer."""
        if not self.searched:
            return self.direct(nodes[:, None], self.customers[None, :])
        if self.instance.num_nodes <= ALL_PAIRS_NODES:
            return self._all_pairs[nodes][:, self.customers]
        return self._dijkstra(self._graph, nodes)

    def back(self, nodes: NDArray[np.int64]) -> Floats:
        """[len(nodes), N] from every customer to each of `nodes`."""
        if not self.searched:
            return self.direct(self.customers[None, :], nodes[:, None])
        if self.instance.num_nodes <= ALL_PAIRS_NODES:
            return self._all_pairs[:, nodes][self.customers].T
        return self._dijkstra(self._reversed_graph, nodes)

    def direct(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Floats:
        """From `start` to `end` without a search (broadcast); valid only where `searched` is False."""
        direct = self.instance.distance(start, end)
        kind = self.instance.kind
        if kind is Distance.EUCLIDEAN:
            return direct
        if kind is Distance.GREAT_CIRCLE:  # near the antipode the arcsine is good to 10⁻⁸ only
            return np.where(direct > 0.99 * np.pi * EARTH_RADIUS_KM, direct - 1e-3, direct)
        return self._without_search(start, end, direct)

    def _without_search(self, start: NDArray[np.int64], end: NDArray[np.int64], direct: Floats) -> Floats:
        """A bound on paths from start to end for kinds without the triangle inequality.

        CEIL_2D, ATT and GEO round an exact metric x up: to ⌈x⌉, or to ⌊x⌋ + 1. Both are subadditive
        (⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉, ⌊x + y⌋ + 1 ≤ (⌊x⌋ + 1) + (⌊y⌋ + 1)), so a path is no shorter than the
        direct leg. If x is a whole number up to floating-point error, rounding may be off by 1: the bound is
        the direct leg less 1. EUC_2D rounds to the nearest. Between whole coordinates a leg x is 0 or √k with
        k whole, and ⌊x + ½⌋ ≥ x/√2 for all of them (equality at k = 2), so a path is at least the straight
        line/√2. Between other coordinates legs below ½ round to 0, and so can a path of them: the bound
        is 0. With a matrix, a path leaves `start` and enters `end`: it is at least the smallest entry of that
        row and of that column.
        """
        if self.instance.matrix is not None:
            rows, columns = self._least_entries
            return np.where(start == end, 0.0, np.maximum(rows[start], columns[end]))
        if self.instance.kind is Distance.EUC_2D:
            points = self.instance.coordinates
            if (points != np.rint(points)).any():
                return np.zeros_like(direct)
            return pairwise(Distance.EUCLIDEAN, points[start], points[end]) / 1.4142136
        return np.maximum(direct - 1.0, 0.0)

    @cached_property
    def _all_pairs(self) -> Floats:
        """[D+N, D+N] by Floyd (1962) and Warshall (1962)."""
        length = np.array(self.instance.distance_matrix())
        service, longer = self.instance.node_service, np.empty_like(length)
        for via in self.customers:
            np.add((length[:, via] + service[via])[:, None], length[via], out=longer)
            np.minimum(length, longer, out=length)
        return length

    @cached_property
    def _graph(self) -> Any:
        return self._sparse(self.instance.distance_matrix())

    @cached_property
    def _reversed_graph(self) -> Any:
        return self._graph if self.instance.is_symmetric else self._sparse(self.instance.distance_matrix().T)

    def _sparse(self, distances: Floats) -> Any:
        """The graph of all legs that end at a customer, each with the service at its start."""
        from scipy.sparse.csgraph import csgraph_from_dense

        legs = distances + self.instance.node_service[:, None]
        legs[:, : self.instance.num_depots] = np.inf
        np.fill_diagonal(legs, np.inf)
        return csgraph_from_dense(legs, null_value=np.inf)  # a leg of length 0 is a leg

    def _dijkstra(self, graph: Any, nodes: NDArray[np.int64]) -> Floats:
        """[len(nodes), N] shortest paths by scipy, less the service at their first node."""
        from scipy.sparse.csgraph import dijkstra

        length = dijkstra(graph, indices=nodes)[:, self.customers]
        return np.asarray(np.maximum(length - self.instance.node_service[nodes][:, None], 0.0))

    @cached_property
    def _least_entries(self) -> tuple[Floats, Floats]:
        """The smallest entry of each row and of each column of the matrix off the diagonal."""
        matrix = self.instance.distance_matrix()
        rows, columns = np.empty(len(matrix)), np.full(len(matrix), np.inf)
        for node, row in enumerate(matrix):
            others = row.copy()
            others[node] = np.inf
            rows[node] = others.min()
            np.minimum(columns, others, out=columns)
        return rows, columns
