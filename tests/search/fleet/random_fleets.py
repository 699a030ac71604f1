"""Random fleets of every rule and mixture that the contract allows."""

from typing import Any

import numpy as np

from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance

RULES = ("starts", "ends", "open", "free ends", "speeds", "done", "allowed", "pairs", "service", "matrix")


def random_fleet(
    seed: int, rules: tuple[str, ...] | None = None, customers: int = 5, vehicles: int = 3, depots: int = 3
) -> Instance:
    """An instance with some of `RULES`; by default with a random choice of them."""
    rng = np.random.default_rng(seed)
    chosen = {rule for rule in RULES if rng.random() < 0.4} if rules is None else set(rules)
    nodes = depots + customers
    fields: dict[str, Any] = {}
    if "matrix" in chosen:  # asymmetric, without the triangle inequality
        fields["matrix"], fields["kind"] = rng.uniform(size=(nodes, nodes)), "matrix"
    if "pairs" in chosen:
        shuffled = depots + rng.permutation(customers)
        count = int(rng.integers(1, customers // 2 + 1))
        fields["pairs"] = shuffled[: 2 * count].reshape(-1, 2)
    if "service" in chosen:
        fields["service"] = rng.uniform(0.0, 0.5, size=customers)
    if "open" in chosen:
        fields["return_to"] = "nowhere"
    elif "free ends" in chosen:
        fields["return_to"] = "any"
    fields["fleet"] = tuple(_vehicle(rng, chosen, depots) for _ in range(vehicles))
    if "allowed" in chosen:
        some = rng.permutation(np.arange(depots, nodes))[: max(1, customers // 2)].tolist()
        common = int(rng.integers(vehicles))  # a vehicle that may serve both ends of any pair
        fields["allowed"] = {node: tuple({common, int(rng.integers(vehicles))}) for node in some}
    return Instance(rng.uniform(size=(nodes, 2)), depots, vehicles, **fields)


def _vehicle(rng: np.random.Generator, chosen: set[str], depots: int) -> Vehicle:
    end: Any = None
    if "ends" in chosen:
        ends = [None, "start", "any", "nowhere", *range(depots)]
        end = ends[int(rng.integers(len(ends)))]
    return Vehicle(
        start=int(rng.integers(depots)) if "starts" in chosen and rng.random() < 0.8 else None,
        end=end,
        speed=float(rng.choice([0.5, 1.0, 2.0])) if "speeds" in chosen else 1.0,
        done=float(rng.uniform(0.0, 1.0)) if "done" in chosen else 0.0,
    )
