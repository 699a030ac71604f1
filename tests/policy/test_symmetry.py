"""Symmetries of the square and orders of the vehicles."""

import numpy as np
import torch

from minmaxvrp.policy.symmetry import reflect, vehicle_orders, without_repeats


def test_the_eight_symmetries_come_in_the_published_order() -> None:
    """(x, y), (1−x, y), (x, 1−y), (1−x, 1−y), then the same with x and y exchanged."""
    point = torch.tensor([[0.25, 0.125]])
    expected = [
        (0.25, 0.125),
        (0.75, 0.125),
        (0.25, 0.875),
        (0.75, 0.875),
        (0.125, 0.25),
        (0.875, 0.25),
        (0.125, 0.75),
        (0.875, 0.75),
    ]
    assert [tuple(reflect(point, s)[0].tolist()) for s in range(8)] == expected


def test_symmetries_keep_distances() -> None:
    """Every view has the distances of the original."""
    points = torch.rand(9, 2, generator=torch.Generator().manual_seed(0))
    for s in range(8):
        turned = reflect(points, s)
        torch.testing.assert_close(
            torch.cdist(turned, turned), torch.cdist(points, points), atol=1e-5, rtol=0
        )


def test_vehicle_orders_begin_with_the_identity_and_repeat_with_their_seed() -> None:
    """Each row is a permutation; the same seed gives the same rows."""
    orders = vehicle_orders(7, 20, 3)
    assert orders[0].tolist() == list(range(7))
    assert (np.sort(orders, axis=1) == np.arange(7)).all()
    np.testing.assert_array_equal(orders, vehicle_orders(7, 20, 3))
    assert (orders != vehicle_orders(7, 20, 4)).any()


def test_shuffles_are_uniform() -> None:
    """With 60 vehicles every vehicle is equally likely to drive first (χ² below its 99.9 % quantile)."""
    first = vehicle_orders(60, 12_001, 0)[1:, 0]
    count = np.bincount(first, minlength=60)
    assert ((count - 200.0) ** 2 / 200.0).sum() < 99.6  # 59 degrees of freedom


def test_repeated_orders_are_dropped_in_place() -> None:
    """First occurrences stay, in order."""
    orders = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])
    assert without_repeats(orders).tolist() == [[0, 1], [1, 0]]
