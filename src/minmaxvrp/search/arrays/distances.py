"""The instance as kernels see it: arrays of fixed types, and the distance between two nodes.

Lengths inside the search are divided by `unit`, about one leg of the starting solution, so that
temperatures and tolerances mean the same whatever the instance's unit is.
"""

from collections.abc import Callable
from math import acos, asin, ceil, cos, floor, sin, sqrt
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...jit import inlined, kernel
from ...problem.distance import EARTH_RADIUS_KM, TSPLIB_RADIUS_KM
from .routes import Routes

Given = TypeVar("Given")
Found = TypeVar("Found")

MATRIX, EUCLIDEAN, EUC_2D, CEIL_2D, ATT, GEO, GREAT_CIRCLE = range(7)


class Problem(NamedTuple):
    """One instance for the kernels. Fields as in `Instance`, lengths in search units."""

    num_depots: int
    num_nodes: int
    num_vehicles: int
    formula: int
    """How distances are computed: one of the constants above."""
    x: NDArray[np.float64]
    """[n] coordinates in the form that the formula takes."""
    y: NDArray[np.float64]
    cos_latitude: NDArray[np.float64]
    """[n] for great circles only."""
    scale: float
    """Search units per unit of the instance, applied after rounding."""
    matrix: NDArray[np.float64]
    """[n, n] all distances, or [1, 1] where the formula is used."""
    service: NDArray[np.float64]
    """[n] service time."""
    partner: NDArray[np.int64]
    """[n] the other customer of the pair, or -1."""
    is_pickup: NDArray[np.bool_]
    """[n]"""
    neighbours: NDArray[np.int64]
    """[n, k] nearest customers."""
    alone_length: NDArray[np.float64]
    """[n] length of the shortest route for the customer alone; of a pair, by its pickup."""
    to_depot: NDArray[np.float64]
    """[n] distance to the nearest depot to end at."""
    from_depot: NDArray[np.float64]
    """[n] distance from the nearest depot to start from."""
    end_depot: NDArray[np.int64]
    """[n] the nearest depot to end at."""
    near_depot: NDArray[np.bool_]
    """[n] whether a depot is nearer than the farther neighbours."""
    depot_limit: NDArray[np.int64]
    """[D] how many routes may start at each depot."""
    via_depot: NDArray[np.float64]
    """[n, n] from a last customer by the best depot to a first one, or [1, 1] if not used."""
    unlimited_depots: bool
    """Whether a route may start at any of several depots, without a limit."""
    return_any: bool
    has_pairs: bool
    symmetric: bool
    """Whether distances are symmetric."""


@inlined
def distance_into(problem: Problem, a: int, customer: int) -> float:
    """Distance from node a to a customer that is compared with many nodes.

    Symmetric distances are read in the customer's row of the matrix, which stays in the cache.
    """
    if problem.symmetric:
        return distance(problem, customer, a)
    return distance(problem, a, customer)


# how an inner loop gets distances: from a symmetric matrix, as straight lines, or by asking `distance`
LOOKUP, PLANE, CALL = range(3)


@inlined
def distance_mode(problem: Problem) -> int:
    """How the inner loops of insertion get distances on this instance."""
    if problem.formula == EUCLIDEAN:
        return PLANE
    return LOOKUP if problem.formula == MATRIX and problem.symmetric else CALL


@inlined
def by_distance_mode(
    loop: Callable[[Problem, Routes, Given, int, int], Found],
    problem: Problem,
    routes: Routes,
    given: Given,
    customer: int,
) -> Found:
    """What an inner loop of insertion finds; its last argument says how it gets distances.

    The loop is compiled three times, once for each mode as a constant: asking at every step would cost more
    than the distance. `given` is what else it needs: the settings, a vehicle, the fleet, or a tuple of them.
    Any number of arguments (`*given`) would be copied to the stack: mTSP with 50 customers then took a fifth
    longer.
    """
    how = distance_mode(problem)
    if how == LOOKUP:
        return loop(problem, routes, given, customer, LOOKUP)
    if how == PLANE:
        return loop(problem, routes, given, customer, PLANE)
    return loop(problem, routes, given, customer, CALL)


@inlined
def distance_by(problem: Problem, how: int, customer: int, node: int) -> float:
    """Distance from a customer to a node, `how` as by `distance_mode`."""
    if how == LOOKUP:
        return float(problem.matrix[customer, node])
    if how == PLANE:
        return _straight(problem, customer, node)
    return distance(problem, customer, node)


@inlined
def distance_into_by(problem: Problem, how: int, node: int, customer: int) -> float:
    """Distance from a node to a customer, likewise."""
    return (
        distance_by(problem, how, customer, node) if how != CALL else distance_into(problem, node, customer)
    )


@inlined
def _straight(problem: Problem, a: int, b: int) -> float:
    dx = problem.x[a] - problem.x[b]
    dy = problem.y[a] - problem.y[b]
    return sqrt(dx * dx + dy * dy)


@inlined
def distance(problem: Problem, a: int, b: int) -> float:
    """Distance from node a to node b in search units.

    Inlined, as a call takes longer than looking up a matrix; the formulas of `_other_distance`, for large
    instances only, stay a call, so that the code of the callers is short.
    """
    formula = problem.formula
    if formula == MATRIX:
        return float(problem.matrix[a, b])
    if formula == EUCLIDEAN:
        return _straight(problem, a, b)
    return _other_distance(problem, a, b) * problem.scale


@kernel
def _other_distance(problem: Problem, a: int, b: int) -> float:
    formula = problem.formula
    dx = problem.x[a] - problem.x[b]
    dy = problem.y[a] - problem.y[b]
    if formula == GREAT_CIRCLE:
        h = sin(0.5 * dx) ** 2 + problem.cos_latitude[a] * problem.cos_latitude[b] * sin(0.5 * dy) ** 2
        return 2.0 * EARTH_RADIUS_KM * asin(sqrt(min(1.0, max(0.0, h))))
    if formula == GEO:
        if dx == 0.0 and dy == 0.0:
            return 0.0
        q1, q2, q3 = cos(dy), cos(dx), cos(problem.x[a] + problem.x[b])
        cosine = min(1.0, max(-1.0, 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)))
        return float(floor(TSPLIB_RADIUS_KM * acos(cosine) + 1.0))
    if formula == ATT:
        exact = sqrt((dx * dx + dy * dy) / 10.0)
        rounded = float(np.rint(exact))
        return rounded + 1.0 if rounded < exact else rounded
    straight = _straight(problem, a, b)
    return floor(straight + 0.5) if formula == EUC_2D else float(ceil(straight))
