"""Move a stretch of a route as it is, or a whole route: what insertions one by one cannot reach.

Or-opt (Or 1976) between routes. With asymmetric distances, without the triangle inequality, with pairs or
with limits of depots, all plans on the way from one good plan to another may be bad if customers move one
at a time. A second kind of step beside ruin and recreate; the caller accepts or undoes it.
"""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.edits import insert, remove
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, Routes
from ..settings import SearchSettings
from .depots import best_depots, choose_depots, exchange_depots, open_route
from .price import insertion_price, overlooks

LONGEST = 30
"""Most customers of a stretch that is not a whole route."""
WHOLE_SHARE = 0.25
"""Of the stretches: whole routes."""


@kernel
def move_stretch(problem: Problem, routes: Routes, settings: SearchSettings) -> bool:
    """Take a random stretch out, perhaps turn it, and insert it where it is cheapest; False if not."""
    seed = problem.num_depots + random_index(routes.rng, problem.num_nodes - problem.num_depots)
    _collect(problem, routes, seed)
    count, requests = routes.state.num_requests, routes.requests
    if problem.has_pairs:
        if not _keeps_pairs(problem, routes):
            return False
    elif uniform(routes.rng) < 0.5:
        for k in range(count // 2):
            requests[k], requests[count - 1 - k] = requests[count - 1 - k], requests[k]
    inner = problem.service[requests[0]]
    for k in range(1, count):
        inner += distance(problem, requests[k - 1], requests[k]) + problem.service[requests[k]]
    for k in range(count):
        remove(problem, routes, requests[k])
    first, last = requests[0], requests[count - 1]
    at, price = _cheapest(problem, routes, settings, first, last, inner)
    if routes.state.num_free > 0 and not (at >= 0 and overlooks(routes, settings)):
        at = open_route(problem, routes, first, last, inner, at, price)
    if at < 0:
        return False
    for k in range(count):
        insert(problem, routes, requests[k], at)
        at = requests[k]
    if problem.num_depots > 1:
        for k in range(routes.state.num_touched):
            choose_depots(problem, routes, routes.touched_vehicles[k])
        if not problem.unlimited_depots:
            exchange_depots(problem, routes, settings)
    return True


@kernel
def _collect(problem: Problem, routes: Routes, seed: int) -> None:
    """List the stretch in `routes.requests`: from `seed` on, or the whole route."""
    size = routes.size[routes.vehicle[seed]]
    if uniform(routes.rng) < WHOLE_SHARE:
        most, entry = size, routes.after[problem.num_nodes + routes.vehicle[seed]]
    else:
        most, entry = 1 + random_index(routes.rng, min(size, LONGEST)), seed
    count = 0
    while count < most and entry < problem.num_nodes:
        routes.requests[count] = entry
        count += 1
        entry = routes.after[entry]
    routes.state.num_requests = count


@kernel
def _keeps_pairs(problem: Problem, routes: Routes) -> bool:
    """Whether the stretch has both ends of each of its pairs."""
    count = routes.state.num_requests
    if count == routes.size[routes.vehicle[routes.requests[0]]]:
        return True
    for k in range(count):
        partner, found = problem.partner[routes.requests[k]], False
        for other in range(count):
            found = found or routes.requests[other] == partner
        if partner >= 0 and not found:
            return False
    return True


@kernel
def _cheapest(
    problem: Problem, routes: Routes, settings: SearchSettings, first: int, last: int, inner: float
) -> tuple[int, float]:
    """The entry behind which the stretch from `first` to `last` is cheapest; some are overlooked.

    With many customers only where it meets a near neighbour. -1 if there is none.
    """
    best, at = INFINITE, -1
    nodes, depots, vehicles = problem.num_nodes, problem.num_depots, problem.num_vehicles
    near = problem.neighbours
    few = nodes - depots <= settings.full_scan_customers
    reach = near.shape[1]
    for k in range(nodes - depots + vehicles if few else 2 * reach):
        if few:
            entry = depots + k if k < nodes - depots else nodes + k - (nodes - depots)
        else:
            entry = near[first, k] if k < reach else routes.before[near[last, k - reach]]
        vehicle = routes.vehicle[entry]
        if vehicle == vehicles or routes.size[vehicle] == 0:
            continue
        added = inner + _detour(problem, routes, entry, first, last)
        price = insertion_price(routes, routes.length[vehicle], added)
        if price < best and uniform(routes.rng) >= settings.blink:
            best, at = price, entry
    return at, best


@kernel
def _detour(problem: Problem, routes: Routes, entry: int, first: int, last: int) -> float:
    """What a route becomes longer by, apart from the stretch itself, with the stretch behind an entry.

    At its ends the route gets the best depots with room.
    """
    follower = routes.after[entry]
    if problem.num_depots == 1 or (entry < problem.num_nodes and follower < problem.num_nodes):
        added = distance(problem, routes.node[entry], first) + distance(problem, last, routes.node[follower])
        return float(added - routes.leg[entry])
    start = problem.num_nodes + routes.vehicle[entry]
    final = routes.before[start + problem.num_vehicles]
    gone = routes.leg[start] + routes.leg[final]
    if entry >= problem.num_nodes:
        joined, head, tail = distance(problem, last, follower), first, final
    else:
        joined, head, tail = distance(problem, entry, first), routes.after[start], last
    _, _, way = best_depots(problem, routes, head, tail, routes.node[start])
    return float(joined + way - gone)
