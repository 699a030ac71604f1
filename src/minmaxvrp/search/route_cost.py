"""What the search is after once the makespan is settled: a cost of each route that grows with its length.

`refine` lowers the sum over all routes. What a route exceeds the limit by has a price, which is part of it.
"""

from typing import NamedTuple

from ..jit import kernel


class RouteCost(NamedTuple):
    """What the search is after (lengths in search units)."""

    limit: float
    """No route may be longer than the makespan found before; 0: the makespan is still sought."""
    power: float
    """Of the length in a route's cost: 1 for the total length."""
    straight: float
    """Weight of the length itself beside the power: keeps short routes tidy."""


MAKESPAN = RouteCost(0.0, 1.0, 0.0)


@kernel
def route_cost(rule: RouteCost, length: float) -> float:
    """Cost of one route: its length, or its length times a power of its share of the limit."""
    if rule.power == 1.0:
        return length
    return float(length * ((length / rule.limit) ** (rule.power - 1.0) + rule.straight))


JUMP = 0.05
"""Mean legs that a route which exceeds the limit at all is charged for: a tiny excess must not be free."""


@kernel
def limited_cost(rule: RouteCost, price: float, length: float) -> float:
    """Cost of one route, and a price for each unit of length above the limit."""
    over = length - rule.limit
    return route_cost(rule, length) + (price * (over + JUMP) if over > 0.0 else 0.0)
