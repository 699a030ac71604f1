"""Nearest customers: small instances by all distances, larger ones by a tree, with the same answer."""

import numpy as np
import pytest

from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.arrays import neighbours


@pytest.mark.parametrize("customers", [1, 2, 3, 40])
@pytest.mark.parametrize("depots", [1, 4])
def test_tree_and_all_distances_agree(customers: int, depots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find the same customers, nearest first, and never the node itself."""
    rng = np.random.default_rng(customers)
    instance = Instance.mdvrp(rng.random((depots, 2)), rng.random((customers, 2)), 2)
    near = neighbours.nearest_customers(instance, 10)
    monkeypatch.setattr(neighbours, "SMALL", 0)
    np.testing.assert_array_equal(near, neighbours.nearest_customers(instance, 10))
    distances = instance.distance_matrix()[np.arange(len(near))[:, None], near]
    assert (np.diff(distances, axis=1) >= 0.0).all()
    if customers > 1:
        assert not (near == np.arange(len(near))[:, None]).any()


@pytest.mark.parametrize("small", [0, neighbours.SMALL])
def test_many_customers_at_one_place(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where distances tell nothing, every node still has different customers as neighbours."""
    monkeypatch.setattr(neighbours, "SMALL", small)
    instance = Instance.mtsp(np.zeros(2), np.ones((30, 2)), 2)
    near = neighbours.nearest_customers(instance, 5)
    assert near.shape == (31, 5)
    assert all(len(set(row)) == 5 and min(row) >= 1 for row in near.tolist())
