"""Route elimination: ruin and recreate with customers that are absent until all fit on fewer routes.

Fleet minimisation of SISR (Christiaens and Vanden Berghe 2020): what does not fit is left out. A step is
accepted if the absences of those left out add up to less than before, so that a request becomes the dearer
the more often it was absent. `fewer_routes` calls it.
"""

from math import exp, log

from ...jit import entry, kernel
from ..arrays.distances import Problem
from ..arrays.edits import begin_step, mark_removed, take_back, undo
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import Routes
from ..moves.local_search import Workspace
from ..proposals.propose_join import propose_join
from ..route_cost import LIMIT_WEIGHT, RouteCost, route_cost
from ..ruin_recreate.depots import choose_depots, exchange_depots
from ..ruin_recreate.insert_pair import insert_pair
from ..ruin_recreate.recreate import EXCHANGE_SHARE, insert_customer, sort_requests
from ..ruin_recreate.ruin import remove_requests, ruin_around
from ..settings import SearchSettings
from .absent import Absent

NEAR_SHARE = 0.5
"""Of the ruins: around an absent request. The others make room elsewhere."""
WHOLE_SHARE = 0.02
"""Of the ruins: a whole route beside an absent request, which may need a route nearly for itself."""


@entry
def eliminate(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    rule: RouteCost,
    absent: Absent,
    iterations: int,
    share: float,
    last_share: float,
) -> int:
    """Run iterations until no request is absent, while the cooling goes from `share` to `last_share`.

    Returns how many were run. No route exceeds the limit in `rule`. `routes.state.best` is the least number
    of absent requests so far.
    """
    ratio = log(settings.last_temperature / settings.first_temperature)
    step = (last_share - share) / iterations
    routes.state.threshold, routes.state.excess_weight = rule.limit, LIMIT_WEIGHT
    for iteration in range(iterations):
        if absent.info.count == 0:
            return iteration
        temperature = settings.first_temperature * exp(ratio * (share + step * iteration))
        for _ in range(settings.two_opt_proposals):
            limit = -temperature * log(1.0 - uniform(routes.rng))
            propose_join(problem, routes, workspace, rule, limit)
        limit = -temperature * log(1.0 - uniform(routes.rng))
        _try_step(problem, routes, settings, rule, absent, limit)
        if absent.info.count < routes.state.best:
            routes.state.best = absent.info.count
            routes.state.improved_at = iteration + 1
    return iterations


@kernel
def _try_step(
    problem: Problem, routes: Routes, settings: SearchSettings, rule: RouteCost, absent: Absent, limit: float
) -> bool:
    """One step; undone, and False, if as many absences cost more than `limit`, or if there are more."""
    begin_step(routes)
    before = _keep_absent(absent)
    if uniform(routes.rng) < WHOLE_SHARE:
        _remove_route(problem, routes, _absent_customer(problem, routes, absent))
    else:
        ruin_around(problem, routes, settings, _seed(problem, routes, absent))
    _recreate(problem, routes, settings, rule, absent)
    absences = _sum_of_absences(absent)
    for k in range(absent.info.count):
        absent.absences[absent.requests[k]] += 1.0
    rise = 0.0
    fits = True
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        fits = fits and routes.length[vehicle] <= rule.limit
        rise += route_cost(rule, routes.length[vehicle]) - route_cost(rule, routes.length_before[vehicle])
    if fits and (absences < before or (absences == before and rise <= limit)):
        return True
    undo(problem, routes)
    _restore_absent(problem, routes, absent)
    return False


@kernel
def _seed(problem: Problem, routes: Routes, absent: Absent) -> int:
    """An absent customer, or any."""
    if uniform(routes.rng) < NEAR_SHARE:
        return _absent_customer(problem, routes, absent)
    return problem.num_depots + random_index(routes.rng, problem.num_nodes - problem.num_depots)


@kernel
def _absent_customer(problem: Problem, routes: Routes, absent: Absent) -> int:
    """A random one."""
    request = absent.requests[random_index(routes.rng, absent.info.count)]
    partner = problem.partner[request]
    return int(partner if partner >= 0 and uniform(routes.rng) < 0.5 else request)


@kernel
def _remove_route(problem: Problem, routes: Routes, customer: int) -> None:
    """Remove the whole route of a near neighbour, each of those listed with the same chance."""
    near = problem.neighbours
    other = near[customer, random_index(routes.rng, near.shape[1])]
    vehicle, count = routes.vehicle[other], 0
    if vehicle == problem.num_vehicles:
        return
    entry = routes.after[problem.num_nodes + vehicle]
    while entry < problem.num_nodes:
        routes.requests[count] = entry
        count += 1
        entry = routes.after[entry]
    routes.state.num_requests = count
    remove_requests(problem, routes, 0)


@kernel
def _recreate(
    problem: Problem, routes: Routes, settings: SearchSettings, rule: RouteCost, absent: Absent
) -> None:
    """Insert what the step removed and what was absent, in a random kind of order, as far as it fits."""
    count = routes.state.num_requests
    for k in range(absent.info.count):
        routes.requests[count + k] = absent.requests[k]
    routes.state.num_requests = count + absent.info.count
    absent.info.count = 0
    if problem.unlimited_depots:
        for k in range(routes.state.num_touched):
            choose_depots(problem, routes, routes.touched_vehicles[k])
    sort_requests(problem, routes)
    for k in range(routes.state.num_requests):
        _insert_if_it_fits(problem, routes, settings, rule, absent, routes.requests[k])
    if problem.num_depots > 1:
        for k in range(routes.state.num_touched):
            choose_depots(problem, routes, routes.touched_vehicles[k])
        if not problem.unlimited_depots and uniform(routes.rng) < EXCHANGE_SHARE:
            exchange_depots(problem, routes, settings)


@kernel
def _insert_if_it_fits(
    problem: Problem, routes: Routes, settings: SearchSettings, rule: RouteCost, absent: Absent, request: int
) -> None:
    """Insert a customer or a pair where it is cheapest; absent if that makes the route too long."""
    paired = problem.partner[request] >= 0
    if paired:
        insert_pair(problem, routes, settings, request)
    else:
        insert_customer(problem, routes, settings, request)
    vehicle = routes.vehicle[request]
    if routes.length[vehicle] <= rule.limit:
        return
    take_back(problem, routes)
    if paired:
        take_back(problem, routes)
    if problem.unlimited_depots:
        choose_depots(problem, routes, vehicle)
    absent.requests[absent.info.count] = request
    absent.info.count += 1


@kernel
def _keep_absent(absent: Absent) -> float:
    """Remember who is absent before a step; the sum of their absences."""
    count = absent.info.count
    absent.info.count_before = count
    for k in range(count):
        absent.before[k] = absent.requests[k]
    return _sum_of_absences(absent)


@kernel
def _restore_absent(problem: Problem, routes: Routes, absent: Absent) -> None:
    """After `undo`: who was absent before the step is absent again."""
    absent.info.count = absent.info.count_before
    for k in range(absent.info.count):
        request = absent.before[k]
        absent.requests[k] = request
        mark_removed(routes, request)
        if problem.partner[request] >= 0:
            mark_removed(routes, problem.partner[request])


@kernel
def _sum_of_absences(absent: Absent) -> float:
    total = 0.0
    for k in range(absent.info.count):
        total += absent.absences[absent.requests[k]]
    return total
