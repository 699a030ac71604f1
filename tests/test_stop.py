"""Stop criteria say when, and how much of the budget is used."""

import math
from typing import Any

import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.stop import (
    FirstOf,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    Progress,
    Stop,
    TargetReached,
    as_stop,
    remaining,
    time_limit,
)


def at(seconds: float = 0.0, iterations: int = 0, makespan: float = 5.0, last: int = 0) -> Progress:
    """How far a search has come."""
    return Progress(seconds, iterations, makespan, last)


@pytest.mark.parametrize(
    ("stop", "before", "after"),
    [
        (MaxRuntime(2.0), at(seconds=1.99), at(seconds=2.0)),
        (MaxIterations(100), at(iterations=99), at(iterations=100)),
        (NoImprovement(10), at(iterations=49, last=40), at(iterations=50, last=40)),
        (TargetReached(3.0), at(makespan=3.0001), at(makespan=3.0)),
        (FirstOf((MaxRuntime(2.0), MaxIterations(100))), at(1.99, 99), at(0.0, 100)),
        (FirstOf((MaxRuntime(2.0), MaxIterations(100))), at(1.99, 99), at(2.0, 0)),
    ],
)
def test_a_criterion_stops_at_its_limit_and_not_before(stop: Stop, before: Progress, after: Progress) -> None:
    """Just before the limit the search goes on, at the limit it ends."""
    assert not stop(before)
    assert stop(after)


@pytest.mark.parametrize(
    ("stop", "progress", "fraction"),
    [
        (MaxRuntime(4.0), at(seconds=1.0), 0.25),
        (MaxRuntime(4.0), at(seconds=9.0), 1.0),
        (MaxRuntime(0.0), at(), 1.0),
        (MaxIterations(8), at(iterations=2), 0.25),
        (MaxIterations(8), at(iterations=20), 1.0),
        (MaxIterations(0), at(), 1.0),
        (NoImprovement(10), at(iterations=9), 0.0),
        (TargetReached(1.0), at(), 0.0),
        (FirstOf((MaxRuntime(4.0), MaxIterations(8))), at(1.0, 4), 0.5),
        (FirstOf(()), at(), 0.0),
    ],
)
def test_the_fraction_is_the_share_of_the_budget_used(
    stop: Stop, progress: Progress, fraction: float
) -> None:
    """From 0 to 1, the fullest budget of several, 0 without a budget."""
    assert stop.fraction(progress) == fraction


def test_no_criteria_never_stop() -> None:
    """The empty combination has nothing to stop for."""
    assert not FirstOf(())(at(1e9, 10**9, 0.0))


def test_what_remains_of_a_budget_is_its_time_only() -> None:
    """Seconds spent before the search count against a time limit, at most half of it."""
    assert remaining(MaxRuntime(10.0), 3.0) == MaxRuntime(7.0)
    assert remaining(MaxRuntime(10.0), 11.0) == MaxRuntime(0.0)
    both = FirstOf((MaxRuntime(10.0), MaxIterations(5)))
    assert remaining(both, 3.0) == FirstOf((MaxRuntime(7.0), MaxIterations(5)))


def test_the_time_limit_is_the_shortest() -> None:
    """Infinite without one."""
    assert time_limit(FirstOf((MaxRuntime(10.0), MaxIterations(5), MaxRuntime(3.0)))) == 3.0
    assert time_limit(MaxIterations(5)) == math.inf


HALFWAY = Progress(seconds=1.0, iterations=10, makespan=5.0, last_improvement=3)


@pytest.mark.parametrize("kind", [MaxRuntime, MaxIterations, NoImprovement, TargetReached])
@pytest.mark.parametrize("value", [float("nan"), -1, "3", None, True])
def test_limits_that_cannot_be_are_refused(kind: Any, value: object) -> None:
    """With the value, and what would be right."""
    with pytest.raises(InputError, match=rf"{kind.__name__}\({value!r}\), expected .*0 or more"):
        kind(value)


def test_any_function_is_a_stop_criterion() -> None:
    """It has no budget; what it returns is taken as yes or no."""
    stop = as_stop(lambda progress: progress.iterations)
    assert stop(HALFWAY) is True
    assert stop.fraction(HALFWAY) == 0.0
    assert as_stop(MaxRuntime(2.0)) == MaxRuntime(2.0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (2.0, r"stop = 2\.0, expected MaxRuntime\(2\.0\) for seconds$"),
        (7, r"expected MaxRuntime\(7\) for seconds or MaxIterations\(7\)"),
        ("soon", r"stop = 'soon', expected a criterion such as MaxRuntime\(10\), or a function"),
    ],
)
def test_what_is_no_criterion_says_what_to_write(given: Any, expected: str) -> None:
    """A number of what? Seconds or iterations."""
    with pytest.raises(InputError, match=expected):
        as_stop(given)


def test_first_of_takes_criteria_one_by_one_or_as_a_list() -> None:
    """And functions among them."""
    limits = (MaxRuntime(5.0), MaxIterations(7))
    assert FirstOf(*limits) == FirstOf(limits) == FirstOf(list(limits))
    assert FirstOf(MaxIterations(99), lambda progress: progress.makespan < 6)(HALFWAY)
    assert not FirstOf()(HALFWAY)
