"""The first part of a search: the longest route as short as possible, until a criterion or the bound is met.

`improve` calls it with starts from the policy or none; `others` takes over what it leaves. What each worker
runs is an `one_search.Search`.
"""

import time
from collections.abc import Mapping, Sequence

from ..errors import InputError
from ..interrupt import Interrupt, catch_signals
from ..problem.check import makespan
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import TracePoint
from ..stop import Stop
from .arrays.prepare import prepare
from .budget import expected_iterations, target
from .construction.construct import construct
from .construction.tour_start import tour_starts
from .one_search import TOLERANCE, Goal, ProgressHook, Search, SearchOutcome, leg_unit
from .programs import ensure_compiled
from .settings import change_settings, has_long_routes, settings_for
from .share import SharedSearch, shares_routes
from .workers import run_together


def minimise_makespan(
    instance: Instance,
    stop: Stop,
    seed: int = 0,
    start: Sequence[Solution] = (),
    workers: int = 1,
    lower_bound: float = 0.0,
    on_progress: ProgressHook | None = None,
    settings: Mapping[str, float] | None = None,
    own_start: bool = True,
) -> SearchOutcome:
    """The best solution found before `stop`; never worse than the best of `start`.

    Ends at once when the makespan reaches `lower_bound`, and with the best so far on Ctrl-C or
    SIGTERM. `workers` searches with different random numbers run at a time, each on a core of its
    own and each with the whole budget; the best answer wins. The same seed with criteria that do not
    look at the clock gives the same answer. `start` must be feasible: whoever calls has checked it.
    `settings` change some of the defaults, see `SearchSettings`. Where routes are long, a start of the
    search's own (`tour_start`) joins those given, unless `own_start` is False.
    """
    if workers < 1:
        raise InputError(f"workers = {workers}, expected 1 or more")
    ensure_compiled()
    began = time.perf_counter()
    starts = _sorted(instance, start) or [construct(instance, seed)]
    unit = leg_unit(instance, starts[0])
    problem = prepare(instance, unit)
    chosen = change_settings(settings_for(problem, expected_iterations(stop)), settings or {})
    with catch_signals() as interrupt:
        if own_start and has_long_routes(problem):
            enough = max(lower_bound * (1.0 + TOLERANCE), target(stop))
            found = tour_starts(instance, problem, stop, seed, interrupt, workers, enough)
            starts = _sorted(instance, [*starts, *found])
        goal = Goal(stop, lower_bound, unit, began, interrupt)
        if shares_routes(problem, stop, workers):
            shared = SharedSearch(instance, problem, goal, chosen, starts[0], seed, workers)
            return shared.minimise(on_progress)
        searches = [
            Search(problem, goal, chosen, starts[number % len(starts)], seed, number)
            for number in range(workers)
        ]
        if workers == 1:
            searches[0].run(on_progress)
        else:
            run_together(searches, stop, on_progress)
    return _outcome(instance, searches, starts, time.perf_counter() - began, interrupt)


def _sorted(instance: Instance, starts: Sequence[Solution]) -> list[Solution]:
    """The starts without empty routes, best first."""
    return sorted((s.without_empty() for s in starts), key=lambda s: makespan(instance, s))


def _outcome(
    instance: Instance, searches: list[Search], starts: list[Solution], seconds: float, interrupt: Interrupt
) -> SearchOutcome:
    found = [s.polished() for s in searches]
    solution = min([*found, starts[0]], key=lambda s: makespan(instance, s))
    trace: list[TracePoint] = []
    for point in sorted((p for s in searches for p in s.trace), key=lambda p: p.seconds):
        if not trace or point.makespan < trace[-1].makespan:
            trace.append(point)
    iterations = sum(s.iterations for s in searches)
    return SearchOutcome(
        solution, makespan(instance, solution), iterations, seconds, tuple(trace), interrupt.raised
    )
