"""The search's interface: a plan as good as the budget allows, first its longest route, then the others.

`solve` calls `improve` with starts from the policy or none; the answer goes through the checker. The walk:
`makespan`, or `decompose` for very large instances, until it meets its bound or its share of the budget is
spent, then `others`.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..interrupt import catch_signals
from ..problem.check import makespan
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import Then, TracePoint
from ..stop import Progress, Stop
from .budget import MAKESPAN_SHARE, expected_iterations, portion
from .decompose import minimise_by_groups
from .exact import best_plan
from .groups import by_groups
from .makespan import minimise_makespan
from .one_search import TOLERANCE, ProgressHook, SearchOutcome
from .others import Others


def improve(
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
    """The best solution found before `stop`; its makespan is never worse than that of the best of `start`.

    `then` says what counts after the makespan: "balance" the second longest route, the third and so on,
    "total" the total length, "none" nothing, so that it ends when the makespan reaches `lower_bound`.
    Up to six customers all plans are tried, and the best is returned without a search.
    No route leaves that 2-opt or Or-opt would shorten. Ctrl-C and SIGTERM end it with the best so far.
    `workers` searches with different random numbers shorten the longest route at a time, each on a core of
    its own and each with the whole budget; the best answer wins. Where a plan is improved by groups of routes
    (`by_groups`), or many customers have pairs or short routes and a short budget (`shares_routes`), they
    share the work instead, and a number of iterations is for all together. The same seed with criteria that
    do not look at the clock gives the same answer. `start` must be feasible: whoever calls has checked it.
    `settings` change some of the defaults, see `SearchSettings`. Vehicles that are told apart have a search
    of their own (`improve_fleet`), in which customers in `fixed` keep their vehicle and order.
    """
    if instance.has_fleet:
        from .fleet.improve_fleet import improve_fleet

        return improve_fleet(
            instance, stop, seed, start, workers, lower_bound, on_progress, then, settings, fixed
        )
    began = time.perf_counter()
    exact = best_plan(instance, then)
    if exact is not None:
        outcome = _settled(instance, exact, began)
        if on_progress is not None:
            on_progress(Progress(outcome.seconds, 0, outcome.makespan, 0, lower_bound, lambda: exact))
        return outcome
    if instance.num_vehicles == 1:  # there are no others
        then = "none"
    grouped = by_groups(instance, expected_iterations(stop), workers)
    whole = then == "none" or (grouped and then == "balance")  # groups are compared by all their lengths
    minimise = minimise_by_groups if grouped else minimise_makespan
    first = stop if whole else portion(stop, MAKESPAN_SHARE)
    outcome = minimise(instance, first, seed, start, workers, lower_bound, on_progress, settings)
    reached = outcome.makespan <= lower_bound * (1.0 + TOLERANCE)
    if then == "none" or outcome.interrupted or (whole and not reached):
        return outcome
    with catch_signals() as interrupt:
        others = Others(
            instance, outcome, then, stop, seed, began, lower_bound, interrupt, on_progress, settings or {}
        )
        others.run()
    return replace(
        outcome,
        solution=others.solution,
        makespan=makespan(instance, others.solution),
        iterations=others.iterations,
        seconds=time.perf_counter() - began,
        interrupted=others.interrupted,
    )


def _settled(instance: Instance, plan: Solution, began: float) -> SearchOutcome:
    """The outcome where no search was needed."""
    seconds, longest = time.perf_counter() - began, makespan(instance, plan)
    return SearchOutcome(plan, longest, 0, seconds, (TracePoint(seconds, 0, longest),))
