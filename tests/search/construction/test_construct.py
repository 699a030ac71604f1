"""The cheap start is feasible on every instance that the contract allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.construction.construct import construct

from ..random_instances import random_instance


@settings(max_examples=300)
@given(st.integers(0, 10**6))
def test_start_breaks_no_rule(seed: int) -> None:
    """Any mix of depots, caps, pairs, kinds and service gets a feasible start without empty routes."""
    instance = random_instance(seed)
    solution = construct(instance, seed)
    assert violations(instance, solution) == []
    assert all(len(route) for route in solution.routes)


def test_start_is_at_most_half_as_long_again_as_the_lower_bound_on_average() -> None:
    """Ten instances of mTSP with 99 customers and 5 vehicles; recorded: 1.47 times the bound."""
    ratios = []
    for seed in range(10):
        instance = Instance(np.random.default_rng(100 + seed).uniform(size=(100, 2)), 1, 5)
        ratios.append(makespan(instance, construct(instance, seed)) / lower_bound(instance))
    assert np.mean(ratios) < 1.5


def test_the_seed_decides_the_start() -> None:
    """The same seed gives the same routes; where the sweep is the better cut, other seeds give others."""
    instance = random_instance(23, num_customers=30)
    starts = [construct(instance, seed) for seed in (0, 1, 2, 3, 4)]
    assert [construct(instance, seed) for seed in (0, 1, 2, 3, 4)] == starts
    assert len(set(starts)) > 1


@pytest.mark.parametrize("pairs", [False, True])
def test_start_handles_many_customers_without_a_square_matrix(pairs: bool) -> None:
    """20,000 customers at 3 depots get a feasible start (a square matrix would take 3 GB)."""
    points = np.random.default_rng(2).uniform(size=(20_003, 2))
    couples = np.arange(3, 20_003).reshape(2, -1).T if pairs else np.zeros((0, 2), dtype=np.int64)
    instance = Instance(points, 3, 8, pairs=couples)
    assert violations(instance, construct(instance)) == []
