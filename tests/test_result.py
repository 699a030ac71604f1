"""A result knows its makespan and how far it can be from the optimum."""

import math

import pytest

from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.result import Result

INSTANCE = Instance.mtsp([0, 0], [[1, 0], [2, 0]], 2)


def result(lengths: tuple[float, ...], lower_bound: float) -> Result:
    """A result with these lengths."""
    return Result(INSTANCE, Solution.of([[1], [2]]), lengths, lower_bound, 1, 10, 0.5, "search")


def test_the_makespan_is_the_longest_route() -> None:
    """The largest of the lengths, 0 without routes."""
    assert result((2.0, 4.0), 1.0).makespan == 4.0
    assert result((), 0.0).makespan == 0.0


@pytest.mark.parametrize(
    ("makespan", "bound", "gap"),
    [
        (4.4, 4.0, 0.1),
        (4.0, 4.0, 0.0),
        (4.0, 4.0 + 1e-15, 0.0),  # rounding must not make a gap negative
        (0.0, 0.0, 0.0),
        (4.0, 0.0, math.inf),
    ],
)
def test_the_gap_is_what_the_bound_leaves_open(makespan: float, bound: float, gap: float) -> None:
    """makespan / bound − 1, never negative."""
    assert result((makespan,), bound).gap == pytest.approx(gap)
