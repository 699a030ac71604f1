"""The interface of the search for fleets: as `search.improve`, for vehicles that are told apart.

`solve` calls it for instances with `has_fleet`, and for plans that have to be kept in part (see `keep`).
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...interrupt import Interrupt, catch_signals
from ...problem.check import makespan
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...result import Then, TracePoint
from ...stop import Stop
from ..budget import portion
from ..compilation import FLEET, ensure_compiled
from ..improve import MAKESPAN_SHARE
from ..makespan import Goal, ProgressHook, SearchOutcome
from ..settings import change_settings
from .fleet_others import FleetOthers
from .fleet_search import FleetSearch, construct_fleet, fleet_settings, fleet_unit
from .vehicles import prepare_fleet, prepare_problem


def improve_fleet(
    instance: Instance,
    stop: Stop,
    seed: int = 0,
    start: Sequence[Solution] = (),
    workers: int = 1,
    lower_bound: float = 0.0,
    on_progress: ProgressHook | None = None,
    then: Then = "none",
    settings: Mapping[str, float] | None = None,
    fixed: Collection[int] = (),
) -> SearchOutcome:
    """The best plan found before `stop`, one route for every vehicle, in their order.

    Arguments as of `search.improve.improve`. Customers in `fixed` keep the vehicle and the order that they
    have in the first of `start`, which must then be the only one; a pair is fixed if one of it is.
    """
    ensure_compiled(FLEET)
    began = time.perf_counter()
    if instance.num_vehicles == 1:
        then = "none"
    starts = sorted(start, key=lambda plan: makespan(instance, plan)) or [construct_fleet(instance, seed)]
    first = stop if then == "none" else portion(stop, MAKESPAN_SHARE)
    with catch_signals() as interrupt:
        outcome = _minimise_makespan(
            instance,
            first,
            seed,
            starts,
            workers,
            lower_bound,
            on_progress,
            settings,
            fixed,
            began,
            interrupt,
        )
        if then == "none" or interrupt.raised:
            return outcome
        others = FleetOthers(
            instance,
            outcome,
            then,
            stop,
            seed,
            began,
            lower_bound,
            interrupt,
            on_progress,
            settings or {},
            fixed,
        )
        others.run()
    return replace(
        outcome,
        solution=others.solution,
        makespan=makespan(instance, others.solution),
        iterations=others.iterations,
        seconds=time.perf_counter() - began,
        interrupted=interrupt.raised,
    )


def _minimise_makespan(
    instance: Instance,
    stop: Stop,
    seed: int,
    starts: list[Solution],
    workers: int,
    lower_bound: float,
    on_progress: ProgressHook | None,
    settings: Mapping[str, float] | None,
    fixed: Collection[int],
    began: float,
    interrupt: Interrupt,
) -> SearchOutcome:
    """The longest route as short as possible until `stop` or the lower bound is met."""
    unit = fleet_unit(instance, starts[0])
    problem, fleet = prepare_problem(instance, unit), prepare_fleet(instance, unit, fixed)
    chosen = change_settings(fleet_settings(problem), settings or {})
    goal = Goal(stop, lower_bound, unit, began, interrupt)
    searches = [
        FleetSearch(instance, problem, fleet, goal, chosen, starts[number % len(starts)], seed, number)
        for number in range(workers)
    ]
    if len(fleet.movable):
        if workers == 1:
            searches[0].run(on_progress)
        else:
            from ..workers import run_together

            run_together(list(searches), stop, on_progress)
    found = [search.polished() for search in searches]
    solution = min([*found, starts[0]], key=lambda plan: makespan(instance, plan))
    trace: list[TracePoint] = []
    for point in sorted((p for s in searches for p in s.trace), key=lambda p: p.seconds):
        if not trace or point.makespan < trace[-1].makespan:
            trace.append(point)
    return SearchOutcome(
        solution,
        makespan(instance, solution),
        sum(search.iterations for search in searches),
        time.perf_counter() - began,
        tuple(trace),
        interrupt.raised,
    )
