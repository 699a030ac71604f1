"""A tour as an array that stretches are reversed in: what the local search of `giant_tour` works on.

Moves are sequences of reversals (flips), each kept in a log so that it can be undone. Reversing takes the
shorter side of the tour.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import inlined, kernel

Ints = NDArray[np.int64]

LOGGED = 4096
"""Flips after a kick that can be undone; the local search ends there."""


class GiantTourInfo:
    """Single numbers of the tour: a numpy record."""

    waiting: int
    """Customers on the stack."""
    flips: int
    """In the log."""
    span: int
    """Longest stretch that a kick moves; 0 where its ends are near in the plane instead."""


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
def beside(tour: GiantTour, customer: int, ahead: bool) -> int:
    """The next customer of the tour, or the previous one."""
    return follower(tour, customer) if ahead else leader(tour, customer)


@kernel
def push(tour: GiantTour, customer: int) -> None:
    """Put a customer on the stack of those to look at, unless it is there."""
    if tour.waits[customer] == 0:
        tour.waits[customer] = 1
        tour.stack[tour.info.waiting] = customer
        tour.info.waiting += 1


@kernel
def drop(tour: GiantTour) -> None:
    """Empty the stack."""
    while tour.info.waiting > 0:
        tour.info.waiting -= 1
        tour.waits[tour.stack[tour.info.waiting]] = 0


@kernel
def move_stretch(
    tour: GiantTour, before: int, first: int, last: int, beyond: int, left: int, right: int, turned: bool
) -> None:
    """Move first .. last from between `before` and `beyond` to between `left` and `right`, perhaps turned.

    All seen in the same direction, in which the tour goes before, first .. last, beyond .. left, right.
    """
    flip(tour, before, first, left, right)
    flip(tour, before, left, beyond, last)
    if not turned:
        flip(tour, left, last, first, right)


@kernel
def flip(tour: GiantTour, a: int, b: int, c: int, d: int) -> None:
    """2-opt: legs a-b and c-d become a-c and b-d, where both b and d come next, or both before."""
    log, at = tour.log, tour.info.flips
    if at < LOGGED:
        log[at, 0], log[at, 1], log[at, 2], log[at, 3] = a, b, c, d
        tour.info.flips = at + 1
    _reverse_between(tour, a, b, c)
    push(tour, a)
    push(tour, b)
    push(tour, c)
    push(tour, d)


@kernel
def undo_flips(tour: GiantTour) -> None:
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
