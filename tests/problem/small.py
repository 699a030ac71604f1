"""Random tiny instances of every variant, for tests that compare with the exact optimum."""

from typing import Any

import numpy as np

from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance


def random_instance(seed: int, largest: int = 6) -> Instance:
    """An instance with at most `largest` customers; the seed decides the variant and the distances."""
    rng = np.random.default_rng(seed)
    num_depots = int(rng.choice([1, 1, 2, 3]))
    num_customers = int(rng.integers(1, largest + 1))
    num_vehicles = int(rng.integers(1, 5))
    nodes = num_depots + num_customers
    fields: dict[str, Any] = {"return_to": str(rng.choice(["start", "any"]))}
    if rng.random() < 0.4:
        order = num_depots + rng.permutation(num_customers)
        num_pairs = int(rng.integers(0, num_customers // 2 + 1))
        fields["pairs"] = order[: 2 * num_pairs].reshape(-1, 2)
    if rng.random() < 0.3:
        fleet = rng.integers(0, 3, num_depots)
        fleet[rng.integers(num_depots)] += max(0, num_vehicles - int(fleet.sum()))
        fields["vehicles_per_depot"] = fleet
    kind = list(Distance)[int(rng.integers(len(Distance)))]
    fields["kind"] = kind
    points = rng.uniform(0, rng.choice([1.0, 5.0, 100.0]), (nodes, 2))
    if kind is Distance.GREAT_CIRCLE or kind is Distance.GEO:
        points = points % 1 * rng.choice([0.01, 1.0, 80.0])
    if rng.random() < 0.3:
        points = np.round(points)  # ties, collinear points, customers on the depot
    if kind is Distance.MATRIX:
        fields["matrix"] = _random_matrix(rng, nodes)
    if rng.random() < 0.3:
        fields["service"] = rng.uniform(0, rng.choice([0.1, 3.0]), num_customers)
    return Instance(points, num_depots, num_vehicles, **fields)


def _random_matrix(rng: np.random.Generator, nodes: int) -> Any:
    """A matrix that keeps neither symmetry nor the triangle inequality, or only one of them."""
    matrix = rng.uniform(0, 1, (nodes, nodes)) ** 2
    style = rng.integers(3)
    if style == 0:
        return matrix
    if style == 1:
        return matrix + matrix.T
    for k in range(nodes):
        matrix = np.minimum(matrix, matrix[:, k, None] + matrix[None, k])
    return matrix
