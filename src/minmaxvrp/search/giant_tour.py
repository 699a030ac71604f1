"""One short tour through all customers: 2-opt and Or-opt, then kicks that are kept where they help.

`split` cuts the tour into routes, and the search may begin there. Neighbour lists and a stack of
customers to look at (don't-look bits, Bentley 1992) make a local search after a kick cost about the same
whatever the number of customers. For symmetric distances.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import entry, inlined, kernel
from .arrays import record
from .distances import Problem, distance
from .random_numbers import random_index

Ints = NDArray[np.int64]

LEAST = 8
"""Customers below which there is nothing to improve here."""
STRETCH = 3
"""Longest stretch that Or-opt moves."""
SPAN = 50
"""Longest stretch that a kick moves, unless said otherwise."""
LOGGED = 4096
"""Flips after a kick that can be undone; the local search ends there."""
MARGIN = 1e-9
"""A move must gain more than this, in search units."""


class GiantTourInfo:
    """Single numbers of the tour: a numpy record."""

    waiting: int
    """Customers on the stack."""
    flips: int
    """In the log."""
    span: int
    """Longest stretch that a kick moves."""


class GiantTour(NamedTuple):
    """A tour of n customers as an array, with what the local search needs."""

    order: Ints
    """[n] customers in driving order."""
    place: Ints
    """[D+N] where in `order` each customer is."""
    near: Ints
    """[D+N, k] customers that one may be joined to, nearest first."""
    stack: Ints
    """[n] customers to look at."""
    waits: Ints
    """[D+N] whether a customer is on the stack."""
    log: Ints
    """[LOGGED, 4] flips made since the last kick, to undo them."""
    info: GiantTourInfo
    rng: NDArray[np.uint64]


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
    """Make 2-opt and Or-opt moves until none makes the tour shorter."""
    if len(tour.order) < LEAST:
        return
    while tour.info.waiting > 0:
        tour.info.flips = 0  # nothing is to be undone
        _improve_next(problem, tour)


@entry
def kick(problem: Problem, tour: GiantTour, times: int) -> float:
    """Exchange two adjacent stretches at random (double bridge), shorten, undo what did not help; repeat.

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
                _drop(tour)
                break
            gain += _improve_next(problem, tour)
        if gain < 0.0:
            _undo(tour)
        else:
            gained += gain
    return gained


@kernel
def _double_bridge(problem: Problem, tour: GiantTour) -> float:
    """Exchange two adjacent stretches of at most `span` customers at a random place; what that gains."""
    order, n = tour.order, len(tour.order)
    most = min(tour.info.span, (n - 2) // 2)
    at, one, two = (
        random_index(tour.rng, n),
        1 + random_index(tour.rng, most),
        1 + random_index(tour.rng, most),
    )
    before, first = order[at], order[(at + 1) % n]
    last, second = order[(at + one) % n], order[(at + one + 1) % n]
    end, behind = order[(at + one + two) % n], order[(at + one + two + 1) % n]
    gain = distance(problem, before, first) + distance(problem, last, second)
    gain += distance(problem, end, behind) - distance(problem, before, second)
    gain -= distance(problem, end, first) + distance(problem, last, behind)
    _move_stretch(tour, before, first, last, second, end, behind, False)
    return gain


@inlined
def follower(tour: GiantTour, customer: int) -> int:
    """The next customer of the tour."""
    at = tour.place[customer] + 1
    return int(tour.order[at if at < len(tour.order) else 0])


@inlined
def leader(tour: GiantTour, customer: int) -> int:
    """The previous customer of the tour."""
    at = tour.place[customer]
    return int(tour.order[at - 1 if at > 0 else len(tour.order) - 1])


@inlined
def _beside(tour: GiantTour, customer: int, ahead: bool) -> int:
    return follower(tour, customer) if ahead else leader(tour, customer)


@kernel
def _push(tour: GiantTour, customer: int) -> None:
    if tour.waits[customer] == 0:
        tour.waits[customer] = 1
        tour.stack[tour.info.waiting] = customer
        tour.info.waiting += 1


@kernel
def _drop(tour: GiantTour) -> None:
    """Empty the stack."""
    while tour.info.waiting > 0:
        tour.info.waiting -= 1
        tour.waits[tour.stack[tour.info.waiting]] = 0


@kernel
def _improve_next(problem: Problem, tour: GiantTour) -> float:
    """Look at the customer on top of the stack; make the first move found; what it gains."""
    tour.info.waiting -= 1
    customer = tour.stack[tour.info.waiting]
    tour.waits[customer] = 0
    for side in range(2):
        gain = _improve(problem, tour, customer, side == 0)
        if gain > 0.0:
            return gain
    return 0.0


@kernel
def _improve(problem: Problem, tour: GiantTour, one: int, ahead: bool) -> float:
    """Replace the leg behind `one` (or before it) with one to a nearer customer, by 2-opt or Or-opt."""
    beside = _beside(tour, one, ahead)
    leg = distance(problem, one, beside)
    for k in range(tour.near.shape[1]):
        two = tour.near[one, k]
        short = leg - distance(problem, one, two)
        if short <= MARGIN:
            break
        other = _beside(tour, two, ahead)
        gain = short + distance(problem, two, other) - distance(problem, beside, other)
        if gain > MARGIN:
            _flip(tour, one, beside, two, other)
            return gain
        gain = _or_opt(problem, tour, one, beside, two, short, ahead)
        if gain > 0.0:
            return gain
    return 0.0


@kernel
def _or_opt(
    problem: Problem, tour: GiantTour, one: int, beside: int, two: int, short: float, ahead: bool
) -> float:
    """Move the stretch that ends at `one`, away from `beside`, next to `two`; what it gains, 0 if nothing.

    `short` is what the leg from `one` to `two` saves compared with the one to `beside`.
    """
    last = one
    for _ in range(STRETCH):
        beyond = _beside(tour, last, not ahead)
        if beyond == beside or last == two:
            return 0.0
        freed = short + distance(problem, last, beyond) - distance(problem, beside, beyond)
        for side in range(2):
            other = _beside(tour, two, side == 0)
            if other == last:
                continue
            gain = freed + distance(problem, two, other) - distance(problem, last, other)
            if gain > MARGIN:
                # seen along beside, one .. last, beyond: is `two` met before `other`?
                straight = (side == 0) != ahead
                if straight:
                    _move_stretch(tour, beside, one, last, beyond, two, other, False)
                else:
                    _move_stretch(tour, beside, one, last, beyond, other, two, True)
                return gain
        last = beyond
    return 0.0


@kernel
def _move_stretch(
    tour: GiantTour, before: int, first: int, last: int, beyond: int, left: int, right: int, turned: bool
) -> None:
    """Move first .. last from between `before` and `beyond` to between `left` and `right`, perhaps turned.

    All seen in the same direction, in which the tour goes before, first .. last, beyond .. left, right.
    """
    _flip(tour, before, first, left, right)
    _flip(tour, before, left, beyond, last)
    if not turned:
        _flip(tour, left, last, first, right)


@kernel
def _flip(tour: GiantTour, a: int, b: int, c: int, d: int) -> None:
    """2-opt: legs a-b and c-d become a-c and b-d, where both b and d come next, or both before."""
    log, at = tour.log, tour.info.flips
    if at < LOGGED:
        log[at, 0], log[at, 1], log[at, 2], log[at, 3] = a, b, c, d
        tour.info.flips = at + 1
    _reverse_between(tour, a, b, c)
    _push(tour, a)
    _push(tour, b)
    _push(tour, c)
    _push(tour, d)


@kernel
def _undo(tour: GiantTour) -> None:
    """Take the flips of the log back, the last one first."""
    for k in range(tour.info.flips - 1, -1, -1):
        _reverse_between(tour, tour.log[k, 0], tour.log[k, 2], tour.log[k, 1])
    tour.info.flips = 0


@kernel
def _reverse_between(tour: GiantTour, a: int, b: int, c: int) -> None:
    """Turn the part from b to c round, where b stands beside a; in the array, the shorter side."""
    if follower(tour, a) == b:
        _reverse(tour, tour.place[b], tour.place[c])
    else:
        _reverse(tour, tour.place[c], tour.place[b])


@kernel
def _reverse(tour: GiantTour, i: int, j: int) -> None:
    """Reverse positions i .. j, which may run over the end of the array, or all others: the same tour."""
    order, place, n = tour.order, tour.place, len(tour.order)
    inner = j - i + 1 if j >= i else j - i + 1 + n
    if 2 * inner > n:
        i, j, inner = j + 1, i - 1, n - inner
        i = i if i < n else 0
        j = j if j >= 0 else n - 1
    for _ in range(inner // 2):
        one, two = order[i], order[j]
        order[i], order[j] = two, one
        place[two], place[one] = i, j
        i = i + 1 if i + 1 < n else 0
        j = j - 1 if j > 0 else n - 1
