"""The instance as kernels see it: arrays of fixed types, and the distance between two nodes.

Lengths inside the search are divided by `unit`, about one leg of the starting solution, so that
temperatures and tolerances mean the same whatever the instance's unit is.
"""

from math import acos, asin, ceil, cos, floor, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.distance import EARTH_RADIUS_KM, TSPLIB_RADIUS_KM
from .compiled import inlined, kernel

MATRIX, EUCLIDEAN, EUC_2D, CEIL_2D, ATT, GEO, GREAT_CIRCLE = range(7)


# rows of `Problem.point`: coordinates as the metric takes them, service time, and the length of
# the shortest route for the customer alone (a pair: by its pickup)
X, Y, Z, SERVICE, ALONE = range(5)
# rows of `Problem.info`: the other customer of the pair or -1, whether it is the pickup, the depots
# nearest to end at and to start from, whether a depot is nearer than the farther neighbours
PARTNER, PICKUP, HOME, AWAY, NEAR_DEPOT = range(5)


class Problem(NamedTuple):
    """One instance for the kernels. Fields as in `Instance`, lengths in search units."""

    num_depots: int
    num_nodes: int
    num_vehicles: int
    metric: int
    point: NDArray[np.float64]
    """[5, n]"""
    scale: float
    """Search units per unit of the instance, applied after rounding."""
    matrix: NDArray[np.float64]
    info: NDArray[np.int64]
    """[5, n]"""
    neighbours: NDArray[np.int64]
    """[n, k] nearest customers."""
    room: NDArray[np.int64]
    """[D] how many routes may start at each depot."""
    between: NDArray[np.float64]
    """[n, n] from a last customer by the best depot to a first one, or [1, 1] if not used."""
    free_depots: bool
    """Whether a route may start at any of several depots, without a limit."""
    return_any: bool
    has_pairs: bool
    symmetric: bool
    """Whether every way is as long as the way back."""


@inlined
def distance_into(problem: Problem, a: int, customer: int) -> float:
    """Distance from node a to a customer that is compared with many nodes.

    Where ways are as long as ways back it is read in the customer's row, which stays in the cache.
    """
    if problem.symmetric:
        return distance(problem, customer, a)
    return distance(problem, a, customer)


@inlined
def has_table(problem: Problem) -> bool:
    """Whether distances are in a matrix and ways as long as ways back."""
    return problem.metric == MATRIX and problem.symmetric


@inlined
def read_or_measured(problem: Problem, table: bool, customer: int, node: int) -> float:
    """Distance from a customer to a node; `table` is True only where the caller found `has_table`.

    Inner loops are compiled twice, with a constant for it, so that they need not ask at every step.
    """
    return float(problem.matrix[customer, node]) if table else distance(problem, customer, node)


@inlined
def read_or_measured_into(problem: Problem, table: bool, node: int, customer: int) -> float:
    """Distance from a node to a customer, likewise."""
    return float(problem.matrix[customer, node]) if table else distance_into(problem, node, customer)


@kernel
def distance(problem: Problem, a: int, b: int) -> float:
    """Distance from node a to node b in search units."""
    metric = problem.metric
    if metric == MATRIX:
        return float(problem.matrix[a, b])
    dx = problem.point[X, a] - problem.point[X, b]
    dy = problem.point[Y, a] - problem.point[Y, b]
    if metric == EUCLIDEAN:
        return sqrt(dx * dx + dy * dy)
    return _other_distance(problem, a, b, dx, dy) * problem.scale


@kernel
def _other_distance(problem: Problem, a: int, b: int, dx: float, dy: float) -> float:
    metric = problem.metric
    if metric == GREAT_CIRCLE:
        h = sin(0.5 * dx) ** 2 + problem.point[Z, a] * problem.point[Z, b] * sin(0.5 * dy) ** 2
        return 2.0 * EARTH_RADIUS_KM * asin(sqrt(min(1.0, max(0.0, h))))
    if metric == GEO:
        if dx == 0.0 and dy == 0.0:
            return 0.0
        q1, q2, q3 = cos(dy), cos(dx), cos(problem.point[X, a] + problem.point[X, b])
        cosine = min(1.0, max(-1.0, 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)))
        return float(floor(TSPLIB_RADIUS_KM * acos(cosine) + 1.0))
    if metric == ATT:
        exact = sqrt((dx * dx + dy * dy) / 10.0)
        rounded = float(np.rint(exact))
        return rounded + 1.0 if rounded < exact else rounded
    straight = sqrt(dx * dx + dy * dy)
    return floor(straight + 0.5) if metric == EUC_2D else float(ceil(straight))
