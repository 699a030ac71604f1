"""One short tour through all customers: 3-opt on neighbour lists, then kicks that are kept where they help.

`split` cuts the tour into routes, and the search may begin there; `route_polish` shortens single routes by
it. Neighbour lists and a stack of customers to look at (don't-look bits, Bentley 1992) make a local search
after a kick cost about the same whatever the number of customers. For symmetric distances.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import entry, kernel
from .arrays import record
from .distances import Problem, distance
from .random_numbers import random_index
from .three_opt import improve_next
from .tour_array import LOGGED, GiantTour, GiantTourInfo, Ints, drop, move_stretch, undo_flips

LEAST = 8
"""Customers below which there is nothing to improve here."""
SPAN = 50
"""Longest stretch that a kick moves, unless said otherwise."""


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
    """Put three adjacent stretches of at most `span` customers in reverse order, each in its own direction
    (Martin, Otto and Felten 1991), at a random place; what that gains. No 3-opt move undoes it."""
    order, n = tour.order, len(tour.order)
    most = min(tour.info.span, (n - 2) // 3)
    at = random_index(tour.rng, n)
    one = 1 + random_index(tour.rng, most)
    two = one + 1 + random_index(tour.rng, most)
    three = two + 1 + random_index(tour.rng, most)
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
