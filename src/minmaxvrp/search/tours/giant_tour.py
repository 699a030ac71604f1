"""One short tour through all customers: 3-opt on neighbour lists, then kicks that are kept where they help.

`split` cuts the tour into routes, and the search may begin there; `route_polish` shortens single routes by
it. Neighbour lists and a stack of customers to look at (don't-look bits, Bentley 1992) make a local search
after a kick cost about the same whatever the number of customers. For symmetric distances.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import entry, kernel
from ..arrays.distances import Problem, distance
from ..arrays.random_numbers import random_index
from ..arrays.routes import record
from .three_opt import improve_next
from .tour_array import LOGGED, GiantTour, GiantTourInfo, Ints, drop, move_stretch, undo_flips

LEAST = 8
"""Customers below which there is nothing to improve here."""
SPAN = 50
"""Longest stretch that a kick moves, unless said otherwise; 0: what ends near in the plane."""
STEPS, BESIDE = 7, 8
"""Longest random walk from one end of such a stretch to another, and neighbours that a step leads to."""


def giant_tour(order: Ints, near: Ints, rng: NDArray[np.uint64], span: int = SPAN) -> GiantTour:
    """A tour through customers in a given order; all of them are still to be looked at."""
    size, nodes = len(order), len(near)
    place, waits = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    place[order], waits[order] = np.arange(size), 1
    log, info = np.zeros((LOGGED, 4), dtype=np.int64), record(GiantTourInfo)
    info.waiting, info.span = size, span
    return GiantTour(order.copy(), place, near, order[::-1].copy(), waits, log, info, rng)


@entry
def shorten(problem: Problem, tour: GiantTour) -> None:
    """Make 3-opt moves until none makes the tour shorter."""
    if len(tour.order) < LEAST:
        return
    while tour.info.waiting > 0:
        tour.info.flips = 0  # nothing is to be undone
        improve_next(problem, tour)


@entry
def kick(problem: Problem, tour: GiantTour, times: int) -> float:
    """Exchange stretches at random (double bridge), shorten, undo what did not help; repeat.

    Returns by how much the tour is shorter in the end.
    """
    gained = 0.0
    if len(tour.order) < LEAST:
        return gained
    for _ in range(times):
        tour.info.flips = 0
        gain = _double_bridge(problem, tour)
        while tour.info.waiting > 0:
            if tour.info.flips + 3 > LOGGED:
                drop(tour)
                break
            gain += improve_next(problem, tour)
        if gain < 0.0:
            undo_flips(tour)
        else:
            gained += gain
    return gained


@kernel
def _double_bridge(problem: Problem, tour: GiantTour) -> float:
    """Put three adjacent stretches in reverse order, each in its own direction (Martin, Otto and Felten
    1991); what that gains, 0 if nothing is done. No 3-opt move undoes it."""
    if tour.info.span == 0:
        at, one, two, three = _places_nearby(tour)
    else:
        at, one, two, three = _places_along(tour)
    if three == 0:
        return 0.0
    order, n = tour.order, len(tour.order)
    before, first = order[at], order[(at + 1) % n]
    first_end, second = order[(at + one) % n], order[(at + one + 1) % n]
    second_end, third = order[(at + two) % n], order[(at + two + 1) % n]
    third_end, behind = order[(at + three) % n], order[(at + three + 1) % n]
    gain = distance(problem, before, first) + distance(problem, first_end, second)
    gain += distance(problem, second_end, third) + distance(problem, third_end, behind)
    gain -= distance(problem, before, third) + distance(problem, third_end, second)
    gain -= distance(problem, second_end, first) + distance(problem, first_end, behind)
    move_stretch(tour, before, first, first_end, second, third_end, behind, False)
    move_stretch(tour, before, second, second_end, third, third_end, first, False)
    return gain


@kernel
def _places_along(tour: GiantTour) -> tuple[int, int, int, int]:
    """A random place, and how far behind it three stretches of at most `span` customers end."""
    most = min(tour.info.span, (len(tour.order) - 2) // 3)
    at = random_index(tour.rng, len(tour.order))
    one = 1 + random_index(tour.rng, most)
    two = one + 1 + random_index(tour.rng, most)
    return at, one, two, two + 1 + random_index(tour.rng, most)


@kernel
def _places_nearby(tour: GiantTour) -> tuple[int, int, int, int]:
    """The same where stretches end at customers that are near in the plane, by random walks on the neighbour
    lists (Applegate, Cook and Rohe 2003). Zeros if walks meet."""
    start = tour.order[random_index(tour.rng, len(tour.order))]
    steps = 2 + random_index(tour.rng, STEPS - 1)
    a, b = tour.place[start], tour.place[_walk(tour, start, steps)]
    c, d = tour.place[_walk(tour, start, steps)], tour.place[_walk(tour, start, steps)]
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    if a == b or b == c or c == d:
        return 0, 0, 0, 0
    return a, b - a, c - a, d - a


@kernel
def _walk(tour: GiantTour, node: int, steps: int) -> int:
    for _ in range(steps):
        node = tour.near[node, random_index(tour.rng, min(BESIDE, tour.near.shape[1]))]
    return node
