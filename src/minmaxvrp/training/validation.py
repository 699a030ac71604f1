"""How good the network is on a fixed set, every solution through the checker.

The set depends on the sizes alone, not on the run's seed, so that runs can be compared. `loop` calls it
every so often.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ..errors import InternalError
from ..policy.construct import Policy
from ..policy.model import Network
from ..problem import check
from .config import TrainConfig
from .draw import Shape, Stream, draw_points, generator, make_instance

SEED = 20_240_601
"""Of every validation set; the published test sets have another."""


@dataclass(frozen=True)
class Validation:
    """Mean greedy makespans on the fixed set."""

    makespan: dict[int, float]
    """By number of vehicles."""

    @property
    def mean(self) -> float:
        """Over the numbers of vehicles."""
        return float(np.mean(list(self.makespan.values())))


def validate(network: Network, config: TrainConfig) -> Validation:
    """The best of `validation_symmetries` × `validation_permutations` greedy rollouts, mean over the set.

    Raises `InternalError` when a solution breaks a rule.
    """
    policy, found = Policy(network), {}
    for num_vehicles in config.validation_vehicles:
        shape = Shape(config.validation_customers, num_vehicles, config.validation_depots)
        rng = generator(SEED, Stream.VALIDATION, shape.num_customers, shape.num_depots)
        points = draw_points(shape, config.validation_instances, rng)
        instances = [make_instance(one, shape, config.network) for one in points]
        constructed = policy.construct(
            instances,
            symmetries=config.validation_symmetries,
            permutations=config.validation_permutations,
            seed=SEED,
            threads=torch.get_num_threads(),
        )
        makespans = []
        for instance, (solution, *_) in zip(instances, constructed, strict=True):
            if broken := check.violations(instance, solution):
                raise InternalError(f"validation: a solution of the policy breaks a rule: {broken[0]}")
            makespans.append(check.makespan(instance, solution))
        found[num_vehicles] = float(np.mean(makespans))
    return Validation(found)
