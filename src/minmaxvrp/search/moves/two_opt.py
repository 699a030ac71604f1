"""2-opt (Croes 1958): drive a stretch of a route in the opposite direction."""

from ..compiled import kernel
from ..metric import Problem, distance
from .walk import BACK, COUNT, OWNER, REACH, Walk, length, measure, put


@kernel
def evaluate(problem: Problem, walk: Walk, i: int, j: int) -> float:
    """Length of the route with positions i .. j reversed, 1 <= i < j <= count."""
    node = walk.node
    gone = distance(problem, node[i - 1], node[i]) + distance(problem, node[j], node[j + 1])
    new = distance(problem, node[i - 1], node[j]) + distance(problem, node[i], node[j + 1])
    turned = (walk.run[BACK, j] - walk.run[BACK, i]) - (walk.run[REACH, j] - walk.run[REACH, i])
    return float(length(walk) - gone + new + turned)


@kernel
def apply(problem: Problem, walk: Walk, out: Walk, i: int, j: int) -> None:
    """Write the changed route to `out`."""
    count = walk.num[COUNT]
    at = put(out, 0, walk, 0, i - 1)
    at = put(out, at, walk, j, i)
    put(out, at, walk, j + 1, count + 1)
    out.num[COUNT], out.num[OWNER] = count, walk.num[OWNER]
    measure(problem, out)
