"""A route changes its depot, or enters its round trip elsewhere; proposed, and accepted by annealing.

A route is a round trip of its customers that is opened at one leg to reach the depot. Ruin and recreate moves
a few customers at a time, so on a long route neither that leg nor the depot would often change together. For
several depots and no pairs; the direction of a route stays.
"""

from ...jit import entry, kernel
from ..arrays.distances import Problem, distance
from ..arrays.random_numbers import random_index
from ..arrays.routes import Routes
from ..moves.local_search import MARGIN, Workspace
from ..moves.tour import close, put, read_tour, write_tour
from ..settings import SearchSettings
from .propose_two_opt import longest_without, position_of


@kernel
def propose_depot(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, limit: float
) -> float:
    """Propose a random start depot for the route of a random customer, opened where that is shortest.

    If the depot is full, one of its routes gets the depot that is left, in the same way. The move is made if
    it raises the objective of `propose_two_opt` by at most `limit`; returns by how much, 0 if none is made.
    """
    customer = problem.num_depots + random_index(routes.rng, problem.num_nodes - problem.num_depots)
    depot = random_index(routes.rng, problem.num_depots)
    a = b = routes.vehicle[customer]
    left = routes.node[problem.num_nodes + a]
    if depot != left and routes.used[depot] >= problem.depot_limit[depot]:
        b = _route_from(problem, routes, depot)
        if b < 0:
            return 0.0
    length_a, last_a = best_opening(problem, routes, a, depot)
    change, longest = length_a - routes.length[a], float(routes.length[routes.tournament[1]])
    length_b, last_b = 0.0, 0
    if b != a:
        length_b, last_b = best_opening(problem, routes, b, left)
        change += length_b - routes.length[b]
    makespan = max(length_a, length_b, longest_without(problem, routes, a, b))
    rise = float(makespan - longest + settings.length_weight * change)
    if rise > limit:
        return 0.0
    _open(problem, routes, workspace, a, depot, last_a)
    if b != a:
        _open(problem, routes, workspace, b, left, last_b)
    return rise


@kernel
def _route_from(problem: Problem, routes: Routes, depot: int) -> int:
    """A route that starts at a depot, looked for from a random one on; -1 if there is none."""
    vehicle = random_index(routes.rng, problem.num_vehicles)
    for _ in range(problem.num_vehicles):
        vehicle = vehicle + 1 if vehicle + 1 < problem.num_vehicles else 0
        if routes.size[vehicle] > 0 and routes.node[problem.num_nodes + vehicle] == depot:
            return int(vehicle)
    return -1


@kernel
def best_opening(problem: Problem, routes: Routes, vehicle: int, depot: int) -> tuple[float, int]:
    """Length of a route from a start depot, opened where it is shortest, and the last customer then."""
    start = problem.num_nodes + vehicle
    first, last = routes.after[start], routes.before[start + problem.num_vehicles]
    best = distance(problem, depot, first) + _way_home(problem, last, depot)
    opened, closing = last, distance(problem, last, first)
    inner, entry = routes.length[vehicle] - routes.leg[start] - routes.leg[last], first
    while entry != last:
        follower = routes.after[entry]
        way = distance(problem, depot, follower) + _way_home(problem, entry, depot)
        way += closing - routes.leg[entry]
        if way < best:
            best, opened = way, entry
        entry = follower
    return float(inner + best), int(opened)


@entry
def open_routes(problem: Problem, routes: Routes, workspace: Workspace) -> None:
    """Give every route the depot and the opening with which it is shortest, as long as depots have room."""
    for vehicle in range(problem.num_vehicles):
        if routes.size[vehicle] == 0:
            continue
        own = routes.node[problem.num_nodes + vehicle]
        best, depot, opened = routes.length[vehicle] - MARGIN, -1, 0
        for other in range(problem.num_depots):
            if other == own or routes.used[other] < problem.depot_limit[other]:
                length, last = best_opening(problem, routes, vehicle, other)
                if length < best:
                    best, depot, opened = length, other, last
        if depot >= 0:
            _open(problem, routes, workspace, vehicle, depot, opened)


@kernel
def _way_home(problem: Problem, last: int, depot: int) -> float:
    """The way back from a route's last customer."""
    return float(problem.to_depot[last] if problem.return_any else distance(problem, last, depot))


@kernel
def _open(
    problem: Problem, routes: Routes, workspace: Workspace, vehicle: int, depot: int, last: int
) -> None:
    """Let a route start from a depot with the customer behind `last` on its round trip, and end at `last`."""
    a, new = workspace.a, workspace.new_a
    read_tour(problem, routes, vehicle, a)
    end, count = position_of(a, last), a.info.count
    at = 1
    if end < count:
        at = put(new, at, a, end + 1, count)
    at = put(new, at, a, 1, end)
    new.node[0] = depot
    new.node[at] = problem.end_depot[last] if problem.return_any else depot
    close(problem, new, at + 1, vehicle)
    write_tour(problem, routes, new)
