"""Random tiny instances with every rule of a fleet and mixtures of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from tests.problem.small import random_instance

RULES = ("open", "start", "end", "speed", "done", "allowed")
"""What `random_fleet` can give to a plain instance."""


def random_fleet(seed: int, largest: int = 5, rules: tuple[str, ...] | None = None) -> Instance:
    """A tiny instance of any variant with these rules of a fleet; without, the seed chooses some."""
    rng = np.random.default_rng([seed, 1])
    plain = random_instance(seed, largest)
    chosen = rules or [rule for rule in RULES if rng.random() < 0.5] or ["open"]
    scale = float(plain.distance_matrix().mean())
    fleet = tuple(_vehicle(rng, plain.num_depots, chosen, scale) for _ in range(plain.num_vehicles))
    fields: dict[str, Any] = {"fleet": fleet, "vehicles_per_depot": None}
    if chosen == ["open"] or chosen == ("open",):
        fields |= {"fleet": None, "return_to": "nowhere"}
    if "allowed" in chosen:
        fields["allowed"] = _allowed(rng, plain)
    return replace(plain, **fields)


def _vehicle(rng: np.random.Generator, num_depots: int, rules: Any, scale: float) -> Vehicle:
    fields: dict[str, Any] = {}
    if "start" in rules and rng.random() < 0.8:
        fields["start"] = int(rng.integers(num_depots))
    if "end" in rules and rng.random() < 0.8:
        fields["end"] = [int(rng.integers(num_depots)), "start", "any", "nowhere"][int(rng.integers(4))]
    if "open" in rules:
        fields["end"] = "nowhere"
    if "speed" in rules:
        fields["speed"] = float(rng.uniform(0.3, 3.0))
    if "done" in rules:
        fields["done"] = float(rng.uniform(0.0, 2.0) * scale * rng.integers(2))
    return Vehicle(**fields)


def _allowed(rng: np.random.Generator, plain: Instance) -> dict[int, tuple[int, ...]]:
    """About half of the customers restricted; a pair has a vehicle in common."""
    found = {}
    delivery_of = {int(p): int(d) for p, d in plain.pairs}
    for node in plain.customers:
        if node in found or rng.random() < 0.5:
            continue
        one = int(rng.integers(plain.num_vehicles))
        more = [v for v in range(plain.num_vehicles) if v == one or rng.random() < 0.3]
        found[node] = tuple(more)
        if node in delivery_of and rng.random() < 0.5:
            found[delivery_of[node]] = (one,)
    for pickup, delivery in delivery_of.items():
        if pickup in found and delivery in found and not set(found[pickup]) & set(found[delivery]):
            found[delivery] = found[pickup]
    return found
