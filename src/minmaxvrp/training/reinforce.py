"""REINFORCE with a shared mean baseline: the APS loss of the paper, and the baseline over symmetries.

One piece of a batch at a time: encode once, sample without gradient with the compiled rollouts, then one
teacher-forced pass for the log-probabilities of what was sampled. `loop` calls it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..policy.batch import Batch
from ..policy.encoder import Encoded
from ..policy.model import Network
from ..policy.replay import replay
from ..policy.rollout import construct_routes
from ..policy.symmetry import NUM_SYMMETRIES
from .batches import symmetric_copies
from .config import TrainConfig

FEW = 4
"""Below this many rollouts per instance the compiled rollouts, sixteen at a time, do not pay."""


@dataclass(frozen=True, eq=False)
class PieceLoss:
    """The loss of one piece, and what the log shows of it."""

    loss: Tensor
    """Mean over the instances of the piece; differentiable."""
    makespan: float
    """Mean over the rollouts of the piece."""


def piece_loss(network: Network, batch: Batch, orders: Tensor, seed: int, config: TrainConfig) -> PieceLoss:
    """REINFORCE on one piece. `orders`: int64 [K, M], shared by its instances."""
    if config.baseline == "symmetries":
        batch, orders = symmetric_copies(batch), torch.arange(batch.num_vehicles).unsqueeze(0)
    encoded = network.encode(batch)
    actions, makespan = sample(network, encoded, batch, orders, seed)
    log_p = replay(network, network.decoder.fold(encoded, batch), orders, actions).sum(dim=-1)  # [B, K]
    if config.baseline == "symmetries":
        log_p, makespan = (x.view(-1, NUM_SYMMETRIES) for x in (log_p, makespan))  # [B, 8]
    return PieceLoss(aps_loss(makespan, log_p, config.normalise_advantage), float(makespan.mean()))


def aps_loss(makespan: Tensor, log_p: Tensor, normalise: bool = False) -> Tensor:
    """mean((makespan − mean over the K) · log p), both [B, K]; the paper's APS loss.

    With `normalise` the advantage is divided by its standard deviation over the piece.
    """
    advantage = makespan - makespan.mean(dim=1, keepdim=True)
    if normalise:
        advantage = advantage / advantage.square().mean().sqrt().clamp(min=1e-6)
    return (advantage * log_p).mean()


def sample(
    network: Network, encoded: Encoded, batch: Batch, orders: Tensor, seed: int
) -> tuple[Tensor, Tensor]:
    """Sampled actions int64 [B, K, T] and makespans float32 [B, K]; takes no gradient."""
    from ..policy.decode import decode
    from ..policy.fold import can_fold, fold, rules_of

    if batch.customers.is_cuda or len(orders) < FEW or not can_fold(network.decoder):
        random = torch.Generator(batch.customers.device).manual_seed(seed)
        with torch.no_grad():
            cache = network.decoder.fold(encoded, batch)
        rollouts = construct_routes(network, cache, orders, random)
        return rollouts.actions, rollouts.makespan
    decoded = decode(
        fold(network.decoder, encoded, batch),
        rules_of(batch),
        orders.numpy(),
        sample_seed=seed,
        threads=torch.get_num_threads(),
    )
    return torch.from_numpy(decoded.actions).long(), torch.from_numpy(decoded.makespan)
