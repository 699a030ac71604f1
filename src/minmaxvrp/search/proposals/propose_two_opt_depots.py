"""`propose_two_opt` where there are several depots: a route whose ends change is closed anew.

Whoever gets another first or last customer also gets the best depots with room, so that the depot of a route
is no obstacle to joining it with another. For symmetric distances and no pairs.
"""

from typing import NamedTuple

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.edits import set_depots, update_longest
from ..arrays.routes import Routes
from ..moves.local_search import Workspace
from ..moves.tour import Tour, measure, write_tour
from ..ruin_recreate.depots import best_depots, least_closing
from ..settings import SearchSettings
from .propose_two_opt import (
    entry_beside,
    join,
    leg_beside,
    longest_without,
    part_length,
    pick_two,
    propose_within,
    reverse,
)


class Pair(NamedTuple):
    """Two routes that take the place of those of vehicles a and b: the joined one and the rest."""

    a: int
    b: int
    first: int
    last: int
    rest_first: int
    rest_last: int
    own: float
    """Length from first to last."""
    rest: float


class Depots(NamedTuple):
    """Where both start and end, and the ways from and to there."""

    start: int
    end: int
    rest_start: int
    rest_end: int
    way: float
    rest_way: float


@kernel
def propose_two_opt_depots(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, limit: float
) -> float:
    """Propose one move, and make it if it raises the objective by at most `limit`; returns by how much."""
    customer, other, kind = pick_two(problem, routes)
    if routes.vehicle[customer] != routes.vehicle[other]:
        return _between(problem, routes, settings, workspace, limit, customer, other, kind < 2, kind % 2 == 0)
    beside_one, beside_two = entry_beside(routes, customer, kind < 2), entry_beside(routes, other, kind < 2)
    if beside_one >= problem.num_nodes:
        return _turn_end(problem, routes, settings, limit, other, customer, kind < 2)
    if beside_two >= problem.num_nodes:
        return _turn_end(problem, routes, settings, limit, customer, other, kind < 2)
    return propose_within(problem, routes, settings, limit, customer, other, kind < 2)


@kernel
def _turn_end(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    limit: float,
    one: int,
    end: int,
    back: bool,
) -> float:
    """2-opt (Croes 1958) of the stretch between customer `one` and the end of its route, to which it is
    joined: the last customer if `back`, else the first."""
    vehicle, beside = routes.vehicle[one], entry_beside(routes, one, back)
    if beside == end:
        return 0.0
    start = problem.num_nodes + vehicle
    first, last = routes.after[start], routes.before[start + problem.num_vehicles]
    gone = leg_beside(routes, one, back) + routes.leg[start] + routes.leg[last]
    first, last = (first, beside) if back else (beside, last)
    depot, home, way = best_depots(problem, routes, first, last, routes.node[start])
    change = distance(problem, one, end) + way - gone
    longest = float(routes.length[routes.tournament[1]])
    makespan = max(routes.length[vehicle] + change, longest_without(problem, routes, vehicle, vehicle))
    rise = float(makespan - longest + settings.length_weight * change)
    if rise > limit:
        return 0.0
    length = routes.length[vehicle] + change
    if back:
        reverse(problem, routes, beside, end)
    else:
        reverse(problem, routes, end, beside)
    set_depots(problem, routes, vehicle, depot, home)
    routes.length[vehicle] = length
    routes.changed[vehicle] = 1
    update_longest(routes, vehicle)
    return rise


@kernel
def _between(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    limit: float,
    one: int,
    two: int,
    head: bool,
    tail: bool,
) -> float:
    """2-opt* (Potvin and Rousseau 1995), also with reversal, with the best depots for both routes.

    The head (or tail) of the first route that ends at `one` is joined to the tail (or head) of the second
    that ends at `two`; what is left of both is joined too. Most moves are refused by a bound: no depots with
    room close a route by less than the best of all.
    """
    va, vb, weight = routes.vehicle[one], routes.vehicle[two], settings.length_weight
    rest_a, rest_b = entry_beside(routes, one, head), entry_beside(routes, two, not tail)
    if rest_a >= problem.num_nodes and rest_b >= problem.num_nodes:
        return 0.0  # it would leave a route without customers
    first, last = _end(problem, routes, va, head), _end(problem, routes, vb, not tail)
    rest_first, rest_last = _end(problem, routes, va, not head), _end(problem, routes, vb, tail)
    inner = _inner_length(problem, routes, va) + distance(problem, one, two)
    inner += _inner_length(problem, routes, vb)
    if rest_a >= problem.num_nodes:
        rest_first = rest_b
    else:
        inner -= leg_beside(routes, one, head)
    if rest_b >= problem.num_nodes:
        rest_last = rest_a
    else:
        inner -= leg_beside(routes, two, not tail)
    if rest_a < problem.num_nodes and rest_b < problem.num_nodes:
        inner += distance(problem, rest_a, rest_b)
    way, rest_way = least_closing(problem, last, first), least_closing(problem, rest_last, rest_first)
    longest, both = float(routes.length[routes.tournament[1]]), routes.length[va] + routes.length[vb]
    others, change = longest_without(problem, routes, va, vb), inner + way + rest_way - both
    if max(0.5 * (both + change), others) - longest + weight * change > limit:
        return 0.0
    own = _inner_part(problem, routes, one, head) + distance(problem, one, two)
    own += _inner_part(problem, routes, two, not tail)
    if max(own + way, inner - own + rest_way, others) - longest + weight * change > limit:
        return 0.0
    pair = Pair(va, vb, first, last, rest_first, rest_last, own, inner - own)
    depots = _best_for_both(problem, routes, pair, weight)
    change = inner + depots.way + depots.rest_way - both
    rise = float(max(own + depots.way, inner - own + depots.rest_way, others) - longest + weight * change)
    if rise > limit:
        return 0.0
    join(problem, routes, workspace, one, two, head, tail)
    _write_from(problem, routes, workspace.new_a, depots.start, depots.end)
    _write_from(problem, routes, workspace.new_b, depots.rest_start, depots.rest_end)
    return rise


@kernel
def _best_for_both(problem: Problem, routes: Routes, pair: Pair, weight: float) -> Depots:
    """The depots with room for two new routes in place of two old ones; where room is limited, the better of
    both orders of choosing."""
    old_a = routes.node[problem.num_nodes + pair.a]
    old_b = routes.node[problem.num_nodes + pair.b]
    routes.used[old_a] -= 1
    routes.used[old_b] -= 1
    start, end, way = best_depots(problem, routes, pair.first, pair.last, -1)
    routes.used[start] += 1
    rest_start, rest_end, rest_way = best_depots(problem, routes, pair.rest_first, pair.rest_last, -1)
    routes.used[start] -= 1
    best = Depots(start, end, rest_start, rest_end, way, rest_way)
    if not problem.unlimited_depots:
        rest_start, rest_end, rest_way = best_depots(problem, routes, pair.rest_first, pair.rest_last, -1)
        routes.used[rest_start] += 1
        start, end, way = best_depots(problem, routes, pair.first, pair.last, -1)
        routes.used[rest_start] -= 1
        other = Depots(start, end, rest_start, rest_end, way, rest_way)
        if _cost(pair, other, weight) < _cost(pair, best, weight):
            best = other
    routes.used[old_a] += 1
    routes.used[old_b] += 1
    return best


@kernel
def _cost(pair: Pair, depots: Depots, weight: float) -> float:
    """The longer of both routes, and their total length by its weight."""
    own, rest = pair.own + depots.way, pair.rest + depots.rest_way
    return float(max(own, rest) + weight * (own + rest))


@kernel
def _write_from(problem: Problem, routes: Routes, tour: Tour, start: int, end: int) -> None:
    """Make a vehicle's route what the tour says, with other depots."""
    tour.node[0], tour.node[tour.info.count + 1] = start, end
    measure(problem, tour)
    write_tour(problem, routes, tour)


@kernel
def _end(problem: Problem, routes: Routes, vehicle: int, front: bool) -> int:
    """The first customer of a route, or its last one."""
    start = problem.num_nodes + vehicle
    return int(routes.after[start] if front else routes.before[start + problem.num_vehicles])


@kernel
def _outer_leg(problem: Problem, routes: Routes, vehicle: int, front: bool) -> float:
    """The first leg of a route, or its last one."""
    return float(routes.leg[problem.num_nodes + vehicle if front else _end(problem, routes, vehicle, False)])


@kernel
def _inner_length(problem: Problem, routes: Routes, vehicle: int) -> float:
    """Length of a route from its first customer to its last."""
    outer = _outer_leg(problem, routes, vehicle, True) + _outer_leg(problem, routes, vehicle, False)
    return float(routes.length[vehicle] - outer)


@kernel
def _inner_part(problem: Problem, routes: Routes, customer: int, head: bool) -> float:
    """Length from the first customer of a route up to one, or from there to the last, service included."""
    outer = _outer_leg(problem, routes, routes.vehicle[customer], head)
    return part_length(problem, routes, customer, head) - outer
