"""Relocate (Savelsbergh 1992): move one customer to another route."""

from ..compiled import kernel
from ..metric import Problem
from . import cross_exchange
from .walk import Walk


@kernel
def evaluate(problem: Problem, a: Walk, b: Walk, i: int, k: int) -> tuple[float, float]:
    """Lengths of both routes when customer i of `a` comes before position k of `b`."""
    return cross_exchange.evaluate(problem, a, b, i, i + 1, k, 0)


@kernel
def apply(problem: Problem, a: Walk, b: Walk, out_a: Walk, out_b: Walk, i: int, k: int) -> None:
    """Write both changed routes to `out_a` and `out_b`."""
    cross_exchange.apply(problem, a, b, out_a, out_b, i, i + 1, k, 0)
