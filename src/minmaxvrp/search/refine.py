"""After the makespan, the other routes: ruin and recreate with the makespan as limit.

`anneal` comes before it. A step is judged by the sum over the routes of a cost that grows with the length:
the length itself (least total length), or a power of it, which weighs long routes most (balance). What a
route exceeds the limit by has a price that is never paid.
"""

from math import exp, log

from ..jit import kernel
from .arrays.distances import Problem
from .arrays.edits import keep_best, undo
from .arrays.random_numbers import uniform
from .arrays.routes import Routes
from .moves.local_search import Workspace
from .proposals.propose_join import propose_join
from .route_cost import LIMIT_WEIGHT, RouteCost, limited_cost
from .ruin_recreate.step import make_step
from .settings import SearchSettings

EPSILON = 1e-9
"""A cost is lower only by more than this many mean legs: sums of lengths drift by rounding."""
PERIOD = 100
"""Iterations after which the cost is added up anew."""


@kernel
def refine(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    rule: RouteCost,
    iterations: int,
    share: float,
    last_share: float,
) -> int:
    """Run iterations while the temperature falls from `share` to `last_share` of the cooling.

    `routes.state.best` is the cost of the best solution in which no route exceeds the limit, infinite at
    first. Returns the iterations run.
    """
    ratio = log(settings.last_temperature / settings.first_temperature)
    step = (last_share - share) / iterations
    cost = 0.0
    for iteration in range(iterations):
        if iteration % PERIOD == 0:
            cost = _whole_cost(problem, routes, rule)
        temperature = settings.first_temperature * exp(ratio * (share + step * iteration))
        rise = 0.0
        for _ in range(settings.two_opt_proposals):
            limit = -temperature * log(1.0 - uniform(routes.rng))
            rise += propose_join(problem, routes, workspace, rule, limit)
        _set_threshold(routes, rule)
        limit = -temperature * log(1.0 - uniform(routes.rng))
        rise += _step(problem, routes, settings, rule, limit)
        cost += rise
        if cost < routes.state.best - EPSILON and _most_excess(problem, routes, rule) <= 0.0:
            keep_best(problem, routes)
            routes.state.best = cost
            routes.state.improved_at = iteration + 1
    return iterations


@kernel
def _whole_cost(problem: Problem, routes: Routes, rule: RouteCost) -> float:
    """Cost of all routes."""
    cost = 0.0
    for vehicle in range(problem.num_vehicles):
        cost += limited_cost(rule, routes.length[vehicle])
    return cost


@kernel
def _most_excess(problem: Problem, routes: Routes, rule: RouteCost) -> float:
    """By how much the longest route exceeds the limit; negative if none does."""
    most = -rule.limit
    for vehicle in range(problem.num_vehicles):
        most = max(most, routes.length[vehicle] - rule.limit)
    return most


@kernel
def _set_threshold(routes: Routes, rule: RouteCost) -> None:
    """Set the length above which insertion costs extra: the limit; for balance a random shorter one, so that
    steps also shorten routes that are not the longest."""
    routes.state.threshold, routes.state.excess_weight = rule.limit, LIMIT_WEIGHT
    if rule.power > 1.0 and uniform(routes.rng) < 0.5:
        routes.state.threshold = rule.limit * uniform(routes.rng)
        routes.state.excess_weight = rule.power


@kernel
def _step(problem: Problem, routes: Routes, settings: SearchSettings, rule: RouteCost, limit: float) -> float:
    """One step; undone, and 0, if the cost rises by more than `limit`."""
    if make_step(problem, routes, settings, rule.limit):
        rise = 0.0
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            rise += limited_cost(rule, routes.length[vehicle])
            rise -= limited_cost(rule, routes.length_before[vehicle])
        if rise <= limit:
            for k in range(routes.state.num_touched):
                routes.changed[routes.touched_vehicles[k]] = 1
            return rise
    undo(problem, routes)
    return 0.0
