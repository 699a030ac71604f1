"""Baselines refuse what they cannot honour instead of solving another problem."""

from collections.abc import Callable
from typing import Any

import pytest

from minmaxvrp.baselines import cross, hga, lkh, ortools, pyvrp
from minmaxvrp.errors import InputError
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance


@pytest.mark.parametrize("solve", [cross.solve, hga.solve, lkh.solve, ortools.solve, pyvrp.solve])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"fleet": (Vehicle(speed=2.0), Vehicle())}, "knows no fleets and open routes"),
        ({"return_to": "nowhere"}, "knows no fleets and open routes"),
        ({"allowed": {1: (0,)}}, "knows no fleets and open routes"),
        ({"max_length": 9.0}, "knows no limit on routes"),
    ],
)
def test_a_baseline_refuses_fleets_and_limits(
    solve: Callable[..., Any], fields: dict[str, Any], message: str
) -> None:
    """With the reason, before anything is installed or run."""
    instance = Instance.mtsp([0, 0], [[1, 0], [0, 1], [1, 1]], 2, **fields)
    with pytest.raises(InputError, match=message):
        solve(instance, 0.1)
