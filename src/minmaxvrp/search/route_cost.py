"""What the search is after once the makespan is settled: a cost of each route that grows with its length.

`refine` lowers the sum over all routes. What a route exceeds the limit by is part of it, at a price that no
shorter route is worth.
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
    packing: float = 0.0
    """For the total length: how much more a unit of length costs on a short route, and less on a full one.
    The cost is then concave: customers move to fuller routes until one is empty, as in bin packing."""


MAKESPAN = RouteCost(0.0, 1.0, 0.0)


@kernel
def route_cost(rule: RouteCost, length: float) -> float:
    """Cost of one route: its length (see `packing`), or that times a power of its share of the limit."""
    if rule.power == 1.0:
        return float(length * (1.0 + rule.packing * (1.0 - length / rule.limit)))
    return float(length * ((length / rule.limit) ** (rule.power - 1.0) + rule.straight))


HARD = 1e6
"""Price of a unit of length above the limit."""
JUMP = 0.05
"""Mean legs that a route which exceeds the limit at all is charged for: a tiny excess must not be free."""


@kernel
def limited_cost(rule: RouteCost, length: float) -> float:
    """Cost of one route, and the price of what it exceeds the limit by."""
    over = length - rule.limit
    return route_cost(rule, length) + (HARD * (over + JUMP) if over > 0.0 else 0.0)


@kernel
def least_cost_of_two(rule: RouteCost, both: float) -> float:
    """What two routes of that length together cost at least: equal ones; with `packing` one that is full."""
    one = min(both, rule.limit) if rule.packing > 0.0 else 0.5 * both
    return limited_cost(rule, one) + limited_cost(rule, both - one)
