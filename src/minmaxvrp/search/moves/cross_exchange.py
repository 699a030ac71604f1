"""CROSS exchange (Taillard et al. 1997): two routes swap stretches, either of which may be empty.

With one empty stretch this is relocate (of a single customer or a few), with one customer each it is swap.
Positions i .. j - 1 of `a` go to `b` and k .. k + length_b - 1 of `b` go to `a`; an empty stretch has i = j
and stands before position i.
"""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from .tour import Tour, measure, put


@kernel
def evaluate(
    problem: Problem, a: Tour, b: Tour, i: int, j: int, k: int, length_b: int
) -> tuple[float, float]:
    """Lengths of both routes when a[i .. j-1] and b[k .. k+length_b-1] change places."""
    last = k + length_b
    return _length(problem, a, b, i, j, k, last), _length(problem, b, a, k, last, i, j)


@kernel
def _length(problem: Problem, a: Tour, b: Tour, i: int, j: int, k: int, last: int) -> float:
    """Length of `a` with its positions i .. j-1 replaced by positions k .. last-1 of `b`."""
    count = a.info.count
    if j - i == count and last == k:
        return 0.0
    whole = a.length_to[i - 1] + (a.length_to[count + 1] - a.length_to[j])
    if last == k:
        return float(whole + distance(problem, a.node[i - 1], a.node[j]) + problem.service[a.node[j]])
    whole += distance(problem, a.node[i - 1], b.node[k]) + problem.service[b.node[k]]
    whole += b.length_to[last - 1] - b.length_to[k]
    return float(whole + distance(problem, b.node[last - 1], a.node[j]) + problem.service[a.node[j]])


@kernel
def apply(
    problem: Problem, a: Tour, b: Tour, out_a: Tour, out_b: Tour, i: int, j: int, k: int, length_b: int
) -> None:
    """Write both changed routes to `out_a` and `out_b`."""
    last = k + length_b
    _splice(problem, a, b, out_a, i, j, k, last)
    _splice(problem, b, a, out_b, k, last, i, j)


@kernel
def _splice(problem: Problem, a: Tour, b: Tour, out: Tour, i: int, j: int, k: int, last: int) -> None:
    count = a.info.count
    at = put(out, 0, a, 0, i - 1)
    if last > k:
        at = put(out, at, b, k, last - 1)
    put(out, at, a, j, count + 1)
    out.info.vehicle = a.info.vehicle
    out.info.count = count - (j - i) + (last - k)
    measure(problem, out)
