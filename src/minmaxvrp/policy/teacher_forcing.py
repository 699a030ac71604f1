"""Log-probabilities of given actions, all steps in one pass with gradient: what training differentiates.

Sampling needs no gradient, so training samples with `rollout` and passes the actions through here: every
step's context is known from the actions, so T small decisions become a few large matrix products. Equal to
`rollout.stepwise_log_probabilities` up to rounding.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from .compiled_replay import Gradients, can_replay, replay_compiled
from .decoder import TABLES, Decoder, DecoderCache, nearness_rows
from .network import Network
from .rollout import Backend
from .state import Decisions
from .trace import contexts, trace

MAX_MEMORY = 4 * 2**30
BYTES_PER_SCORE = 16
"""Peak bytes of one pass per score [B, R, S]: tanh, log-probability, distance row and the saved slope."""


CHUNK_DECISIONS = 8192
"""Decisions per chunk of `backpropagate`."""


def forced_log_probabilities(
    network: Network,
    cache: DecoderCache,
    permutations: Tensor,
    actions: Tensor,
    max_memory: int = MAX_MEMORY,
) -> Tensor:
    """Log-probability of every action: float32 [B, K, T], with gradient.

    `cache` is `network(batch)` computed with gradient; `permutations` int64 [K, M] or [B, K, M];
    `actions` int64 [B, K, T] complete feasible rollouts. Above `max_memory` bytes the rollouts are
    passed in chunks with gradient checkpointing.
    """
    size, num_rollouts, num_steps = actions.shape
    order = permutations.expand(size, -1, -1)
    one = size * num_steps * cache.batch.num_tokens * BYTES_PER_SCORE
    chunk = max(1, min(num_rollouts, int(max_memory // one)))
    if chunk == num_rollouts:
        return _forced_chunk(network.decoder, cache, order, actions)
    parts = []
    for start in range(0, num_rollouts, chunk):
        part = (order[:, start : start + chunk], actions[:, start : start + chunk])
        again: Tensor = checkpoint(_forced_chunk, network.decoder, cache, *part, use_reentrant=False)
        parts.append(again)
    return torch.cat(parts, dim=1)


def backpropagate(
    network: Network,
    cache: DecoderCache,
    permutations: Tensor,
    actions: Tensor,
    weight: Tensor,
    backend: Backend | None = None,
    temperature: float = 1.0,
) -> Tensor:
    """Back-propagate Σ weight · log p and return log p, float32 [B, K, T], without gradient.

    `temperature` is what the logits are divided by, as in drawing.

    The same gradient as `(weight * forced_log_probabilities(...)).sum().backward()`, `weight` float32
    broadcast to [B, K, T], but a few instances at a time, which fit the processor's cache: less memory and
    time. `backend` by default the compiled one where it serves this network. Frees the graph of `cache`.
    """
    order = permutations.expand(len(actions), -1, -1)
    weight = weight.expand(actions.shape)
    if backend is None:
        backend = "compiled" if can_replay(network.decoder, cache) else "torch"
    if backend == "compiled":
        found = contexts(cache.batch, order, actions)
        log_p, gradients = replay_compiled(network.decoder, cache, found, actions, weight, temperature)
    else:
        log_p, gradients = _replay_in_chunks(network.decoder, cache, order, actions, weight, temperature)
    tables = [
        *(getattr(cache, name) for name in TABLES),
        cache.feature_weight,
        network.decoder.distance_scalar,
    ]
    slopes = [*gradients.tables.values(), gradients.feature_weight, gradients.distance_scalar]
    found_all = zip(tables, slopes, strict=True)
    learning = [(t, g) for t, g in found_all if t is not None and g is not None and t.requires_grad]
    if learning:  # none where all but the context head is frozen
        torch.autograd.backward([table for table, _ in learning], [gradient for _, gradient in learning])
    return log_p


def _replay_in_chunks(
    decoder: Decoder, cache: DecoderCache, order: Tensor, actions: Tensor, weight: Tensor, temperature: float
) -> tuple[Tensor, Gradients]:
    """Log p [B, K, T] and the gradient of Σ weight · log p; that of the decoder's weights is added there."""
    size, num_rollouts, num_steps = actions.shape
    gradients = {name: torch.empty_like(getattr(cache, name)) for name in TABLES}
    shared = cache.feature_weight.detach().requires_grad_()
    log_p = torch.empty(actions.shape, device=actions.device)
    rollouts = max(1, min(num_rollouts, CHUNK_DECISIONS // num_steps))
    instances = max(1, CHUNK_DECISIONS // (num_steps * num_rollouts))
    for row in range(0, size, instances):
        rows = slice(row, row + instances)
        leaves = {name: getattr(cache, name)[rows].detach().requires_grad_() for name in TABLES}
        inner = replace(cache.part(rows), **leaves, feature_weight=shared)
        for k in range(0, num_rollouts, rollouts):
            cell = (rows, slice(k, k + rollouts))
            part = _forced_chunk(decoder, inner, order[cell], actions[cell], temperature)
            torch.autograd.backward([part], [weight[cell]])
            log_p[cell] = part.detach()
        for name, leaf in leaves.items():
            assert leaf.grad is not None
            gradients[name][rows] = leaf.grad
    assert shared.grad is not None
    return log_p, Gradients(gradients, shared.grad, None)


def _forced_chunk(
    decoder: Decoder, cache: DecoderCache, order: Tensor, actions: Tensor, temperature: float = 1.0
) -> Tensor:
    with torch.no_grad():
        decisions = trace(cache.batch, order, actions)
    glimpse = decoder.glimpse(cache, decisions)  # [B, R, E]
    log_p: Tensor = ChosenLogProbability.apply(  # type: ignore[no-untyped-call]
        glimpse,
        cache.logit_key[:, : cache.batch.num_tokens],
        decoder.distance_scalar,
        cache,
        decisions,
        actions.flatten(1),
        decoder.tanh_clip / temperature,
    )
    return log_p.view(actions.shape)


class ChosenLogProbability(torch.autograd.Function):
    """log softmax of the clipped, masked scores at the chosen token, with one saved tensor [B, R, S].

    Autograd would keep four; the derivative with respect to a score is known in the forward pass:
    C·(1 − tanh²)·(chosen − p).
    """

    @staticmethod
    def forward(
        ctx: Any,
        glimpse: Tensor,
        logit_key: Tensor,
        scalar: Tensor | None,
        cache: DecoderCache,
        decisions: Decisions,
        actions: Tensor,
        clip: float,
    ) -> Tensor:
        """`glimpse` [B, R, E], `logit_key` [B, S, E], `actions` int64 [B, R] → [B, R]."""
        score = glimpse @ logit_key.transpose(1, 2)  # [B, R, S]
        if scalar is not None:
            score.addcmul_(nearness_rows(cache, decisions), scalar)
        score.tanh_()
        log_p = (score * clip).masked_fill_(~decisions.allowed, -torch.inf).log_softmax(dim=-1)
        index = actions.unsqueeze(-1)
        chosen = log_p.gather(2, index)  # [B, R, 1]
        probability = log_p.exp_()
        probability.scatter_add_(2, index, torch.full_like(chosen, -1.0))  # p − chosen
        slope = score.square_().sub_(1.0).mul_(probability).mul_(clip)  # (tanh² − 1)·(p − chosen)·C
        ctx.save_for_backward(glimpse, logit_key, slope)
        ctx.cache, ctx.decisions, ctx.biased = cache, decisions, scalar is not None
        return chosen.squeeze(-1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients for `glimpse`, `logit_key` and the distance scalar."""
        glimpse, logit_key, slope = ctx.saved_tensors
        by_score = slope * grad.unsqueeze(-1)  # [B, R, S]
        by_scalar = None
        if ctx.biased:
            near = nearness_rows(ctx.cache, ctx.decisions)
            by_scalar = torch.dot(by_score.flatten(), near.flatten()).view(1)
        by_key = by_score.transpose(1, 2) @ glimpse
        return by_score @ logit_key, by_key, by_scalar, None, None, None, None
