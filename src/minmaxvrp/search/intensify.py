"""Local search on the longest route: shorten it alone, or together with a route beside it.

The engine calls `shorten_longest` on new best solutions. Each round makes the best move found, among
those that bring two near neighbours together; it ends when no move lowers the longest route.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import kernel
from .layout import SIZE, STAMP, VEHICLE, Routes
from .metric import Problem
from .moves import cross_exchange, or_opt, two_opt, two_opt_star
from .moves.walk import COUNT, OWNER, Walk, empty_walk, keeps_pairs, length, read_walk, write_walk

BESIDE = 8
"""Nearest neighbours of each customer that moves look at."""
STRETCH = 3
"""Longest stretch that Or-opt and CROSS exchange move."""
MARGIN = 1e-7
"""A move must gain more than this, in mean legs."""
ROUNDS = 100

# kinds of move in a choice
NONE, TWO_OPT, OR_OPT, CROSS, TAILS = range(5)


class Desk(NamedTuple):
    """Scratch of the local search: routes before and after a move, places of nodes, the choice."""

    a: Walk
    b: Walk
    new_a: Walk
    new_b: Walk
    place: NDArray[np.int64]
    """[n] position on walk `a` or `b` of the nodes on them."""
    check: NDArray[np.int64]
    choice: NDArray[np.int64]
    """[6] kind of the best move so far and its positions."""
    price: NDArray[np.float64]
    """[1] the longer of the two routes after it."""


def empty_desk(num_nodes: int) -> Desk:
    """A desk for routes through at most all nodes."""
    a, b, new_a, new_b = (empty_walk(num_nodes) for _ in range(4))
    place, check = np.zeros(num_nodes, dtype=np.int64), np.zeros(num_nodes, dtype=np.int64)
    return Desk(a, b, new_a, new_b, place, check, np.zeros(6, dtype=np.int64), np.zeros(1))


@kernel
def shorten_longest(problem: Problem, routes: Routes, desk: Desk) -> None:
    """Make moves until none lowers the longest route."""
    for _ in range(ROUNDS):
        vehicle = routes.top[1]
        if routes.fleet[SIZE, vehicle] == 0:
            break
        read_walk(problem, routes, vehicle, desk.a)
        _note_places(desk, desk.a)
        if _best_within(problem, routes, desk):
            continue
        # between routes these moves would split pairs: ruin and recreate moves pairs as a whole
        if problem.has_pairs or not _best_between(problem, routes, desk):
            break


@kernel
def _note_places(desk: Desk, walk: Walk) -> None:
    for position in range(1, walk.num[COUNT] + 1):
        desk.place[walk.node[position]] = position


@kernel
def _offer(desk: Desk, price: float, kind: int, i: int, j: int, k: int, more: int) -> None:
    """Keep a move if it is the best so far."""
    if price < desk.price[0]:
        desk.price[0] = price
        choice = desk.choice
        choice[0], choice[1], choice[2], choice[3], choice[4] = kind, i, j, k, more


@kernel
def _best_within(problem: Problem, routes: Routes, desk: Desk) -> bool:
    """Make the best 2-opt or Or-opt move on the longest route; whether one helps."""
    a, node, count = desk.a, desk.a.node, desk.a.num[COUNT]
    vehicle = a.num[OWNER]
    desk.choice[0], desk.price[0] = NONE, length(a) - MARGIN
    for p in range(count + 2):
        for other in problem.neighbours[node[p], :BESIDE]:
            if routes.link[VEHICLE, other] != vehicle:
                continue
            q = desk.place[other]
            low, high = min(p, q), max(p, q)
            if low >= 1 and low < high - 1:
                _offer(desk, two_opt.evaluate(problem, a, low, high - 1), TWO_OPT, low, high - 1, 0, 0)
            if high <= count and low + 1 < high:
                _offer(desk, two_opt.evaluate(problem, a, low + 1, high), TWO_OPT, low + 1, high, 0, 0)
            if p < 1 or p > count:
                continue
            for size in range(min(STRETCH, count - p + 1)):
                for k in range(q - 1, q + 1):
                    if k < p - 1 or k > p + size:
                        straight = or_opt.evaluate(problem, a, p, p + size, k, False)
                        _offer(desk, straight, OR_OPT, p, p + size, k, 0)
                        flipped = or_opt.evaluate(problem, a, p, p + size, k, True)
                        _offer(desk, flipped, OR_OPT, p, p + size, k, 1)
    return _make_within(problem, routes, desk)


@kernel
def _make_within(problem: Problem, routes: Routes, desk: Desk) -> bool:
    kind, i, j, k, flip = desk.choice[0], desk.choice[1], desk.choice[2], desk.choice[3], desk.choice[4]
    if kind == NONE:
        return False
    if kind == TWO_OPT:
        two_opt.apply(problem, desk.a, desk.new_a, i, j)
    else:
        or_opt.apply(problem, desk.a, desk.new_a, i, j, k, flip == 1)
    if not keeps_pairs(problem, desk.new_a, desk.check):
        return False
    write_walk(problem, routes, desk.new_a)
    return True


@kernel
def _best_between(problem: Problem, routes: Routes, desk: Desk) -> bool:
    """Make the best exchange of the longest route with one beside it; whether one helps."""
    a = desk.a
    for p in range(1, a.num[COUNT] + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            vehicle = routes.link[VEHICLE, other]
            if vehicle == a.num[OWNER] or routes.fleet[STAMP, vehicle] == -2:
                continue
            routes.fleet[STAMP, vehicle] = -2  # each route once; the next step's clock overwrites it
            read_walk(problem, routes, vehicle, desk.b)
            _note_places(desk, desk.b)
            desk.choice[0], desk.price[0] = NONE, length(a) - MARGIN
            _look_between(problem, routes, desk)
            if _make_between(problem, routes, desk):
                _forget(problem, routes, a, desk.b)
                return True
    _forget(problem, routes, a, desk.b)
    return False


@kernel
def _forget(problem: Problem, routes: Routes, a: Walk, b: Walk) -> None:
    """Take the marks of visited routes away."""
    routes.fleet[STAMP, b.num[OWNER]] = -1
    for p in range(1, a.num[COUNT] + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            routes.fleet[STAMP, routes.link[VEHICLE, other]] = -1


@kernel
def _look_between(problem: Problem, routes: Routes, desk: Desk) -> None:
    """Offer the exchanges of walks a and b that bring two neighbours together."""
    a, b = desk.a, desk.b
    for p in range(1, a.num[COUNT] + 1):
        for other in problem.neighbours[a.node[p], :BESIDE]:
            if routes.link[VEHICLE, other] != b.num[OWNER]:
                continue
            q = desk.place[other]
            for size in range(1, min(STRETCH, a.num[COUNT] - p + 1) + 1):
                for k in range(q, q + 2):
                    for back in range(min(STRETCH, b.num[COUNT] - k + 1) + 1):
                        la, lb = cross_exchange.evaluate(problem, a, b, p, p + size, k, back)
                        _offer(desk, max(la, lb), CROSS, p, p + size, k, back)
            la, lb = two_opt_star.evaluate(problem, a, b, p, q - 1)
            _offer(desk, max(la, lb), TAILS, p, q - 1, 0, 0)
            la, lb = two_opt_star.evaluate(problem, a, b, p - 1, q)
            _offer(desk, max(la, lb), TAILS, p - 1, q, 0, 0)


@kernel
def _make_between(problem: Problem, routes: Routes, desk: Desk) -> bool:
    kind, i, j, k, size = desk.choice[0], desk.choice[1], desk.choice[2], desk.choice[3], desk.choice[4]
    if kind == NONE:
        return False
    if kind == CROSS:
        cross_exchange.apply(problem, desk.a, desk.b, desk.new_a, desk.new_b, i, j, k, size)
    else:
        two_opt_star.apply(problem, desk.a, desk.b, desk.new_a, desk.new_b, i, j)
    if not keeps_pairs(problem, desk.new_a, desk.check) or not keeps_pairs(problem, desk.new_b, desk.check):
        return False
    write_walk(problem, routes, desk.new_a)
    write_walk(problem, routes, desk.new_b)
    return True
