"""REINFORCE with a shared mean baseline: the APS loss of the paper, and the baseline over symmetries.

One piece of a batch at a time: encode once, sample without gradient with the compiled rollouts, then one
teacher-forced pass that back-propagates the log-probabilities of what was sampled. `loop` calls it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..policy.batch import Batch
from ..policy.half_products import half_products
from ..policy.network import Network
from ..policy.rollout import Backend, roll_out
from ..policy.symmetry import NUM_SYMMETRIES
from ..policy.teacher_forcing import backpropagate
from .batches import symmetric_copies
from .train_config import TrainConfig

FEW = 4
"""Below this many rollouts per instance the compiled rollouts, sixteen at a time, do not pay."""


@dataclass(frozen=True)
class PieceLoss:
    """What the log shows of a piece whose gradient was added."""

    loss: float
    """Mean over the instances of the piece."""
    makespan: float
    """Mean over the rollouts, or labels, of the piece."""


def reinforce(
    network: Network, batch: Batch, orders: Tensor, seed: int, config: TrainConfig, share: float
) -> PieceLoss:
    """Add `share` times the gradient of the loss on one piece. `orders`: int64 [K, M], for every instance."""
    symmetric = config.baseline == "symmetries"
    if symmetric:
        batch, orders = symmetric_copies(batch), torch.arange(batch.num_vehicles).unsqueeze(0)
    with half_products(config.precision == "bfloat16"):
        encoded = network.encode(batch)
    backend: Backend | None = "torch" if len(orders) < FEW else None
    threads = torch.get_num_threads()
    temperature = config.temperature(batch.num_customers)
    rolled = roll_out(
        network,
        batch,
        encoded,
        orders,
        sample_seed=seed,
        temperature=temperature,
        backend=backend,
        threads=threads,
    )
    rivals = rolled.makespan.view(-1, NUM_SYMMETRIES) if symmetric else rolled.makespan  # [B, K]
    weight = aps_weight(rivals, config.normalise_advantage, config.leader)
    weight = weight.view_as(rolled.makespan).unsqueeze(-1)
    with half_products(config.precision == "bfloat16"):
        cache = network.decoder.precompute(encoded, batch)
    log_p = backpropagate(
        network, cache, orders, rolled.actions, share * weight, temperature=temperature
    )  # [B, K, T]
    return PieceLoss(float((weight * log_p).sum()), float(rolled.makespan.mean()))


def aps_weight(makespan: Tensor, normalise: bool = False, leader: float = 0.0) -> Tensor:
    """What the log-probability of each rollout is multiplied by in the APS loss: [B, K].

    The loss is mean((makespan − mean over the K) · log p). With `normalise` the advantage is divided by
    its standard deviation over the piece; that of each instance's best rollout counts 1 + `leader` times.
    """
    advantage = makespan - makespan.mean(dim=1, keepdim=True)
    if normalise:
        advantage = advantage / advantage.square().mean().sqrt().clamp(min=1e-6)
    if leader:
        best = advantage.argmin(dim=1, keepdim=True)
        advantage = advantage.scatter(1, best, (1.0 + leader) * advantage.gather(1, best))
    return advantage / advantage.numel()
