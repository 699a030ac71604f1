"""Muon: orthogonal updates, which weights have them, and states that are kept."""

from pathlib import Path

import pytest
import torch

from minmaxvrp.policy.network import Network
from minmaxvrp.training.loop import train
from minmaxvrp.training.muon import Muon, orthogonal
from minmaxvrp.training.optimiser import Optimiser

from .small import small_config
from .test_loop import assert_same_state, final_state


@pytest.mark.parametrize("shape", [(3, 8, 20), (2, 20, 8), (2, 12, 15)])
def test_matrices_become_orthogonal(shape: tuple[int, int, int]) -> None:
    """All singular values of a random matrix come near 1; its singular vectors stay."""
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    found = orthogonal(matrices)
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    inner = left.transpose(1, 2) @ found @ right.transpose(1, 2)
    assert found.shape == matrices.shape
    assert (values > 0.05).all()
    diagonal = inner.diagonal(dim1=1, dim2=2)
    assert ((diagonal > 0.6) & (diagonal < 1.25)).all()
    torch.testing.assert_close(inner, torch.diag_embed(diagonal), atol=1e-4, rtol=0.0)


def test_a_step_has_the_size_of_the_rate_whatever_the_gradient() -> None:
    """Root mean square about 0.2 rates for matrices of any shape, and gradients of any size; 0 stays 0."""
    for shape, scale in (((16, 64), 1e-3), ((64, 16), 1e3), ((32, 32), 1.0)):
        weight = torch.zeros(shape)
        weight.grad = scale * torch.randn(shape, generator=torch.Generator().manual_seed(2))
        Muon({"w": weight}).step(0.01)
        assert 0.6 < float(weight.square().mean().sqrt()) / (0.2 * 0.01) < 1.25
        assert float((weight * weight.grad).sum()) < 0.0
    still = torch.ones(4, 6)
    still.grad = torch.zeros(4, 6)
    Muon({"w": still}).step(0.01)
    assert torch.equal(still, torch.ones(4, 6))


def test_muon_has_the_matrices_of_the_layers_and_adam_the_rest() -> None:
    """No weight is in both or in none; with Adam alone Muon has none."""
    config = small_config(optimiser="muon")
    optimiser = Optimiser(Network.initialised(config.network, 1), config)
    by_adam = {id(p) for group in optimiser.adam.param_groups for p in group["params"]}
    by_muon = {id(p) for p in optimiser.muon.parameters.values()}
    assert by_muon
    assert not by_adam & by_muon
    assert by_adam | by_muon == {id(p) for p in optimiser.trained.values()}
    assert all(n.startswith("encoder.layers.") and p.ndim == 2 for n, p in optimiser.muon.parameters.items())
    assert not Optimiser(Network.initialised(config.network, 1), small_config()).muon.parameters


def test_a_run_with_muon_resumes_to_the_same_bits(tmp_path: Path) -> None:
    """Stopped after the first step and resumed: weights, averages and momentum as if nothing had happened."""
    config = small_config(optimiser="muon")
    train(config, tmp_path / "whole")
    assert not train(config, tmp_path / "cut", minutes=0.0).finished
    assert train(config, tmp_path / "cut", resume=True).finished
    assert any(name.startswith("muon.momentum.") for name in final_state(tmp_path / "whole"))
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
