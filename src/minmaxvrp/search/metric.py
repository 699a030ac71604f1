"""The instance as kernels see it: arrays of fixed types, and the distance between two nodes.

Lengths inside the search are divided by `unit`, about one leg of the starting solution, so that
temperatures and tolerances mean the same whatever the instance's unit is.
"""

from math import asin, ceil, cos, floor, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.distance import EARTH_RADIUS_KM, TSPLIB_RADIUS_KM, Distance, geo_radians
from ..problem.instance import Instance
from .compiled import kernel
from .neighbours import nearest_customers

MATRIX, EUCLIDEAN, EUC_2D, CEIL_2D, ATT, GEO, GREAT_CIRCLE = range(7)

MATRIX_LIMIT = {Distance.GREAT_CIRCLE: 5_000, Distance.GEO: 5_000}
"""Up to how many nodes distances are looked up, not computed (dear kinds; 8·n² bytes)."""
MATRIX_DEFAULT = 1_000
"""The same for kinds that cost one square root: above, a cache miss costs more."""
NEIGHBOURS = 100
"""Length of the neighbour lists."""
REACH = 20
"""A depot counts as near when it is nearer than this many customers."""


class Problem(NamedTuple):
    """One instance for the kernels. Fields as in `Instance`, lengths in search units."""

    num_depots: int
    num_nodes: int
    num_vehicles: int
    metric: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    z: NDArray[np.float64]
    scale: float
    """Search units per unit of the instance, applied after rounding."""
    matrix: NDArray[np.float64]
    service: NDArray[np.float64]
    partner: NDArray[np.int64]
    """[n] the other customer of the pair, or -1."""
    pickup: NDArray[np.bool_]
    neighbours: NDArray[np.int64]
    """[n, k] nearest customers."""
    room: NDArray[np.int64]
    """[D] how many routes may start at each depot."""
    alone: NDArray[np.float64]
    """[n] length of the shortest route for a customer alone (a pair: by its pickup)."""
    home: NDArray[np.int64]
    """[n] the depot that is nearest to end at."""
    near_depot: NDArray[np.bool_]
    """[n] whether a depot is nearer than the customer's farther neighbours."""
    return_any: bool
    symmetric: bool
    has_pairs: bool


def prepare(instance: Instance, unit: float) -> Problem:
    """The kernels' view of an instance with lengths divided by `unit`."""
    nodes, depots = instance.num_nodes, instance.num_depots
    scale = 1.0 / unit
    metric = {kind: code for code, kind in enumerate(_ORDER)}[instance.kind]
    x, y, z = _points(instance, metric, unit)
    matrix = np.zeros((1, 1))
    if instance.matrix is not None or nodes <= MATRIX_LIMIT.get(instance.kind, MATRIX_DEFAULT):
        matrix, metric = np.ascontiguousarray(instance.distance_matrix() * scale), MATRIX
    partner = np.full(nodes, -1, dtype=np.int64)
    pickup = np.zeros(nodes, dtype=np.bool_)
    partner[instance.pairs[:, 0]], partner[instance.pairs[:, 1]] = instance.pairs[:, 1], instance.pairs[:, 0]
    pickup[instance.pairs[:, 0]] = True
    units = instance.num_customers - len(instance.pairs)
    caps = instance.vehicles_per_depot
    room = np.full(depots, instance.num_vehicles) if caps is None else np.array(caps)
    neighbours = nearest_customers(instance, NEIGHBOURS)
    alone, home, near = _depot_tables(instance, neighbours, partner)
    return Problem(
        depots,
        nodes,
        min(instance.num_vehicles, units),
        metric,
        x,
        y,
        z,
        scale,
        matrix,
        instance.node_service * scale,
        partner,
        pickup,
        neighbours,
        room.astype(np.int64),
        alone * scale,
        home,
        near,
        instance.return_to == "any",
        instance.is_symmetric,
        len(instance.pairs) > 0,
    )


def _depot_tables(
    instance: Instance, neighbours: NDArray[np.int64], partner: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Length of a route for each node alone, the nearest depot to end at, whether a depot is near."""
    node = np.arange(instance.num_nodes)
    last = np.where(partner >= 0, partner, node)
    alone = np.full(len(node), np.inf)
    shortest, nearest = alone.copy(), alone.copy()
    home = np.zeros(len(node), dtype=np.int64)
    for depot in range(instance.num_depots):
        out, back = instance.distance(depot, node), instance.distance(node, depot)
        closer = back < shortest
        shortest[closer], home[closer] = back[closer], depot
        alone = np.minimum(alone, out + instance.distance(node, last) + back[last])
        nearest = np.minimum(nearest, np.minimum(out, back))
    beyond = neighbours[:, min(REACH, neighbours.shape[1]) - 1]
    return alone, home, nearest <= instance.distance(node, beyond)


_ORDER = (
    Distance.MATRIX,
    Distance.EUCLIDEAN,
    Distance.EUC_2D,
    Distance.CEIL_2D,
    Distance.ATT,
    Distance.GEO,
    Distance.GREAT_CIRCLE,
)


def _points(
    instance: Instance, metric: int, unit: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates in the form that the metric's formula takes."""
    points = instance.coordinates
    if metric == EUCLIDEAN:
        points = (points - points[0]) / unit  # squares of very small or large numbers stay exact
    elif metric == GEO:
        points = geo_radians(points)
    elif metric == GREAT_CIRCLE:
        points = np.radians(points)
    x, y = np.ascontiguousarray(points.T)
    return x, y, np.cos(x) if metric == GREAT_CIRCLE else np.zeros(1)


@kernel
def distance(problem: Problem, a: int, b: int) -> float:
    """Distance from node a to node b in search units."""
    metric = problem.metric
    if metric == MATRIX:
        return problem.matrix[a, b]
    dx = problem.x[a] - problem.x[b]
    dy = problem.y[a] - problem.y[b]
    if metric == EUCLIDEAN:
        return sqrt(dx * dx + dy * dy)
    return _other_distance(problem, a, b, dx, dy) * problem.scale


@kernel
def _other_distance(problem: Problem, a: int, b: int, dx: float, dy: float) -> float:
    metric = problem.metric
    if metric == GREAT_CIRCLE:
        h = sin(0.5 * dx) ** 2 + problem.z[a] * problem.z[b] * sin(0.5 * dy) ** 2
        return 2.0 * EARTH_RADIUS_KM * asin(sqrt(min(1.0, max(0.0, h))))
    if metric == GEO:
        if dx == 0.0 and dy == 0.0:
            return 0.0
        q1, q2, q3 = cos(dy), cos(dx), cos(problem.x[a] + problem.x[b])
        cosine = min(1.0, max(-1.0, 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)))
        return floor(TSPLIB_RADIUS_KM * np.arccos(cosine) + 1.0)
    if metric == ATT:
        exact = sqrt((dx * dx + dy * dy) / 10.0)
        rounded = np.rint(exact)
        return rounded + 1.0 if rounded < exact else rounded
    straight = sqrt(dx * dx + dy * dy)
    return floor(straight + 0.5) if metric == EUC_2D else float(ceil(straight))
