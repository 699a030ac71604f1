"""The map: bound, start, search, check. Everything that `solve` does is on this page.

A greedy construction is the start (or the network proposes some, where it is asked to), the search
improves, the checker judges, the lower bound says how good the answer is at worst. See docs/method.md for
each step.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from .arguments import check_arguments
from .clock import Clock
from .errors import InputError, InternalError, MinmaxvrpError
from .problem import check
from .problem.bounds import lower_bound
from .problem.instance import Instance
from .problem.keep import Keep, KeptPlan, count_moved, keep_plan
from .problem.repair import repaired
from .problem.solution import Solution
from .propose import Proposer, load_proposer
from .result import Result, Then, TracePoint
from .stop import MaxRuntime, Progress, Stop, StopLike, as_stop, remaining, time_limit

if TYPE_CHECKING:
    from .search.compilation import Compilation
    from .search.makespan import SearchOutcome

Notice = Callable[[str], None]

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
    clock = Clock()
    stop = DEFAULT_STOP if stop is None else as_stop(stop)
    check_arguments(instance, start, then, seed=seed, workers=workers)
    notice, limit = notice or _ignore, time_limit(stop)
    if bound is None:
        bound = lower_bound(instance, seconds=BOUND_SHARE * limit)
    clock.lap("bound")
    kept = None if keep is None else _kept(instance, start, keep)
    task = instance if kept is None else kept.instance
    compilation = _begin_loading(task, notice) if search else None
    asked = _served(task, policy, notice) if start is None else None
    network = load_proposer(task, asked, limit if search else math.inf, notice)
    ready = compilation is None or not task.has_fleet or compilation.wait()  # kernels make a fleet's start
    clock.lap("load")
    starts, method = _starts(task, start if kept is None else kept.start, network, seed, ready)
    best = min(starts, key=lambda solution: check.makespan(instance, solution))
    clock.lap("start")
    interrupted = False
    iterations, trace = 0, [TracePoint(clock.seconds, 0, check.makespan(instance, best))]
    if compilation is not None and (then != "none" or trace[0].makespan > bound):
        ready = ready and compilation.wait()
        clock.lap("load")
        left = remaining(stop, _spent(clock, limit, compilation, network))
        outcome = None
        if ready:
            outcome = _improve(task, left, seed, starts, workers, then, bound, settings, on_progress, kept)
        interrupted = outcome is None or outcome.interrupted
        if outcome is not None:
            best, iterations = outcome.solution, outcome.iterations
            began = trace[0].seconds
            trace += [TracePoint(began + p.seconds, p.iterations, p.makespan) for p in outcome.trace]
            method = "search" if method == "greedy" else f"{method} + search"
    clock.lap("search")
    moved = None
    if kept is not None and isinstance(start, Solution):
        moved, best = count_moved(task, start, best)
    _judge(instance, best, bound)
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


def _kept(instance: Instance, start: object, keep: Keep) -> KeptPlan:
    """What of the plan to start from must stay. Raises `InputError`."""
    if keep not in get_args(Keep):
        raise InputError(f"keep = {keep!r}, expected one of {', '.join(get_args(Keep))}")
    if not isinstance(start, Solution):
        raise InputError(f"keep = {keep!r}, expected one plan as start")
    return keep_plan(instance, start, keep)


def _served(instance: Instance, policy: str | None, notice: Notice) -> str | None:
    """The policy asked for; None, with a notice, where vehicles are told apart."""
    if policy is not None and instance.has_fleet:
        notice("the network does not know vehicles that differ or open routes; starting without it")
        return None
    return policy


def _begin_loading(instance: Instance, notice: Notice) -> "Compilation":
    """The search's kernels; on first use they are compiled while the start is made here."""
    # numba takes a second to load, so only when it is needed
    from .search.compilation import FLEET, PLAIN, Compilation

    return Compilation(notice, FLEET if instance.has_fleet else PLAIN)


def _spent(clock: Clock, limit: float, compilation: "Compilation", network: Proposer | None) -> float:
    """How much of a time limit has gone by before the search."""
    if compilation.needed:
        return clock.laps["bound"]  # the rest passes while another process compiles
    loading = clock.laps["load"] - (network.compiling if network else 0.0)
    return clock.laps["bound"] + clock.laps["start"] + min(loading, LOAD_SHARE * limit)


def _starts(
    instance: Instance,
    given: Solution | Sequence[Solution] | None,
    network: Proposer | None,
    seed: int,
    ready: bool,
) -> tuple[list[Solution], str]:
    """Where the search begins and what to call it: given solutions, the policy's, or a greedy one."""
    if given is not None:
        starts = [given] if isinstance(given, Solution) else list(given)
        if not starts:
            raise InputError("start: no solutions, expected one or more")
        _check_starts(instance, starts, InputError)
        return starts, "given"
    if network is not None:
        proposed = network.starts(instance, seed)
        _check_starts(instance, proposed, InternalError)
        return proposed, "policy"
    if not ready:  # Ctrl-C came before there were kernels
        return [repaired(instance, ())[0]], "greedy"
    if instance.has_fleet:
        from .search.fleet.fleet_search import construct_fleet

        return [construct_fleet(instance, seed)], "greedy"
    from .search.construct import construct

    return [construct(instance, seed)], "greedy"


def _check_starts(instance: Instance, starts: Sequence[Solution], error: type[MinmaxvrpError]) -> None:
    """Raise `error` for a start that breaks a rule: the search's kernels rely on feasible ones."""
    for number, solution in enumerate(starts, 1):
        found = _broken(instance, solution)
        if found:
            raise error(f"start solution {number} breaks a rule: {found[0]}")


def _improve(
    instance: Instance,
    stop: Stop,
    seed: int,
    starts: list[Solution],
    workers: int,
    then: Then,
    bound: float,
    settings: Mapping[str, float] | None,
    on_progress: Callable[[Progress], None] | None,
    kept: KeptPlan | None,
) -> "SearchOutcome | None":
    """Search from the starts; None when Ctrl-C came before the search had begun."""
    try:
        if instance.has_fleet:
            from .search.fleet.improve_fleet import improve_fleet

            fixed = frozenset[int]() if kept is None else kept.fixed
            return improve_fleet(
                instance, stop, seed, starts, workers, bound, on_progress, then, settings, fixed
            )
        from .search.improve import improve

        return improve(
            instance,
            stop=stop,
            seed=seed,
            start=starts,
            workers=workers,
            then=then,
            lower_bound=bound,
            on_progress=on_progress,
            settings=settings,
        )
    except KeyboardInterrupt:
        return None


def _judge(instance: Instance, solution: Solution, bound: float) -> None:
    """Raise `InternalError` for an answer that breaks a rule or beats its own lower bound."""
    found = _broken(instance, solution)
    if found:
        raise InternalError(f"the solver's answer breaks {len(found)} rules, first {found[0]}")
    makespan = check.makespan(instance, solution)
    if makespan < bound * (1.0 - 1e-9):
        raise InternalError(f"the solver's answer {makespan!r} is below the lower bound {bound!r}")


def _broken(instance: Instance, solution: Solution) -> list[check.Violation]:
    """Rules that a solution breaks but the limit on lengths: `Result` tells whether that is kept."""
    return [found for found in check.violations(instance, solution) if found.rule != check.Rule.TOO_LONG]


def _ignore(text: str) -> None:
    """Nobody wants to hear notices."""
