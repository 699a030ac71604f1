"""Take related customers out: adjacent strings around a seed (SISR, Christiaens and Vanden Berghe 2020).

As `search.ruin_recreate.ruin`, but customers that are fixed stay where they are. `insertion` puts the others
back.
"""

from ...jit import kernel
from ..arrays.distances import Problem
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import Routes
from ..settings import SearchSettings
from .changes import longest_vehicle, remove
from .vehicles import Fleet

WHOLE_ROUTE = 0.01
"""Share of ruins that empty the seed's vehicle: it may be the wrong one for all of its customers."""


@kernel
def ruin(problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings) -> None:
    """Remove strings of customers next to a seed, at most one from each route."""
    seed = _seed(problem, fleet, routes, settings)
    customers = problem.num_nodes - problem.num_depots
    mean_size = customers / max(1, problem.num_vehicles - routes.state.num_free)
    longest = max(1.0, min(settings.max_string_length, mean_size))
    most = 4.0 * settings.mean_removed / (1.0 + longest) - 1.0
    strings = int(1.0 + uniform(routes.rng) * most)
    if uniform(routes.rng) < WHOLE_ROUTE:
        longest = 4.0 * settings.mean_removed
    _remove_string(problem, fleet, routes, settings, seed, longest)
    longest = min(longest, settings.max_string_length)
    near = problem.neighbours
    count = 1
    for k in range(near.shape[1]):
        if count >= strings:
            break
        customer = near[seed, k]
        vehicle = routes.vehicle[customer]
        if fleet.fixed[customer] or vehicle == problem.num_vehicles:
            continue
        if routes.touched_step[vehicle] != routes.state.step:
            _remove_string(problem, fleet, routes, settings, customer, longest)
            count += 1


@kernel
def _seed(problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings) -> int:
    """A random customer that is not fixed, often one of the longest route."""
    other = fleet.movable[random_index(routes.rng, len(fleet.movable))]
    if uniform(routes.rng) >= settings.longest_route_share:
        return int(other)
    vehicle = longest_vehicle(fleet, routes)
    if routes.size[vehicle] == 0:
        return int(other)
    entry = routes.after[problem.num_nodes + vehicle]
    for _ in range(random_index(routes.rng, routes.size[vehicle])):
        entry = routes.after[entry]
    return int(other if fleet.fixed[entry] else entry)


@kernel
def _remove_string(
    problem: Problem, fleet: Fleet, routes: Routes, settings: SearchSettings, seed: int, longest: float
) -> None:
    """Remove a random string around `seed`; sometimes a stretch in its middle stays (split string)."""
    size = routes.size[routes.vehicle[seed]]
    length = min(int(1.0 + uniform(routes.rng) * min(float(size), longest)), size)
    spared = 0
    if length > 1 and uniform(routes.rng) < settings.split_share:
        while length + spared < size and uniform(routes.rng) > settings.split_stop_chance:
            spared += 1
    total = length + spared
    first = seed
    for _ in range(random_index(routes.rng, total)):
        if routes.before[first] >= problem.num_nodes:
            break
        first = routes.before[first]
    last, reach = first, 1  # the string must not run over the end: then it begins earlier
    while reach < total and routes.after[last] < problem.num_nodes:
        last = routes.after[last]
        reach += 1
    while reach < total:
        first = routes.before[first]
        reach += 1
    skip_from = 1 + random_index(routes.rng, length - 1) if spared > 0 else total
    # collected first: removing a pair's other half may take a later entry of the string away
    begin = routes.state.num_requests
    entry = first
    for k in range(total):
        if (k < skip_from or k >= skip_from + spared) and not fleet.fixed[entry]:
            routes.requests[routes.state.num_requests] = entry
            routes.state.num_requests += 1
        entry = routes.after[entry]
    _remove_requests(problem, fleet, routes, begin)


@kernel
def _remove_requests(problem: Problem, fleet: Fleet, routes: Routes, begin: int) -> None:
    """Remove the customers from requests[begin:], each with its partner; keep one name per pair."""
    end, keep = routes.state.num_requests, begin
    for k in range(begin, end):
        customer = routes.requests[k]
        if routes.vehicle[customer] == problem.num_vehicles:
            continue
        remove(problem, fleet, routes, customer)
        partner = problem.partner[customer]
        if partner >= 0:
            remove(problem, fleet, routes, partner)
            if not problem.is_pickup[customer]:
                customer = partner
        routes.requests[keep] = customer
        keep += 1
    routes.state.num_requests = keep
