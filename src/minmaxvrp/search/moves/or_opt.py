"""Or-opt (Or 1976): move a short stretch to another position of its route, perhaps reversed."""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from .tour import Tour, length, measure, put


@kernel
def evaluate(problem: Problem, tour: Tour, i: int, j: int, k: int, flip: bool) -> float:
    """Length with positions i .. j moved between k and k + 1; k is outside i - 1 .. j."""
    node = tour.node
    gone = distance(problem, node[i - 1], node[i]) + distance(problem, node[j], node[j + 1])
    gone += distance(problem, node[k], node[k + 1])
    new = distance(problem, node[i - 1], node[j + 1])
    if flip:
        new += distance(problem, node[k], node[j]) + distance(problem, node[i], node[k + 1])
        new += (tour.length_back[j] - tour.length_back[i]) - (tour.length_to[j] - tour.length_to[i])
    else:
        new += distance(problem, node[k], node[i]) + distance(problem, node[j], node[k + 1])
    return length(tour) - gone + new


@kernel
def apply(problem: Problem, tour: Tour, out: Tour, i: int, j: int, k: int, flip: bool) -> None:
    """Write the changed route to `out`."""
    count = tour.info.count
    first, last = (j, i) if flip else (i, j)
    if k < i:
        at = put(out, 0, tour, 0, k)
        at = put(out, at, tour, first, last)
        at = put(out, at, tour, k + 1, i - 1)
        put(out, at, tour, j + 1, count + 1)
    else:
        at = put(out, 0, tour, 0, i - 1)
        at = put(out, at, tour, j + 1, k)
        at = put(out, at, tour, first, last)
        put(out, at, tour, k + 1, count + 1)
    out.info.count, out.info.vehicle = count, tour.info.vehicle
    measure(problem, out)
