"""The cheap start is feasible on every instance that the contract allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.construct import construct

from .random_instances import random_instance


@settings(max_examples=300)
@given(st.integers(0, 10**6))
def test_start_breaks_no_rule(seed: int) -> None:
    """Any mix of depots, caps, pairs, kinds and service gets a feasible start without empty routes."""
    instance = random_instance(seed)
    solution = construct(instance, seed)
    assert violations(instance, solution) == []
    assert all(len(route) for route in solution.routes)


def test_start_is_within_twice_a_long_search_on_uniform_customers() -> None:
    """On mTSP with 100 nodes and 5 vehicles the optimum is about 2.2: the start stays below 4."""
    points = np.random.default_rng(1).uniform(size=(100, 2))
    instance = Instance(points, 1, 5)
    assert makespan(instance, construct(instance)) < 4.0


def test_the_seed_decides_the_start() -> None:
    """The same seed gives the same routes."""
    instance = random_instance(7, num_customers=30)
    assert construct(instance, 3) == construct(instance, 3)


@pytest.mark.parametrize("pairs", [False, True])
def test_start_handles_many_customers_without_a_square_matrix(pairs: bool) -> None:
    """20,000 customers at 3 depots get a feasible start (a square matrix would take 3 GB)."""
    points = np.random.default_rng(2).uniform(size=(20_003, 2))
    couples = np.arange(3, 20_003).reshape(2, -1).T if pairs else np.zeros((0, 2), dtype=np.int64)
    instance = Instance(points, 3, 8, pairs=couples)
    assert violations(instance, construct(instance)) == []
