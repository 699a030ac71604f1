"""The driver of route elimination: looks for room for customers that a plan lacks.

`others` takes a route out of a plan where the total length counts, for mostly fewer routes are shorter.
"""

import numpy as np
from numpy.typing import NDArray

from ...interrupt import Interrupt
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...stop import MaxIterations
from ..arrays.distances import Problem
from ..arrays.load import load, unload
from ..arrays.prepare import prepare
from ..arrays.routes import Routes
from ..one_search import Goal, Search
from ..route_cost import RouteCost
from ..settings import SearchSettings
from .absent import nobody_absent
from .eliminate import eliminate


class Elimination(Search):
    """An attempt to serve all with so many routes, from a plan that lacks customers.

    No route exceeds the limit in `rule`.
    """

    most_chunks = 1

    def __init__(
        self,
        problem: Problem,
        goal: Goal,
        settings: SearchSettings,
        plan: Solution,
        num_routes: int,
        seed: int,
        number: int,
        rule: RouteCost,
    ) -> None:
        self.absent = nobody_absent(problem.num_nodes)
        smaller = problem._replace(num_vehicles=num_routes)
        super().__init__(smaller, goal, settings, plan, seed, number, rule)
        missing = self.routes.vehicle[problem.num_depots : problem.num_nodes] == num_routes
        customers = problem.num_depots + np.flatnonzero(missing)
        requests = customers[(problem.partner[customers] < 0) | problem.is_pickup[customers]]
        self.absent.requests[: len(requests)] = requests
        self.absent.info.count = self.routes.state.best = len(requests)

    @property
    def reached(self) -> bool:
        """Whether all are served."""
        return bool(self.absent.info.count == 0)

    def solution(self) -> Solution:
        """The plan at hand; it is complete once `reached`."""
        return unload(self.problem, self.routes)

    def _load(self, start: Solution, rng: NDArray[np.uint64]) -> Routes:
        return load(self.problem, start, rng)

    def _anneal(self, iterations: int, shares: NDArray[np.float64]) -> int:
        return eliminate(
            self.problem,
            self.routes,
            self.settings,
            self.workspace,
            self.rule,
            self.absent,
            iterations,
            shares[0, 0],
            shares[0, 1],
        )


def run_kernels() -> None:
    """Run one iteration on a small instance: that compiles the kernels, or loads them from the cache."""
    instance = Instance.mtsp(np.zeros(2), np.eye(4, 2), 2)
    goal = Goal(MaxIterations(1), 0.0, 1.0, 0.0, Interrupt())
    plan, rule = Solution.of([[1, 2]]), RouteCost(9.0, 1.0, 0.0)
    Elimination(prepare(instance, 1.0), goal, SearchSettings(), plan, 1, 0, 0, rule).run()
