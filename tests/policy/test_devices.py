"""Other devices: no GPU has run this, torch's `meta` device stands for one.

It holds shapes without numbers and refuses to mix with tensors of the CPU, so a tensor that is made on the
wrong device, or a kernel that reads numbers, fails here.
"""

import pytest
import torch

from minmaxvrp.policy.rollout import roll_out, roll_out_torch
from minmaxvrp.policy.teacher_forcing import backpropagate, forced_log_probabilities

from .problems import KINDS, random_batch, random_orders, small_network


@pytest.mark.parametrize("kind", list(KINDS))
def test_encoding_and_rollouts_stay_on_the_device(kind: str) -> None:
    """The default backend of another device is torch's, and everything it makes is there."""
    network, batch = small_network(kind, embed=32, num_heads=2).to("meta"), random_batch(kind, 2, 6, 3)
    batch, orders = batch.to("meta"), random_orders(3, 4).to("meta")
    with torch.no_grad():
        rolled = roll_out(network, batch, network.encode(batch), orders)
    assert rolled.actions.shape == (2, 4, batch.num_steps)
    assert {rolled.actions.device.type, rolled.makespan.device.type} == {"meta"}


@pytest.mark.parametrize("kind", list(KINDS))
def test_gradients_stay_on_the_device(kind: str) -> None:
    """Both replays, whole and chunk by chunk."""
    network, batch = small_network(kind, embed=32, num_heads=2).to("meta"), random_batch(kind, 2, 6, 3)
    batch, orders = batch.to("meta"), random_orders(3, 4).to("meta")
    actions = roll_out_torch(network, network(batch), orders, None).actions
    forced = forced_log_probabilities(network, network(batch), orders, actions)
    torch.autograd.backward([forced], [torch.ones_like(forced)])
    weight = torch.ones(2, 4, 1, device="meta")
    log_p = backpropagate(network, network(batch), orders, actions, weight)
    assert log_p.device.type == "meta"
    for name, parameter in network.named_parameters():
        assert parameter.grad is None or parameter.grad.device.type == "meta", name
