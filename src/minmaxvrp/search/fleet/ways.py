"""Distances along a route whose end may be open or any depot.

The node of a sentinel (see `search.arrays.routes`) is a depot, or one of two pseudo nodes: `NOWHERE` for
the end of an open route, `ANY` for a start or end at the nearest depot. The search never needs to know
which depot that is: it is looked up when the solution is read out.
"""

from ...jit import inlined, kernel
from ..arrays.distances import CALL, Problem, distance, distance_by

NOWHERE, ANY = -1, -2


@inlined
def way(problem: Problem, a: int, b: int) -> float:
    """Length from a to b; at most one of them is a pseudo node."""
    if a >= 0 and b >= 0:
        return distance(problem, a, b)
    return _free_way(problem, a, b)


@kernel
def _free_way(problem: Problem, a: int, b: int) -> float:
    if b == NOWHERE:
        return 0.0
    return float(problem.to_depot[a] if b == ANY else problem.from_depot[b])


@inlined
def way_on(problem: Problem, how: int, customer: int, node: int) -> float:
    """Length from a customer to a node or the route's end, `how` as by `distance_mode`."""
    if node >= 0:
        return distance_by(problem, how, customer, node)
    return _free_way(problem, customer, node)


@inlined
def way_into(problem: Problem, how: int, node: int, customer: int) -> float:
    """Length from a node or the route's start to a customer, likewise."""
    if node < 0:
        return _free_way(problem, node, customer)
    if how == CALL and not problem.symmetric:
        return distance(problem, node, customer)
    return distance_by(problem, how, customer, node)
