"""Or-opt (Or 1976): move a short stretch to another position of its route, perhaps reversed."""

from ..compiled import kernel
from ..metric import Problem, distance
from .walk import BACK, COUNT, OWNER, REACH, Walk, length, measure, put


@kernel
def evaluate(problem: Problem, walk: Walk, i: int, j: int, k: int, flip: bool) -> float:
    """Length with positions i .. j moved between k and k + 1; k is outside i - 1 .. j."""
    node = walk.node
    gone = distance(problem, node[i - 1], node[i]) + distance(problem, node[j], node[j + 1])
    gone += distance(problem, node[k], node[k + 1])
    new = distance(problem, node[i - 1], node[j + 1])
    if flip:
        new += distance(problem, node[k], node[j]) + distance(problem, node[i], node[k + 1])
        new += (walk.run[BACK, j] - walk.run[BACK, i]) - (walk.run[REACH, j] - walk.run[REACH, i])
    else:
        new += distance(problem, node[k], node[i]) + distance(problem, node[j], node[k + 1])
    return length(walk) - gone + new


@kernel
def apply(problem: Problem, walk: Walk, out: Walk, i: int, j: int, k: int, flip: bool) -> None:
    """Write the changed route to `out`."""
    count = walk.num[COUNT]
    first, last = (j, i) if flip else (i, j)
    if k < i:
        at = put(out, 0, walk, 0, k)
        at = put(out, at, walk, first, last)
        at = put(out, at, walk, k + 1, i - 1)
        put(out, at, walk, j + 1, count + 1)
    else:
        at = put(out, 0, walk, 0, i - 1)
        at = put(out, at, walk, j + 1, k)
        at = put(out, at, walk, first, last)
        put(out, at, walk, k + 1, count + 1)
    out.num[COUNT], out.num[OWNER] = count, walk.num[OWNER]
    measure(problem, out)
