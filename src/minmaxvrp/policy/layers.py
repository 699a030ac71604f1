"""Building blocks of the encoders: multi-head attention, heterogeneous attention, feed-forward, residuals.

No layer masks or normalises. `encoder` composes them in the order of each problem.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .fused_attention import fused_attention, is_fused
from .half_products import FEWEST_WIDE_ROWS, Linear, half_feed_forward, is_half
from .policy_config import PolicyConfig
from .positional_encoding import rotate

CHUNK_ROWS = 16_384
"""Rows of a feed-forward block computed at once in inference, so that 100,000 customers fit."""


def uniform_by_last_size(module: nn.Module) -> None:
    """Start every parameter uniform in ±1/sqrt(size of its last dimension), as the published models do."""
    for parameter in module.parameters():
        bound = parameter.shape[-1] ** -0.5
        nn.init.uniform_(parameter, -bound, bound)


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """[B, n, H·k] as [B, H, n, k]."""
    return x.view(*x.shape[:-1], num_heads, x.shape[-1] // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """[B, H, n, k] as [B, n, H·k]."""
    return x.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Multi-head attention of rows `x` over `context`; `sharp` leaves out the division by sqrt(k)."""

    def __init__(self, config: PolicyConfig, *, sharp: bool = False) -> None:
        super().__init__()
        embed = config.embed
        self.num_heads = config.num_heads
        self.scale = 1.0 if sharp else config.head_size**-0.5
        self.query = Linear(embed, embed, bias=False)
        self.key_value = Linear(embed, 2 * embed, bias=False)
        self.combine = Linear(embed, embed)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """`x` [B, n, E], `context` [B, m, E] → [B, n, E]."""
        return self.attend(self.query(x), self.key_value(context))

    def attend(self, query: Tensor, key_value: Tensor) -> Tensor:
        """Attention of projected queries [B, n, E] over keys, then values, [B, m, 2E] → [B, n, E]."""
        if is_fused(query, key_value, self.num_heads):
            fused: Tensor = self.combine(fused_attention(query, key_value, None, self.scale))
            return fused
        q, k, v = (split_heads(part, self.num_heads) for part in (query, *key_value.chunk(2, dim=-1)))
        seen = F.scaled_dot_product_attention(q, k, v, scale=self.scale)  # [B, H, n, k]
        out: Tensor = self.combine(merge_heads(seen))
        return out


class RotatedQueryAttention(Attention):
    """Attention of vehicles over others; the rotation of vehicle m turns its query."""

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """Vehicles `x` [B, M, E], `context` [B, m, E] → [B, M, E]."""
        return self.attend(rotate(self.query(x)), self.key_value(context))


class RotatedKeyAttention(Attention):
    """Attention of others over vehicles; the rotation of vehicle m turns its key and its value."""

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """`x` [B, n, E], vehicles `context` [B, M, E] → [B, n, E]."""
        key, value = self.key_value(context).chunk(2, dim=-1)
        return self.attend(self.query(x), torch.cat([rotate(key), rotate(value)], dim=-1))


class CrossedQueryAttention(Attention):
    """Sharp attention of paired customers over vehicles; a customer's query also reads its partner."""

    def __init__(self, config: PolicyConfig, *, sharp: bool = False) -> None:
        super().__init__(config, sharp=sharp)
        self.query_pickup = Linear(config.embed, config.embed, bias=False)
        self.query_delivery = Linear(config.embed, config.embed, bias=False)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """Pickups then deliveries `x` [B, N, E], vehicles `context` [B, M, E] → [B, N, E]."""
        pickups, deliveries = x.chunk(2, dim=1)  # [B, N/2, E]
        partner = torch.cat([self.query_delivery(deliveries), self.query_pickup(pickups)], dim=1)
        return self.attend(self.query(x) + partner, self.key_value(context))


class HeterogeneousAttention(nn.Module):
    """Self-attention with extra queries between pickups and deliveries, one joint softmax per row.

    Every row looks at all rows; besides, a pickup has a query for its own delivery, one for all pickups
    and one for all deliveries, and a delivery likewise. Keys and values are shared (Li et al. 2021).
    Rows before the customers (the Equity-Transformer's vehicles) have the common query alone.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        embed = config.embed
        self.num_heads = config.num_heads
        self.scale = config.head_size**-0.5
        self.query = Linear(embed, embed, bias=False)
        self.pickup_queries = Linear(embed, 3 * embed, bias=False)  # own delivery, pickups, deliveries
        self.delivery_queries = Linear(embed, 3 * embed, bias=False)  # own pickup, pickups, deliveries
        self.key_value = Linear(embed, 2 * embed, bias=False)
        self.combine = Linear(embed, embed)

    def reset(self) -> None:
        """First values: the published tensors are [H, E, k], so the bound is 1/sqrt(k)."""
        bound = self.scale
        for part in (self.query, self.pickup_queries, self.delivery_queries, self.key_value):
            nn.init.uniform_(part.weight, -bound, bound)

    def forward(self, x: Tensor, num_pairs: int) -> Tensor:
        """`x` [B, n, E], the last 2·num_pairs rows pickups then deliveries → [B, n, E]."""
        lead = x.shape[1] - 2 * num_pairs
        pickups, deliveries = x[:, lead : lead + num_pairs], x[:, lead + num_pairs :]
        common_query, key_value = self.query(x), self.key_value(x)
        of_pickups, of_deliveries = self.pickup_queries(pickups), self.delivery_queries(deliveries)
        if not lead and is_fused(common_query, key_value, self.num_heads):
            special = torch.cat([of_pickups, of_deliveries], dim=1)  # [B, n, 3E]
            fused: Tensor = self.combine(fused_attention(common_query, key_value, special, self.scale))
            return fused
        parts = [
            common_query * self.scale,
            *key_value.chunk(2, dim=-1),
            *(of_pickups * self.scale).chunk(3, dim=-1),
            *(of_deliveries * self.scale).chunk(3, dim=-1),
        ]
        query, key, value, p_own, p_to_p, p_to_d, d_own, d_to_p, d_to_d = (
            split_heads(part, self.num_heads) for part in parts
        )
        key_p, key_d = key[:, :, lead : lead + num_pairs], key[:, :, lead + num_pairs :]  # [B, H, Q, k]
        common = query @ key.transpose(-1, -2)  # [B, H, n, n]
        to_p = torch.cat([p_to_p, d_to_p], dim=2) @ key_p.transpose(-1, -2)  # [B, H, 2Q, Q]
        to_d = torch.cat([p_to_d, d_to_d], dim=2) @ key_d.transpose(-1, -2)  # [B, H, 2Q, Q]
        own = torch.cat([(p_own * key_d).sum(-1), (d_own * key_p).sum(-1)], dim=2)  # [B, H, 2Q]
        scores = torch.cat([common[:, :, lead:], to_p, to_d, own[..., None]], dim=-1)  # [B, H, 2Q, n+2Q+1]
        n = x.shape[1]
        weight = scores.softmax(dim=-1)
        to_customers = weight[..., lead:n] + weight[..., n : n + 2 * num_pairs]  # [B, H, 2Q, 2Q]
        partner = torch.cat([value[:, :, lead + num_pairs :], value[:, :, lead : lead + num_pairs]], dim=2)
        out = to_customers @ value[:, :, lead:] + weight[..., -1:] * partner  # [B, H, 2Q, k]
        if lead:
            out = out + weight[..., :lead] @ value[:, :, :lead]
            out = torch.cat([common[:, :, :lead].softmax(dim=-1) @ value, out], dim=2)  # [B, H, n, k]
        combined: Tensor = self.combine(merge_heads(out))
        return combined


class FeedForward(nn.Module):
    """W2·ReLU(W1·x + b1) + b2."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.first = Linear(config.embed, config.hidden)
        self.second = Linear(config.hidden, config.embed)

    def forward(self, x: Tensor) -> Tensor:
        """`x` [B, n, E] → [B, n, E]."""
        if is_half(x, FEWEST_WIDE_ROWS):
            return half_feed_forward(x, self.first, self.second)
        if torch.is_grad_enabled() or x.shape[:-1].numel() <= CHUNK_ROWS:
            whole: Tensor = self.second(F.relu_(self.first(x)))  # in place: a tenth of the encoder's time
            return whole
        rows = x.reshape(-1, x.shape[-1])
        out = torch.empty_like(rows)
        for start in range(0, len(rows), CHUNK_ROWS):
            part = rows[start : start + CHUNK_ROWS]
            out[start : start + CHUNK_ROWS] = self.second(F.relu_(self.first(part)))
        return out.view_as(x)


class Block(nn.Module):
    """One attention and one feed-forward, each a residual with its own scalar: x + a·f(x)."""

    def __init__(self, config: PolicyConfig, attention: nn.Module, *, scalars: bool = True) -> None:
        super().__init__()
        self.attention = attention
        self.feed_forward = FeedForward(config)
        self.attention_scalar: nn.Parameter | float = nn.Parameter(torch.ones(1)) if scalars else 1.0
        self.feed_forward_scalar: nn.Parameter | float = nn.Parameter(torch.ones(1)) if scalars else 1.0
        uniform_by_last_size(self)
        if isinstance(attention, HeterogeneousAttention):
            attention.reset()
        if scalars and config.residual_init == "zero":
            for scalar in (self.attention_scalar, self.feed_forward_scalar):
                assert isinstance(scalar, nn.Parameter)
                nn.init.zeros_(scalar)

    def forward(self, x: Tensor, context: Tensor | int) -> Tensor:
        """Rows `x` [B, n, E] updated by attention over `context` (rows, or the number of pairs)."""
        x = _add_scaled(x, self.attention_scalar, self.attention(x, context))
        return _add_scaled(x, self.feed_forward_scalar, self.feed_forward(x))


def _add_scaled(x: Tensor, scalar: Tensor | float, change: Tensor) -> Tensor:
    """`x + scalar · change` in one pass."""
    return torch.addcmul(x, scalar, change) if isinstance(scalar, Tensor) else x + scalar * change
