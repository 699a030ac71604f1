"""When a search ends: small callables over its progress.

The search asks `stop(progress)` between its steps; `fraction(progress)` tells the annealing how
much of the budget is used, so that it cools down exactly when the budget ends.
"""

import math
import numbers
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from .errors import InputError
from .problem.check import gap
from .problem.solution import Solution


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come; what `on_progress` hears."""

    seconds: float
    iterations: int
    makespan: float
    """Of the best solution so far."""
    last_improvement: int
    """The iteration that found it."""
    lower_bound: float = 0.0
    """No solution of the instance can be shorter than this."""
    read_solution: Callable[[], Solution] | None = field(default=None, repr=False, compare=False)
    """Reads the best solution out of the search's arrays."""

    @property
    def solution(self) -> Solution | None:
        """The best solution so far, read when asked for, so that it costs nothing otherwise.

        To be asked inside `on_progress`: later it may be a better one than `makespan` says. None where
        nobody has a solution to show.
        """
        return None if self.read_solution is None else self.read_solution()

    @property
    def gap(self) -> float:
        """How far the makespan can be above the optimum, see `problem.check.gap`."""
        return gap(self.makespan, self.lower_bound)


class Stop(Protocol):
    """A stop criterion. `solve` and `FirstOf` also take any function of the progress, see `as_stop`."""

    def __call__(self, progress: Progress) -> bool:
        """Whether to stop now."""

    def fraction(self, progress: Progress) -> float:
        """Share of the budget used, 0 to 1; 0 for criteria without a budget."""


@dataclass(frozen=True, slots=True)
class MaxRuntime:
    """Stop after a number of seconds of wall-clock time."""

    seconds: float

    def __post_init__(self) -> None:
        _at_least_zero("MaxRuntime", "seconds", self.seconds)

    def __call__(self, progress: Progress) -> bool:
        """Whether the time is used up."""
        return progress.seconds >= self.seconds

    def fraction(self, progress: Progress) -> float:
        """Share of the time used."""
        return min(1.0, progress.seconds / self.seconds) if self.seconds > 0 else 1.0


@dataclass(frozen=True, slots=True)
class MaxCpuTime:
    """Stop after a number of seconds of CPU time of this process, from the moment the criterion is made.

    For measurements on a machine that does other work as well; a process must run one search at a time.
    """

    seconds: float
    began: float = field(default_factory=time.process_time)

    @property
    def spent(self) -> float:
        """Seconds of CPU time used since then."""
        return time.process_time() - self.began

    def __call__(self, progress: Progress) -> bool:
        """Whether the time is used up."""
        return self.spent >= self.seconds

    def fraction(self, progress: Progress) -> float:
        """Share of the time used."""
        return min(1.0, self.spent / self.seconds) if self.seconds > 0 else 1.0


@dataclass(frozen=True, slots=True)
class MaxIterations:
    """Stop after a number of iterations: the same seed then gives the same answer anywhere."""

    iterations: int

    def __post_init__(self) -> None:
        _at_least_zero("MaxIterations", "iterations", self.iterations)

    def __call__(self, progress: Progress) -> bool:
        """Whether the iterations are done."""
        return progress.iterations >= self.iterations

    def fraction(self, progress: Progress) -> float:
        """Share of the iterations done."""
        return min(1.0, progress.iterations / self.iterations) if self.iterations > 0 else 1.0


@dataclass(frozen=True, slots=True)
class NoImprovement:
    """Stop when the best solution has not improved for a number of iterations.

    It watches the longest route first. With `then` "balance" or "total" the search then goes on with the
    other routes: patience begins anew there, and whenever the next longest is taken up.
    """

    iterations: int

    def __post_init__(self) -> None:
        _at_least_zero("NoImprovement", "iterations", self.iterations)

    def __call__(self, progress: Progress) -> bool:
        """Whether the search has stalled."""
        return progress.iterations - progress.last_improvement >= self.iterations

    def fraction(self, progress: Progress) -> float:
        """Always 0: how long it will still improve is not known."""
        return 0.0


@dataclass(frozen=True, slots=True)
class TargetReached:
    """Stop when the makespan is at most a target.

    It watches the longest route alone: when that meets the target, the other routes are left as they are.
    """

    makespan: float

    def __post_init__(self) -> None:
        _at_least_zero("TargetReached", "a makespan", self.makespan)

    def __call__(self, progress: Progress) -> bool:
        """Whether the target is met."""
        return progress.makespan <= self.makespan

    def fraction(self, progress: Progress) -> float:
        """Always 0: how long it takes is not known."""
        return 0.0


@dataclass(frozen=True, slots=True)
class StopWhen:
    """Stop when a function of the progress says so, such as one that looks at a flag of another thread."""

    function: Callable[[Progress], object]

    def __call__(self, progress: Progress) -> bool:
        """Whether the function says so."""
        return bool(self.function(progress))

    def fraction(self, progress: Progress) -> float:
        """Always 0: when it will say so is not known."""
        return 0.0


StopLike = Stop | Callable[[Progress], object]
"""What is taken for a stop criterion: one of the classes here, or any function of the progress."""


@dataclass(frozen=True, slots=True, init=False)
class FirstOf:
    """Stop as soon as one of several criteria says so: `FirstOf(MaxRuntime(5), TargetReached(12))`."""

    criteria: tuple[Stop, ...]

    def __init__(self, *criteria: StopLike | Iterable[StopLike]) -> None:
        """Take the criteria one by one, or as one list."""
        given: Any = criteria
        if len(criteria) == 1 and isinstance(criteria[0], Iterable):
            given = tuple(criteria[0])
        object.__setattr__(self, "criteria", tuple(as_stop(criterion) for criterion in given))

    def __call__(self, progress: Progress) -> bool:
        """Whether any criterion is met."""
        return any(stop(progress) for stop in self.criteria)

    def fraction(self, progress: Progress) -> float:
        """The largest share of a budget used."""
        return max((stop.fraction(progress) for stop in self.criteria), default=0.0)


def as_stop(given: StopLike) -> Stop:
    """A stop criterion from what the user gave; raises `InputError` that says what to write."""
    if callable(given):
        return cast("Stop", given) if hasattr(given, "fraction") else StopWhen(given)
    if isinstance(given, int | float) and not isinstance(given, bool):
        kinds = f"MaxRuntime({given}) for seconds"
        if isinstance(given, int):
            kinds += f" or MaxIterations({given})"
        raise InputError(f"stop = {given!r}, expected {kinds}")
    raise InputError(f"stop = {given!r}, expected a criterion such as MaxRuntime(10), or a function")


def _at_least_zero(name: str, what: str, value: object) -> None:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not float(value) >= 0:  # type: ignore[arg-type]
        raise InputError(f"{name}({value!r}), expected {what}, 0 or more")


def remaining(stop: Stop, seconds: float) -> Stop:
    """What is left of a criterion when `seconds` of a time limit went by before the search."""
    if isinstance(stop, MaxRuntime):
        return MaxRuntime(max(stop.seconds - seconds, 0.0))
    if isinstance(stop, FirstOf):
        return FirstOf(tuple(remaining(criterion, seconds) for criterion in stop.criteria))
    return stop


def time_limit(stop: Stop) -> float:
    """The shortest time limit of a criterion in seconds; infinite without one."""
    if isinstance(stop, FirstOf):
        return min((time_limit(criterion) for criterion in stop.criteria), default=math.inf)
    return stop.seconds if isinstance(stop, MaxRuntime | MaxCpuTime) else math.inf
