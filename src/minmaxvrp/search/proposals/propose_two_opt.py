"""2-opt within a route and 2-opt* between two, proposed for two near customers and accepted by annealing.

Ruin and recreate moves a few customers at a time, so on long routes the direction of whole stretches, and
which tail belongs to which head, would hardly ever change. For one depot, no pairs and a symmetric distance:
then the delta of the total length follows from four legs, and most proposals are refused by it alone. With
several depots see `propose_two_opt_depots`.
"""

from ...jit import inlined, kernel
from ..arrays.distances import Problem, distance
from ..arrays.edits import update_longest
from ..arrays.random_numbers import random_index
from ..arrays.routes import Routes
from ..moves.local_search import Workspace
from ..moves.tour import Tour, close, put, read_tour, write_tour
from ..settings import SearchSettings

BESIDE = 8
"""Nearest neighbours that a customer may be joined to."""


@kernel
def propose_two_opt(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, limit: float
) -> float:
    """Propose one move, and make it if it raises the objective by at most `limit`; returns by how much.

    The objective is the makespan plus `settings.length_weight` times the total length; 0 if nothing is done.
    """
    customer, other, kind = pick_two(problem, routes)
    if routes.vehicle[customer] == routes.vehicle[other]:
        return propose_within(problem, routes, settings, limit, customer, other, kind < 2)
    return _between(problem, routes, settings, workspace, limit, customer, other, kind < 2, kind % 2 == 0)


@inlined
def pick_two(problem: Problem, routes: Routes) -> tuple[int, int, int]:
    """A random customer, one of its nearest neighbours, and which of four ways they are to be joined."""
    customer = problem.num_depots + random_index(routes.rng, problem.num_nodes - problem.num_depots)
    near = problem.neighbours
    other = near[customer, random_index(routes.rng, min(BESIDE, near.shape[1]))]
    return customer, other, random_index(routes.rng, 4)


@kernel
def propose_within(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    limit: float,
    one: int,
    two: int,
    ahead: bool,
) -> float:
    """2-opt (Croes 1958): two customers become neighbours, and so do those behind (or before) them."""
    vehicle = routes.vehicle[one]
    beside_one, beside_two = entry_beside(routes, one, ahead), entry_beside(routes, two, ahead)
    if beside_one == two or beside_two == one:
        return 0.0
    change = distance(problem, one, two) - leg_beside(routes, one, ahead) - leg_beside(routes, two, ahead)
    change += distance(problem, routes.node[beside_one], routes.node[beside_two])
    longest = float(routes.length[routes.tournament[1]])
    makespan = max(routes.length[vehicle] + change, longest_without(problem, routes, vehicle, vehicle))
    rise = float(makespan - longest + settings.length_weight * change)
    if rise > limit:
        return 0.0
    front, back = (one, two) if _comes_first(problem, routes, one, two) else (two, one)
    if ahead:
        reverse(problem, routes, routes.after[front], back)
    else:
        reverse(problem, routes, front, routes.before[back])
    routes.length[vehicle] += change
    routes.changed[vehicle] = 1
    update_longest(routes, vehicle)
    return rise


@kernel
def _comes_first(problem: Problem, routes: Routes, one: int, two: int) -> bool:
    """Whether a customer is visited before another one of its route.

    Steps forward from both in turn: near customers are mostly few steps apart, whatever the route's size.
    """
    a, b = one, two
    while True:
        a = routes.after[a]
        if a == two:
            return True
        if a >= problem.num_nodes:
            return False
        b = routes.after[b]
        if b == one:
            return False
        if b >= problem.num_nodes:
            return True


@kernel
def reverse(problem: Problem, routes: Routes, first: int, last: int) -> None:
    """Turn the stretch first .. last of a route round, where it is; its length is left to the caller."""
    outside, behind = routes.before[first], routes.after[last]
    leg = distance(problem, first, routes.node[behind])
    entry = first
    while True:
        follower, own = routes.after[entry], routes.leg[entry]
        routes.after[entry], routes.before[behind], routes.leg[entry] = behind, entry, leg
        behind, leg = entry, own
        if entry == last:
            break
        entry = follower
    routes.after[outside], routes.before[last] = last, outside
    routes.leg[outside] = distance(problem, routes.node[outside], last)


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
    """2-opt* (Potvin and Rousseau 1995), also with reversal: two routes are cut, and joined crosswise.

    The head (or tail) of the first route that ends at `one` is joined to the tail (or head) of the second
    that ends at `two`; what is left of both is joined too.
    """
    va, vb = routes.vehicle[one], routes.vehicle[two]
    beside_one, beside_two = entry_beside(routes, one, head), entry_beside(routes, two, not tail)
    if beside_one >= problem.num_nodes and beside_two >= problem.num_nodes:
        return 0.0  # it would leave a route without customers
    joined = distance(problem, one, two)
    change = joined - leg_beside(routes, one, head) - leg_beside(routes, two, not tail)
    change += distance(problem, routes.node[beside_one], routes.node[beside_two])
    longest, both = float(routes.length[routes.tournament[1]]), routes.length[va] + routes.length[vb] + change
    least = max(0.5 * both, longest_without(problem, routes, va, vb))
    if least - longest + settings.length_weight * change > limit:
        return 0.0
    first = part_length(problem, routes, one, head) + joined + part_length(problem, routes, two, not tail)
    rise = float(max(least, first, both - first) - longest + settings.length_weight * change)
    if rise > limit:
        return 0.0
    join(problem, routes, workspace, one, two, head, tail)
    write_tour(problem, routes, workspace.new_a)
    write_tour(problem, routes, workspace.new_b)
    return rise


@kernel
def join(
    problem: Problem, routes: Routes, workspace: Workspace, one: int, two: int, head: bool, tail: bool
) -> None:
    """Write the joined route, in which `one` and `two` meet, to new_a, and what is left of both to new_b."""
    a, b, new_a, new_b = workspace.a, workspace.b, workspace.new_a, workspace.new_b
    read_tour(problem, routes, routes.vehicle[one], a)
    read_tour(problem, routes, routes.vehicle[two], b)
    p, q = position_of(a, one), position_of(b, two)
    end_a, end_b = a.info.count + 1, b.info.count + 1
    at = put(new_a, 0, a, 0 if head else end_a, p)
    at = put(new_a, at, b, q, end_b if tail else 0)
    close(problem, new_a, at, a.info.vehicle)
    at = put(new_b, 0, a, end_a if head else 0, p + 1 if head else p - 1)
    at = put(new_b, at, b, q - 1 if tail else q + 1, 0 if tail else end_b)
    close(problem, new_b, at, b.info.vehicle)


@kernel
def entry_beside(routes: Routes, customer: int, ahead: bool) -> int:
    """The entry behind a customer, or the one before it."""
    return int(routes.after[customer] if ahead else routes.before[customer])


@kernel
def leg_beside(routes: Routes, customer: int, ahead: bool) -> float:
    """The leg behind a customer, or the one before it."""
    return float(routes.leg[customer if ahead else routes.before[customer]])


@kernel
def part_length(problem: Problem, routes: Routes, customer: int, head: bool) -> float:
    """Length of a route from its start up to a customer, or from there to its end, service included.

    Steps in both directions in turn, until one end is met.
    """
    own = problem.service[customer]
    back, before = routes.before[customer], own
    ahead, behind = customer, own
    while True:
        before += routes.leg[back]
        if back >= problem.num_nodes:
            behind = routes.length[routes.vehicle[customer]] - before + own
            break
        before += problem.service[back]
        back = routes.before[back]
        behind += routes.leg[ahead]
        ahead = routes.after[ahead]
        if ahead >= problem.num_nodes:
            before = routes.length[routes.vehicle[customer]] - behind + own
            break
        behind += problem.service[ahead]
    return float(before if head else behind)


@kernel
def longest_without(problem: Problem, routes: Routes, a: int, b: int) -> float:
    """The longest route other than those of vehicles a and b."""
    top = routes.tournament[1]
    if top != a and top != b:
        return float(routes.length[top])
    longest = 0.0
    for vehicle in range(problem.num_vehicles):
        if vehicle != a and vehicle != b:
            longest = max(longest, routes.length[vehicle])
    return longest


@kernel
def position_of(tour: Tour, customer: int) -> int:
    """Where a customer is on a tour."""
    position = 1
    while tour.node[position] != customer:
        position += 1
    return position
