"""2-opt (Croes 1958): drive a stretch of a route in the opposite direction."""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from .tour import Tour, length, measure, put


@kernel
def evaluate(problem: Problem, tour: Tour, i: int, j: int) -> float:
    """Length of the route with positions i .. j reversed, 1 <= i < j <= count."""
    node = tour.node
    gone = distance(problem, node[i - 1], node[i]) + distance(problem, node[j], node[j + 1])
    new = distance(problem, node[i - 1], node[j]) + distance(problem, node[i], node[j + 1])
    turned = (tour.length_back[j] - tour.length_back[i]) - (tour.length_to[j] - tour.length_to[i])
    return float(length(tour) - gone + new + turned)


@kernel
def apply(problem: Problem, tour: Tour, out: Tour, i: int, j: int) -> None:
    """Write the changed route to `out`."""
    count = tour.info.count
    at = put(out, 0, tour, 0, i - 1)
    at = put(out, at, tour, j, i)
    put(out, at, tour, j + 1, count + 1)
    out.info.count, out.info.vehicle = count, tour.info.vehicle
    measure(problem, out)
