"""Cut a tour through all customers into routes whose longest is as short as possible.

Route first, cluster second (Beasley 1983), for the makespan: bisection over it, and for each value a check
whether that many routes suffice, over all customers at which the first route may begin. With several depots
each route has its best one, whether there is room or not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import entry, inlined, kernel
from ..arrays.distances import Problem, distance
from ..ruin_recreate.depots import least_closing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STEPS = 60
"""Of the bisection."""


class Cuts(NamedTuple):
    """A tour of n customers driven twice, and where it is cut."""

    length_to: Floats
    """[2n] length from the first customer to each one, service there included."""
    out: Floats
    """[2n] way from the depot, the nearest of several."""
    back: Floats
    """[2n] way to the depot, the nearest of several."""
    served: Ints
    """[n] how many customers a route can serve from each one on."""
    at: Ints
    """[n + 1] where parts begin, and where the last one ends."""


def split(problem: Problem, order: Ints) -> list[Ints]:
    """At most `problem.num_vehicles` parts of a tour, cut where the longest route is shortest.

    Optimal for the order of the tour under the triangle inequality; the parts follow each other along the
    tour, and the first may begin anywhere.
    """
    n = len(order)
    length_to, out, back = np.zeros((3, 2 * n))
    cuts = Cuts(length_to, out, back, np.zeros(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64))
    count = best_cuts(problem, order, cuts)
    twice = np.concatenate([order, order])
    return [twice[cuts.at[k] : cuts.at[k + 1]] for k in range(count)]


@entry
def best_cuts(problem: Problem, order: Ints, cuts: Cuts) -> int:
    """Find where to cut; returns the number of parts."""
    n = len(order)
    total, farthest = _measure(problem, order, cuts), 0.0
    for k in range(n):
        farthest = max(farthest, _closing(problem, order, cuts, k, k) + problem.service[order[k]])
    low, high = 0.0, total + 2.0 * farthest
    start = _start(problem, order, cuts, high)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        found = _start(problem, order, cuts, middle)
        if found >= 0:
            high, start = middle, found
        else:
            low = middle
    _start(problem, order, cuts, high)
    count, at = 0, start
    cuts.at[0] = start
    while at < start + n:
        at = min(at + cuts.served[at % n], start + n)
        count += 1
        cuts.at[count] = at
    return count


@kernel
def _measure(problem: Problem, order: Ints, cuts: Cuts) -> float:
    """Fill the lengths; returns the length of the tour, service included."""
    n, length = len(order), 0.0
    for k in range(2 * n):
        customer = order[k % n]
        if k > 0:
            length += distance(problem, order[(k - 1) % n], customer)
        length += problem.service[customer]
        cuts.length_to[k] = length
        several = problem.num_depots > 1
        cuts.out[k] = problem.from_depot[customer] if several else distance(problem, 0, customer)
        cuts.back[k] = problem.to_depot[customer] if several else distance(problem, customer, 0)
    return float(cuts.length_to[n] - cuts.length_to[0]) if n > 1 else length


@inlined
def _closing(problem: Problem, order: Ints, cuts: Cuts, first: int, last: int) -> float:
    """The ways from and to the depot of a route from one place of the tour driven twice to another."""
    if problem.num_depots == 1 or problem.return_any:
        return float(cuts.out[first] + cuts.back[last])
    return least_closing(problem, order[last % len(order)], order[first % len(order)])


@kernel
def _start(problem: Problem, order: Ints, cuts: Cuts, limit: float) -> int:
    """Where along the tour routes of at most `limit` may begin so that the vehicles suffice; -1 if nowhere.

    Fills `cuts.served`.
    """
    n, served = len(order), cuts.served
    end, shortest = 0, 0
    for k in range(n):
        end = max(end, k)
        before = cuts.length_to[k] - problem.service[order[k]]
        while end < k + n and cuts.length_to[end] - before + _closing(problem, order, cuts, k, end) <= limit:
            end += 1
        served[k] = end - k
        if served[k] == 0:
            return -1
        if served[k] < served[shortest]:
            shortest = k
    # some route must begin at one of the customers that a route from `shortest` on can serve, or just behind
    for offset in range(1, served[shortest] + 1):
        start = (shortest + offset) % n
        at = start
        for _ in range(problem.num_vehicles):
            at += cuts.served[at % n]
            if at >= start + n:
                return start
    return -1
