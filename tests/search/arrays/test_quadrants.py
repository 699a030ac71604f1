"""Neighbour lists with quadrants hold what they promise, and lead out of clusters."""

import numpy as np
import pytest

from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.arrays.neighbours import nearest_customers
from minmaxvrp.search.arrays.quadrants import EACH, MIXED, NEAREST, with_quadrants


def _lists(instance: Instance) -> np.ndarray:
    return with_quadrants(instance, nearest_customers(instance, 100))


@pytest.mark.parametrize("distribution", ["uniform", "clustered", "line", "city", "duplicates"])
def test_lists_hold_the_nearest_of_each_quadrant(distribution: str) -> None:
    """Against all distances: the nearest ones, and those of each quadrant; sorted, none twice."""
    instance = instances("mtsp", 150, 2, distribution=distribution, seed=7)[0]
    lists, points = _lists(instance), instance.coordinates
    for node in instance.customers:
        assert len(set(lists[node].tolist()) | {node, 0}) == 100 + 2
        row = lists[node, :MIXED]
        away = points - points[node]
        square = (away**2).sum(axis=1)
        assert (np.diff(square[row]) >= -1e-12).all()
        others = np.delete(np.arange(150), [0, node])
        assert (np.sort(square[others])[:NEAREST] == np.sort(square[row])[:NEAREST]).all()
        for right, up in ((True, True), (True, False), (False, True), (False, False)):
            inside = others[((away[others, 0] > 0) == right) & ((away[others, 1] > 0) == up)]
            inside = inside[(square[inside] > 0) & (away[inside, 0] != 0)]
            nearest = np.sort(square[inside])[:EACH]
            assert np.isin(nearest, square[row]).all()


def test_lists_lead_from_every_cluster_to_another() -> None:
    """Two clusters of 300: the 100 nearest of each customer are at home, the quadrants are not."""
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(0.0, 0.01, (300, 2)), rng.normal(1.0, 0.01, (300, 2))])
    instance = Instance(np.concatenate([[[0.5, 0.0]], points]), 1, 2)
    home = np.arange(601) > 300
    assert (home[nearest_customers(instance, 100)[1:]] == home[1:, None]).all()
    lists = _lists(instance)
    assert (home[lists[1:301]]).any()
    assert (~home[lists[301:]]).any()


@pytest.mark.parametrize("customers", [1, 2, 5, 12])
def test_few_customers_have_all_others(customers: int) -> None:
    """Where there are fewer than a list holds, it holds them all."""
    instance = Instance(np.random.default_rng(customers).uniform(size=(customers + 1, 2)), 1, 2)
    lists = _lists(instance)
    assert lists.shape == (customers + 1, max(1, customers - 1))
    for node in instance.customers if customers > 1 else ():
        assert set(lists[node].tolist()) == set(instance.customers) - {node}
