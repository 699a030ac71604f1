"""The compiled attention is torch's: same result, same gradients."""

import pytest
import torch
import torch.nn.functional as F

from minmaxvrp.jit.cache import config
from minmaxvrp.policy.fused_attention import fused_attention, is_fused
from minmaxvrp.policy.layers import Attention, HeterogeneousAttention, merge_heads, split_heads
from minmaxvrp.policy.policy_config import PolicyConfig

HEADS = 2
EMBED = 16 * HEADS

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="needs compiled kernels")


def drawn(*shape: int, seed: int) -> torch.Tensor:
    """Normal random numbers that need a gradient."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).requires_grad_()


@compiled
@pytest.mark.parametrize(("num_rows", "num_keys"), [(20, 20), (3, 17), (33, 5), (16, 8), (1, 1)])
def test_fused_attention_equals_torch(num_rows: int, num_keys: int) -> None:
    """Fewer and more queries than sixteen, keys than eight; `scale` is not that of torch's default."""
    query, key_value = drawn(3, num_rows, EMBED, seed=1), drawn(3, num_keys, 2 * EMBED, seed=2)
    slope = drawn(3, num_rows, EMBED, seed=3).detach()
    found = fused_attention(query, key_value, None, 0.7)
    q, k, v = (split_heads(part, HEADS) for part in (query, *key_value.chunk(2, dim=-1)))
    expected = merge_heads(F.scaled_dot_product_attention(q, k, v, scale=0.7))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    gradients = torch.autograd.grad(found, (query, key_value), slope)
    references = torch.autograd.grad(expected, (query, key_value), slope)
    for value, reference in zip(gradients, references, strict=True):
        torch.testing.assert_close(value, reference, rtol=1e-4, atol=1e-5)


@compiled
@pytest.mark.parametrize("num_pairs", [1, 5, 8, 13, 20])
def test_fused_heterogeneous_attention_equals_torch(num_pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole layer, its weights' gradients included, with and without the compiled kernel."""
    torch.manual_seed(4)
    layer = HeterogeneousAttention(PolicyConfig(form="pairs", embed=EMBED, num_heads=HEADS))
    results = []
    for fused in (True, False):
        if not fused:
            monkeypatch.setattr("minmaxvrp.policy.layers.is_fused", lambda *_: False)
        x = drawn(3, 2 * num_pairs, EMBED, seed=5)
        out = layer(x, num_pairs)
        wanted = [x, *layer.parameters()]
        results.append((out, torch.autograd.grad(out, wanted, drawn(*out.shape, seed=6).detach())))
    (found, gradients), (expected, references) = results
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    for value, reference in zip(gradients, references, strict=True):
        torch.testing.assert_close(value, reference, rtol=1e-3, atol=1e-4)


@compiled
def test_what_trains_is_what_is_used() -> None:
    """Without gradient torch's attention answers, and it gives what the network was trained with."""
    torch.manual_seed(7)
    layer, x = Attention(PolicyConfig(embed=EMBED, num_heads=HEADS)), drawn(2, 19, EMBED, seed=8)
    with torch.no_grad():
        expected = layer(x, x)
    torch.testing.assert_close(layer(x, x), expected, rtol=1e-5, atol=1e-5)


def test_other_devices_and_sizes_are_left_to_torch() -> None:
    """Meta tensors stand for a GPU; heads of eight; more rows than fit the cache."""
    query, key_value = torch.empty(1, 4, EMBED), torch.empty(1, 4, 2 * EMBED)
    assert not is_fused(query.to("meta"), key_value.to("meta"), HEADS)
    assert not is_fused(query, key_value, 2 * HEADS)
    assert not is_fused(query, torch.empty(1, 10_000, 2 * EMBED), HEADS)
    with torch.no_grad():
        assert not is_fused(query, key_value, HEADS)
