"""The map: bound, start, search, check. Everything that `solve` does is on this screen.

The policy proposes (or a greedy construction where it cannot), the search improves, the checker
judges, the lower bound says how good the answer is at worst. See docs/method.md for each step.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .errors import InputError, InternalError
from .problem import check
from .problem.bounds import lower_bound
from .problem.instance import Instance
from .problem.solution import Solution
from .result import Result, TracePoint
from .stop import MaxRuntime, Progress, Stop

if TYPE_CHECKING:
    from .search.anneal import SearchOutcome

DEFAULT_STOP = MaxRuntime(10.0)


def solve(
    instance: Instance,
    stop: Stop | None = None,
    *,
    seed: int = 0,
    start: Solution | Sequence[Solution] | None = None,
    workers: int = 1,
    policy: str | None = "auto",
    search: bool = True,
    bound: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    notice: Callable[[str], None] | None = None,
) -> Result:
    """A checked solution whose longest route is as short as the budget allows.

    `stop` ends the search (10 seconds if not given). `start` are solutions to begin with. `policy` is
    the name or file of network weights, "auto" for those of the instance's problem if there are
    any, None for a greedy start. `workers` processes search with different seeds. `bound` is a
    lower bound that is known already. `on_progress` hears of the search, `notice` of steps that had to be
    left out. Ctrl-C ends the search, not the call.

    Raises `InputError` for starts that break a rule or a policy that cannot be used, `InternalError`
    if the answer does not pass the checker.
    """
    clock = _Clock()
    bound = lower_bound(instance) if bound is None else bound
    clock.lap("bound")
    starts, method = _starts(instance, start, policy, seed, notice or (lambda text: None))
    best = min(starts, key=lambda solution: check.makespan(instance, solution))
    clock.lap("start")
    iterations, trace = 0, [TracePoint(clock.total, 0, check.makespan(instance, best))]
    if search and trace[0].makespan > bound:
        outcome = _improve(instance, stop or DEFAULT_STOP, seed, starts, workers, bound, on_progress)
        if outcome is not None:
            best, iterations = outcome.solution, outcome.iterations
            trace += [
                TracePoint(p.seconds + trace[0].seconds, p.iterations, p.makespan) for p in outcome.trace
            ]
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
        seconds=clock.total,
        method=method,
        trace=tuple(trace),
        timings=clock.laps,
    )


def _starts(
    instance: Instance,
    given: Solution | Sequence[Solution] | None,
    policy: str | None,
    seed: int,
    notice: Callable[[str], None],
) -> tuple[list[Solution], str]:
    """Where the search begins and what to call it: given solutions, the policy's, or a greedy one."""
    from .search.construct import construct

    if given is not None:
        starts = [given] if isinstance(given, Solution) else list(given)
        for number, solution in enumerate(starts, 1):
            found = check.violations(instance, solution)
            if found:
                raise InputError(f"start solution {number} breaks a rule: {found[0]}")
        if starts:
            return starts, "given"
    if policy is not None:
        starts = _proposals(instance, policy, seed, notice)
        if starts:
            return starts, "policy"
    return [construct(instance, seed)], "greedy"


def _proposals(instance: Instance, policy: str, seed: int, notice: Callable[[str], None]) -> list[Solution]:
    """The policy's best distinct solutions; none, with a notice, where "auto" finds no policy."""
    return []


def _improve(
    instance: Instance,
    stop: Stop,
    seed: int,
    starts: list[Solution],
    workers: int,
    bound: float,
    on_progress: Callable[[Progress], None] | None,
) -> "SearchOutcome | None":
    """Search from the starts; None when Ctrl-C came before the search had begun."""
    try:
        from .search.anneal import improve  # numba takes a second to load, so only when it is needed

        return improve(
            instance,
            stop=stop,
            seed=seed,
            start=starts,
            workers=workers,
            lower_bound=bound,
            on_progress=on_progress,
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


class _Clock:
    """Seconds spent in each step."""

    def __init__(self) -> None:
        self.began = self.last = time.perf_counter()
        self.laps: dict[str, float] = {}

    @property
    def total(self) -> float:
        return time.perf_counter() - self.began

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.laps[step], self.last = now - self.last, now
