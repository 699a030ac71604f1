"""Routes and solutions are plain values."""

import pytest

from minmaxvrp.problem.solution import Route, Solution


def test_a_route_returns_to_its_start_unless_told() -> None:
    """`Route.of` closes the route; an end may be given."""
    assert Route.of([3, 4], start=1).nodes == (1, 3, 4, 1)
    assert Route.of([3, 4], start=1, end=0).nodes == (1, 3, 4, 0)
    assert len(Route.of([3, 4])) == 2


def test_a_solution_takes_plain_lists() -> None:
    """Lists of customers become routes of depot 0, routes stay as they are."""
    solution = Solution.of([[1, 2], Route.of([3], start=1), []])
    assert [r.nodes for r in solution.routes] == [(0, 1, 2, 0), (1, 3, 1), (0, 0)]
    assert [r.nodes for r in solution.without_empty().routes] == [(0, 1, 2, 0), (1, 3, 1)]


def test_equal_routes_are_equal_and_cannot_change() -> None:
    """Solutions compare and hash by value."""
    assert Solution.of([[1], [2]]) == Solution.of([[1], [2]])
    assert len({Solution.of([[1]]), Solution.of([[1]]), Solution.of([[2]])}) == 2
    with pytest.raises(AttributeError):
        Route.of([1]).start = 2  # type: ignore[misc]
