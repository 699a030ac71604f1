"""The map: bound, start, search, check. Everything that `solve` does is on this page.

A greedy construction is the start (or the network proposes some, where it is asked to), the search
improves, the checker judges, the lower bound says how good the answer is at worst. See docs/method.md for
each step.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from .arguments import Notice, check_arguments, ignore_notice
from .clock import Clock
from .problem import check
from .problem.bounds import lower_bound
from .problem.instance import Instance
from .problem.keep import Keep, KeptPlan, count_moved, keep_plan
from .problem.solution import Solution
from .propose import Proposer, check_policy, load_proposer
from .result import Result, Then, TracePoint
from .starts import find_starts
from .stop import MaxRuntime, Progress, StopLike, as_stop, remaining, time_limit

if TYPE_CHECKING:
    from .search.compilation import Compilation

DEFAULT_STOP = MaxRuntime(10.0)
BOUND_SHARE = 0.1
"""Of a time limit that the lower bound may take."""
LOAD_SHARE = 0.5
"""Of a time limit that loading may count for: the first search of a process has the other half at least."""


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

    `then` says what counts after the longest route: "balance" (the second longest, the third and so on),
    "total" (the total length) or "none" (it ends as soon as the makespan is proven optimal).
    `stop` ends the search (10 seconds if not given; any function of the progress will do). A time limit is
    for the whole call; only compiling on first use is not part of it, and in the first call of a process
    loading counts for half of it at most. `start` are solutions to begin with. `policy` is the name or file
    of network weights, or "auto" for ours for the instance's problem: the search then begins with the
    network's solutions, as far as a quarter of the time allows. Without it, it begins with a greedy one,
    which leads to plans as good within the same time (docs/paper.md). `workers` searches run at a time, each
    with a seed of its own. `bound` is a lower bound known already.
    With `keep`, `start` is one plan, which may lack stops or have some that are gone: its stops stay in their
    "order" on their vehicle, or on their "vehicle", or "nothing" stays, and `Result.moved` says how many
    stops changed their vehicle.
    `settings` change some settings of the search (`minmaxvrp.search.settings.SearchSettings`).
    `on_progress` hears of the search, `notice` of steps that had to be left out. Ctrl-C ends the
    search, not the call: `Result.interrupted` then says so, and a second Ctrl-C raises.

    Raises `InputError` for starts that break a rule or a policy that cannot be used, `InternalError`
    if the answer does not pass the checker.
    """
    clock, notice = Clock(), notice or ignore_notice
    stop = DEFAULT_STOP if stop is None else as_stop(stop)
    check_arguments(instance, start, then, seed=seed, workers=workers)
    check_policy(policy)
    limit = time_limit(stop)
    if bound is None:
        bound = lower_bound(instance, seconds=BOUND_SHARE * limit)
    clock.lap("bound")

    kept = KeptPlan(instance, start) if keep is None else keep_plan(instance, start, keep)
    task = kept.instance
    kernels = _load_kernels(task, notice) if search else None
    network = load_proposer(task, policy if start is None else None, limit if search else math.inf, notice)
    ready = kernels is None or not task.has_fleet or kernels.wait()  # kernels make a fleet's start
    clock.lap("load")

    starts, method = find_starts(task, kept.start, network, seed, ready)
    best = min(starts, key=lambda solution: check.makespan(instance, solution))
    clock.lap("start")

    iterations, interrupted = 0, False
    trace = [TracePoint(clock.seconds, 0, check.makespan(instance, best))]
    if kernels is not None and (then != "none" or trace[0].makespan > bound):
        from .search.improve import improve

        ready = ready and kernels.wait()
        clock.lap("load")
        left, outcome = remaining(stop, _spent(clock, limit, kernels, network)), None
        with suppress(KeyboardInterrupt):  # it came before the search had begun: the start is the answer
            if ready:
                outcome = improve(
                    task, left, seed, starts, workers, bound, on_progress, then, settings, kept.fixed
                )
        interrupted = outcome is None or outcome.interrupted
        if outcome is not None:
            best, iterations = outcome.solution, outcome.iterations
            method = "search" if method == "greedy" else f"{method} + search"
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
        iterations=iterations,
        seconds=clock.seconds,
        method=method,
        then=then,
        trace=tuple(trace),
        timings=clock.laps,
        interrupted=interrupted,
        moved=moved,
    )


def _load_kernels(instance: Instance, notice: Notice) -> "Compilation":
    """The search's kernels; on first use they are compiled while the start is made here."""
    from .search.compilation import Compilation, program_for  # loads numba, which takes a second

    return Compilation(notice, program_for(instance))


def _spent(clock: Clock, limit: float, kernels: "Compilation", network: Proposer | None) -> float:
    """How much of a time limit has gone by before the search."""
    if kernels.needed:
        return clock.laps["bound"]  # the rest passes while another process compiles
    loading = clock.laps["load"] - (network.compiling if network else 0.0)
    return clock.laps["bound"] + clock.laps["start"] + min(loading, LOAD_SHARE * limit)
