"""The interface of the search for fleets: as `search.improve`, for vehicles that are told apart.

`solve` calls it for instances with `has_fleet`, and for plans that have to be kept in part (see `keep`).
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...interrupt import catch_signals
from ...problem.check import makespan
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...result import Then, TracePoint
from ...stop import Stop
from ..budget import MAKESPAN_SHARE, portion
from ..one_search import Goal, ProgressHook, SearchOutcome
from ..programs import FLEET, ensure_compiled
from ..settings import change_settings
from ..workers import run_together
from .fleet_others import FleetOthers
from .fleet_search import FleetSearch, FleetTask, construct_fleet, fleet_settings, fleet_unit
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
    unit = fleet_unit(instance, starts[0])
    problem = prepare_problem(instance, unit)
    chosen = change_settings(fleet_settings(problem), settings or {})
    with catch_signals() as interrupt:
        task = FleetTask(
            instance,
            problem,
            unit,
            chosen,
            frozenset(fixed),
            stop,
            seed,
            lower_bound,
            began,
            interrupt,
            on_progress,
        )
        outcome = _minimise_makespan(task, starts, workers, then)
        if then == "none" or interrupt.raised:
            return outcome
        others = FleetOthers(task, outcome, then)
        others.run()
    return replace(
        outcome,
        solution=others.solution,
        makespan=makespan(instance, others.solution),
        iterations=others.iterations,
        seconds=time.perf_counter() - began,
        interrupted=interrupt.raised,
    )


def _minimise_makespan(task: FleetTask, starts: list[Solution], workers: int, then: Then) -> SearchOutcome:
    """The longest route as short as possible until the criterion or the lower bound is met."""
    instance, stop = task.instance, task.stop if then == "none" else portion(task.stop, MAKESPAN_SHARE)
    fleet = prepare_fleet(instance, task.unit, task.fixed)
    goal = Goal(stop, task.lower_bound, task.unit, task.began, task.interrupt)
    searches = [
        FleetSearch(task, fleet, goal, task.settings, starts[number % len(starts)], task.seed, number)
        for number in range(workers)
    ]
    if len(fleet.movable):
        if workers == 1:
            searches[0].run(task.on_progress)
        else:
            run_together(list(searches), stop, task.on_progress)
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
        time.perf_counter() - task.began,
        tuple(trace),
        task.interrupt.raised,
    )
