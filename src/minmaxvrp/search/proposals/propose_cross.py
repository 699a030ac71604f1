"""CROSS exchange of long stretches between two neighbouring routes, accepted by annealing.

To move a far cluster to another route, many customers must change routes at once while both lengths stay
balanced. Ruin and recreate moves too few, and 2-opt* swaps whole tails, which seldom balance. For one depot,
no pairs and a symmetric distance.
"""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.random_numbers import random_index
from ..arrays.routes import Routes
from ..moves.local_search import Workspace
from ..moves.tour import close, put, read_tour, write_tour
from ..settings import SearchSettings
from .propose_two_opt import BESIDE, entry_beside, leg_beside, longest_without, position_of

SPAN = 50
"""Most customers of a stretch."""
TRIED = 5
"""Nearest neighbours of a stretch's last customer that it may be joined to."""


@kernel
def propose_cross(
    problem: Problem, routes: Routes, settings: SearchSettings, workspace: Workspace, limit: float
) -> float:
    """CROSS exchange (Taillard et al. 1997): two routes swap a stretch each, perhaps both reversed.

    A random customer `one` of the first route is joined to a near one, `two`, of the second: the stretch
    taken over begins there, in a random direction. Where it ends, and where the first route continues, is
    the best of all pairs of near customers. The move is made if it raises the objective of `propose_two_opt`
    by less than `limit`; returns by how much, 0 when no move is made.
    """
    one = problem.num_depots + random_index(routes.rng, problem.num_nodes - problem.num_depots)
    near = problem.neighbours
    two = near[one, random_index(routes.rng, min(BESIDE, near.shape[1]))]
    va, vb = routes.vehicle[one], routes.vehicle[two]
    if va == vb:
        return 0.0
    ahead = random_index(routes.rng, 2) == 0
    rise, size, back = _best_way_back(problem, routes, settings, workspace, limit, one, two, ahead)
    if size == 0:
        return 0.0
    read_tour(problem, routes, va, workspace.a)
    read_tour(problem, routes, vb, workspace.b)
    p, q = position_of(workspace.a, one), position_of(workspace.b, two)
    _swap(problem, workspace, p, p + back, q if ahead else q - size + 1, size, ahead)
    write_tour(problem, routes, workspace.new_a)
    write_tour(problem, routes, workspace.new_b)
    return rise


@kernel
def _best_way_back(
    problem: Problem,
    routes: Routes,
    settings: SearchSettings,
    workspace: Workspace,
    limit: float,
    one: int,
    two: int,
    ahead: bool,
) -> tuple[float, int, int]:
    """The least rise of the objective, how many customers come from the second route, and how many steps
    behind `one` its own route continues. The number of customers is 0 if no rise is below `limit`."""
    near, nodes = problem.neighbours, problem.num_nodes
    va, vb = routes.vehicle[one], routes.vehicle[two]
    count = _look_ahead(problem, routes, workspace, one)
    before = entry_beside(routes, two, not ahead)
    opened_a = routes.length[va] + distance(problem, one, two) - routes.leg[one]
    opened_b = routes.length[vb] - leg_beside(routes, two, not ahead)
    into_b = distance(problem, routes.node[before], routes.node[routes.after[one]])
    longest, both = routes.length[routes.tournament[1]], routes.length[va] + routes.length[vb]
    others = longest_without(problem, routes, va, vb)
    best, taken, back = limit, 0, 0
    last, length, size = two, 0.0, 0
    while last < nodes and size < SPAN:
        size += 1
        length += problem.service[last]
        beyond, leg = entry_beside(routes, last, ahead), leg_beside(routes, last, ahead)
        for k in range(min(TRIED, near.shape[1])):
            home = near[last, k]
            step = workspace.place[home]  # may be stale: then another customer stands there
            if routes.vehicle[home] != va or step < 1 or step > count or workspace.a.node[step] != home:
                continue
            a = opened_a + length + distance(problem, last, home)
            b = opened_b - length - leg
            if step > 1:
                end = workspace.a.node[step - 1]
                given = workspace.a.length_to[step - 1]
                a -= given + routes.leg[end]
                b += given + into_b + distance(problem, end, routes.node[beyond])
            elif before < nodes or beyond < nodes:
                b += distance(problem, routes.node[before], routes.node[beyond])
            else:
                continue  # it would leave a route without customers
            rise = max(a, b, others) - longest + settings.length_weight * (a + b - both)
            if rise < best:
                best, taken, back = rise, size, step
        length += leg
        last = beyond
    return best, taken, back


@kernel
def _look_ahead(problem: Problem, routes: Routes, workspace: Workspace, one: int) -> int:
    """Lay out the customers behind `one` on tour a, at most SPAN, from position 1 on; returns how many."""
    entry, total, count = routes.after[one], 0.0, 0
    while entry < problem.num_nodes and count < SPAN:
        count += 1
        total += problem.service[entry]
        workspace.a.node[count], workspace.a.length_to[count], workspace.place[entry] = entry, total, count
        total += routes.leg[entry]
        entry = routes.after[entry]
    return count


@kernel
def _swap(problem: Problem, workspace: Workspace, p: int, home: int, q: int, size: int, ahead: bool) -> None:
    """Exchange what is between p and `home` on tour a with `size` customers from q on, on tour b."""
    a, b, new_a, new_b = workspace.a, workspace.b, workspace.new_a, workspace.new_b
    last = q + size - 1
    at = put(new_a, 0, a, 0, p)
    at = put(new_a, at, b, q if ahead else last, last if ahead else q)
    at = put(new_a, at, a, home, a.info.count + 1)
    close(problem, new_a, at, a.info.vehicle)
    at = put(new_b, 0, b, 0, q - 1)
    if home > p + 1:
        at = put(new_b, at, a, p + 1 if ahead else home - 1, home - 1 if ahead else p + 1)
    at = put(new_b, at, b, last + 1, b.info.count + 1)
    close(problem, new_b, at, b.info.vehicle)
