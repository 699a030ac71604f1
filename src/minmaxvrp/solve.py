"""The map: bound, start, search, check. Everything that `solve` does is on this page.

The policy proposes (or a greedy construction where it cannot), the search improves, the checker
judges, the lower bound says how good the answer is at worst. See docs/method.md for each step.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .clock import Clock
from .errors import InputError, InternalError, MinmaxvrpError
from .problem import check
from .problem.bounds import lower_bound
from .problem.instance import Instance
from .problem.solution import Solution
from .result import Result, Then, TracePoint
from .stop import MaxRuntime, Progress, Stop, StopLike, as_stop, remaining, time_limit

if TYPE_CHECKING:
    from .policy import Policy
    from .search.compilation import Compilation
    from .search.makespan import SearchOutcome

Notice = Callable[[str], None]

WEIGHTS = Path(__file__).parent / "policy" / "weights"
DEFAULT_STOP = MaxRuntime(10.0)
NUM_PROPOSALS = 8
"""How many of the policy's solutions the search is given."""
LARGEST_FOR_POLICY = 2_000
"""Customers; with more, "auto" does without the policy, which would take longer than it saves."""
SHORTEST_FOR_POLICY = 4.0
"""Seconds of a time limit; with less, "auto" does without: loading the network takes one or two."""


def solve(
    instance: Instance,
    stop: StopLike | None = None,
    *,
    seed: int = 0,
    start: Solution | Sequence[Solution] | None = None,
    workers: int = 1,
    then: Then = "balance",
    policy: str | None = "auto",
    search: bool = True,
    bound: float | None = None,
    settings: Mapping[str, float] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    notice: Notice | None = None,
) -> Result:
    """A checked solution whose longest route is as short as the budget allows, and then the others.

    `then` says what counts after the longest route: "balance" (the second longest, the third and so on),
    "total" (the total length) or "none" (it ends as soon as the makespan is proven optimal).
    `stop` ends the search (10 seconds if not given; any function of the progress will do); bound and policy
    are part of a time limit. `start` are solutions to begin with. `policy` is the name or file of network
    weights, "auto" for those of the instance's problem if there are any and time to load them, None for a
    greedy start. `workers` searches run at a time, each with a seed of its own. `bound` is a lower bound
    known already.
    `settings` change some settings of the search (`minmaxvrp.search.settings.SearchSettings`).
    `on_progress` hears of the search, `notice` of steps that had to be left out. Ctrl-C ends the
    search, not the call: `Result.interrupted` then says so, and a second Ctrl-C raises.

    Raises `InputError` for starts that break a rule or a policy that cannot be used, `InternalError`
    if the answer does not pass the checker.
    """
    clock = Clock()
    stop = DEFAULT_STOP if stop is None else as_stop(stop)
    _at_least("seed", seed, 0)
    _at_least("workers", workers, 1)
    bound = lower_bound(instance) if bound is None else bound
    clock.lap("bound")
    hurry = search and time_limit(stop) < SHORTEST_FOR_POLICY
    network = None if start is not None else _load_policy(instance, policy, hurry, notice or _ignore)
    compilation = _compile_meanwhile(notice or _ignore) if search else None
    clock.lap("load")
    starts, method = _starts(instance, start, network, seed)
    best = min(starts, key=lambda solution: check.makespan(instance, solution))
    clock.lap("start")
    interrupted = False
    iterations, trace = 0, [TracePoint(clock.seconds, 0, check.makespan(instance, best))]
    if compilation is not None and (then != "none" or trace[0].makespan > bound):
        spent = (
            clock.laps["bound"] if compilation.needed else clock.seconds
        )  # compiling takes none of the time
        left = remaining(stop, spent)
        outcome = _improve(
            instance, left, seed, starts, workers, then, bound, settings, on_progress, compilation
        )
        interrupted = outcome is None or outcome.interrupted
        if outcome is not None:
            best, iterations = outcome.solution, outcome.iterations
            began = trace[0].seconds
            trace += [TracePoint(began + p.seconds, p.iterations, p.makespan) for p in outcome.trace]
            method = "search" if method == "greedy" else f"{method} + search"
    clock.lap("search")
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
    )


def _at_least(name: str, value: object, least: int) -> None:
    """Raise `InputError` for what is no whole number, or too small."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} = {value!r}, expected a whole number of {least} or more")


def _load_policy(instance: Instance, policy: str | None, hurry: bool, notice: Notice) -> "Policy | None":
    """The policy asked for; None, with a notice, where "auto" finds none that serves the instance."""
    if policy is None:
        return None
    if policy == "auto":
        if not any(WEIGHTS.glob("*.safetensors")):  # asked before torch, which takes seconds to load
            notice("no network weights are installed; starting from a greedy plan")
            return None
        if hurry:
            notice(f"less than {SHORTEST_FOR_POLICY:g} s; starting from a greedy plan")
            return None
        if instance.num_customers > LARGEST_FOR_POLICY:
            notice(f"more than {LARGEST_FOR_POLICY:,} customers; starting from a greedy plan")
            return None
    try:
        from .policy import Policy
    except ImportError as error:
        if policy != "auto":
            raise InputError(f"policy {policy!r} needs the package {error.name!r}, not installed") from None
        notice(f"{error.name} is not installed; starting from a greedy plan")
        return None
    network = Policy.for_instance(instance) if policy == "auto" else Policy.load(policy)
    if network is None:
        notice("no network weights for this kind of instance; starting from a greedy plan")
    return network


def _compile_meanwhile(notice: Notice) -> "Compilation":
    """On first use, the search's kernels are compiled while the start is made here."""
    from .search.compilation import Compilation  # numba takes a second to load, so only when it is needed

    return Compilation(notice)


def _starts(
    instance: Instance, given: Solution | Sequence[Solution] | None, network: "Policy | None", seed: int
) -> tuple[list[Solution], str]:
    """Where the search begins and what to call it: given solutions, the policy's, or a greedy one."""
    from .search.construct import construct

    if given is not None:
        starts = [given] if isinstance(given, Solution) else list(given)
        if not starts:
            raise InputError("start: no solutions, expected one or more")
        _check_starts(instance, starts, InputError)
        return starts, "given"
    if network is not None:
        temperature = network.config.temperature(instance.num_customers)
        proposed = network.construct([instance], temperature=temperature, seed=seed, top=NUM_PROPOSALS)
        _check_starts(instance, proposed[0], InternalError)
        return proposed[0], "policy"
    return [construct(instance, seed)], "greedy"


def _check_starts(instance: Instance, starts: Sequence[Solution], error: type[MinmaxvrpError]) -> None:
    """Raise `error` for a start that breaks a rule: the search's kernels rely on feasible ones."""
    for number, solution in enumerate(starts, 1):
        found = check.violations(instance, solution)
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
    compilation: "Compilation",
) -> "SearchOutcome | None":
    """Search from the starts; None when Ctrl-C came before the search had begun."""
    try:
        from .search.improve import improve

        compilation.wait()
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
    found = check.violations(instance, solution)
    if found:
        raise InternalError(f"the solver's answer breaks {len(found)} rules, first {found[0]}")
    makespan = check.makespan(instance, solution)
    if makespan < bound * (1.0 - 1e-9):
        raise InternalError(f"the solver's answer {makespan!r} is below the lower bound {bound!r}")


def _ignore(text: str) -> None:
    """Nobody wants to hear notices."""
