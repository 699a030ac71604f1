"""OR-Tools as a baseline: its model is the instance's problem."""

import sys

import numpy as np
import pytest

from minmaxvrp.baselines import ortools
from minmaxvrp.errors import InputError
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from tests.problem.brute import optimum

SECONDS = 0.3


def points(seed: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Random points of the unit square."""
    return np.random.default_rng(seed).uniform(size=(count, 2))


def asymmetric() -> Instance:
    """Six customers with service times and distances that differ by direction."""
    rng = np.random.default_rng(5)
    matrix = rng.uniform(1, 2, size=(7, 7))
    return Instance(points(5, 7), 1, 2, kind=Distance.MATRIX, matrix=matrix, service=rng.uniform(size=6))


TINY = {
    "mtsp": Instance.mtsp([0.5, 0.5], points(1, 7), 3),
    "mpdp": Instance.mpdp([0.5, 0.5], points(2, 3), points(3, 3), 2),
    "mdvrp": Instance.mdvrp(points(4, 3), points(5, 6), 2),
    "fmdvrp": Instance.fmdvrp(points(6, 3), points(7, 6), 2),
    "fixed fleet": Instance.mdvrp(points(8, 2), points(9, 6), 3, vehicles_per_depot=np.array([1, 2])),
    "fixed fleet, any end": Instance.fmdvrp(
        points(10, 2), points(11, 6), 2, vehicles_per_depot=np.array([2, 0])
    ),
    "asymmetric with service": asymmetric(),
}


@pytest.mark.parametrize("name", TINY)
def test_tiny_instances_are_solved_to_the_optimum_or_nearly(name: str) -> None:
    """Within 2 % of what enumeration gives: guided local search can get stuck, a wrong model is far off."""
    pytest.importorskip("ortools")
    instance = TINY[name]
    solution = ortools.solve(instance, SECONDS, seed=0)
    assert violations(instance, solution) == []
    best = optimum(instance)[0]
    assert best * (1 - 1e-9) <= makespan(instance, solution) <= best * 1.02


def test_customers_on_one_point_with_the_depot_are_routed() -> None:
    """All distances 0: the scale to whole numbers has nothing to divide by."""
    pytest.importorskip("ortools")
    instance = Instance.mtsp([0.5, 0.5], np.full((4, 2), 0.5), 2)
    assert violations(instance, ortools.solve(instance, 0.1)) == []


def test_a_missing_library_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra to install."""
    monkeypatch.setitem(sys.modules, "ortools.constraint_solver", None)
    with pytest.raises(InputError, match="OR-Tools is not installed"):
        ortools.solve(TINY["mtsp"], SECONDS)
