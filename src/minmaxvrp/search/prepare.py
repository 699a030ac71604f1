"""Builds the kernels' view of an instance: fixed types, lookup tables, lengths in search units."""

import numpy as np
from numpy.typing import NDArray

from ..problem.distance import Distance, geo_radians
from ..problem.instance import Instance
from .distances import (
    ALONE,
    AWAY_WAY,
    EUCLIDEAN,
    GEO,
    GREAT_CIRCLE,
    HOME,
    HOME_WAY,
    MATRIX,
    NEAR_DEPOT,
    PARTNER,
    PICKUP,
    SERVICE,
    Problem,
    X,
    Y,
    Z,
)
from .neighbours import nearest_customers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MATRIX_LIMIT = {Distance.GREAT_CIRCLE: 5_000, Distance.GEO: 5_000}
"""Up to how many nodes distances are looked up, not computed (dear kinds; 8·n² bytes)."""
MATRIX_DEFAULT = 1_000
"""The same for kinds that cost one square root: above, a cache miss costs more."""
NEIGHBOURS = 100
"""Length of the neighbour lists."""
REACH = 20
"""A depot counts as near when it is nearer than this many customers."""

_ORDER = (
    Distance.MATRIX,
    Distance.EUCLIDEAN,
    Distance.EUC_2D,
    Distance.CEIL_2D,
    Distance.ATT,
    Distance.GEO,
    Distance.GREAT_CIRCLE,
)


def prepare(instance: Instance, unit: float) -> Problem:
    """The kernels' view of an instance with lengths divided by `unit`."""
    nodes, depots, vehicles = instance.num_nodes, instance.num_depots, instance.num_vehicles
    metric = _ORDER.index(instance.kind)
    point = _points(instance, metric, unit)
    matrix = np.zeros((1, 1))
    if instance.matrix is not None or nodes <= MATRIX_LIMIT.get(instance.kind, MATRIX_DEFAULT):
        matrix, metric = np.ascontiguousarray(instance.distance_matrix() / unit), MATRIX
    caps = instance.vehicles_per_depot
    room = np.full(depots, vehicles) if caps is None else np.array(caps)
    free_depots = depots > 1 and bool((room >= vehicles).all())
    neighbours = nearest_customers(instance, NEIGHBOURS)
    info = _pairs(instance)
    _add_depots(instance, unit, neighbours, point, info)
    return Problem(
        num_depots=depots,
        num_nodes=nodes,
        num_vehicles=min(vehicles, instance.num_customers - len(instance.pairs)),
        metric=metric,
        point=point,
        scale=1.0 / unit,
        matrix=matrix,
        info=info,
        neighbours=neighbours,
        room=room.astype(np.int64),
        between=_between(instance) / unit if free_depots else np.zeros((1, 1)),
        free_depots=free_depots,
        return_any=instance.return_to == "any",
        has_pairs=len(instance.pairs) > 0,
        symmetric=metric != MATRIX or bool((matrix == matrix.T).all()),
    )


def _points(instance: Instance, metric: int, unit: float) -> Floats:
    """Coordinates in the form that the metric's formula takes, and service."""
    given = instance.coordinates
    point = np.zeros((7, instance.num_nodes))
    if metric == EUCLIDEAN:
        given = (given - given[0]) / unit  # squares of very small or large numbers stay exact
    elif metric == GEO:
        given = geo_radians(given)
    elif metric == GREAT_CIRCLE:
        given = np.radians(given)
        point[Z, :] = np.cos(given[:, 0])
    point[X, :], point[Y, :] = given[:, 0], given[:, 1]
    point[SERVICE, :] = instance.node_service / unit
    return point


def _pairs(instance: Instance) -> Ints:
    info = np.zeros((4, instance.num_nodes), dtype=np.int64)
    info[PARTNER, :] = -1
    pickup, delivery = instance.pairs[:, 0], instance.pairs[:, 1]
    info[PARTNER, pickup], info[PARTNER, delivery] = delivery, pickup
    info[PICKUP, pickup] = 1
    return info


def _add_depots(instance: Instance, unit: float, neighbours: Ints, point: Floats, info: Ints) -> None:
    """For each node: a route for it alone, the depot to end at, ways to and from one, whether one is near."""
    node = np.arange(instance.num_nodes)
    last = np.where(info[PARTNER, :] >= 0, info[PARTNER, :], node)
    alone = np.full(len(node), np.inf)
    home, away = alone.copy(), alone.copy()
    for depot in range(instance.num_depots):
        out, back = instance.distance(depot, node), instance.distance(node, depot)
        info[HOME, back < home] = depot
        home, away = np.minimum(home, back), np.minimum(away, out)
        alone = np.minimum(alone, out + instance.distance(node, last) + back[last])
    beyond = neighbours[:, min(REACH, neighbours.shape[1]) - 1]
    info[NEAR_DEPOT, :] = np.minimum(home, away) <= instance.distance(node, beyond)
    point[ALONE, :] = alone / unit
    point[HOME_WAY, :], point[AWAY_WAY, :] = home / unit, away / unit


def _between(instance: Instance) -> NDArray[np.float64]:
    """[n, n] the shortest way from one node to a depot and on to another: what closes a route."""
    if instance.return_to == "any" or instance.num_nodes > MATRIX_DEFAULT:
        return np.zeros((1, 1))
    depots, nodes = np.arange(instance.num_depots), np.arange(instance.num_nodes)
    back = instance.distance(nodes[:, None], depots[None, :])
    out = instance.distance(depots[:, None], nodes[None, :])
    best = np.full((len(nodes), len(nodes)), np.inf)
    for depot in depots:
        np.minimum(best, back[:, depot, None] + out[None, depot], out=best)
    return best
