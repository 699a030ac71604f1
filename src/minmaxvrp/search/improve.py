"""The search's interface: improve a start until a stop criterion or the lower bound is met.

`solve` calls `improve` with starts from the policy or none; the answer goes through the checker.
Between chunks of compiled iterations this module looks at the clock, the criteria and signals.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import InputError
from ..interrupt import Interrupt, catch_signals
from ..problem.check import makespan, route_lengths, violations
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import TracePoint
from ..stop import Progress, Stop
from .anneal import anneal
from .arrays import BEST, IMPROVED, Routes
from .budget import Cooling, is_timeless, left, target
from .compilation import ensure_compiled
from .construct import construct
from .distances import Problem
from .load import load, unload_best
from .local_search import empty_workspace
from .prepare import prepare
from .random_numbers import random_stream
from .settings import SearchSettings, settings_for

CHUNK_SECONDS = 0.03
"""Aim for the time between two looks at the clock."""
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


def improve(
    instance: Instance,
    stop: Stop,
    seed: int = 0,
    start: Sequence[Solution] = (),
    workers: int = 1,
    lower_bound: float = 0.0,
    on_progress: ProgressHook | None = None,
) -> SearchOutcome:
    """The best solution found before `stop`; never worse than the best of `start`.

    Ends at once when the makespan reaches `lower_bound`, and with the best so far on Ctrl-C or
    SIGTERM. `workers` searches with different random numbers run at a time, each on a core of its
    own and each with the whole budget; the best answer wins. The same seed with criteria that do not
    look at the clock gives the same answer. Raises `InputError` when a start breaks a rule.
    """
    if workers < 1:
        raise InputError(f"workers = {workers}, expected 1 or more")
    ensure_compiled()
    began = time.perf_counter()
    starts = _checked(instance, start) or [construct(instance, seed)]
    unit = _unit(instance, starts[0])
    problem = prepare(instance, unit)
    floor = max(lower_bound * (1.0 + TOLERANCE), target(stop)) / unit
    with catch_signals() as interrupt:
        searches = [
            Search(problem, stop, unit, floor, began, interrupt, seed, number, starts[number % len(starts)])
            for number in range(workers)
        ]
        if workers == 1:
            searches[0].run(on_progress)
        else:
            from .workers import run_together

            run_together(searches, stop, on_progress)
    return _outcome(instance, searches, starts, time.perf_counter() - began, interrupt)


def _checked(instance: Instance, start: Sequence[Solution]) -> list[Solution]:
    """The starts without empty routes, best first."""
    for number, solution in enumerate(start, 1):
        broken = violations(instance, solution)
        if broken:
            raise InputError(f"start solution {number}: {broken[0]}")
    return sorted((s.without_empty() for s in start), key=lambda s: makespan(instance, s))


def _unit(instance: Instance, solution: Solution) -> float:
    """About one leg of the start: lengths inside the search are multiples of it."""
    lengths = route_lengths(instance, solution)
    mean = float((lengths / (instance.num_customers + len(lengths))).sum())
    return mean if mean > 0.0 else 1.0


def _outcome(
    instance: Instance, searches: "list[Search]", starts: list[Solution], seconds: float, interrupt: Interrupt
) -> SearchOutcome:
    found = [unload_best(s.problem, s.routes) for s in searches]
    solution = min([*found, starts[0]], key=lambda s: makespan(instance, s))
    trace: list[TracePoint] = []
    for point in sorted((p for s in searches for p in s.trace), key=lambda p: p.seconds):
        if not trace or point.makespan < trace[-1].makespan:
            trace.append(point)
    iterations = sum(s.iterations for s in searches)
    return SearchOutcome(
        solution, makespan(instance, solution), iterations, seconds, tuple(trace), interrupt.raised
    )


class Search:
    """One worker's annealing, in chunks of compiled iterations."""

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        unit: float,
        floor: float,
        began: float,
        interrupt: Interrupt,
        seed: int,
        number: int,
        start: Solution,
    ) -> None:
        self.problem, self.stop, self.unit, self.floor = problem, stop, unit, floor
        self.began, self.interrupt, self.number = began, interrupt, number
        self.routes: Routes = load(problem, start, random_stream(seed, number))
        self.settings: SearchSettings = settings_for(problem)
        self.workspace = empty_workspace(problem.num_nodes)
        self.iterations = self.last_improvement = 0
        self.trace = [self._point()]
        self.cancelled = False

    @property
    def reached(self) -> bool:
        """Whether the lower bound or the target is met."""
        return bool(self.routes.value[BEST] <= self.floor)

    def progress(self) -> Progress:
        """How far this search has come, in the instance's unit."""
        best = float(self.routes.value[BEST]) * self.unit
        seconds = time.perf_counter() - self.began
        return Progress(seconds, self.iterations, best, self.last_improvement)

    def run(self, on_progress: ProgressHook | None = None) -> None:
        """Anneal until a criterion, the bound or an interrupt ends it."""
        cooling, timeless = Cooling(self.stop, self.settings.reheat), is_timeless(self.stop)
        chunk, rate = 10, 0.0
        progress = self.progress()
        while not (self.reached or self.interrupt.raised or self.cancelled or self.stop(progress)):
            chunk = min(chunk, left(self.stop, progress))
            ahead = chunk / rate if rate > 0.0 else 0.0
            hot = cooling.fraction(progress)
            later = Progress(
                progress.seconds + ahead, self.iterations + chunk, progress.makespan, self.last_improvement
            )
            cold = max(hot, cooling.fraction(later))
            self._chunk(chunk, hot, cold)
            before, progress = progress, self.progress()
            rate = chunk / max(1e-6, progress.seconds - before.seconds)
            chunk = min(1000, 2 * chunk) if timeless else max(1, min(4 * chunk, int(rate * CHUNK_SECONDS)))
            if on_progress is not None:
                on_progress(progress)

    def _chunk(self, iterations: int, hot: float, cold: float) -> None:
        self.routes.num[IMPROVED] = 0
        best = self.routes.value[BEST]
        done = anneal(
            self.problem, self.routes, self.settings, self.workspace, iterations, hot, cold, self.floor
        )
        if self.routes.value[BEST] < best:
            self.last_improvement = self.iterations + int(self.routes.num[IMPROVED])
        self.iterations += int(done)
        if self.routes.value[BEST] < best:
            self.trace.append(self._point())

    def _point(self) -> TracePoint:
        progress = self.progress()
        return TracePoint(progress.seconds, progress.iterations, progress.makespan)
