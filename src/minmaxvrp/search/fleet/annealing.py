"""The loop for a fleet: ruin, recreate, accept by annealing, keep the best; vehicles also exchange routes.

As `search.anneal` for the makespan and `search.refine` for what comes after it.
"""

from math import exp, log

from ...jit import entry, kernel
from ..anneal import EPSILON
from ..arrays.distances import Problem
from ..arrays.random_numbers import uniform
from ..arrays.routes import Ints, Routes
from ..moves.local_search import Workspace
from ..route_cost import LIMIT_WEIGHT, RouteCost, route_cost
from ..ruin_recreate.price import LOW_THRESHOLD_WEIGHT, objective
from ..settings import SearchSettings
from .changes import begin_step, clear_plan, fill_vehicle, keep_best, longest_vehicle, undo
from .insertion import insert_customer, recreate
from .pair_insertion import insert_pair
from .removal import ruin
from .round_trips import choose_depot, choose_depots
from .route_moves import shorten_route
from .route_swap import choose_pair, length_on, swap_routes
from .vehicles import Fleet

SWAPS = 0.05
"""Share of iterations in which two vehicles may exchange their routes."""
FULL_SCAN_BEST = 40
"""Customers up to which all moves are tried on the longest route of a new incumbent."""


@entry
def fill_plan(problem: Problem, fleet: Fleet, routes: Routes, customers: Ints, ends: Ints) -> None:
    """Give the vehicles their customers: of vehicle v those of `customers` before ends[v]. It is the best."""
    clear_plan(problem, fleet, routes)
    begin = 0
    for vehicle in range(problem.num_vehicles):
        fill_vehicle(problem, fleet, routes, vehicle, customers[begin : ends[vehicle]])
        if fleet.round_trip[vehicle]:
            choose_depot(problem, fleet, routes, vehicle)
        begin = ends[vehicle]
    keep_best(problem, routes)
    routes.state.best = routes.length[longest_vehicle(fleet, routes)]


@entry
def anneal_fleet(
    problem: Problem,
    fleet: Fleet,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    rule: RouteCost,
    iterations: int,
    share: float,
    last_share: float,
    floor: float,
) -> int:
    """Run iterations while the temperature falls from `share` to `last_share` of the cooling.

    Returns how many were run: fewer when the best makespan has come down to `floor`. With a limit in `rule`
    the makespan is settled. Requests that are missing are inserted at first.
    """
    if routes.state.num_requests > 0 and routes.state.step == 0:
        _insert_missing(problem, fleet, routes, settings)
    if rule.limit > 0.0:
        return _refine(problem, fleet, routes, settings, rule, iterations, share, last_share)
    ratio = log(settings.last_temperature / settings.first_temperature)
    step = (last_share - share) / max(1, iterations)
    for iteration in range(iterations):
        temperature = settings.first_temperature * exp(ratio * (share + step * iteration))
        longest = routes.length[longest_vehicle(fleet, routes)]
        if not fleet.all_alike and uniform(routes.rng) < SWAPS:
            limit = longest - temperature * log(1.0 - uniform(routes.rng))
            if _swap(problem, fleet, routes, settings, limit):
                _keep_if_best(problem, fleet, routes, workspace, iteration)
                longest = routes.length[longest_vehicle(fleet, routes)]
        _set_threshold(routes, settings)
        limit = longest - temperature * log(1.0 - uniform(routes.rng))
        if _ruin_and_recreate(problem, fleet, routes, settings, limit):
            _keep_if_best(problem, fleet, routes, workspace, iteration)
        if routes.state.best <= floor:
            return iteration + 1
    return iterations


@kernel
def _insert_missing(problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings) -> None:
    """Insert requests in the order given, where the longest route grows least: the first incumbent."""
    missing = routes.state.num_requests
    begin_step(routes)
    routes.state.excess_weight = settings.excess_weight
    for k in range(missing):
        customer = routes.requests[k]
        routes.state.threshold = routes.length[longest_vehicle(fleet, routes)]
        routes.state.num_inserted = 0
        if problem.partner[customer] >= 0:
            insert_pair(problem, fleet, routes, settings, customer)
        else:
            insert_customer(problem, fleet, routes, settings, customer)
    choose_depots(problem, fleet, routes)
    routes.changed[:] = 1
    keep_best(problem, routes)
    routes.state.best = routes.length[longest_vehicle(fleet, routes)]


@kernel
def _ruin_and_recreate(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, limit: float
) -> bool:
    """One step; undone, and False, if the objective would rise above `limit`."""
    begin_step(routes)
    ruin(problem, fleet, routes, settings)
    if recreate(problem, fleet, routes, settings, limit):
        longest = longest_vehicle(fleet, routes)
        if objective(problem, routes, settings, longest) <= limit:
            for k in range(routes.state.num_touched):
                routes.changed[routes.touched_vehicles[k]] = 1
            return True
    undo(problem, fleet, routes)
    return False


@kernel
def _swap(problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, limit: float) -> bool:
    """Let two vehicles exchange their routes unless the objective would rise above `limit`."""
    one, two = choose_pair(fleet, routes)
    if one < 0:
        return False
    length, other = length_on(problem, fleet, routes, one, two), length_on(problem, fleet, routes, two, one)
    longest = max(length, other)
    if longest > limit:
        return False
    for vehicle in range(problem.num_vehicles):
        if fleet.active[vehicle] and vehicle != one and vehicle != two:
            longest = max(longest, routes.length[vehicle])
    added = length + other - routes.length[one] - routes.length[two]
    if longest + settings.mean_length_weight * added / problem.num_vehicles > limit:
        return False
    swap_routes(problem, fleet, routes, one, two)
    return True


@kernel
def _keep_if_best(
    problem: Problem, fleet: Fleet, routes: Routes, workspace: Workspace, iteration: int
) -> None:
    """If the solution is the best so far: shorten its longest route by local search, and keep it."""
    vehicle = longest_vehicle(fleet, routes)
    if routes.length[vehicle] < routes.state.best - EPSILON:
        shorten_route(problem, fleet, routes, workspace, vehicle, FULL_SCAN_BEST)
        keep_best(problem, routes)
        routes.state.best = routes.length[longest_vehicle(fleet, routes)]
        routes.state.improved_at = iteration + 1


@kernel
def _set_threshold(routes: Routes, settings: SearchSettings) -> None:
    """How long routes may become at no extra price in this step: mostly as long as the best makespan.

    Now and then less, so that a vehicle far away does not stay unused for ever.
    """
    routes.state.threshold, routes.state.excess_weight = routes.state.best, settings.excess_weight
    if uniform(routes.rng) < settings.low_threshold_share:
        routes.state.threshold *= 0.5 + 0.5 * uniform(routes.rng)
        routes.state.excess_weight = LOW_THRESHOLD_WEIGHT


@kernel
def _refine(
    problem: Problem,
    fleet: Fleet,
    routes: Routes,
    settings: SearchSettings,
    rule: RouteCost,
    iterations: int,
    share: float,
    last_share: float,
) -> int:
    """The same with the makespan as a hard limit, judged by the sum of the routes' costs.

    `routes.state.best` is the cost of the best solution here, infinite at first.
    """
    ratio = log(settings.last_temperature / settings.first_temperature)
    step = (last_share - share) / max(1, iterations)
    cost = 0.0
    for vehicle in range(problem.num_vehicles):
        cost += route_cost(rule, routes.length[vehicle])
    routes.state.best = min(routes.state.best, cost)
    for iteration in range(iterations):
        temperature = settings.first_temperature * exp(ratio * (share + step * iteration))
        limit = -temperature * log(1.0 - uniform(routes.rng))
        rise = 0.0
        if not fleet.all_alike and uniform(routes.rng) < SWAPS:
            rise = _refining_swap(problem, fleet, routes, rule, limit)
        rise += _refining_step(problem, fleet, routes, settings, rule, limit)
        cost += rise
        if rise < 0.0 and cost < routes.state.best - EPSILON:
            keep_best(problem, routes)
            routes.state.best = cost
            routes.state.improved_at = iteration + 1
    return iterations


@kernel
def _refining_swap(problem: Problem, fleet: Fleet, routes: Routes, rule: RouteCost, limit: float) -> float:
    """Let two vehicles exchange their routes unless the cost rises by more than `limit`; the rise."""
    one, two = choose_pair(fleet, routes)
    if one < 0:
        return 0.0
    length, other = length_on(problem, fleet, routes, one, two), length_on(problem, fleet, routes, two, one)
    if max(length, other) > rule.limit:
        return 0.0
    rise = route_cost(rule, length) - route_cost(rule, routes.length[one])
    rise += route_cost(rule, other) - route_cost(rule, routes.length[two])
    if rise > limit:
        return 0.0
    swap_routes(problem, fleet, routes, one, two)
    return rise


@kernel
def _refining_step(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, rule: RouteCost, limit: float
) -> float:
    """One step; undone, and 0, if a route exceeds the rule's limit or the cost rises by more than `limit`."""
    routes.state.threshold, routes.state.excess_weight = rule.limit, LIMIT_WEIGHT
    if rule.power > 1.0 and uniform(routes.rng) < 0.5:  # in turn every longer route is spared
        routes.state.threshold = rule.limit * uniform(routes.rng)
        routes.state.excess_weight = rule.power
    begin_step(routes)
    ruin(problem, fleet, routes, settings)
    if recreate(problem, fleet, routes, settings, rule.limit):
        rise, fits = 0.0, True
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            rise += route_cost(rule, routes.length[vehicle]) - route_cost(rule, routes.length_before[vehicle])
            fits = fits and routes.length[vehicle] <= rule.limit
        if fits and rise <= limit:
            for k in range(routes.state.num_touched):
                routes.changed[routes.touched_vehicles[k]] = 1
            return rise
    undo(problem, fleet, routes)
    return 0.0
