"""`route_polish` where there are several depots: the best depots are chosen anew for each shorter route.

`makespan` calls this between two cooling cycles. A route that returns to its start is shortened as a round
trip with its depot. Where routes may end anywhere, one node stands for all depots, as far from a customer
as the nearest of them.
"""

import numpy as np
from numpy.typing import NDArray

from ...problem.solution import Route, Solution
from ..arrays.distances import MATRIX, Problem
from ..arrays.load import load, unload
from ..moves.local_search import Workspace
from ..proposals.propose_depot import open_routes
from .route_polish import shorten_routes


def shorten_depot_routes(
    problem: Problem, plan: Solution, kicks: float, rng: NDArray[np.uint64], workspace: Workspace
) -> Solution:
    """The plan with each route at most as long as before, within the vehicles of the depots.

    Where routes may end anywhere and distances are not in a table, only the depots are chosen anew.
    """
    shorter = plan
    if not problem.return_any:
        shorter = shorten_routes(problem, plan, kicks, rng)
    elif problem.formula == MATRIX:
        shorter = _keep_shorter(problem, plan, shorten_routes(with_one_depot(problem), plan, kicks, rng), rng)
    routes = load(problem, shorter, rng)
    open_routes(problem, routes, workspace)
    return unload(problem, routes)


def with_one_depot(problem: Problem) -> Problem:
    """The instance with every depot as far from each customer as the nearest one is."""
    depots, matrix = problem.num_depots, problem.matrix.copy()
    matrix[:depots, depots:] = problem.from_depot[depots:]
    matrix[depots:, :depots] = problem.to_depot[depots:, None]
    return problem._replace(matrix=matrix)


def _keep_shorter(problem: Problem, old: Solution, new: Solution, rng: NDArray[np.uint64]) -> Solution:
    """Of each route the shorter one; a new one ends at the nearest depot, and starts there if there is room
    for all, else where it did."""
    nearest = problem.end_depot  # distances are symmetric
    ended = []
    for route in new.routes:
        start = nearest[route.customers[0]] if problem.unlimited_depots else route.start
        ended.append(Route.of(route.customers, start, nearest[route.customers[-1]]))
    before, after = (load(problem, plan, rng).length for plan in (old, Solution(tuple(ended))))
    found = (ended[k] if after[k] < before[k] else route for k, route in enumerate(old.routes))
    return Solution(tuple(found))
