"""Every route of a plan shortened by itself: 3-opt and kicks on a round trip from the depot.

Annealing moves customers between routes, and on long routes leaves the order within them some percent longer
than need be. `makespan` calls this between two cooling cycles. Each route stays at its start depot, and ends
there; `depot_polish` chooses them anew. For symmetric distances.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import entry, kernel
from ..problem.solution import Route, Solution
from .distances import Problem, distance
from .giant_tour import LEAST, giant_tour, kick, shorten

Ints = NDArray[np.int64]

NEAR = 10
"""Near customers of its route that a customer may be joined to; the depot comes on top."""
SPAN = 30
"""Longest stretch that a kick moves."""


def shorten_routes(problem: Problem, plan: Solution, kicks: float, rng: NDArray[np.uint64]) -> Solution:
    """The plan with each route at most as long as before: local search, then `kicks` for each customer."""
    route_of = np.full(problem.num_nodes, -1, dtype=np.int64)
    for number, route in enumerate(plan.routes):
        route_of[list(route.customers)] = number
    near = np.zeros((problem.num_nodes, NEAR + 1), dtype=np.int64)
    found = []
    for route in plan.routes:
        if len(route) < LEAST:
            found.append(route)
            continue
        order = np.array([route.start, *route.customers], dtype=np.int64)
        list_on_route(problem, order, route_of, near)
        tour = giant_tour(order, near, rng, SPAN)
        shorten(problem, tour)
        kick(problem, tour, int(kicks * len(order)))
        found.append(Route.of(np.roll(tour.order, -int(tour.place[route.start]))[1:].tolist(), route.start))
    return Solution(tuple(found))


@entry
def list_on_route(problem: Problem, order: Ints, route_of: Ints, near: Ints) -> None:
    """Fill the neighbour lists of the nodes of a route, `order` from the depot on: near customers of the same
    route and the depot, nearest first."""
    number, most = route_of[order[1]], near.shape[1]
    for node in order:
        count = 0
        for other in problem.neighbours[node]:
            if route_of[other] == number and count < most - 1:
                _insert(problem, near, node, count, other)
                count += 1
        if node != order[0]:
            _insert(problem, near, node, count, order[0])
            count += 1
        elif count == 0:  # no near customer is on this route
            near[node, 0] = order[1]
            count = 1
        for k in range(count, most):  # the same one again changes nothing
            near[node, k] = near[node, count - 1]


@kernel
def _insert(problem: Problem, near: Ints, node: int, count: int, other: int) -> None:
    """Put a node into a list of `count` nodes, nearest first."""
    away, at = distance(problem, node, other), count
    while at > 0 and distance(problem, node, near[node, at - 1]) > away:
        near[node, at] = near[node, at - 1]
        at -= 1
    near[node, at] = other
