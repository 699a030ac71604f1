"""The last step: bring every route to a local optimum of 2-opt and Or-opt.

The search works on the longest route most of the time, so that the others may still be shortened by such
a move. Each route keeps its customers: no other route is affected.
"""

import math
import time

import numpy as np
from numpy.typing import NDArray

from ...jit import entry, kernel
from ..arrays.distances import Problem
from ..arrays.routes import Routes
from . import or_opt, two_opt
from .local_search import MARGIN, STRETCH, Workspace
from .tour import Tour, keeps_pairs, length, read_tour, write_tour

FULL_SCAN = 300
"""Up to this many customers of a route all moves are tried; above, those that join near neighbours."""
NEAR = 16
"""How many neighbours those are."""


CUSTOMERS = 1000
"""At a time, about: so often the clock is looked at."""


def polish(problem: Problem, routes: Routes, workspace: Workspace, seconds: float = math.inf) -> None:
    """Bring every route to a local optimum of 2-opt and Or-opt; end after about `seconds`, longest first."""
    began = time.perf_counter()
    order = np.argsort(-routes.length[:-1], kind="stable")  # the last one is for removed customers
    cuts = np.searchsorted(np.cumsum(routes.size[order]), np.arange(0, routes.size.sum(), CUSTOMERS)[1:])
    for part in np.split(order, np.unique(cuts[cuts > 0])):
        polish_some(problem, routes, workspace, part)
        if time.perf_counter() - began > seconds:
            break


@entry
def polish_some(problem: Problem, routes: Routes, workspace: Workspace, vehicles: NDArray[np.int64]) -> None:
    """Bring the routes of some vehicles to a local optimum of 2-opt and Or-opt."""
    for vehicle in vehicles:
        if routes.size[vehicle] < 2:
            continue
        read_tour(problem, routes, vehicle, workspace.a)
        while _one_pass(problem, routes, workspace):
            pass
        write_tour(problem, routes, workspace.a)


@kernel
def _one_pass(problem: Problem, routes: Routes, workspace: Workspace) -> bool:
    """Make moves that help at every position of the route in `workspace.a`; whether there was any."""
    improved = False
    for p in range(workspace.a.info.count + 1):
        if workspace.a.info.count <= FULL_SCAN:
            for q in range(workspace.a.info.count + 1):
                improved = _try_at(problem, workspace, p, q) or improved
        else:
            for other in problem.neighbours[workspace.a.node[p], :NEAR]:
                if routes.vehicle[other] == workspace.a.info.vehicle:
                    q = _position(workspace, other)
                    improved = _try_at(problem, workspace, p, q) or improved
                    improved = _try_at(problem, workspace, p, q - 1) or improved
    return improved


@kernel
def _position(workspace: Workspace, customer: int) -> int:
    """Where on the route in `workspace.a` a customer is; the places noted are right until a move is made."""
    place = workspace.place[customer]
    if 1 <= place <= workspace.a.info.count and workspace.a.node[place] == customer:
        return int(place)
    for position in range(1, workspace.a.info.count + 1):
        workspace.place[workspace.a.node[position]] = position
    return int(workspace.place[customer])


@kernel
def _try_at(problem: Problem, workspace: Workspace, p: int, q: int) -> bool:
    """Reverse p+1 .. q, or move up to three customers from p+1 on between q and q+1; whether it helped."""
    tour, count = workspace.a, workspace.a.info.count
    now = length(tour) - MARGIN
    if p + 1 < q and two_opt.evaluate(problem, tour, p + 1, q) < now:
        two_opt.apply(problem, tour, workspace.new_a, p + 1, q)
        if _take(problem, workspace):
            return True
    for last in range(p + 1, min(p + STRETCH, count) + 1):
        if p <= q <= last:
            continue
        for flip in (False, True):
            if or_opt.evaluate(problem, tour, p + 1, last, q, flip) < now:
                or_opt.apply(problem, tour, workspace.new_a, p + 1, last, q, flip)
                if _take(problem, workspace):
                    return True
    return False


@kernel
def _take(problem: Problem, workspace: Workspace) -> bool:
    """Make the changed route the route looked at, if its pairs are still in order."""
    if not keeps_pairs(problem, workspace.new_a, workspace.check):
        return False
    _copy(workspace.new_a, workspace.a)
    return True


@kernel
def _copy(source: Tour, target: Tour) -> None:
    for position in range(source.info.count + 2):
        target.node[position] = source.node[position]
        target.length_to[position] = source.length_to[position]
        target.length_back[position] = source.length_back[position]
    target.info.count, target.info.vehicle = source.info.count, source.info.vehicle
