"""The driver of route elimination: takes a route out of a plan and looks for room for its customers.

`others` calls it where the total length counts: a route less is the way to the first customer and back less.
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
    """One attempt to serve all with one route less than `plan` has: without the route `emptied`.

    No route exceeds the limit in `rule`.
    """

    most_chunks = 1

    def __init__(
        self,
        problem: Problem,
        goal: Goal,
        settings: SearchSettings,
        plan: Solution,
        emptied: int,
        seed: int,
        number: int,
        rule: RouteCost,
    ) -> None:
        kept = Solution(tuple(route for k, route in enumerate(plan.routes) if k != emptied))
        self.absent = nobody_absent(problem.num_nodes)
        smaller = problem._replace(num_vehicles=len(kept.routes))
        super().__init__(smaller, goal, settings, kept, seed, number, rule)
        customers = plan.routes[emptied].customers
        requests = [c for c in customers if problem.partner[c] < 0 or problem.is_pickup[c]]
        self.absent.requests[: len(requests)] = requests
        self.absent.info.count = len(requests)
        self.routes.state.best = len(requests)

    @property
    def reached(self) -> bool:
        """Whether all are served."""
        return self.absent.info.count == 0

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
    plan, rule = Solution.of([[1, 2], [3, 4]]), RouteCost(9.0, 1.0, 0.0)
    Elimination(prepare(instance, 1.0), goal, SearchSettings(), plan, 0, 0, 0, rule).run()
