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


def test_muon_moves_the_encoders_matrices_along_an_orthogonal_one() -> None:
    """Its steps have singular values of about one size where the gradient's differ; all else is Adam's."""
    rate = 1e-3
    config = small_config(optimiser="muon", learning_rate=rate)
    network = Network.initialised(config.network, 1)
    before = {n: p.detach().clone() for n, p in network.named_parameters()}
    optimiser = Optimiser(network, config)
    rng = torch.Generator().manual_seed(5)
    for parameter in optimiser.trained.values():
        gradient = torch.randn(parameter.shape, generator=rng)
        if parameter.ndim == 2:  # singular values from 1 down to 0.1
            left, _, right = torch.linalg.svd(gradient, full_matrices=False)
            gradient = left @ torch.diag(torch.logspace(0, -1, len(right))) @ right
        parameter.grad = gradient
    optimiser.step(0)
    seen = 0
    for name, parameter in network.named_parameters():
        change = parameter.detach() - before[name]
        if name.startswith("encoder.layers.") and parameter.ndim == 2:
            values = torch.linalg.svdvals(change) / (rate * 0.2 * math.sqrt(max(change.shape)))
            assert float(values.min()) > 0.5, name
            assert float(values.max()) < 1.3, name
            seen += 1
        else:  # the first step of Adam is the rate in every entry
            torch.testing.assert_close(change.abs(), torch.full_like(change, rate), rtol=1e-2, atol=1e-6)
    assert seen > 0


def test_muon_goes_on_from_what_it_remembers() -> None:
    """Two steps, and one step, saved, restored elsewhere and one more, end with the same bits."""
    config = small_config(optimiser="muon")
    whole = Optimiser(Network.initialised(config.network, 1), config)
    _step(whole, 1.0, 0)
    other = Optimiser(Network.initialised(config.network, 2), config)
    other.restore({name: tensor.clone() for name, tensor in whole.tensors().items()})
    for optimiser in (whole, other):
        _step(optimiser, -0.5, 1)
    for name, tensor in whole.tensors().items():
        assert torch.equal(tensor, other.tensors()[name]), name
    assert any(name.startswith("muon.momentum_buffer.") for name in whole.tensors())
