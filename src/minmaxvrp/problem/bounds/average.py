"""How short all routes together can be: the longest route is at least their average.

`average_route` is one of the bounds of this package. Up to `TREE_NODES` customers it comes from
spanning trees with penalties (Held and Karp 1970, for several routes as in Fisher 1994), above
from every customer's two nearest neighbours (`two_nearest.py`).
"""

import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats
from ..instance import Instance
from .two_nearest import two_nearest

TREE_NODES = 2500
"""Above this many customers N² distances take too long."""
BLOCK = 64
"""Rows of distances that are computed at once."""
LEG_SECONDS = 5e-8
"""Per distance: the matrix and the first tree."""


def average_route(
    instance: Instance, effort: float = 1.0, known: float = 0.0, seconds: float = math.inf
) -> float:
    """A lower bound on the makespan: the least average length of the routes, service included.

    If m routes are not empty (1 ≤ m ≤ M, and m ≤ N), the longest is at least their total length
    divided by m. The bound is the minimum over m of a lower bound on total / m, where the total is travel
    (see `tree_totals`, `nearest_totals`) plus the service of all customers. Pairs and vehicles per depot
    are ignored, which only allows more solutions. All depots are merged into one at the distance of the
    nearest, and a leg counts as the shorter of its two directions: no leg gets longer, so no solution
    does. If the ascent is unlikely to exceed a `known` bound it stops early, with a smaller value; so it
    does after about `seconds`.
    """
    began = time.perf_counter()
    depot = _depot_legs(instance)
    routes = np.arange(1, min(instance.num_vehicles, instance.num_customers) + 1)
    service = float(instance.node_service.sum())
    goal: Floats = (known * routes - service).astype(np.float64)
    if instance.num_customers <= TREE_NODES and LEG_SECONDS * instance.num_customers**2 < seconds:
        first = instance.num_depots
        distances = np.empty((instance.num_customers + 1,) * 2)
        nodes = np.arange(first, instance.num_nodes)
        for begin in range(0, len(nodes), BLOCK):  # whole, the temporary arrays would not fit into the cache
            rows = nodes[begin : begin + BLOCK, None]
            distances[1 + begin : 1 + begin + len(rows), 1:] = instance.distance(rows, nodes[None, :])
        if not instance.is_symmetric:
            distances[1:, 1:] = np.minimum(distances[1:, 1:], distances[1:, 1:].T)
        distances[0, 0] = 0.0
        distances[0, 1:] = distances[1:, 0] = depot
        left = seconds - (time.perf_counter() - began)
        totals = tree_totals(distances, len(routes), effort, goal, seconds=left)
    else:
        totals = nearest_totals(instance, depot)
    return float(((totals + service) / routes).min())


def tree_totals(
    distances: Floats,
    most: int,
    effort: float,
    goal: Floats,
    ends: Sequence[tuple[Floats, int]] | None = None,
    seconds: float = math.inf,
) -> Floats:
    """[most] lower bounds on the length of m = 1, 2, … routes; node 0 of `distances` is the depot.

    Routes that end elsewhere than they start have `ends`: for each kind of end every customer's way there
    [N] (0 for open routes), and how many routes may end so. Then the leg removed from each route is its last
    one, and the cheapest such legs are counted for each kind by itself.

    In m routes every customer has degree 2. Remove from each route one of its two legs at the depot: what
    remains is a spanning tree with degree m at the depot, and the m removed legs lead to m different
    customers. Give every customer j a penalty p(j) and the depot a penalty q. A tree leg costs its length
    plus the penalties of its ends, a removed leg its length plus the penalty of its customer: in all
    Σ 2p(j) + m·q more than the length. So for any penalties the length is at least (minimum spanning tree)
    + (m cheapest legs at the depot) − Σ 2p(j) − m·q. Subgradient ascent raises the penalty of a customer
    whose degree is above 2 and lowers it below 2; the best bound for each m is kept. The ascent stops early
    when a bound is below a share of its `goal` [most] that grows from 0.75 to 0.92 with the steps: on
    uniform instances none from there has reached it. As many steps are made as the `seconds` allow.
    """
    began = time.perf_counter()
    nodes = len(distances)
    penalty = np.zeros(nodes)
    best = np.zeros(most)
    last: Floats | None = None
    scale = 0.0
    steps = int(effort * np.clip(40_000 // nodes, 20, 100))
    kinds = ((distances[0, 1:], most),) if ends is None else ends
    for step in range(steps + 1):
        tree, legs = _spanning_tree(distances, penalty)
        chosen, dropped = _cheapest_ends(kinds, penalty[1:], most)
        cheapest = np.cumsum(dropped)
        totals = tree + cheapest - 2.0 * penalty[1:].sum() - penalty[0] * np.arange(1, most + 1)
        np.maximum(best, totals, out=best)
        if (best < (0.92 - 0.17 / (step + 1)) * goal).any():
            break
        if seconds < math.inf:
            spent = time.perf_counter() - began
            steps = min(steps, int(seconds / spent * (step + 1)) - 1)
            if step >= steps:
                break
        np.add.at(legs, 1 + chosen, 1.0)
        surplus = legs - 2.0
        surplus[0] = np.clip(legs[0] - most, -3.0, 3.0)
        if not surplus.any():
            break
        if step == 0:
            scale = 0.35 * max(float(totals[-1]), 0.0) / nodes
        smooth = surplus if last is None else 0.7 * surplus + 0.3 * last
        last = surplus
        penalty += scale * (1.0 - step / (steps + 1)) ** 2 * smooth
    return best


def _cheapest_ends(
    kinds: Sequence[tuple[Floats, int]], penalty: Floats, most: int
) -> tuple[NDArray[np.int64], Floats]:
    """[most] customers and costs of the cheapest last legs, in rising order: of each kind so many at most."""
    chosen, costs = [], []
    for back, count in kinds:
        cost = back + penalty
        number = min(count, len(cost))
        some = np.argpartition(cost, number - 1)[:number]
        chosen.append(some)
        costs.append(cost[some])
    cost = np.concatenate(costs)
    order = np.argsort(cost, kind="stable")[:most]
    return np.concatenate(chosen)[order], cost[order]


def nearest_totals(instance: Instance, depot: Floats) -> Floats:
    """[min(M, N)] lower bounds on the length of m = 1, 2, … routes, in time about linear in N.

    Count half of every leg at each of its two ends. The two legs at a customer are at least as long as those
    to its two nearest neighbours; the depot may be both of them (a route of one customer). The 2m legs at
    the depot lead to each customer at most twice, so their halves sum to at least the m shortest.
    """
    most = min(instance.num_vehicles, instance.num_customers)
    choices = np.concatenate([two_nearest(instance), depot[:, None], depot[:, None]], axis=1)  # [N, 4]
    halves = np.partition(choices, 1, axis=1)[:, :2].sum() / 2.0
    shortest = np.sort(np.partition(depot, most - 1)[:most])
    return np.asarray(halves + np.cumsum(shortest))


def _depot_legs(instance: Instance) -> Floats:
    """[N] the shortest leg between each customer and any depot."""
    customers = np.arange(instance.num_depots, instance.num_nodes)
    nearest = np.full(len(customers), np.inf)
    for depot in range(instance.num_depots):
        np.minimum(nearest, instance.distance(depot, customers), out=nearest)
        if not instance.is_symmetric:
            np.minimum(nearest, instance.distance(customers, depot), out=nearest)
    return nearest


def _spanning_tree(distances: Floats, penalty: Floats) -> tuple[float, Floats]:
    """Cost of the minimum spanning tree with node penalties, and the degree of each node (Prim 1957)."""
    nodes = len(distances)
    cost = np.full(nodes, np.inf)
    parent: NDArray[np.int64] = np.zeros(nodes, dtype=np.int64)
    entering = penalty.copy()  # penalty of a node to be added; infinite once it is in the tree
    through, better = np.empty(nodes), np.empty(nodes, dtype=bool)
    legs = np.zeros(nodes)
    total, node = 0.0, 0
    entering[0] = np.inf
    for _ in range(nodes - 1):
        np.add(distances[node], entering, out=through)
        through += penalty[node]
        np.less(through, cost, out=better)
        np.copyto(cost, through, where=better)
        np.copyto(parent, node, where=better)
        node = int(cost.argmin())
        total += float(cost[node])
        cost[node] = entering[node] = np.inf
        legs[node] += 1.0
        legs[parent[node]] += 1.0
    return total, legs
