"""One annealing that several workers share: the routes of one plan, dealt out among them again and again.

`makespan` calls it for plans with pairs or short routes that `decompose` does not take. The cooling schedule
is cut into slices. In each, all routes are shared out into one group of neighbours for each worker, annealed
side by side at the temperatures of the slice, and put together; the next slice shares them out anew.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from ..problem.check import route_lengths
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..result import TracePoint
from ..stop import NoImprovement, Progress, Stop
from .arrays.distances import Problem
from .arrays.load import unload
from .budget import expected_iterations, is_timeless, left, parts
from .groups import find_borders, share_out
from .one_search import CHUNK_SECONDS, Goal, ProgressHook, Search, SearchOutcome
from .settings import SearchSettings, has_long_routes
from .subproblem import part_of

LEAST_CUSTOMERS = 900
"""From which on workers share a plan."""
EFFORT = 300.0
"""Iterations per customer up to which they do, a second counted as 100,000: with more, a second seed is worth
as much as twice the iterations."""
LEAST_ROUTES = 4
"""Of each worker."""
SLICES = 60
"""Of the cooling schedule, at most: more mix routes better, and each begins with work that is not search."""
SLICE_EFFORT = 2.0
"""Iterations per customer of a slice, at least, where the clock plays no part."""
OVERHEAD = 0.08
"""Of the time of a slice, what its beginning may take."""
LONGEST_SLICE = 2.0
"""Seconds."""
PIECE = 16_000
"""Iterations between two looks at signals, where the clock plays no part."""
POLL_SECONDS = 0.1


def shares_routes(problem: Problem, stop: Stop, workers: int) -> bool:
    """Whether workers share one annealing: many customers, routes enough for each, a short budget to cool by.

    Long routes without pairs begin at tours and cool several times (`makespan`), or go by groups.
    """
    customers = problem.num_nodes - problem.num_depots
    short = expected_iterations(stop) <= EFFORT * customers
    patient = any(isinstance(part, NoImprovement) for part in parts(stop))
    enough = customers >= LEAST_CUSTOMERS and problem.num_vehicles >= LEAST_ROUTES * workers
    return workers > 1 and short and not patient and enough and not has_long_routes(problem)


class Group:
    """Some routes of a plan on their way: one worker's part of a slice."""

    def __init__(
        self,
        shared: "SharedSearch",
        routes: Sequence[Route],
        depot_limit: NDArray[np.int64],
        spare: int,
        number: int,
    ) -> None:
        self.shared, self.routes, self.depot_limit, self.number = shared, routes, depot_limit, number
        self.num_vehicles = len(routes) + spare
        self.search: Search | None = None
        self.best: Sequence[Route] = routes
        self.current: Sequence[Route] = routes

    @property
    def iterations(self) -> int:
        """So far; other threads may read it."""
        return 0 if self.search is None else self.search.iterations

    def run(self, end: float, iterations: int) -> None:
        """Anneal until a share of the whole budget is used, or for so many iterations without the clock."""
        shared, began = self.shared, time.perf_counter()
        part = part_of(shared.problem, self.routes, self.num_vehicles, self.depot_limit)
        settings = self._settings(part.problem.num_vehicles)
        search = Search(part.problem, shared.goal, settings, part.start, shared.seed, self.number)
        self.search = search
        shared.overhead = time.perf_counter() - began
        if shared.timeless:
            self._run_iterations(search, end, iterations)
        else:
            self._run_until(search, end)
        self.best, self.current = part.lift(search.solution()), part.lift(unload(part.problem, search.routes))

    def _settings(self, num_vehicles: int) -> SearchSettings:
        """Those of the whole plan: the total length has the same weight, and pairs are tried on as many
        routes. The mean of fewer routes would weigh more, and to try a pair on all routes takes longer than
        on its candidates."""
        settings, whole = self.shared.settings, self.shared.problem.num_vehicles
        scan = settings.full_scan_routes if whole <= settings.full_scan_routes else 1
        weight = settings.mean_length_weight * num_vehicles / whole
        return settings._replace(mean_length_weight=weight, full_scan_routes=scan)

    def _run_iterations(self, search: Search, end: float, iterations: int) -> None:
        first = self.shared.cooled
        while search.iterations < iterations and not search.reached and not self.shared.is_stopped:
            piece = min(PIECE, iterations - search.iterations)
            shares = [first + (end - first) * (search.iterations + k) / iterations for k in (0, piece)]
            search.run_chunks(piece, np.array([shares]))

    def _run_until(self, search: Search, end: float) -> None:
        shared = self.shared
        chunk = 100
        while not (search.reached or shared.is_stopped):
            progress = shared.progress()
            share = shared.goal.stop.fraction(progress)
            if share >= end or shared.goal.stop(progress):
                return
            began, done = time.perf_counter(), search.iterations
            search.run_chunks(chunk, np.array([[share, share]]))
            rate = (search.iterations - done) / max(1e-6, time.perf_counter() - began)
            chunk = max(1, min(4 * chunk, int(rate * CHUNK_SECONDS)))


class SharedSearch:
    """The plan, and how far its cooling has come."""

    def __init__(
        self,
        instance: Instance,
        problem: Problem,
        goal: Goal,
        settings: SearchSettings,
        start: Solution,
        seed: int,
        workers: int,
    ) -> None:
        self.instance, self.problem, self.goal, self.settings = instance, problem, goal, settings
        self.seed, self.workers = seed, workers
        self.timeless, self.rng = is_timeless(goal.stop), np.random.default_rng(seed)
        self.best = self.current = start
        self.makespan = float(route_lengths(instance, start).max())
        self.iterations = self.last_improvement = self.number = 0
        self.cooled = self.overhead = 0.0
        self.groups: list[Group] = []
        self.cancelled = False
        self.trace: list[TracePoint] = []
        self._note()

    @property
    def is_stopped(self) -> bool:
        """Whether a signal or an error ends the threads."""
        return self.cancelled or self.goal.interrupt.raised

    def progress(self) -> Progress:
        """How far it has come, groups on their way included."""
        best, seconds = self.best, time.perf_counter() - self.goal.began
        iterations = self.iterations + sum(group.iterations for group in self.groups)
        return Progress(
            seconds, iterations, self.makespan, self.last_improvement, self.goal.lower_bound, lambda: best
        )

    def minimise(self, on_progress: ProgressHook | None) -> SearchOutcome:
        """The best solution found, never worse than the start; iterations are for all workers together.

        The same seed, number of workers and criteria that do not look at the clock give the same answer.
        """
        self.run(on_progress)
        plan = Search(self.problem, self.goal, self.settings, self.best, self.seed, 0).polished()
        return SearchOutcome(
            plan,
            float(route_lengths(self.instance, plan).max()),
            self.iterations,
            time.perf_counter() - self.goal.began,
            tuple(self.trace),
            self.goal.interrupt.raised,
        )

    def run(self, on_progress: ProgressHook | None) -> None:
        """Slices until a criterion, the bound or a signal ends it."""
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while not (
                    self.makespan <= self.goal.makespan * self.goal.unit
                    or self.is_stopped
                    or self.goal.stop(self.progress())
                ):
                    self._run_slice(pool, on_progress)
            finally:  # an error or a second Ctrl-C: let no thread go on
                self.cancelled = True

    def _run_slice(self, pool: ThreadPoolExecutor, on_progress: ProgressHook | None) -> None:
        progress = self.progress()
        self.cooled = self.goal.stop.fraction(progress)
        end, iterations = self._slice(progress)
        self.groups = self._share_out()
        shares = [iterations // len(self.groups)] * len(self.groups)
        for k in range(iterations % len(self.groups)):
            shares[k] += 1
        pending = {
            pool.submit(group.run, end, share) for group, share in zip(self.groups, shares, strict=True)
        }
        while pending:
            done, pending = wait(pending, timeout=POLL_SECONDS)
            for future in done:
                future.result()
            if on_progress is not None:
                on_progress(self.progress())
        self._merge()

    def _slice(self, progress: Progress) -> tuple[float, int]:
        """Where on the budget the next slice ends, and its iterations where the clock plays no part."""
        expected = expected_iterations(self.goal.stop)
        if self.timeless:
            least = SLICE_EFFORT * (self.problem.num_nodes - self.problem.num_depots)
            count = min(left(self.goal.stop, progress), max(1, int(max(expected / SLICES, least))))
            return min(1.0, self.cooled + count / expected), count
        if self.cooled == 0.0:
            return 1.0 / SLICES, 0
        whole = progress.seconds / self.cooled
        seconds = min(max(whole / SLICES, self.overhead / OVERHEAD), LONGEST_SLICE)
        return min(1.0, self.cooled + seconds / whole), 0

    def _share_out(self) -> list[Group]:
        sizes = np.array([len(route) for route in self.current.routes])
        count = max(1, min(self.workers, len(sizes) // 2))
        chosen = share_out(find_borders(self.problem.neighbours, self.current), sizes, count, self.rng)
        spare = _deal(np.arange(self.problem.num_vehicles - len(sizes)), count)
        used = np.bincount([r.start for r in self.current.routes], minlength=self.problem.num_depots)
        limit = self.problem.depot_limit
        room = _deal(np.repeat(np.arange(len(limit)), np.maximum(limit - used, 0)), count)
        groups = []
        for k, numbers in enumerate(chosen):
            routes = [self.current.routes[number] for number in numbers]
            starts = np.concatenate([[route.start for route in routes], room[k]]).astype(np.int64)
            limits = np.bincount(starts, minlength=len(limit))
            groups.append(Group(self, routes, limits, len(spare[k]), self.number))
            self.number += 1
        return groups

    def _merge(self) -> None:
        """Put the groups together: where the search stands, and the best of each as a plan of its own."""
        self.iterations += sum(group.iterations for group in self.groups)
        self.current = Solution(tuple(route for group in self.groups for route in group.current))
        found = Solution(tuple(route for group in self.groups for route in group.best))
        self.groups = []
        longest = float(route_lengths(self.instance, found).max())
        if longest < self.makespan:
            self.best, self.makespan, self.last_improvement = found, longest, self.iterations
            self._note()

    def _note(self) -> None:
        now = self.progress()
        self.trace.append(TracePoint(now.seconds, now.iterations, now.makespan))


def _deal(things: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """Things dealt out to so many, the first ones get one more."""
    return [things[k::count] for k in range(count)]
