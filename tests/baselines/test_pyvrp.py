"""PyVRP as a baseline: its model is the instance's problem, its limit the makespan."""

import sys

import numpy as np
import pytest

from minmaxvrp.baselines import pyvrp
from minmaxvrp.errors import InputError
from minmaxvrp.problem.check import makespan, route_lengths, violations
from tests.baselines.tiny import FIXED_FLEET, MDVRP, MPDP, PLAIN, points
from tests.problem.brute import optimum

SECONDS = 0.3
TINY = {**PLAIN, "mdvrp": MDVRP, "mpdp": MPDP, "fixed fleet": FIXED_FLEET}


@pytest.mark.parametrize("name", TINY)
def test_tiny_instances_are_solved_to_the_optimum_or_nearly(name: str) -> None:
    """Within 2 % of what enumeration gives: a wrong model is far off."""
    pytest.importorskip("pyvrp")
    instance = TINY[name]
    solution = pyvrp.solve(instance, SECONDS)
    assert violations(instance, solution) == []
    best = optimum(instance)[0]
    assert best * (1 - 1e-9) <= makespan(instance, solution) <= best * 1.02


def test_the_least_total_length_keeps_the_limit() -> None:
    """With the optimum as limit a plan is found, with more room one no longer in all, with less none."""
    pytest.importorskip("pyvrp")
    instance = PLAIN["mtsp"]
    best = optimum(instance)[0]
    tight = pyvrp.shortest_total(instance, best * (1 + 1e-9), SECONDS)
    loose = pyvrp.shortest_total(instance, best * 3.0, SECONDS)
    assert tight is not None
    assert loose is not None
    assert violations(instance, tight) == []
    assert makespan(instance, tight) <= best * (1 + 2e-6)
    assert route_lengths(instance, loose).sum() <= route_lengths(instance, tight).sum() + 1e-9
    assert pyvrp.shortest_total(instance, best * 0.99, 0.05) is None


def test_what_pyvrp_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free ends with a limit per depot, and a missing package."""
    from minmaxvrp.problem.instance import Instance

    pytest.importorskip("pyvrp")
    fixed = Instance.fmdvrp(points(1, 2), points(2, 5), 2, vehicles_per_depot=np.array([1, 1]))
    with pytest.raises(InputError, match="limit of vehicles per depot"):
        pyvrp.solve(fixed, SECONDS)
    monkeypatch.setitem(sys.modules, "pyvrp", None)
    with pytest.raises(InputError, match=r"minmaxvrp\[baselines\]"):
        pyvrp.solve(PLAIN["mtsp"], SECONDS)
