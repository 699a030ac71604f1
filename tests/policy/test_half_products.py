"""Products in bfloat16: near those of float32, only while a network learns, only where they are asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from minmaxvrp.policy import half_products as halves
from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.half_products import Linear, half_products, has_fast_half, processor_flags
from minmaxvrp.policy.layers import FeedForward
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import PolicyConfig

works = pytest.mark.skipif(not halves.half_works(), reason="bfloat16 ends the process here")

LAYERS: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: Linear(32, 48),
    "without bias": lambda: Linear(32, 48, bias=False),
    "feed-forward": lambda: FeedForward(PolicyConfig(embed=32, num_heads=2, hidden=64)),
}


def computed(layer: nn.Module, x: Tensor, on: bool) -> list[Tensor]:
    """The result and all gradients along one fixed slope."""
    with half_products(on):
        out = layer(x)
    slope = torch.linspace(-1.0, 1.0, out.numel()).view_as(out)
    return [out.detach(), *torch.autograd.grad(out, (x, *layer.parameters()), slope)]


@works
@pytest.mark.parametrize("name", LAYERS)
def test_half_products_are_near_those_of_float32(name: str) -> None:
    """Results and gradients keep their kind and shape, and differ by rounding to eight bits, not by more."""
    torch.manual_seed(1)
    layer, x = LAYERS[name](), torch.randn(4, 100, 32).requires_grad_()
    for value, reference in zip(computed(layer, x, True), computed(layer, x, False), strict=True):
        assert value.dtype == torch.float32
        assert value.shape == reference.shape
        apart = float((value - reference).norm() / reference.norm())
        assert 0.0 < apart < 0.05 or torch.equal(value, reference)
    assert not torch.equal(computed(layer, x, True)[0], computed(layer, x, False)[0])


@works
@pytest.mark.parametrize("name", LAYERS)
def test_few_rows_and_inference_stay_float32(name: str) -> None:
    """Below the limit, and without gradient, the switch changes no bit."""
    torch.manual_seed(2)
    layer, few = LAYERS[name](), torch.randn(3, 5, 32).requires_grad_()
    for value, reference in zip(computed(layer, few, True), computed(layer, few, False), strict=True):
        assert torch.equal(value, reference)
    many = torch.randn(4, 100, 32)
    with torch.no_grad(), half_products(True):
        switched = layer(many)
    with torch.no_grad():
        assert torch.equal(switched, layer(many))


@works
@pytest.mark.parametrize("form", ["single", "pairs", "multi"])
def test_a_whole_network_has_nearly_the_same_tables(form: str) -> None:
    """Encoder and decoder tables of one batch; the gradient reaches every weight that float32 reaches."""
    config = PolicyConfig(form=form, start_context=form == "multi")  # type: ignore[arg-type]
    network = Network.initialised(config, 3)
    draw = torch.Generator().manual_seed(4)
    depots = torch.rand(8, 3 if form == "multi" else 1, 2, generator=draw)
    batch = Batch(depots, torch.rand(8, 40, 2, generator=draw), 4, config.form)
    tables, reached = [], []
    for on in (True, False):
        with half_products(on):
            cache = network(batch)
        tables.append(cache.logit_key.detach())
        network.zero_grad()
        (cache.logit_key.square().sum() + cache.at_node.sum() + cache.by_vehicle.sum()).backward()
        reached.append([n for n, p in network.named_parameters() if p.grad is not None])
    assert float((tables[0] - tables[1]).norm() / tables[1].norm()) < 0.05
    assert not torch.equal(tables[0], tables[1])
    assert reached[0] == reached[1]


@pytest.mark.parametrize(
    ("flags", "survives", "fast"),
    [
        ("fpu avx512_bf16", True, True),
        ("fpu avx512_bf16 amx_tile amx_bf16", True, True),
        ("fpu avx512_bf16 amx_tile amx_bf16", False, False),
        ("fpu avx2", True, False),
    ],
)
def test_auto_needs_the_instructions_and_with_amx_a_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, survives: bool, fast: bool
) -> None:
    """From the list of flags that Linux shows; the trial is a process that ends well or not."""
    path = tmp_path / "cpuinfo"
    path.write_text(f"processor : 0\nflags\t\t: {flags}\n", encoding="utf-8")
    found = processor_flags(path)
    monkeypatch.setattr(halves, "processor_flags", lambda: found)
    end = "pass" if survives else "import os; os.abort()"
    monkeypatch.setattr(halves, "_TRIAL", end)
    assert has_fast_half() is fast
    assert processor_flags(tmp_path / "none") == frozenset()
