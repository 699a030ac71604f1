"""Builds the kernels' view of an instance: fixed types, lookup tables, lengths in search units."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...problem.distance import Distance, geo_radians
from ...problem.instance import Instance
from ..settings import has_long_routes
from .distances import EUCLIDEAN, GEO, GREAT_CIRCLE, MATRIX, Problem
from .neighbours import nearest_customers
from .quadrants import with_quadrants

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MATRIX_LIMIT = {Distance.GREAT_CIRCLE: 5_000, Distance.GEO: 5_000}
"""Up to how many nodes distances are looked up, not computed (kinds with trigonometry; 8·n² bytes)."""
MATRIX_DEFAULT = 1_000
"""The same for kinds that cost one square root: with more nodes a cache miss costs more than that."""
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


def prepare(instance: Instance, unit: float, num_neighbours: int = NEIGHBOURS) -> Problem:
    """The kernels' view of an instance with lengths divided by `unit`."""
    nodes, depots, vehicles = instance.num_nodes, instance.num_depots, instance.num_vehicles
    formula = _ORDER.index(instance.kind)
    x, y, cos_latitude = _coordinates(instance, formula, unit)
    matrix = np.zeros((1, 1))
    if instance.matrix is not None or nodes <= MATRIX_LIMIT.get(instance.kind, MATRIX_DEFAULT):
        matrix, formula = np.ascontiguousarray(instance.distance_matrix() / unit), MATRIX
    caps = instance.vehicles_per_depot
    depot_limit = np.full(depots, vehicles) if caps is None else np.array(caps)
    unlimited_depots = depots > 1 and bool((depot_limit >= vehicles).all())
    neighbours = nearest_customers(instance, num_neighbours)
    partner, is_pickup = _pairs(instance)
    ways = _ways(instance, neighbours, partner)
    problem = Problem(
        num_depots=depots,
        num_nodes=nodes,
        num_vehicles=min(vehicles, instance.num_customers - len(instance.pairs)),
        formula=formula,
        x=x,
        y=y,
        cos_latitude=cos_latitude,
        scale=1.0 / unit,
        matrix=matrix,
        service=instance.node_service / unit,
        partner=partner,
        is_pickup=is_pickup,
        neighbours=neighbours,
        alone_length=ways.alone_length / unit,
        to_depot=ways.to_depot / unit,
        from_depot=ways.from_depot / unit,
        end_depot=ways.end_depot,
        near_depot=ways.near_depot,
        depot_limit=depot_limit.astype(np.int64),
        via_depot=_via_depot(instance) / unit if depots > 1 else np.zeros((1, 1)),
        unlimited_depots=unlimited_depots,
        return_any=instance.return_to == "any",
        has_pairs=len(instance.pairs) > 0,
        symmetric=formula != MATRIX or bool((matrix == matrix.T).all()),
    )
    if not has_long_routes(problem):
        return problem
    return problem._replace(neighbours=with_quadrants(instance, neighbours))


def _coordinates(instance: Instance, formula: int, unit: float) -> tuple[Floats, Floats, Floats]:
    """x, y in the form that the formula takes, and for great circles the cosine of the latitude."""
    given, cosine = instance.coordinates, np.zeros(instance.num_nodes)
    if formula == EUCLIDEAN:
        given = (given - given[0]) / unit  # squares of very small or large numbers stay exact
    elif formula == GEO:
        given = geo_radians(given)
    elif formula == GREAT_CIRCLE:
        given = np.radians(given)
        cosine = np.cos(given[:, 0])
    return given[:, 0].copy(), given[:, 1].copy(), cosine.copy()


def _pairs(instance: Instance) -> tuple[Ints, NDArray[np.bool_]]:
    """Partner of each customer, -1 for none, and whether it is a pickup."""
    partner, is_pickup = np.full(instance.num_nodes, -1), np.zeros(instance.num_nodes, dtype=bool)
    pickup, delivery = instance.pairs[:, 0], instance.pairs[:, 1]
    partner[pickup], partner[delivery] = delivery, pickup
    is_pickup[pickup] = True
    return partner, is_pickup


class _Ways(NamedTuple):
    """Between each node and the depots; see the fields of the same names in `Problem`."""

    alone_length: Floats
    to_depot: Floats
    from_depot: Floats
    end_depot: Ints
    near_depot: NDArray[np.bool_]


def _ways(instance: Instance, neighbours: Ints, partner: Ints) -> _Ways:
    """In units of the instance."""
    node = np.arange(instance.num_nodes)
    last = np.where(partner >= 0, partner, node)
    alone, end_depot = np.full(len(node), np.inf), np.zeros(len(node), dtype=np.int64)
    home, away = alone.copy(), alone.copy()
    for depot in range(instance.num_depots):
        out, back = instance.distance(depot, node), instance.distance(node, depot)
        end_depot[back < home] = depot
        home, away = np.minimum(home, back), np.minimum(away, out)
        alone = np.minimum(alone, out + instance.distance(node, last) + back[last])
    beyond = neighbours[:, min(REACH, neighbours.shape[1]) - 1]
    near = np.minimum(home, away) <= instance.distance(node, beyond)
    return _Ways(alone, home, away, end_depot, near)


def _via_depot(instance: Instance) -> NDArray[np.float64]:
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
