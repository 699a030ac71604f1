"""The compiled replay is the torch replay: same log-probabilities, same gradient."""

from typing import Any

import pytest
import torch

from minmaxvrp.jit.cache import config
from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.compiled_replay import can_replay
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.rollout import roll_out_torch
from minmaxvrp.policy.teacher_forcing import backpropagate

from .problems import KINDS, random_batch, random_orders, small_network

HEADS_OF_SIXTEEN: dict[str, Any] = {"embed": 32, "num_heads": 2}
CASES = [
    *((kind, {"masked_glimpse": masked}) for kind in KINDS for masked in (False, True)),
    ("mtsp", {"distance_bias": False}),
    ("mdvrp", {"start_context": True}),
    ("fmdvrp", {"start_context": True, "masked_glimpse": True}),
]

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="needs compiled kernels")


def replayed(
    network: Network, batch: Batch, backend: Any, weight: torch.Tensor
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Log-probabilities of six drawn rollouts per instance and all gradients, which are then cleared."""
    orders = random_orders(batch.num_vehicles, 6)
    actions = roll_out_torch(network, network(batch), orders, 7).actions
    log_p = backpropagate(network, network(batch), orders, actions, weight, backend)
    found = {
        name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
        for name, p in network.named_parameters()
    }
    network.zero_grad()
    return log_p, found


def random_weight(size: int) -> torch.Tensor:
    """What each of six rollouts of so many instances counts."""
    return torch.randn(size, 6, 1, generator=torch.Generator().manual_seed(3))


@compiled
@pytest.mark.parametrize(("kind", "choices"), CASES)
@pytest.mark.parametrize(("customers", "vehicles"), [(30, 4), (10, 3), (2, 5), (4, 1)])
def test_compiled_replay_equals_torch(
    kind: str, choices: dict[str, Any], customers: int, vehicles: int
) -> None:
    """Fewer and more tokens than a block of eight, rollouts shorter and longer than sixteen steps."""
    network = small_network(kind, 1, **HEADS_OF_SIXTEEN, **choices)
    batch = random_batch(kind, 4, customers, vehicles)
    if kind == "fmdvrp" and vehicles > 1:
        limits = torch.tensor([[1, 4, 2]]).repeat(4, 1)
        batch = Batch(batch.depots, batch.customers, vehicles, batch.form, batch.return_to, limits)
    expected, reference = replayed(network, batch, "torch", random_weight(4))
    found, gradients = replayed(network, batch, "compiled", random_weight(4))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=2e-5)
    for name, value in gradients.items():
        torch.testing.assert_close(value, reference[name], rtol=1e-3, atol=1e-4, msg=name)


@compiled
def test_compiled_replay_survives_certain_and_impossible_tokens() -> None:
    """Far-apart scores, so that chances are 1 and 0: the gradient stays finite and that of torch."""
    network, batch = small_network("mpdp", 1, **HEADS_OF_SIXTEEN), random_batch("mpdp", 3, 20, 3)
    with torch.no_grad():
        network.decoder.out.weight.mul_(1e3)
    expected, reference = replayed(network, batch, "torch", random_weight(3))
    found, gradients = replayed(network, batch, "compiled", random_weight(3))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)
    for name, value in gradients.items():
        assert value.isfinite().all(), name
        torch.testing.assert_close(value, reference[name], rtol=1e-2, atol=1e-2, msg=name)


@compiled
def test_number_of_threads_does_not_change_the_gradient() -> None:
    """Instances are independent, and what they share is summed in their order."""
    network, batch = small_network("mtsp", 1, **HEADS_OF_SIXTEEN), random_batch("mtsp", 5, 9, 3)
    before = torch.get_num_threads()
    cache = network(batch)
    orders = random_orders(3, 6)
    actions = roll_out_torch(network, cache, orders, 7).actions
    found = []
    try:
        for threads in (1, 2):
            cache = network(batch)
            torch.set_num_threads(threads)
            backpropagate(network, cache, orders, actions, random_weight(5), "compiled")
            torch.set_num_threads(before)
            found.append(
                {n: p.grad.clone() for n, p in network.decoder.named_parameters() if p.grad is not None}
            )
            network.zero_grad()
    finally:
        torch.set_num_threads(before)
    for name in ("distance_scalar", "lengths.weight"):
        assert torch.equal(found[0][name], found[1][name]), name


@pytest.mark.parametrize(
    "choices",
    [
        {"embed": 32, "num_heads": 4},
        {**HEADS_OF_SIXTEEN, "context_head": True},
        {
            **HEADS_OF_SIXTEEN,
            "encoder": "equity",
            "position": "sinusoidal",
            "depot_token": True,
            "distance_bias": False,
        },
    ],
)
def test_other_networks_are_replayed_in_torch(choices: dict[str, Any]) -> None:
    """Heads of another size, a context head, an extra depot token."""
    network = small_network("mtsp", **choices)
    assert not can_replay(network.decoder, network(random_batch("mtsp", 2, 5, 2)))
