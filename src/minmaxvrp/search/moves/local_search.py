"""Local search on the longest route: shorten it alone, or together with a route beside it.

`anneal` calls `shorten_longest` on each new incumbent. Each round makes the best of the moves that join two
near neighbours; it ends when no move shortens the longest route.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from ..arrays.distances import Problem
from ..arrays.routes import Routes
from . import cross_exchange, or_opt, two_opt, two_opt_star
from .tour import Tour, empty_tour, keeps_pairs, length, read_tour, write_tour

BESIDE = 8
"""Nearest neighbours of each customer that moves look at."""
STRETCH = 3
"""Longest stretch that Or-opt and CROSS exchange move."""
MARGIN = 1e-7
"""A move must gain more than this, in mean legs."""
ROUNDS = 100
"""Most moves on one incumbent."""
VISITS = 20_000
"""Customers looked at in all rounds together, about: on long routes the annealing finds the next moves."""

# kinds of move in a choice
NONE, TWO_OPT, OR_OPT, CROSS, TWO_OPT_STAR = range(5)

# in `Routes.touched_step`, where steps are counted from 1
VISITED, NOT_VISITED = -2, -1


class Workspace(NamedTuple):
    """Scratch of the local search: routes before and after a move, places of nodes, the choice."""

    a: Tour
    b: Tour
    new_a: Tour
    new_b: Tour
    place: NDArray[np.int64]
    """[n] position on tour `a` or `b` of the nodes on them."""
    check: NDArray[np.int64]
    """[n] what `keeps_pairs` notes."""
    choice: NDArray[np.int64]
    """[6] kind of the best move so far and its positions."""
    price: NDArray[np.float64]
    """[1] the longer of the two routes after it."""


def empty_workspace(num_nodes: int) -> Workspace:
    """A workspace for routes through at most all nodes."""
    a, b, new_a, new_b = (empty_tour(num_nodes) for _ in range(4))
    place, check = np.zeros(num_nodes, dtype=np.int64), np.zeros(num_nodes, dtype=np.int64)
    return Workspace(a, b, new_a, new_b, place, check, np.zeros(6, dtype=np.int64), np.zeros(1))


@kernel
def shorten_longest(problem: Problem, routes: Routes, workspace: Workspace) -> None:
    """Make moves until none lowers the longest route, or until enough customers were looked at."""
    visits = 0
    for _ in range(ROUNDS):
        vehicle = routes.tournament[1]
        if routes.size[vehicle] == 0 or visits > VISITS:
            break
        visits += routes.size[vehicle]
        read_tour(problem, routes, vehicle, workspace.a)
        _note_positions(workspace, workspace.a)
        if _best_within(problem, routes, workspace):
            continue
        # between routes these moves would split pairs: ruin and recreate moves pairs as a whole
        if problem.has_pairs or not _best_between(problem, routes, workspace):
            break


@kernel
def _note_positions(workspace: Workspace, tour: Tour) -> None:
    for position in range(1, tour.info.count + 1):
        workspace.place[tour.node[position]] = position


@kernel
def _offer(workspace: Workspace, price: float, kind: int, i: int, j: int, k: int, more: int) -> None:
    """Keep a move if it is the best so far."""
    if price < workspace.price[0]:
        workspace.price[0] = price
        choice = workspace.choice
        choice[0], choice[1], choice[2], choice[3], choice[4] = kind, i, j, k, more


@kernel
def _best_within(problem: Problem, routes: Routes, workspace: Workspace) -> bool:
    """Make the best 2-opt or Or-opt move on the longest route; whether one helps."""
    a, node, count = workspace.a, workspace.a.node, workspace.a.info.count
    vehicle = a.info.vehicle
    workspace.choice[0], workspace.price[0] = NONE, length(a) - MARGIN
    for p in range(count + 2):
        for other in problem.neighbours[node[p], :BESIDE]:
            if routes.vehicle[other] != vehicle:
                continue
            q = workspace.place[other]
            low, high = min(p, q), max(p, q)
            if low >= 1 and low < high - 1:
                _offer(workspace, two_opt.evaluate(problem, a, low, high - 1), TWO_OPT, low, high - 1, 0, 0)
            if high <= count and low + 1 < high:
                _offer(workspace, two_opt.evaluate(problem, a, low + 1, high), TWO_OPT, low + 1, high, 0, 0)
            if p < 1 or p > count:
                continue
            for size in range(min(STRETCH, count - p + 1)):
                for k in range(q - 1, q + 1):
                    if k < p - 1 or k > p + size:
                        straight = or_opt.evaluate(problem, a, p, p + size, k, False)
                        _offer(workspace, straight, OR_OPT, p, p + size, k, 0)
                        flipped = or_opt.evaluate(problem, a, p, p + size, k, True)
                        _offer(workspace, flipped, OR_OPT, p, p + size, k, 1)
    return _make_within(problem, routes, workspace)


@kernel
def _make_within(problem: Problem, routes: Routes, workspace: Workspace) -> bool:
    kind, i, j, k, flip = (
        workspace.choice[0],
        workspace.choice[1],
        workspace.choice[2],
        workspace.choice[3],
        workspace.choice[4],
    )
    if kind == NONE:
        return False
    if kind == TWO_OPT:
        two_opt.apply(problem, workspace.a, workspace.new_a, i, j)
    else:
        or_opt.apply(problem, workspace.a, workspace.new_a, i, j, k, flip == 1)
    if not keeps_pairs(problem, workspace.new_a, workspace.check):
        return False
    write_tour(problem, routes, workspace.new_a)
    return True


@kernel
def _best_between(problem: Problem, routes: Routes, workspace: Workspace) -> bool:
    """Make the best exchange of the longest route with one beside it; whether one helps."""
    a = workspace.a
    for p in range(1, a.info.count + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            vehicle = routes.vehicle[other]
            if vehicle == a.info.vehicle or routes.touched_step[vehicle] == VISITED:
                continue
            routes.touched_step[vehicle] = VISITED  # each route once
            read_tour(problem, routes, vehicle, workspace.b)
            _note_positions(workspace, workspace.b)
            workspace.choice[0], workspace.price[0] = NONE, length(a) - MARGIN
            _offer_between(problem, routes, workspace)
            if _make_between(problem, routes, workspace):
                _clear_marks(problem, routes, a, workspace.b)
                return True
    _clear_marks(problem, routes, a, workspace.b)
    return False


@kernel
def _clear_marks(problem: Problem, routes: Routes, a: Tour, b: Tour) -> None:
    """Take the marks of visited routes away."""
    routes.touched_step[b.info.vehicle] = NOT_VISITED
    for p in range(1, a.info.count + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            routes.touched_step[routes.vehicle[other]] = NOT_VISITED


@kernel
def _offer_between(problem: Problem, routes: Routes, workspace: Workspace) -> None:
    """Offer the exchanges of tours a and b that bring two neighbours together."""
    a, b = workspace.a, workspace.b
    for p in range(1, a.info.count + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            if routes.vehicle[other] != b.info.vehicle:
                continue
            q = workspace.place[other]
            for size in range(1, min(STRETCH, a.info.count - p + 1) + 1):
                for k in range(q, q + 2):
                    for back in range(min(STRETCH, b.info.count - k + 1) + 1):
                        la, lb = cross_exchange.evaluate(problem, a, b, p, p + size, k, back)
                        _offer(workspace, max(la, lb), CROSS, p, p + size, k, back)
            la, lb = two_opt_star.evaluate(problem, a, b, p, q - 1)
            _offer(workspace, max(la, lb), TWO_OPT_STAR, p, q - 1, 0, 0)
            la, lb = two_opt_star.evaluate(problem, a, b, p - 1, q)
            _offer(workspace, max(la, lb), TWO_OPT_STAR, p - 1, q, 0, 0)


@kernel
def _make_between(problem: Problem, routes: Routes, workspace: Workspace) -> bool:
    kind, i, j, k, size = (
        workspace.choice[0],
        workspace.choice[1],
        workspace.choice[2],
        workspace.choice[3],
        workspace.choice[4],
    )
    if kind == NONE:
        return False
    if kind == CROSS:
        cross_exchange.apply(
            problem, workspace.a, workspace.b, workspace.new_a, workspace.new_b, i, j, k, size
        )
    else:
        two_opt_star.apply(problem, workspace.a, workspace.b, workspace.new_a, workspace.new_b, i, j)
    if not keeps_pairs(problem, workspace.new_a, workspace.check) or not keeps_pairs(
        problem, workspace.new_b, workspace.check
    ):
        return False
    write_tour(problem, routes, workspace.new_a)
    write_tour(problem, routes, workspace.new_b)
    return True
