"""2-opt* (Potvin and Rousseau 1995): two routes swap their tails.

Where a route may end at any depot the tail takes its end depot along, else each route keeps its own.
"""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from .tour import Tour, measure, put


@kernel
def evaluate(problem: Problem, a: Tour, b: Tour, i: int, k: int) -> tuple[float, float]:
    """Lengths when `a` goes on behind its position i with what follows position k of `b`, and the reverse."""
    return _length(problem, a, b, i, k), _length(problem, b, a, k, i)


@kernel
def _length(problem: Problem, a: Tour, b: Tour, i: int, k: int) -> float:
    count = b.info.count
    end = b.node[count + 1] if problem.return_any else a.node[a.info.count + 1]
    if k == count:
        return a.length_to[i] + distance(problem, a.node[i], end) if i > 0 else 0.0
    onward = b.node[k + 1]
    whole = a.length_to[i] + distance(problem, a.node[i], onward) + problem.service[onward]
    return float(whole + (b.length_to[count] - b.length_to[k + 1]) + distance(problem, b.node[count], end))


@kernel
def apply(problem: Problem, a: Tour, b: Tour, out_a: Tour, out_b: Tour, i: int, k: int) -> None:
    """Write both changed routes to `out_a` and `out_b`."""
    _splice(problem, a, b, out_a, i, k)
    _splice(problem, b, a, out_b, k, i)


@kernel
def _splice(problem: Problem, a: Tour, b: Tour, out: Tour, i: int, k: int) -> None:
    count = b.info.count
    at = put(out, 0, a, 0, i)
    if k < count:
        at = put(out, at, b, k + 1, count)
    out.node[at] = b.node[count + 1] if problem.return_any else a.node[a.info.count + 1]
    out.info.vehicle = a.info.vehicle
    out.info.count = i + count - k
    measure(problem, out)
