"""What a route costs once the makespan is settled: a cost that grows with its length.

`refine` lowers the sum over all routes. What a route exceeds the limit by is part of it, at a price that no
saving on other routes is worth.
"""

from typing import NamedTuple

from ..jit import kernel


class RouteCost(NamedTuple):
    """How the cost of a route follows from its length (lengths in search units)."""

    limit: float
    """No route may be longer than the makespan found before; 0: the makespan is still sought."""
    power: float
    """Of the length in a route's cost: 1 for the total length."""
    linear: float
    """Weight of the length itself beside the power: of a short route the power alone is nearly 0."""
    packing: float = 0.0
    """For the total length: how much more a unit of length costs on a short route, and less on a full one.
    The cost is then concave: customers move to fuller routes until one is empty, as in bin packing."""


MAKESPAN = RouteCost(0.0, 1.0, 0.0)


@kernel
def route_cost(rule: RouteCost, length: float) -> float:
    """Cost of one route: its length (see `packing`), or that times a power of its share of the limit."""
    if rule.power == 1.0:
        return float(length * (1.0 + rule.packing * (1.0 - length / rule.limit)))
    return float(length * ((length / rule.limit) ** (rule.power - 1.0) + rule.linear))


LIMIT_WEIGHT = 1e6
"""Price of a unit of length above the limit."""
LEAST_EXCESS = 0.05
"""Mean legs that are added to every excess: a tiny one must not be nearly free."""


@kernel
def limited_cost(rule: RouteCost, length: float) -> float:
    """Cost of one route, and the price of what it exceeds the limit by."""
    over = length - rule.limit
    return route_cost(rule, length) + (LIMIT_WEIGHT * (over + LEAST_EXCESS) if over > 0.0 else 0.0)


@kernel
def least_cost_of_two(rule: RouteCost, both: float) -> float:
    """What two routes of that length together cost at least: equal ones; with `packing` one that is full."""
    one = min(both, rule.limit) if rule.packing > 0.0 else 0.5 * both
    return limited_cost(rule, one) + limited_cost(rule, both - one)
