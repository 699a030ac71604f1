"""The map: bound, start, search, check. Everything that `solve` does is on this page.

A greedy construction is the start (or the network proposes some, where it is asked to), the search
improves, the checker judges, the lower bound says how good the answer is at worst. See docs/method.md for
each step.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from .arguments import Notice, check_arguments, ignore_notice
from .clock import Clock
from .improvement import Improvement, SearchRequest
from .problem import check
from .problem.bounds import lower_bound
from .problem.instance import Instance
from .problem.keep import Keep, KeptPlan, count_moved, keep_plan
from .problem.solution import Solution
from .propose import check_policy, load_proposer
from .result import Result, Then, TracePoint
from .search.settings import check_settings
from .starts import find_starts
from .stop import MaxRuntime, Progress, StopLike, as_stop, time_limit

DEFAULT_STOP = MaxRuntime(10.0)
BOUND_SHARE = 0.1
"""Of a time limit that the lower bound may take."""


def solve(
    instance: Instance,
    stop: StopLike | None = None,
    *,
    seed: int = 0,
    start: Solution | Sequence[Solution] | None = None,
    keep: Keep | None = None,
    workers: int = 1,
    then: Then = "balance",
    policy: str | None = None,
    search: bool = True,
    bound: float | None = None,
    settings: Mapping[str, float] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    notice: Notice | None = None,
) -> Result:
    """A checked solution whose longest route is as short as the budget allows, and then the others.

    Args:
        instance: what is asked.
        stop: ends the search, after 10 seconds if not given; any function of the progress will do. A time
            limit is for the whole call; only compiling on first use is not part of it, and in the first call
            of a process loading counts for half of it at most.
        seed: the same seed with `MaxIterations` gives the same answer.
        start: one solution or several to begin with; else a greedy one.
        keep: what of one plan to start from stays, which may lack stops or have some that are gone: stops in
            their "order" on their vehicle, or on their "vehicle", or "nothing".
        workers: how many searches run at a time, each with random numbers of its own; on large
            instances they share one plan.
        then: what counts after the longest route: "balance" (the second longest, the third and so on),
            "total" (the total length) or "none" (it ends when the makespan is proven optimal).
        policy: name or file of network weights, or "auto" for ours: the search then begins with the network's
            solutions, as far as a quarter of the time allows. Mostly not worth it (docs/paper.md).
        search: False returns the best start.
        bound: a lower bound known already.
        settings: of the search, in place of its defaults (`minmaxvrp.search.settings.SearchSettings`).
        on_progress: hears of the search.
        notice: hears of steps that had to be left out.

    Raises `InputError` for arguments that cannot be used and starts that break a rule, `InternalError`
    if the answer does not pass the checker. Ctrl-C ends the search, not the call: `Result.interrupted` then
    says so, and a second Ctrl-C raises.
    """
    clock, notice = Clock(), notice or ignore_notice
    stop = DEFAULT_STOP if stop is None else as_stop(stop)
    check_arguments(instance, start, then, seed=seed, workers=workers)
    check_policy(policy)
    check_settings(settings)
    limit = time_limit(stop)
    if bound is None:
        bound = lower_bound(instance, seconds=BOUND_SHARE * limit)
    clock.lap("bound")

    kept = KeptPlan(instance, start) if keep is None else keep_plan(instance, start, keep)
    task = kept.instance
    improvement = Improvement(kept, then, notice) if search else None
    network = load_proposer(task, policy if start is None else None, limit if search else math.inf, notice)
    can_start = improvement is None or improvement.can_start()
    clock.lap("load")

    starts, method = find_starts(task, kept.start, network, seed, can_start)
    best = min(starts, key=lambda solution: check.makespan(instance, solution))
    clock.lap("start")

    outcome, trace = None, [TracePoint(clock.seconds, 0, check.makespan(instance, best))]
    needed = then != "none" or trace[0].makespan > bound
    if improvement is not None and needed:
        request = SearchRequest(stop, seed, workers, bound, then, settings, on_progress)
        outcome = improvement.run(request, starts, network, clock)
        if outcome is not None:
            best, method = outcome.solution, "search" if method == "greedy" else f"{method} + search"
            trace += [replace(point, seconds=trace[0].seconds + point.seconds) for point in outcome.trace]
    clock.lap("search")

    moved = None
    if keep is not None and isinstance(start, Solution):
        moved, best = count_moved(task, start, best)
    check.judge(instance, best, bound)
    lengths = tuple(check.route_lengths(instance, best).tolist())
    clock.lap("check")
    return Result(
        instance=instance,
        solution=best,
        lengths=lengths,
        lower_bound=bound,
        seed=seed,
        iterations=0 if outcome is None else outcome.iterations,
        seconds=clock.seconds,
        method=method,
        then=then,
        trace=tuple(trace),
        timings=clock.laps,
        interrupted=outcome.interrupted if outcome is not None else search and needed,
        moved=moved,
    )
