"""Matrix products in bfloat16 while a network learns: `Linear`, and a feed-forward block in one piece.

Only the products are rounded: weights, their gradients, attention, residuals and everything else stay
float32. On a processor with instructions for bfloat16 they take about half the time. `layers` and `decoder`
use them, `training` turns them on. Without gradient, or for few rows, products are float32.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

HALF = torch.bfloat16
FEWEST_ROWS = 256
"""Of a product alone; below, converting costs more than the faster product saves."""
FEWEST_WIDE_ROWS = 64
"""The same of a feed-forward block."""

_on: ContextVar[bool] = ContextVar("half_products", default=False)

_TRIAL = """
import torch
x, w = (torch.ones(960, 128, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
torch.nn.functional.linear(x, w).sum().backward()
"""


@contextmanager
def half_products(on: bool) -> Iterator[None]:
    """Whether what is computed inside, and its gradient later, has products in bfloat16."""
    before = _on.set(on)
    try:
        yield
    finally:
        _on.reset(before)


def processor_flags(path: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """What the processor can do, as Linux names it; empty where that cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line for line in lines if line.startswith("flags")), "").split())


def has_fast_half() -> bool:
    """Whether bfloat16 is faster here: the processor has instructions for it, and torch survives them."""
    return "avx512_bf16" in processor_flags() and half_works()


def half_works() -> bool:
    """Whether a product in bfloat16 leaves the process alive; with AMX, a process of its own tries it.

    Some virtual machines show AMX and end a process that uses it, see docs/research/training-log.md.
    """
    if "amx_tile" not in processor_flags():
        return True
    return subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True).returncode == 0


def is_half(x: Tensor, fewest: int) -> bool:
    """Whether products with `x` [..., E] are computed in bfloat16, if they need `fewest` rows to pay."""
    return _on.get() and torch.is_grad_enabled() and x.device.type == "cpu" and x.shape[:-1].numel() >= fewest


class Linear(nn.Linear):
    """`nn.Linear` that knows `half_products`."""

    def forward(self, x: Tensor) -> Tensor:
        """`x` [..., in] → [..., out]."""
        return product(x, self.weight, self.bias)


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`F.linear` of `x` [..., in] and `weight` [out, in] in the precision that is on: float32 [..., out]."""
    if not is_half(x, FEWEST_ROWS):
        return F.linear(x, weight, bias)
    found: Tensor = HalfLinear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return found


def half_feed_forward(x: Tensor, first: nn.Linear, second: nn.Linear) -> Tensor:
    """`second(relu(first(x)))` whose hidden rows, the widest of the network, are never float32."""
    found: Tensor = HalfFeedForward.apply(  # type: ignore[no-untyped-call]
        x, first.weight, first.bias, second.weight, second.bias
    )
    return found


class HalfLinear(torch.autograd.Function):
    """The three products of a linear layer in bfloat16."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """See `product`."""
        rows, half_weight = _rows(x).to(HALF), weight.to(HALF)
        ctx.save_for_backward(rows, half_weight)
        ctx.has_bias = bias is not None
        found = F.linear(rows, half_weight, None if bias is None else bias.to(HALF))
        return found.float().view(*x.shape[:-1], len(weight))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients for `x`, weight and bias, in float32."""
        rows, weight = ctx.saved_tensors
        slope_rows = _rows(slope)
        half = slope_rows.to(HALF)
        by_x = (half @ weight).float().view(*slope.shape[:-1], weight.shape[1])
        return by_x, (half.T @ rows).float(), slope_rows.sum(dim=0) if ctx.has_bias else None


class HalfFeedForward(torch.autograd.Function):
    """The six products of a feed-forward block in bfloat16."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
        """See `half_feed_forward`."""
        rows, half_w1, half_w2 = _rows(x).to(HALF), w1.to(HALF), w2.to(HALF)
        hidden = F.relu_(F.linear(rows, half_w1, b1.to(HALF)))
        ctx.save_for_backward(rows, hidden, half_w1, half_w2)
        return F.linear(hidden, half_w2, b2.to(HALF)).float().view(*x.shape[:-1], len(w2))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, ...]:
        """Gradients for `x` and both layers' weights and biases, in float32."""
        rows, hidden, w1, w2 = ctx.saved_tensors
        slope_rows = _rows(slope)
        half = slope_rows.to(HALF)
        by_hidden = torch.ops.aten.threshold_backward(half @ w2, hidden, 0)
        by_x = (by_hidden @ w1).float().view(*slope.shape[:-1], w1.shape[1])
        by_b1 = by_hidden.sum(dim=0, dtype=torch.float32)
        return by_x, (by_hidden.T @ rows).float(), by_b1, (half.T @ hidden).float(), slope_rows.sum(dim=0)


def _rows(x: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[-1])
