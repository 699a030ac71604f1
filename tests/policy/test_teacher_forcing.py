"""The one-pass replay is the stepwise computation: same log-probabilities, same gradient."""

from typing import Any

import pytest
import torch

from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.rollout import roll_out_torch, stepwise_log_probabilities
from minmaxvrp.policy.teacher_forcing import backpropagate, forced_log_probabilities

from .problems import KINDS, random_batch, random_orders, small_network

EQUITY = {
    "encoder": "equity",
    "position": "sinusoidal",
    "depot_token": True,
    "distance_bias": False,
    "tanh_clip": 10.0,
}
CASES = [
    *((kind, choices) for kind in KINDS for choices in ({}, {"context_head": True})),
    ("mdvrp", {"start_context": True}),
    ("fmdvrp", {"start_context": True, "context_head": True}),
    ("mtsp", {"encoder": "pn-no-navigation"}),
    *((kind, {"masked_glimpse": True}) for kind in KINDS),
    ("mtsp", EQUITY),
    ("mpdp", EQUITY),
]


def gradients(network: Network) -> dict[str, torch.Tensor]:
    """All gradients, then cleared; a parameter without one counts as zero."""
    found = {
        name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
        for name, p in network.named_parameters()
    }
    network.zero_grad()
    return found


def limited(batch: Batch) -> Batch:
    """The batch with a limit of vehicles at each depot."""
    limits = torch.tensor([[1, 4, 2]]).repeat(batch.size, 1)
    return Batch(batch.depots, batch.customers, batch.num_vehicles, batch.form, batch.return_to, limits)


@pytest.mark.parametrize(("kind", "choices"), CASES)
@pytest.mark.parametrize(("customers", "vehicles"), [(10, 3), (2, 5), (4, 1)])
def test_replay_equals_stepwise(kind: str, choices: dict[str, Any], customers: int, vehicles: int) -> None:
    """Log-probabilities to 1e-5 and gradients of a random weighting agree, whole and in chunks."""
    network, batch = small_network(kind, 1, **choices), random_batch(kind, 4, customers, vehicles)
    if kind == "fmdvrp" and vehicles > 1:
        batch = limited(batch)
    orders = random_orders(vehicles, 6)
    actions = roll_out_torch(network, network(batch), orders, 7).actions
    weight = torch.randn(4, 6, 1, generator=torch.Generator().manual_seed(3))
    expected, _ = stepwise_log_probabilities(network, network(batch), orders, actions)
    torch.autograd.backward([expected], [weight.expand_as(expected)])
    reference = gradients(network)
    for memory in (2**30, 1):
        found = forced_log_probabilities(network, network(batch), orders, actions, max_memory=memory)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
        torch.autograd.backward([found], [weight.expand_as(found)])
        for name, value in gradients(network).items():
            torch.testing.assert_close(value, reference[name], rtol=1e-3, atol=1e-4, msg=name)


@pytest.mark.parametrize("kind", list(KINDS))
def test_replay_backward_gives_the_same_gradient(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunk by chunk, over instances and over rollouts, the gradient is that of the whole."""
    choices = {"context_head": True, "start_context": kind == "mdvrp"}
    network, batch = small_network(kind, 1, **choices), random_batch(kind, 5, 8, 3)
    orders = random_orders(3, 6)
    actions = roll_out_torch(network, network(batch), orders, 7).actions
    weight = torch.randn(5, 6, 1, generator=torch.Generator().manual_seed(3))
    expected = forced_log_probabilities(network, network(batch), orders, actions)
    torch.autograd.backward([expected], [weight.expand_as(expected)])
    reference = gradients(network)
    for decisions in (4096, 200, 30, 1):
        monkeypatch.setattr("minmaxvrp.policy.teacher_forcing.CHUNK_DECISIONS", decisions)
        found = backpropagate(network, network(batch), orders, actions, weight)
        torch.testing.assert_close(found, expected.detach(), rtol=1e-5, atol=1e-5)
        for name, value in gradients(network).items():
            torch.testing.assert_close(value, reference[name], rtol=1e-3, atol=1e-4, msg=name)


def test_probabilities_of_all_rollouts_sum_to_one() -> None:
    """Over every complete rollout of a tiny instance the probabilities add up to 1."""
    network, batch = small_network("mpdp"), random_batch("mpdp", 1, 2, 2)
    orders = torch.tensor([[1, 0]])
    # request 0 is tokens 2 and 3: served by the first vehicle (1), or by the second (0)
    rollouts = torch.tensor([[[2, 3, 1, 0]], [[1, 2, 3, 0]]])
    with torch.no_grad():
        total = sum(
            float(forced_log_probabilities(network, network(batch), orders, one[None]).sum().exp())
            for one in rollouts
        )
    assert total == pytest.approx(1.0, abs=1e-5)
