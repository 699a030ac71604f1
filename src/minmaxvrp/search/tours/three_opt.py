"""3-opt on a tour: the local search that `giant_tour` repeats after each kick.

Sequential moves of two or three legs (Lin 1965), each new leg to a near neighbour and each partial gain
positive (Lin and Kernighan 1973). Or-opt is among them, whatever the length of its stretch.
"""

from ...jit import inlined, kernel
from ..arrays.distances import Problem, distance
from .tour_array import GiantTour, beside, flip, move_stretch

MARGIN = 1e-9
"""A move must gain more than this, in search units."""
SECOND = 10
"""Nearest neighbours that the third new leg may lead to."""

# kinds of move: which legs replace end-start, the leg taken out first (see `_best_move`)
NONE, TWO, THREE, TURNED, SWAPPED = range(5)


@kernel
def improve_next(problem: Problem, tour: GiantTour) -> float:
    """Look at the customer on top of the stack, make the best move found at one of its legs; the gain."""
    tour.info.waiting -= 1
    customer = tour.stack[tour.info.waiting]
    tour.waits[customer] = 0
    for side in range(2):
        gain = _improve(problem, tour, customer, side == 0)
        if gain > 0.0:
            return gain
    return 0.0


@kernel
def _improve(problem: Problem, tour: GiantTour, end: int, ahead: bool) -> float:
    """Take out the leg behind `end` (or before it) and make the best move that begins with it."""
    gain, kind, third, fourth, fifth, sixth = _best_move(problem, tour, end, ahead)
    start = beside(tour, end, ahead)
    if kind == NONE:
        return 0.0
    if kind == TURNED:
        flip(tour, fourth, third, fifth, sixth)
        flip(tour, third, sixth, end, start)
    elif kind == SWAPPED:
        move_stretch(tour, fourth, third, sixth, fifth, end, start, False)
    else:
        flip(tour, end, start, third, fourth)
        if kind == THREE:
            flip(tour, fourth, start, fifth, sixth)
    return gain


@inlined
def _away(tour: GiantTour, start: int, customer: int, ahead: bool) -> int:
    """How many legs a customer is behind `start`, in the direction looked at."""
    steps = tour.place[customer] - tour.place[start]
    steps = steps if ahead else -steps
    return int(steps if steps >= 0 else steps + len(tour.order))


@kernel
def _best_move(
    problem: Problem, tour: GiantTour, end: int, ahead: bool
) -> tuple[float, int, int, int, int, int]:
    """The move of greatest gain that takes out the leg from `end` to the next customer, `start`.

    Seen in the direction of this leg the tour is then a path from `start` to `end`. `end` is joined to
    `third`, a near customer, and a leg of `third` is taken out:

    * the one to the customer behind it, `fourth`: the path goes on backwards from `end` and ends at `fourth`,
      which is joined to `start` (2-opt), or to `fifth`, so that the path ends at `sixth` beside it;
    * the one to the customer before it, `fourth`: the path ends there and leaves a cycle of the rest, which
      is entered at `fifth` and ends at `sixth` on either side of it: both stretches turned, or swapped.

    Returns the gain, the kind of move and third to sixth.
    """
    start = beside(tour, end, ahead)
    leg = distance(problem, end, start)
    best, kind, third, fourth, fifth, sixth = MARGIN, NONE, 0, 0, 0, 0
    for k in range(tour.near.shape[1]):
        t3 = tour.near[end, k]
        short = leg - distance(problem, end, t3)
        if short <= MARGIN:
            break
        if t3 == start:
            continue
        at = _away(tour, start, t3, ahead)
        for side in range(2):
            behind = side == 0
            t4 = beside(tour, t3, ahead == behind)
            if t4 == end:
                continue
            opened = short + distance(problem, t3, t4)
            if behind and opened - distance(problem, t4, start) > best:
                best, kind, third, fourth = opened - distance(problem, t4, start), TWO, t3, t4
            for j in range(min(SECOND, tour.near.shape[1])):
                t5 = tour.near[t4, j]
                rest = opened - distance(problem, t4, t5)
                if rest <= MARGIN:
                    break
                if t5 in (t3, start):
                    continue
                inside = _away(tour, start, t5, ahead) > at
                if behind:
                    t6 = beside(tour, t5, ahead != inside)
                    gain = rest + distance(problem, t5, t6) - distance(problem, t6, start)
                    if t6 != t4 and gain > best:
                        best, kind, third, fourth, fifth, sixth = gain, THREE, t3, t4, t5, t6
                elif inside:
                    t6 = beside(tour, t5, not ahead)
                    gain = rest + distance(problem, t5, t6) - distance(problem, t6, start)
                    if gain > best:
                        best, kind, third, fourth, fifth, sixth = gain, SWAPPED, t3, t4, t5, t6
                    t6 = beside(tour, t5, ahead)
                    gain = rest + distance(problem, t5, t6) - distance(problem, t6, start)
                    if t5 != end and gain > best:
                        best, kind, third, fourth, fifth, sixth = gain, TURNED, t3, t4, t5, t6
    return best if kind != NONE else 0.0, kind, third, fourth, fifth, sixth
