"""How good the network is on a fixed set, every solution through the checker.

The set depends on the sizes alone, not on the run's seed, so that runs can be compared. `loop` calls it
every so often.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..errors import InternalError
from ..policy.batch import Batch
from ..policy.model import Network
from ..policy.plan import Layout
from ..policy.rollout import construct_routes
from ..policy.symmetry import reflect, vehicle_orders
from ..problem import check
from .batches import make_batch
from .config import TrainConfig
from .draw import Floats, Shape, Stream, draw_points, generator, make_instance

SEED = 20_240_601
"""Of every validation set; the published test sets have another."""
CHUNK = 32
"""Instances, symmetric copies counted, that are encoded at once."""


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

    Raises `InternalError` when a solution breaks a rule, or its length is not what the policy believes.
    """
    found = {}
    for num_vehicles in config.validation_vehicles:
        shape = Shape(config.validation_customers, num_vehicles, config.validation_depots)
        rng = generator(SEED, Stream.VALIDATION, shape.num_customers, shape.num_depots)
        points = draw_points(shape, config.validation_instances, rng)
        step = max(1, CHUNK // config.validation_symmetries)
        parts = [
            _best_of(network, points[start : start + step], shape, config)
            for start in range(0, len(points), step)
        ]
        found[num_vehicles] = float(np.mean(np.concatenate(parts)))
    return Validation(found)


def _best_of(network: Network, points: Floats, shape: Shape, config: TrainConfig) -> Floats:
    """Makespan of each instance of `points` [B, D+N, 2] as the checker measures it."""
    copies = config.validation_symmetries
    plain = torch.from_numpy(points)
    places = np.concatenate([reflect(plain, k).numpy() for k in range(copies)])  # [copies·B, D+N, 2]
    batch = make_batch(places, shape, config.network)
    orders = torch.from_numpy(vehicle_orders(shape.num_vehicles, config.validation_permutations, SEED))
    actions, believed = greedy(network, batch, orders)
    believed = believed.view(copies, len(points), -1)
    actions = actions.view(copies, len(points), len(orders), -1)
    out = np.empty(len(points))
    for b in range(len(points)):
        best = int(believed[:, b].argmin())
        copy, k = divmod(best, len(orders))
        instance = make_instance(points[b], shape, config.network)
        solution = Layout.of(instance, batch.form).solution(actions[copy, b, k].numpy())
        broken = check.violations(instance, solution)
        out[b] = check.makespan(instance, solution)
        if broken or abs(out[b] - float(believed[copy, b, k])) > 1e-4 * out[b]:
            why = broken[0] if broken else f"makespan {out[b]} is not {float(believed[copy, b, k])}"
            raise InternalError(f"validation: a solution of the policy breaks a rule: {why}")
    return out


def greedy(network: Network, batch: Batch, orders: Tensor) -> tuple[Tensor, Tensor]:
    """Greedy actions int64 [B, K, T] and makespans [B, K], one rollout per vehicle order."""
    from ..policy.decode import decode
    from ..policy.fold import can_fold, fold, rules_of

    with torch.inference_mode():
        if batch.customers.is_cuda or not can_fold(network.decoder):
            rollouts = construct_routes(network, network(batch), orders)
            return rollouts.actions, rollouts.makespan
        tables = fold(network.decoder, network.encode(batch), batch)
    decoded = decode(tables, rules_of(batch), orders.numpy(), threads=torch.get_num_threads())
    return torch.from_numpy(decoded.actions).long(), torch.from_numpy(decoded.makespan)
