"""2-opt and Or-opt within a route, for routes with open or free ends and customers in a fixed order.

`annealing` calls it on the longest route of a new best plan, and on all routes at last: no route leaves the
search that these moves would shorten. Which customers it serves does not change.
"""

from ...jit import entry, inlined, kernel
from ..arrays.distances import Problem
from ..arrays.routes import Routes
from ..moves.local_search import MARGIN, STRETCH, Workspace
from ..moves.polish import FULL_SCAN
from ..moves.tour import keeps_pairs, put
from .changes import keep_best
from .round_trips import choose_depot
from .vehicles import Fleet
from .ways import way

NEAR = 12
"""Neighbours that are brought together on routes of more customers than `full_scan`."""


@entry
def polish_plan(problem: Problem, fleet: Fleet, routes: Routes, workspace: Workspace) -> None:
    """Bring every route to a local optimum, and keep the plan as the best."""
    for vehicle in range(problem.num_vehicles):
        if fleet.active[vehicle]:
            shorten_route(problem, fleet, routes, workspace, vehicle, FULL_SCAN)
    keep_best(problem, routes)


@kernel
def shorten_route(
    problem: Problem, fleet: Fleet, routes: Routes, workspace: Workspace, vehicle: int, full_scan: int
) -> None:
    """Make moves until none helps; above `full_scan` customers those that join near neighbours."""
    if routes.size[vehicle] < 2:
        return
    _read(problem, routes, workspace, vehicle)
    _measure(problem, fleet, workspace)
    moved = False
    while _one_pass(problem, fleet, routes, workspace, full_scan):
        moved = True
    if moved:
        _write(problem, fleet, routes, workspace)
        if fleet.round_trip[vehicle]:
            choose_depot(problem, fleet, routes, vehicle)


@kernel
def _read(problem: Problem, routes: Routes, workspace: Workspace, vehicle: int) -> None:
    """Lay the route out as `workspace.a`."""
    tour, entry = workspace.a, problem.num_nodes + vehicle
    tour.info.count, tour.info.vehicle = routes.size[vehicle], vehicle
    for position in range(tour.info.count + 2):
        tour.node[position] = routes.node[entry]
        entry = routes.after[entry]


@kernel
def _measure(problem: Problem, fleet: Fleet, workspace: Workspace) -> None:
    """Running lengths of `workspace.a` there and back, places of its customers, and how many are fixed.

    Ends are left out of the lengths: only stretches of customers are driven the other way round.
    """
    tour, fixed_to = workspace.a, workspace.b.node
    tour.length_to[1] = tour.length_back[1] = 0.0
    fixed_to[0] = 0
    for position in range(1, tour.info.count + 1):
        before, here = tour.node[position - 1], tour.node[position]
        workspace.place[here] = position
        fixed_to[position] = fixed_to[position - 1] + (1 if fleet.fixed[here] else 0)
        if position > 1:
            tour.length_to[position] = tour.length_to[position - 1] + way(problem, before, here)
            tour.length_back[position] = tour.length_back[position - 1] + way(problem, here, before)


@kernel
def _one_pass(problem: Problem, fleet: Fleet, routes: Routes, workspace: Workspace, full_scan: int) -> bool:
    """Make moves that help at every position of the route; whether there was any."""
    improved, tour = False, workspace.a
    for p in range(tour.info.count + 1):
        if tour.info.count <= full_scan or tour.node[p] < problem.num_depots:
            for q in range(tour.info.count + 1):
                improved = _try_at(problem, fleet, workspace, p, q) or improved
            continue
        for k in range(min(NEAR, problem.neighbours.shape[1])):
            other = problem.neighbours[tour.node[p], k]
            if routes.vehicle[other] == tour.info.vehicle:
                q = workspace.place[other]
                improved = _try_at(problem, fleet, workspace, p, q) or improved
                improved = _try_at(problem, fleet, workspace, p, q - 1) or improved
    return improved


@kernel
def _try_at(problem: Problem, fleet: Fleet, workspace: Workspace, p: int, q: int) -> bool:
    """Reverse p+1 .. q, or move up to three customers from p+1 on between q and q+1; whether it helped."""
    count, fixed_to = workspace.a.info.count, workspace.b.node
    if p + 1 < q and fixed_to[q] - fixed_to[p] <= 1 and _reversal(problem, workspace, p + 1, q) < -MARGIN:
        _reverse(workspace, p + 1, q)
        if _take(problem, fleet, workspace):
            return True
    for last in range(p + 1, min(p + STRETCH, count) + 1):
        if fixed_to[last] > fixed_to[p]:
            break
        if p <= q <= last:
            continue
        for flip in (False, True):
            if _transfer(problem, workspace, p + 1, last, q, flip) < -MARGIN:
                _move(workspace, p + 1, last, q, flip)
                if _take(problem, fleet, workspace):
                    return True
    return False


@inlined
def _turned(workspace: Workspace, i: int, j: int) -> float:
    """Delta of the length of positions i .. j when they are driven the other way round."""
    to, back = workspace.a.length_to, workspace.a.length_back
    return float((back[j] - back[i]) - (to[j] - to[i]))


@inlined
def _reversal(problem: Problem, workspace: Workspace, i: int, j: int) -> float:
    """Delta of 2-opt (Croes 1958): positions i .. j reversed."""
    node = workspace.a.node
    gone = way(problem, node[i - 1], node[i]) + way(problem, node[j], node[j + 1])
    return (
        way(problem, node[i - 1], node[j])
        + way(problem, node[i], node[j + 1])
        - gone
        + _turned(workspace, i, j)
    )


@inlined
def _transfer(problem: Problem, workspace: Workspace, i: int, j: int, k: int, flip: bool) -> float:
    """Delta of Or-opt (Or 1976): positions i .. j moved between k and k + 1, perhaps reversed."""
    node = workspace.a.node
    gone = way(problem, node[i - 1], node[i]) + way(problem, node[j], node[j + 1])
    gone += way(problem, node[k], node[k + 1])
    new = way(problem, node[i - 1], node[j + 1])
    if flip:
        return (
            new
            - gone
            + way(problem, node[k], node[j])
            + way(problem, node[i], node[k + 1])
            + _turned(workspace, i, j)
        )
    return new - gone + way(problem, node[k], node[i]) + way(problem, node[j], node[k + 1])


@kernel
def _reverse(workspace: Workspace, i: int, j: int) -> None:
    """Write the changed route to `workspace.new_a`."""
    tour, out, count = workspace.a, workspace.new_a, workspace.a.info.count
    at = put(out, 0, tour, 0, i - 1)
    at = put(out, at, tour, j, i)
    put(out, at, tour, j + 1, count + 1)


@kernel
def _move(workspace: Workspace, i: int, j: int, k: int, flip: bool) -> None:
    """Write the changed route to `workspace.new_a`."""
    tour, out, count = workspace.a, workspace.new_a, workspace.a.info.count
    first, last = (j, i) if flip else (i, j)
    if k < i:
        at = put(out, 0, tour, 0, k)
        at = put(out, at, tour, first, last)
        if k + 1 <= i - 1:
            at = put(out, at, tour, k + 1, i - 1)
        put(out, at, tour, j + 1, count + 1)
    else:
        at = put(out, 0, tour, 0, i - 1)
        at = put(out, at, tour, j + 1, k)
        at = put(out, at, tour, first, last)
        put(out, at, tour, k + 1, count + 1)


@kernel
def _take(problem: Problem, fleet: Fleet, workspace: Workspace) -> bool:
    """Make the changed route the route looked at, if its pairs are still in order."""
    workspace.new_a.info.count = workspace.a.info.count
    if not keeps_pairs(problem, workspace.new_a, workspace.check):
        return False
    for position in range(workspace.a.info.count + 2):
        workspace.a.node[position] = workspace.new_a.node[position]
    _measure(problem, fleet, workspace)
    return True


@kernel
def _write(problem: Problem, fleet: Fleet, routes: Routes, workspace: Workspace) -> None:
    """Make the route of the vehicle what `workspace.a` says."""
    tour = workspace.a
    vehicle, count = tour.info.vehicle, tour.info.count
    at = problem.num_nodes + vehicle
    last = at + problem.num_vehicles
    length = fleet.done[vehicle]
    for position in range(1, count + 2):
        follower = tour.node[position] if position <= count else last
        routes.after[at], routes.before[follower] = follower, at
        routes.leg[at] = way(problem, tour.node[position - 1], tour.node[position])
        length += fleet.slowness[vehicle] * routes.leg[at]
        if position <= count:
            length += problem.service[follower]
        at = follower
    routes.length[vehicle] = length
    routes.changed[vehicle] = 1
