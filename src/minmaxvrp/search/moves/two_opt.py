"""2-opt (Croes 1958): drive a stretch of a route in the opposite direction."""

from ..compiled import kernel
from ..metric import Problem, distance
from .walk import COUNT, VEHICLE, Walk, length, measure, put


@kernel
def evaluate(problem: Problem, walk: Walk, i: int, j: int) -> float:
    """Length of the route with positions i .. j reversed, 1 <= i < j <= count."""
    node = walk.node
    gone = distance(problem, node[i - 1], node[i]) + distance(problem, node[j], node[j + 1])
    new = distance(problem, node[i - 1], node[j]) + distance(problem, node[i], node[j + 1])
    turned = (walk.back[j] - walk.back[i]) - (walk.reach[j] - walk.reach[i])
    return length(walk) - gone + new + turned


@kernel
def apply(problem: Problem, walk: Walk, out: Walk, i: int, j: int) -> None:
    """Write the changed route to `out`."""
    count = walk.num[COUNT]
    at = put(out, 0, walk, 0, i - 1)
    at = put(out, at, walk, j, i)
    put(out, at, walk, j + 1, count + 1)
    out.num[COUNT], out.num[VEHICLE] = count, walk.num[VEHICLE]
    measure(problem, out)
