"""Random instances of every shape that the contract allows."""

from typing import Any

import numpy as np

from minmaxvrp.problem.distance import Distance, is_geographic
from minmaxvrp.problem.instance import Instance


def random_instance(seed: int, num_customers: int | None = None) -> Instance:
    """An instance drawn from all combinations of fields: depots, caps, pairs, kinds, service, ties."""
    rng = np.random.default_rng(seed)
    customers = int(rng.integers(1, 31)) if num_customers is None else num_customers
    depots = int(rng.choice([1, 1, 2, 3, 5]))
    vehicles = int(rng.choice([1, 2, 3, 5, 8, 40]))
    nodes = depots + customers
    points = rng.uniform(size=(nodes, 2)) * float(rng.choice([1.0, 1e9, 1e-9, 60.0]))
    if rng.random() < 0.15:
        points[:] = points[0]
    fields: dict[str, Any] = {}
    kind = Distance(
        rng.choice(["euclidean", "euclidean", "euc_2d", "ceil_2d", "att", "great_circle", "matrix"])
    )
    if is_geographic(kind):
        points = np.clip(points, -80.0, 80.0)
    if kind is Distance.MATRIX:
        fields["matrix"] = rng.uniform(size=(nodes, nodes))
    if customers > 1 and rng.random() < 0.5:
        shuffled = depots + rng.permutation(customers)
        count = int(rng.integers(1, customers // 2 + 1))
        fields["pairs"] = shuffled[: 2 * count].reshape(-1, 2)
    if rng.random() < 0.4:
        caps = rng.multinomial(vehicles, np.ones(depots) / depots)
        caps[int(rng.integers(depots))] += int(rng.integers(3))
        fields["vehicles_per_depot"] = caps
    if rng.random() < 0.3:
        fields["service"] = rng.uniform(size=customers) * points.max()
    fields["return_to"] = "any" if rng.random() < 0.4 else "start"
    return Instance(points, depots, vehicles, kind=kind, **fields)
