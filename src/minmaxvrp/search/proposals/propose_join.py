"""2-opt within a route and 2-opt* between two for `refine`, judged by the cost of the routes.

As `propose_two_opt` for the makespan: two near customers become neighbours, the rest follows; two routes may
become one. For distances that are symmetric, without pairs, and between routes of the same depot.
"""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.routes import Routes
from ..moves import two_opt
from ..moves.local_search import Workspace
from ..moves.tour import read_tour, write_tour
from ..route_cost import RouteCost, least_cost_of_two, limited_cost
from .propose_two_opt import entry_beside, join, leg_beside, part_length, pick_two, position_of


@kernel
def propose_join(
    problem: Problem, routes: Routes, workspace: Workspace, rule: RouteCost, limit: float
) -> float:
    """Propose one move, and make it if the cost of the routes rises by at most `limit`; returns by how much.

    0 if nothing is done.
    """
    one, two, kind = pick_two(problem, routes)
    if max(routes.vehicle[one], routes.vehicle[two]) == problem.num_vehicles:  # one of them is removed
        return 0.0
    if routes.vehicle[one] == routes.vehicle[two]:
        return _within(problem, routes, workspace, rule, limit, one, two, kind < 2)
    return _between(problem, routes, workspace, rule, limit, one, two, kind < 2, kind % 2 == 0)


@kernel
def _within(
    problem: Problem,
    routes: Routes,
    workspace: Workspace,
    rule: RouteCost,
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
    length = routes.length[vehicle]
    rise = limited_cost(rule, length + change) - limited_cost(rule, length)
    if rise > limit:
        return 0.0
    read_tour(problem, routes, vehicle, workspace.a)
    p, q = position_of(workspace.a, one), position_of(workspace.a, two)
    low, high = min(p, q), max(p, q)
    if ahead:
        two_opt.apply(problem, workspace.a, workspace.new_a, low + 1, high)
    else:
        two_opt.apply(problem, workspace.a, workspace.new_a, low, high - 1)
    write_tour(problem, routes, workspace.new_a)
    return float(rise)


@kernel
def _between(
    problem: Problem,
    routes: Routes,
    workspace: Workspace,
    rule: RouteCost,
    limit: float,
    one: int,
    two: int,
    head: bool,
    tail: bool,
) -> float:
    """2-opt* (Potvin and Rousseau 1995), also with reversal: two routes are cut, and joined crosswise."""
    va, vb = routes.vehicle[one], routes.vehicle[two]
    if problem.num_depots > 1 and not _share_depot(problem, routes, va, vb):
        return 0.0
    beside_one, beside_two = entry_beside(routes, one, head), entry_beside(routes, two, not tail)
    joined = distance(problem, one, two)
    change = joined - leg_beside(routes, one, head) - leg_beside(routes, two, not tail)
    change += distance(problem, routes.node[beside_one], routes.node[beside_two])
    both = routes.length[va] + routes.length[vb] + change
    now = limited_cost(rule, routes.length[va]) + limited_cost(rule, routes.length[vb])
    if least_cost_of_two(rule, both) - now > limit:
        return 0.0
    first = part_length(problem, routes, one, head) + joined + part_length(problem, routes, two, not tail)
    rise = limited_cost(rule, first) + limited_cost(rule, both - first) - now
    if rise > limit:
        return 0.0
    join(problem, routes, workspace, one, two, head, tail)
    write_tour(problem, routes, workspace.new_a)
    write_tour(problem, routes, workspace.new_b)
    return float(rise)


@kernel
def _share_depot(problem: Problem, routes: Routes, a: int, b: int) -> bool:
    """Whether both routes start and end at the same depot."""
    start_a, start_b = problem.num_nodes + a, problem.num_nodes + b
    depot, vehicles = routes.node[start_a], problem.num_vehicles
    same = routes.node[start_b] == depot and routes.node[start_a + vehicles] == depot
    return bool(same and routes.node[start_b + vehicles] == depot)
