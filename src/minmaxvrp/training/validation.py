"""How good the network is on a fixed set, every solution through the checker.

The set depends on the sizes alone, not on the run's seed, so that runs can be compared. The gap is measured
against our search on the same set, which is kept for later runs. `loop` calls it every so often.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from ..errors import InternalError
from ..jit import cache_folder
from ..policy.network import Network
from ..policy.policy import Policy
from ..problem import check
from ..problem.files.atomic import write_text
from ..problem.instance import Instance
from ..stop import MaxIterations
from .random_instances import Shape, Stream, draw_points, generator, make_instance
from .train_config import TrainConfig

SEED = 20_240_601
"""Of every validation set; the published test sets have another."""
VERSION = 1


@dataclass(frozen=True)
class Validation:
    """Mean makespans on the fixed set, by number of vehicles."""

    makespan: dict[int, float]
    reference: dict[int, float] = field(default_factory=dict)
    """The same of our search; empty where no gap is asked for."""

    @property
    def mean(self) -> float:
        """Over the numbers of vehicles."""
        return float(np.mean(list(self.makespan.values())))

    @property
    def gap(self) -> float | None:
        """How much longer than the search's, as a share, mean over the numbers of vehicles."""
        if not self.reference:
            return None
        return float(np.mean([value / self.reference[m] - 1.0 for m, value in self.makespan.items()]))


def validate(network: Network, config: TrainConfig) -> Validation:
    """The best of `validation_symmetries` × `validation_permutations` rollouts, mean over the set.

    They are drawn at the network's own temperature, as `solve` draws them; greedy if it has none.

    Raises `InternalError` when a solution breaks a rule.
    """
    policy, found = Policy(network), {}
    for num_vehicles in config.validation_vehicles:
        instances = validation_set(config, num_vehicles)
        constructed = policy.construct(
            instances,
            symmetries=config.validation_symmetries,
            permutations=config.validation_permutations,
            temperature=config.network.temperature(config.validation_customers),
            seed=SEED,
            threads=torch.get_num_threads(),
        )
        makespans = []
        for instance, (solution, *_) in zip(instances, constructed, strict=True):
            if broken := check.violations(instance, solution):
                raise InternalError(f"validation: a solution of the policy breaks a rule: {broken[0]}")
            makespans.append(check.makespan(instance, solution))
        found[num_vehicles] = float(np.mean(makespans))
    return Validation(found, reference(config))


def validation_set(config: TrainConfig, num_vehicles: int) -> list[Instance]:
    """The instances of one number of vehicles; the points are the same for each."""
    shape = Shape(config.validation_customers, num_vehicles, config.validation_depots)
    rng = generator(SEED, Stream.VALIDATION, shape.num_customers, shape.num_depots)
    points = draw_points(shape, config.validation_instances, rng)
    return [make_instance(one, shape, config.network) for one in points]


def reference(config: TrainConfig) -> dict[int, float]:
    """Mean makespans of our search on the validation set, from the user's cache or made now."""
    found = {}
    for num_vehicles in config.validation_vehicles if config.validation_reference else ():
        path = reference_file(config, num_vehicles)
        try:
            found[num_vehicles] = float(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            found[num_vehicles] = _search(config, num_vehicles)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(found[num_vehicles]))
    return found


def reference_file(config: TrainConfig, num_vehicles: int) -> Path:
    """Where the search's mean makespan on a validation set is kept."""
    asked = [
        VERSION,
        config.network.form,
        config.network.return_to,
        config.validation_customers,
        config.validation_depots,
        num_vehicles,
        config.validation_instances,
        config.validation_reference,
    ]
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
    return cache_folder().parent / "validation" / f"{digest}.json"


def _search(config: TrainConfig, num_vehicles: int) -> float:
    from ..search.improve import improve

    stop = MaxIterations(config.validation_reference)
    found = [improve(instance, stop, SEED) for instance in validation_set(config, num_vehicles)]
    if any(outcome.interrupted for outcome in found):
        raise KeyboardInterrupt
    return float(np.mean([outcome.makespan for outcome in found]))
