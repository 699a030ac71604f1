"""Take related customers out: adjacent strings around a seed, often from the longest route.

Adjacent string removal as in SISR (Christiaens and Vanden Berghe, "Slack Induction by String
Removals for Vehicle Routing Problems", 2020). `recreate` puts the customers back.
"""

from ...jit import kernel
from ..arrays.distances import Problem
from ..arrays.edits import remove
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import Routes
from ..settings import SearchSettings

WALKED = 200
"""Customers of a route up to which its seed is found by steps along it: they take no time that matters."""
DRAWN = 4
"""Steps along a route that take about as long as one draw of a random customer, with a margin."""


@kernel
def ruin(problem: Problem, routes: Routes, settings: SearchSettings) -> None:
    """Remove strings of customers next to a seed, at most one from each route."""
    ruin_around(problem, routes, settings, _seed(problem, routes, settings))


@kernel
def ruin_around(problem: Problem, routes: Routes, settings: SearchSettings, seed: int) -> None:
    """The same around a given customer, which may itself be on no route."""
    customers = problem.num_nodes - problem.num_depots
    mean_size = customers / max(1, problem.num_vehicles - routes.state.num_free)
    longest = max(1.0, min(settings.max_string_length, mean_size))
    # on average (1 + most) / 2 strings of (1 + longest) / 2 customers: `mean_removed` customers, as in SISR
    most = 4.0 * settings.mean_removed / (1.0 + longest) - 1.0
    strings = int(1.0 + uniform(routes.rng) * most)
    near = problem.neighbours
    count = 0
    if routes.vehicle[seed] < problem.num_vehicles:
        _remove_string(problem, routes, settings, seed, longest)
        count = 1
    for k in range(near.shape[1]):
        if count >= strings:
            break
        customer = near[seed, k]
        vehicle = routes.vehicle[customer]
        if vehicle < problem.num_vehicles and routes.touched_step[vehicle] != routes.state.step:
            _remove_string(problem, routes, settings, customer, longest)
            count += 1


@kernel
def _seed(problem: Problem, routes: Routes, settings: SearchSettings) -> int:
    """A random customer, or one of the longest route."""
    vehicle, customers = routes.tournament[1], problem.num_nodes - problem.num_depots
    size = routes.size[vehicle]
    if uniform(routes.rng) >= settings.longest_route_share or size == 0:
        return problem.num_depots + random_index(routes.rng, customers)
    if size > WALKED and size * size > DRAWN * customers:  # customers / size draws: fewer than steps
        while True:
            customer = problem.num_depots + random_index(routes.rng, customers)
            if routes.vehicle[customer] == vehicle:
                return int(customer)
    entry = routes.after[problem.num_nodes + vehicle]
    for _ in range(random_index(routes.rng, size)):
        entry = routes.after[entry]
    return int(entry)


@kernel
def _remove_string(
    problem: Problem, routes: Routes, settings: SearchSettings, seed: int, longest: float
) -> None:
    """Remove a random string around `seed`; sometimes a stretch in its middle stays (split string)."""
    size = routes.size[routes.vehicle[seed]]
    length = int(1.0 + uniform(routes.rng) * min(float(size), longest))
    length = min(length, size)
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
        if k < skip_from or k >= skip_from + spared:
            routes.requests[routes.state.num_requests] = entry
            routes.state.num_requests += 1
        entry = routes.after[entry]
    remove_requests(problem, routes, begin)


@kernel
def remove_requests(problem: Problem, routes: Routes, begin: int) -> None:
    """Remove the customers from requests[begin:], each with its partner; keep one name per pair."""
    end, keep = routes.state.num_requests, begin
    for k in range(begin, end):
        customer = routes.requests[k]
        if routes.vehicle[customer] == problem.num_vehicles:
            continue
        remove(problem, routes, customer)
        partner = problem.partner[customer]
        if partner >= 0:
            remove(problem, routes, partner)
            if not problem.is_pickup[customer]:
                customer = partner
        routes.requests[keep] = customer
        keep += 1
    routes.state.num_requests = keep
