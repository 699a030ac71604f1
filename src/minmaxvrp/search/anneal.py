"""The loop: ruin, recreate, accept by annealing, keep the best; long routes also join and exchange stretches.

The objective of acceptance is the makespan plus a small multiple of the mean route length: on the
plateau where the longest route does not change, shorter routes make room for what comes next.
"""

from math import exp, log

from ..jit import entry, kernel
from .arrays.distances import Problem
from .arrays.edits import keep_best, undo, update_longest
from .arrays.random_numbers import uniform
from .arrays.routes import Floats, Routes
from .moves.local_search import Workspace, shorten_longest
from .proposals.propose_cross import propose_cross
from .proposals.propose_depot import propose_depot
from .proposals.propose_two_opt import propose_two_opt
from .proposals.propose_two_opt_depots import propose_two_opt_depots
from .refine import refine
from .route_cost import RouteCost
from .ruin_recreate.price import LOW_THRESHOLD_WEIGHT, objective
from .ruin_recreate.step import make_step
from .settings import SearchSettings

EPSILON = 1e-9
"""A makespan is better only by more than this many mean legs: sums of lengths drift by rounding."""
VERY_LONG = 500
"""Customers of a route above which local search takes longer than the time between two looks at the clock."""
VERY_LONG_EPSILON = 0.01
"""`EPSILON` where the longest route is `VERY_LONG`: each new incumbent is a copy of whole routes."""


@entry
def anneal(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    rule: RouteCost,
    iterations: int,
    shares: Floats,
    floor: float,
) -> int:
    """Run `iterations` for each row of `shares`, while the cooling goes from its first share to its second.

    Returns how many were run: fewer when the best makespan has come down to `floor`, or after a local
    search on a new incumbent's longest route of more than `VERY_LONG` customers. With a limit in `rule` the
    makespan is settled, and there is one row: see `refine`.
    """
    if rule.limit > 0.0:
        return refine(problem, routes, settings, workspace, rule, iterations, shares[0, 0], shares[0, 1])
    ratio = log(settings.last_temperature / settings.first_temperature)
    proposes = settings.two_opt_proposals + settings.cross_proposals > 0 or settings.depot_share > 0.0
    done = 0
    for row in range(len(shares)):
        share, step = shares[row, 0], (shares[row, 1] - shares[row, 0]) / iterations
        for k in range(iterations):
            done += 1
            temperature = settings.first_temperature * exp(ratio * (share + step * k))
            if proposes:
                _propose(problem, routes, settings, workspace, temperature)
                _keep_if_best(problem, routes, settings, workspace, done)
            _set_threshold(routes, settings)
            limit = routes.length[routes.tournament[1]] - temperature * log(1.0 - uniform(routes.rng))
            if _step(problem, routes, settings, limit):
                _keep_if_best(problem, routes, settings, workspace, done)
            if routes.state.best <= floor:
                return done
            # local search on a long route takes as long as many iterations: let the caller look at the clock
            searched = settings.shorten_incumbents == 1 and routes.state.improved_at == done
            if searched and routes.size[routes.tournament[1]] > VERY_LONG:
                return done
    return done


@kernel
def _propose(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, temperature: float
) -> None:
    """Propose the moves for long routes; each is accepted by itself."""
    for _ in range(settings.two_opt_proposals):
        limit = -temperature * log(1.0 - uniform(routes.rng))
        if problem.num_depots == 1:
            propose_two_opt(problem, routes, settings, workspace, limit)
        else:
            propose_two_opt_depots(problem, routes, settings, workspace, limit)
    for _ in range(settings.cross_proposals):
        limit = -temperature * log(1.0 - uniform(routes.rng))
        propose_cross(problem, routes, settings, workspace, limit)
    if settings.depot_share > 0.0 and uniform(routes.rng) < settings.depot_share:
        limit = -temperature * log(1.0 - uniform(routes.rng))
        propose_depot(problem, routes, settings, workspace, limit)


@kernel
def _step(problem: Problem, routes: Routes, settings: SearchSettings, limit: float) -> bool:
    """One step; undone, and False, if the objective would rise above `limit`."""
    complete = make_step(problem, routes, settings, limit)
    if complete:
        _rank_touched(routes)
        if objective(problem, routes, settings, routes.tournament[1]) <= limit:
            for k in range(routes.state.num_touched):
                routes.changed[routes.touched_vehicles[k]] = 1
            return True
    undo(problem, routes)
    if complete:
        _rank_touched(routes)
    return False


@kernel
def _keep_if_best(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, iteration: int
) -> None:
    """If the solution is the best so far: shorten its longest route by local search, and keep it."""
    top = routes.tournament[1]
    if routes.length[top] >= routes.state.best - EPSILON:
        return
    if routes.size[top] <= VERY_LONG or routes.length[top] < routes.state.best - VERY_LONG_EPSILON:
        if settings.shorten_incumbents == 1:
            shorten_longest(problem, routes, workspace)
        keep_best(problem, routes)
        routes.state.best = routes.length[routes.tournament[1]]
        routes.state.improved_at = iteration


@kernel
def _set_threshold(routes: Routes, settings: SearchSettings) -> None:
    """Set the length above which insertion costs extra in this step: mostly the incumbent's makespan.

    Now and then it is shorter, with a very high price of excess. Otherwise a vehicle far away could stay
    unused for ever, because inserting into the other routes always adds less.
    """
    routes.state.threshold, routes.state.excess_weight = routes.state.best, settings.excess_weight
    if uniform(routes.rng) < settings.low_threshold_share:
        routes.state.threshold *= 0.5 + 0.5 * uniform(routes.rng)
        routes.state.excess_weight = LOW_THRESHOLD_WEIGHT


@kernel
def _rank_touched(routes: Routes) -> None:
    """Bring the tournament tree of route lengths up to date."""
    for k in range(routes.state.num_touched):
        update_longest(routes, routes.touched_vehicles[k])
