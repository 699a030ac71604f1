"""The compiled attention as a function that torch differentiates: what the encoder uses while it learns.

`layers` asks `is_fused` and calls `fused_attention`; without gradient, on other devices, for other head
sizes and for many rows torch's own attention serves.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..jit.cache import config
from ..jit.simd import WIDTH
from .kernels.attention_passes import AttentionInputs, attend, attend_back, new_attention_workspace
from .kernels.threads import over_instances

MOST_ROWS = 512
"""More rows of queries or keys leave the processor's nearest cache; torch's attention takes them in tiles."""


def is_fused(query: Tensor, key_value: Tensor, num_heads: int) -> bool:
    """Whether the compiled attention serves `query` [B, n, E] and `key_value` [B, m, 2E] and is worth it."""
    return (
        torch.is_grad_enabled()
        and query.device.type == "cpu"
        and query.dtype == torch.float32
        and query.shape[2] == WIDTH * num_heads
        and max(query.shape[1], key_value.shape[1]) <= MOST_ROWS
        and not config.DISABLE_JIT
    )


def fused_attention(query: Tensor, key_value: Tensor, special: Tensor | None, scale: float) -> Tensor:
    """Attention in heads of sixteen, without the last projection: [B, n, E].

    `query` [B, n, E], `key_value` [B, m, 2E]; `special` [B, n, 3E], with pairs: each row's query for its
    partner, for all pickups and for all deliveries. `scale` multiplies all queries.
    """
    if special is None:
        special = query[..., :0]
    found: Tensor = FusedAttention.apply(query, key_value, special, scale)  # type: ignore[no-untyped-call]
    return found


class FusedAttention(torch.autograd.Function):
    """Both passes of `kernels.attention_passes`; the backward one computes the weights anew."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key_value: Tensor, special: Tensor, scale: float) -> Tensor:
        """See `fused_attention`."""
        ctx.save_for_backward(query, key_value, special)
        ctx.scale = scale
        given = _inputs(query, key_value, special)
        out = np.empty(given.query.shape, dtype=np.float32)

        def run(instances: range) -> None:
            work = new_attention_workspace(key_value.shape[1], special.shape[2] > 0)
            for b in instances:
                attend(given, scale, work, b, out)

        over_instances(run, len(out))
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients for queries, keys with values, and special queries."""
        query, key_value, special = ctx.saved_tensors
        given, along, scale = _inputs(query, key_value, special), _array(slope), ctx.scale
        grad = AttentionInputs(*(np.zeros_like(part) for part in given))

        def run(instances: range) -> None:
            work = new_attention_workspace(key_value.shape[1], special.shape[2] > 0)
            for b in instances:
                attend_back(given, scale, work, b, along, grad)

        over_instances(run, len(along))
        return (*(torch.from_numpy(part) for part in grad), None)


def _inputs(*parts: Tensor) -> AttentionInputs:
    return AttentionInputs(*(_array(part) for part in parts))


def _array(values: Tensor) -> NDArray[np.float32]:
    return np.ascontiguousarray(values.detach().numpy())
