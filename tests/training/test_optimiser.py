"""Learning rates, clipping, averages."""

import math

import pytest
import torch

from minmaxvrp.policy.network import Network
from minmaxvrp.training.optimiser import Optimiser, learning_rate

from .small import small_config


def test_warm_up_rises_and_a_cosine_falls_to_the_final_rate() -> None:
    """Rates by hand: a tenth per warm-up step, half-way between the ends in the middle of the cosine."""
    config = small_config(steps=110, warmup_steps=10, schedule="cosine", learning_rate=1e-3, final_rate=1e-5)
    assert learning_rate(config, 0) == pytest.approx(1e-4)
    assert learning_rate(config, 9) == pytest.approx(1e-3)
    assert learning_rate(config, 60) == pytest.approx((1e-3 + 1e-5) / 2)
    assert learning_rate(config, 110) == pytest.approx(1e-5)
    assert learning_rate(small_config(learning_rate=1e-3), 10**6) == 1e-3


def _step(optimiser: Optimiser, size: float, step: int) -> None:
    for parameter in optimiser.trained.values():
        parameter.grad = torch.full_like(parameter, size)
    optimiser.step(step)


def test_the_average_follows_the_weights() -> None:
    """After one step it lies between the old and the new weights; without an average there is none."""
    config = small_config(average_weights=0.9)
    network = Network.initialised(config.network, 1)
    before = {n: p.detach().clone() for n, p in network.named_parameters()}
    optimiser = Optimiser(network, config)
    _step(optimiser, 1.0, 1000)
    for name, parameter in network.named_parameters():
        expected = 0.9 * before[name] + 0.1 * parameter.detach()
        torch.testing.assert_close(optimiser.best_weights()[name], expected)
    assert not Optimiser(network, small_config(average_weights=0)).average


def test_the_gradient_is_clipped_to_its_limit() -> None:
    """The norm before clipping is told, the norm after it is the limit; 0 leaves the gradient alone."""
    for limit, after in ((0.5, 0.5), (0.0, 3.0)):
        optimiser = Optimiser(
            Network.initialised(small_config().network, 1), small_config(clip_gradient=limit)
        )
        count = sum(p.numel() for p in optimiser.trained.values())
        for parameter in optimiser.trained.values():
            parameter.grad = torch.full_like(parameter, 3.0 / math.sqrt(count))
        assert optimiser.gradient_norm() == pytest.approx(3.0, rel=1e-4)
        left = sum(float(p.grad.square().sum()) for p in optimiser.trained.values() if p.grad is not None)
        assert math.sqrt(left) == pytest.approx(after, rel=1e-4)


def test_only_the_context_head_is_trained_where_the_config_says_so() -> None:
    """The +LP variant freezes everything else."""
    config = small_config(trainable="context_head", network={"context_head": True})
    network = Network.initialised(config.network, 1)
    before = {n: p.detach().clone() for n, p in network.named_parameters()}
    _step(Optimiser(network, config), 1.0, 0)
    changed = {n for n, p in network.named_parameters() if not torch.equal(p, before[n])}
    assert changed == {"decoder.context_head.0.weight", "decoder.context_head.2.weight"}
