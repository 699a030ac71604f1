"""Views of one instance that have the same solutions: 8 symmetries of the square, orders of the vehicles.

The paper's ×8aug and ×16per. `policy` decodes all views and keeps the best; training averages over them.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

NUM_SYMMETRIES = 8


def reflect(points: Tensor, symmetry: int) -> Tensor:
    """`points` [..., 2] of the unit square under symmetry 0..7; 0 leaves them where they are.

    In order: (x, y), (1−x, y), (x, 1−y), (1−x, 1−y), then the same with x and y exchanged.
    """
    x, y = points.unbind(dim=-1)
    if symmetry >= 4:
        x, y = y, x
    if symmetry % 2:
        x = 1.0 - x
    if symmetry % 4 >= 2:
        y = 1.0 - y
    return torch.stack([x, y], dim=-1)


def vehicle_orders(num_vehicles: int, count: int, seed: int | np.random.Generator) -> NDArray[np.int64]:
    """`count` orders of the vehicles, int64 [count, M]: the identity, then uniform shuffles from `seed`."""
    generator = np.random.default_rng(seed)
    orders = np.tile(np.arange(num_vehicles, dtype=np.int64), (count, 1))
    return np.concatenate([orders[:1], generator.permuted(orders[1:], axis=1)])


def without_repeats(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different rows of `orders` [K, M], first occurrences in order."""
    _, first = np.unique(orders, axis=0, return_index=True)
    return orders[np.sort(first)]
