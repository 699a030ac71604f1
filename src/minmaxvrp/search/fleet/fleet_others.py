"""After the longest route of a fleet, the others: as `search.others`.

`total` looks for the least total length with the makespan as limit. `balance` begins likewise, with a cost
that weighs long routes most; then the longest route is left as it is and the second longest is shortened,
and so on.
"""

import time

import numpy as np

from ...problem.check import makespan, route_lengths
from ...problem.solution import Solution
from ...result import Then
from ...stop import Progress, Stop
from ..budget import portion, rest
from ..one_search import Goal, SearchOutcome
from ..others import (
    LINEAR,
    NEXT_SHARE,
    POWER,
    REFINE_SHARE,
    TOLERANCE,
    comes_before,
    rank_of,
    refine_settings,
)
from ..route_cost import MAKESPAN, RouteCost
from .fleet_search import FleetSearch, FleetTask
from .vehicles import prepare_fleet

MOST_PARTS = 12
"""How many routes are shortened one after another: each has half of the time that is left."""


class FleetOthers:
    """The second part of one search: the plan so far and what it has cost."""

    def __init__(self, task: FleetTask, outcome: SearchOutcome, then: Then) -> None:
        self.task, self.then, self.solution = task, then, outcome.solution
        self.longest, self.iterations = outcome.makespan, outcome.iterations

    def progress(self, more: int = 0) -> Progress:
        """How far the whole search has come, `more` iterations of the present part included.

        Patience is for each part, so the last improvement counts as just found.
        """
        iterations, solution = self.iterations + more, self.solution
        seconds = time.perf_counter() - self.task.began
        return Progress(
            seconds, iterations, self.longest, iterations, self.task.lower_bound, lambda: solution
        )

    def run(self) -> None:
        """Improve the plan in its order until the criterion or an interrupt ends it."""
        if self._is_over():
            return
        limit = self.longest / self.task.unit * (1.0 + TOLERANCE)
        if self.then == "total":
            self._search(1.0, RouteCost(limit, 1.0, 0.0), 0)
            return
        self._search(REFINE_SHARE, RouteCost(limit, POWER, LINEAR), 0)
        parts = min(self.task.instance.num_vehicles, MOST_PARTS)
        for settled in range(1, parts):
            if self._is_over():
                return
            self._search(NEXT_SHARE if settled < parts - 1 else 1.0, MAKESPAN, settled)

    def _search(self, share: float, rule: RouteCost, settled: int) -> None:
        """Anneal with a share of what is left, while the `settled` longest routes stay as they are."""
        frozen = np.argsort(-route_lengths(self.task.instance, self.solution), kind="stable")[
            :settled
        ].tolist()
        fixed = self.task.fixed.union(*(self.solution.routes[k].customers for k in frozen))
        fleet = prepare_fleet(self.task.instance, self.task.unit, fixed, frozen)
        if not len(fleet.movable):
            return
        goal = Goal(self._left(share), 0.0, self.task.unit, time.perf_counter(), self.task.interrupt)
        settings = refine_settings(self.task.settings) if rule.limit > 0.0 else self.task.settings
        seed = self.task.seed + settled
        search = FleetSearch(self.task, fleet, goal, settings, self.solution, seed, 0, rule)
        if rule.limit > 0.0:
            search.routes.state.best = np.inf
        search.run(self._report)
        self.iterations += search.iterations
        self._offer(search.polished())

    def _offer(self, candidate: Solution) -> None:
        """Keep a plan if it comes before the present one."""
        if comes_before(
            *(rank_of(self.task.instance, plan, self.then) for plan in (candidate, self.solution))
        ):
            self.solution, self.longest = candidate, makespan(self.task.instance, candidate)

    def _left(self, share: float) -> Stop:
        """A share of what is left of the budget."""
        return portion(rest(self.task.stop, self.progress()), share)

    def _is_over(self) -> bool:
        nothing = Progress(0.0, 0, self.longest, 0)
        return self.task.interrupt.raised or self.task.stop(self.progress()) or self._left(1.0)(nothing)

    def _report(self, part: Progress) -> None:
        """Say how far the whole search is; `part` is the progress of its present part."""
        if self.task.on_progress is not None:
            self.task.on_progress(self.progress(part.iterations))
