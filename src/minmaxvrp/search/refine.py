"""After the makespan, the other routes: ruin and recreate with the makespan as a hard limit.

`anneal` comes before it. A step is judged by the sum over the routes of a cost that grows with the length:
the length itself (least total length), or a power of it, which weighs long routes most (balance).
"""

from math import exp, log
from typing import NamedTuple

from ..jit import kernel
from .arrays import Routes
from .distances import Problem
from .edits import keep_best, undo
from .random_numbers import uniform
from .settings import SearchSettings
from .step import make_step

EPSILON = 1e-9
"""A cost is lower only by more than this many mean legs: sums of lengths drift by rounding."""
HARD = 1e6
"""Price of a unit of length above the limit at insertion: any other position is cheaper."""


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


@kernel
def refine(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    rule: RouteCost,
    iterations: int,
    share: float,
    last_share: float,
) -> int:
    """Run iterations while the temperature falls from `share` to `last_share` of the cooling.

    `routes.state.best` is the cost of the best solution here, infinite at first. Returns the iterations run.
    """
    ratio = log(settings.last_temperature / settings.first_temperature)
    step = (last_share - share) / iterations
    cost = 0.0
    for vehicle in range(problem.num_vehicles):
        cost += route_cost(rule, routes.length[vehicle])
    routes.state.best = min(routes.state.best, cost)
    for iteration in range(iterations):
        temperature = settings.first_temperature * exp(ratio * (share + step * iteration))
        _set_threshold(routes, rule)
        limit = -temperature * log(1.0 - uniform(routes.rng))
        rise = _step(problem, routes, settings, rule, limit)
        cost += rise
        if rise < 0.0 and cost < routes.state.best - EPSILON:
            keep_best(problem, routes)
            routes.state.best = cost
            routes.state.improved_at = iteration + 1
    return iterations


@kernel
def _set_threshold(routes: Routes, rule: RouteCost) -> None:
    """Set the length above which insertion costs extra: the limit; for balance a random shorter one, so that
    steps also shorten routes that are not the longest."""
    routes.state.threshold, routes.state.excess_weight = rule.limit, HARD
    if rule.power > 1.0 and uniform(routes.rng) < 0.5:
        routes.state.threshold = rule.limit * uniform(routes.rng)
        routes.state.excess_weight = rule.power


@kernel
def _step(problem: Problem, routes: Routes, settings: SearchSettings, rule: RouteCost, limit: float) -> float:
    """One step; undone, and 0, if a route exceeds the limit or the cost rises by more than `limit`."""
    if make_step(problem, routes, settings, rule.limit):
        rise, fits = 0.0, True
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            rise += route_cost(rule, routes.length[vehicle]) - route_cost(rule, routes.length_before[vehicle])
            fits = fits and routes.length[vehicle] <= rule.limit
        if fits and rise <= limit:
            for k in range(routes.state.num_touched):
                routes.changed[routes.touched_vehicles[k]] = 1
            return rise
    undo(problem, routes)
    return 0.0
