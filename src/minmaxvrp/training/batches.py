"""Drawn points as batches of tensors, and their symmetric copies.

Comes after `random_instances`; both losses and the validation use it.
"""

from dataclasses import replace

import numpy as np
import torch

from ..policy.batch import Batch
from ..policy.policy_config import PolicyConfig
from ..policy.symmetry import NUM_SYMMETRIES, reflect
from .random_instances import Floats, Shape


def make_batch(points: Floats, shape: Shape, network: PolicyConfig) -> Batch:
    """The batch of `points` [B, D+N, 2]; with pairs the first half of the customers are the pickups."""
    places = torch.from_numpy(np.asarray(points, dtype=np.float32))
    return Batch(
        depots=places[:, : shape.num_depots],
        customers=places[:, shape.num_depots :],
        num_vehicles=shape.num_vehicles,
        form=network.form,
        return_to=network.return_to,
    )


def symmetric_copies(batch: Batch) -> Batch:
    """The batch with each instance in its 8 symmetric forms, next to each other: [8B, …]."""
    depots, customers = (
        torch.stack([reflect(part, symmetry) for symmetry in range(NUM_SYMMETRIES)], dim=1).flatten(0, 1)
        for part in (batch.depots, batch.customers)
    )
    return replace(batch, depots=depots, customers=customers)
