"""Every route of a plan shortened by itself: 3-opt and kicks on a round trip from the depot.

Annealing moves customers between routes, and on long routes leaves the order within them some percent longer
than need be. `makespan` calls this between two cooling cycles. Each route stays at its start depot, and ends
there; `depot_polish` chooses them anew. For symmetric distances.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import entry, kernel
from ...problem.solution import Route, Solution
from ..arrays.distances import Problem, distance
from ..arrays.routes import INFINITE
from .giant_tour import LEAST, giant_tour, kick, shorten

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NEAREST, EACH = 6, 2
"""Near nodes of its route that a node may be joined to: in any direction, and in each quadrant."""
NEAR = NEAREST + 4 * EACH
"""Both together; the depot comes on top."""
SCANNED = 2_000
"""Nodes looked at in each direction along the x axis: all, up to this many on a tour."""


def shorten_routes(problem: Problem, plan: Solution, kicks: float, rng: NDArray[np.uint64]) -> Solution:
    """The plan with each route at most as long as before: local search, then `kicks` for each customer."""
    near = empty_lists(problem)
    found = []
    for route in plan.routes:
        if len(route) < LEAST:
            found.append(route)
            continue
        order = np.array([route.start, *route.customers], dtype=np.int64)
        list_near(problem, order, near)
        tour = giant_tour(order, near, rng, span=0)
        shorten(problem, tour)
        kick(problem, tour, int(kicks * len(order)))
        found.append(Route.of(np.roll(tour.order, -int(tour.place[route.start]))[1:].tolist(), route.start))
    return Solution(tuple(found))


def empty_lists(problem: Problem) -> Ints:
    """[D+N, NEAR + 1] room for the lists of all nodes."""
    return np.zeros((problem.num_nodes, NEAR + 1), dtype=np.int64)


def list_near(problem: Problem, order: Ints, near: Ints) -> None:
    """Fill the lists of the nodes of a tour: the nearest ones of the tour, the nearest in each quadrant, and
    the node that the tour begins with; nearest first."""
    strip = order[np.argsort(problem.x[order], kind="stable")]
    fill_lists(problem, strip, int(order[0]), np.zeros(NEAR), near)


@entry
def fill_lists(problem: Problem, strip: Ints, first: int, away: Floats, near: Ints) -> None:
    """The same for nodes sorted by x; `away` [NEAR] is for its own use."""
    for place in range(len(strip)):
        node = strip[place]
        _find_near(problem, strip, place, away, near)
        count = 0
        for k in range(NEAR):
            if away[k] < INFINITE and not _has(near, node, count, near[node, k]):
                _insert(problem, near, node, count, near[node, k])
                count += 1
        if node != first and not _has(near, node, count, first):
            _insert(problem, near, node, count, first)
            count += 1
        for k in range(count, near.shape[1]):  # the same one again changes nothing
            near[node, k] = near[node, count - 1]


@kernel
def _find_near(problem: Problem, strip: Ints, place: int, away: Floats, near: Ints) -> None:
    """Write the nearest nodes to the list of a node, behind them those of each quadrant, and their distances;
    INFINITE where there is none."""
    node = strip[place]
    for k in range(NEAR):
        away[k] = INFINITE
    for at in range(max(0, place - SCANNED), min(len(strip), place + SCANNED + 1)):
        if at == place:
            continue
        other = strip[at]
        leg = distance(problem, node, other)
        _enter(away, near, node, 0, NEAREST, leg, other)
        if leg > 0.0:
            right, above = problem.x[other] > problem.x[node], problem.y[other] > problem.y[node]
            quadrant = (2 if right else 0) + (1 if above else 0)
            _enter(away, near, node, NEAREST + EACH * quadrant, EACH, leg, other)


@kernel
def _enter(away: Floats, near: Ints, node: int, first: int, size: int, leg: float, other: int) -> None:
    """Put a node among the `size` nearest ones from place `first` on, if it is one of them."""
    at = first + size - 1
    if leg >= away[at]:
        return
    while at > first and away[at - 1] > leg:
        away[at], near[node, at] = away[at - 1], near[node, at - 1]
        at -= 1
    away[at], near[node, at] = leg, other


@kernel
def _has(near: Ints, node: int, count: int, other: int) -> bool:
    """Whether a node is among the first `count` of a list."""
    k = 0
    while k < count and near[node, k] != other:
        k += 1
    return k < count


@kernel
def _insert(problem: Problem, near: Ints, node: int, count: int, other: int) -> None:
    """Put a node into a list of `count` nodes, nearest first."""
    away, at = distance(problem, node, other), count
    while at > 0 and distance(problem, node, near[node, at - 1]) > away:
        near[node, at] = near[node, at - 1]
        at -= 1
    near[node, at] = other
