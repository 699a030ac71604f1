"""One search: one worker's annealing, in chunks of compiled iterations, with its goal and its outcome.

`makespan` runs one or several of them, `others`, `decompose` and `share` many one after another. Between
chunks it looks at the clock, the criteria and signals.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..interrupt import Interrupt
from ..problem.check import route_lengths
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import TracePoint
from ..stop import Progress, Stop, time_limit
from .anneal import anneal
from .arrays.distances import Problem
from .arrays.load import load, unload, unload_best
from .arrays.random_numbers import random_stream
from .arrays.routes import Routes
from .budget import Cooling, is_timeless, left, target
from .moves.local_search import empty_workspace
from .moves.polish import polish
from .route_cost import MAKESPAN, RouteCost
from .settings import SearchSettings, has_long_routes
from .tours.depot_polish import shorten_depot_routes
from .tours.route_polish import shorten_routes

CHUNK_SECONDS = 0.03
"""Aim for the time between two looks at the clock."""
CHUNK = 1000
"""Iterations of a chunk where the clock plays no part; up to `Search.most_chunks` of them in a call."""
POLISH_SHARE, POLISH_SECONDS = 0.05, 0.05
"""Of a time limit, and in any case: what the last step may take. Ordinary routes need less."""
TOLERANCE = 1e-12
"""A makespan within this share of the lower bound has reached it."""

ProgressHook = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The best solution found and how the search went."""

    solution: Solution
    makespan: float
    iterations: int
    """Of all workers together."""
    seconds: float
    trace: tuple[TracePoint, ...]
    interrupted: bool = False
    """Whether Ctrl-C or SIGTERM ended the search."""


def leg_unit(instance: Instance, solution: Solution) -> float:
    """About one leg of a plan: lengths inside the search are multiples of it."""
    lengths = route_lengths(instance, solution)
    mean = float((lengths / (instance.num_customers + len(lengths))).sum())
    return mean if mean > 0.0 else 1.0


@dataclass(frozen=True, slots=True)
class Goal:
    """What all workers of a search share: when to end, and in which unit lengths are."""

    stop: Stop
    lower_bound: float
    unit: float
    """Of lengths inside the search, in units of the instance."""
    began: float
    """Time of the clock when the search began."""
    interrupt: Interrupt

    @property
    def makespan(self) -> float:
        """The makespan, in search units, that ends the search: the lower bound or a target."""
        return max(self.lower_bound * (1.0 + TOLERANCE), target(self.stop)) / self.unit


class Search:
    """One worker's annealing, in chunks of compiled iterations."""

    most_chunks = 16
    """In one call of the kernels, which takes as long as some twenty iterations."""

    def __init__(
        self,
        problem: Problem,
        goal: Goal,
        settings: SearchSettings,
        start: Solution,
        seed: int,
        number: int,
        rule: RouteCost = MAKESPAN,
    ) -> None:
        self.problem, self.goal, self.stop, self.number = problem, goal, goal.stop, number
        self.target, self.rule = goal.makespan, rule
        self.routes: Routes = self._load(start, random_stream(seed, number))
        self.settings = settings
        self.workspace = empty_workspace(problem.num_nodes)
        self.iterations = self.last_improvement = 0
        self.trace = [self._point()]
        self.cancelled = False
        self.published = replace(self.progress(), read_solution=lambda: start)
        """What other threads may read."""

    @property
    def reached(self) -> bool:
        """Whether the lower bound or the target is met."""
        return bool(self.routes.state.best <= self.target)

    def progress(self) -> Progress:
        """How far this search has come, in the instance's unit."""
        goal, best = self.goal, self.rule.limit or float(self.routes.state.best)
        return Progress(
            time.perf_counter() - goal.began,
            self.iterations,
            best * goal.unit,
            self.last_improvement,
            goal.lower_bound,
            self.solution,
        )

    def publish(self, progress: Progress) -> None:
        """Keep this progress, with a copy of its solution, for other threads to read at any time."""
        if progress.makespan < self.published.makespan:
            copied = self.solution()
            self.published = replace(progress, read_solution=lambda: copied)

    def polished(self) -> Solution:
        """The best solution, with every route brought to a local optimum by itself."""
        routes = load(self.problem, self.solution(), self.routes.rng)
        polish(self.problem, routes, self.workspace, POLISH_SHARE * time_limit(self.stop) + POLISH_SECONDS)
        return unload(self.problem, routes)

    def solution(self) -> Solution:
        """The best solution found; not while another thread runs this search."""
        return unload_best(self.problem, self.routes)

    def run(self, on_progress: ProgressHook | None = None) -> None:
        """Anneal until a criterion, the bound or an interrupt ends it."""
        cooling = Cooling(self.stop, self.settings.reheat, self.settings.cycles)
        timeless, cycle = is_timeless(self.stop), 0
        chunk, rate = 10, 0.0
        progress = self.progress()
        if on_progress is not None:
            on_progress(progress)
        while not (self.reached or self.goal.interrupt.raised or self.cancelled or self.stop(progress)):
            room = left(self.stop, progress)
            chunk = min(chunk, room)
            several = timeless and chunk == CHUNK and self.rule.limit == 0.0
            count = min(self.most_chunks, room // chunk) if several else 1
            ahead = chunk / rate if rate > 0.0 else 0.0
            self.run_chunks(chunk, self._shares(cooling, progress, chunk, ahead, count))
            before, progress = progress, self.progress()
            if cooling.cycle(progress) > cycle:
                cycle = cooling.cycle(progress)
                self._polish_routes()
                progress = self.progress()
            made = max(1, progress.iterations - before.iterations)
            rate = made / max(1e-6, progress.seconds - before.seconds)
            chunk = min(CHUNK, 2 * chunk) if timeless else max(1, min(4 * chunk, int(rate * CHUNK_SECONDS)))
            if on_progress is not None:
                on_progress(progress)

    def _shares(
        self, cooling: Cooling, progress: Progress, chunk: int, ahead: float, count: int
    ) -> NDArray[np.float64]:
        """[count, 2] shares of the cooling where chunks begin and end; fewer rows if a cycle ends before.

        A chunk takes `ahead` seconds.
        """
        shares, hot, cycle = [], cooling.fraction(progress), cooling.cycle(progress)
        for number in range(1, count + 1):
            later = Progress(  # `replace` takes three times as long
                progress.seconds + number * ahead,
                self.iterations + number * chunk,
                progress.makespan,
                self.last_improvement,
            )
            cold = cooling.fraction(later)
            shares.append((hot, max(hot, cold)))
            if cooling.cycle(later) > cycle:
                break
            hot = cold
        return np.array(shares)

    def _load(self, start: Solution, rng: NDArray[np.uint64]) -> Routes:
        """The arrays of a start."""
        return load(self.problem, start, rng)

    def _anneal(self, iterations: int, shares: NDArray[np.float64]) -> int:
        """Run iterations for each row of `shares`; how many were run."""
        return anneal(
            self.problem,
            self.routes,
            self.settings,
            self.workspace,
            self.rule,
            iterations,
            shares,
            self.target,
        )

    def run_chunks(self, iterations: int, shares: NDArray[np.float64]) -> None:
        """Anneal for so many iterations with each row of `shares`, and keep count."""
        state = self.routes.state
        state.improved_at = 0
        best = state.best
        done = self._anneal(iterations, shares)
        improved = state.best < best  # asked once: Python reads a record's field slowly
        if improved:
            self.last_improvement = self.iterations + int(state.improved_at)
        self.iterations += int(done)
        if improved:
            self.trace.append(self._point())

    def _polish_routes(self) -> None:
        """Shorten every route of the incumbent by kicks, and go on from there."""
        kicks, rng = self.settings.polish_kicks, self.routes.rng
        if kicks == 0.0 or self.rule.limit > 0.0 or not has_long_routes(self.problem):
            return
        best, plan = self.routes.state.best, self.solution()
        if self.problem.num_depots == 1:
            plan = shorten_routes(self.problem, plan, kicks, rng)
        else:
            plan = shorten_depot_routes(self.problem, plan, kicks, rng, self.workspace)
        found = self._load(plan, rng)
        if found.state.best > best:  # by rounding
            return
        self.routes = found
        if found.state.best < best:
            self.last_improvement = self.iterations
            self.trace.append(self._point())

    def _point(self) -> TracePoint:
        progress = self.progress()
        return TracePoint(progress.seconds, progress.iterations, progress.makespan)
