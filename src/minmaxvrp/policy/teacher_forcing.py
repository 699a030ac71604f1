"""Log-probabilities of given actions, all steps in one pass with gradient: what training differentiates.

Sampling needs no gradient, so training samples with `rollout` and passes the actions through here: every
step's context is known from the actions, so T small decisions become a few large matrix products. Equal to
`rollout.stepwise_log_probabilities` up to rounding.
"""

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from .batch import Batch
from .decoder import TABLES, Decoder, DecoderCache, nearness_rows
from .network import Network
from .state import Decisions, reachable, way_back

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
    network: Network, cache: DecoderCache, permutations: Tensor, actions: Tensor, weight: Tensor
) -> Tensor:
    """Back-propagate Σ weight · log p and return log p, float32 [B, K, T], without gradient.

    The same gradient as `(weight * forced_log_probabilities(...)).sum().backward()`, `weight` float32
    broadcast to [B, K, T], but a few instances at a time, which fit the processor's cache: less memory and
    time. Frees the graph of `cache`.
    """
    size, num_rollouts, num_steps = actions.shape
    order = permutations.expand(size, -1, -1)
    weight = weight.expand(actions.shape)
    tables = [getattr(cache, name) for name in TABLES]
    gradients = [torch.empty_like(table) for table in tables]
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
            part = _forced_chunk(network.decoder, inner, order[cell], actions[cell])
            torch.autograd.backward([part], [weight[cell]])
            log_p[cell] = part.detach()
        for gradient, leaf in zip(gradients, leaves.values(), strict=True):
            assert leaf.grad is not None
            gradient[rows] = leaf.grad
    assert shared.grad is not None
    found = zip([*tables, cache.feature_weight], [*gradients, shared.grad], strict=True)
    learning = [(table, gradient) for table, gradient in found if table.requires_grad]
    if learning:  # none where all but the context head is frozen
        torch.autograd.backward([table for table, _ in learning], [gradient for _, gradient in learning])
    return log_p


def _forced_chunk(decoder: Decoder, cache: DecoderCache, order: Tensor, actions: Tensor) -> Tensor:
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
        decoder.tanh_clip,
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


def trace(batch: Batch, order: Tensor, actions: Tensor) -> Decisions:
    """The decisions of complete rollouts, R = K·T with the step running fastest.

    `order` int64 [B, K, M], `actions` int64 [B, K, T].
    """
    num_depot_tokens = batch.num_depot_tokens
    at_depot = actions < num_depot_tokens  # [B, K, T]
    before = _before(at_depot.long())
    if batch.form == "multi":  # depot actions alternate: start, close, start, …
        starting, closed = before % 2 == 0, before // 2
    else:
        starting, closed = torch.zeros_like(at_depot), before
    closing = at_depot & ~starting
    current = torch.cat([order[:, :, :1] % num_depot_tokens, actions[:, :, :-1]], dim=-1)
    vehicle = order.gather(2, closed)
    leg = batch.distance(current.flatten(1), actions.flatten(1)).view(actions.shape)
    length = _since_close(leg.masked_fill(starting, 0.0), closing)
    left = batch.num_customers - _before((~at_depot).long())
    lengths = _pair_lengths if batch.form == "pairs" else _plain_lengths
    features = [
        1.0 - (closed + 1) / batch.num_vehicles,
        *lengths(batch, actions, closing, closed, left, length),
    ]
    begun = _begun(batch, actions, starting)
    unvisited = _unvisited(batch, actions)
    allowed = _allowed(batch, unvisited, vehicle, closed, left, begun, actions)
    steps = torch.arange(actions.shape[1] * actions.shape[2], device=actions.device)
    return Decisions(
        current=current.flatten(1),
        vehicle=vehicle.flatten(1),
        begun=begun.masked_fill(begun < 0, num_depot_tokens).flatten(1),
        way_back=way_back(batch, current.flatten(1), begun.flatten(1)),
        features=torch.stack(features, dim=-1).flatten(1, 2),
        allowed=allowed.flatten(1, 2),
        unvisited=unvisited.flatten(1, 2),
        first=steps % actions.shape[2] == 0,
    )


def _before(values: Tensor) -> Tensor:
    """Sum over the earlier steps: [B, K, T]."""
    return values.cumsum(dim=-1) - values


def _since_close(values: Tensor, closing: Tensor) -> Tensor:
    """Sum of `values` ≥ 0 over the earlier steps of the same route, in double inside: [B, K, T]."""
    total = values.double().cumsum(dim=-1)
    closed = torch.where(closing, total, 0.0).cummax(dim=-1).values  # totals never fall
    return F.pad((total - closed)[..., :-1], (1, 0)).float()


def _still_to_come(values: Tensor) -> Tensor:
    """Largest of `values` ≥ 0 over this and the later steps: [B, K, T]."""
    return values.flip(-1).cummax(dim=-1).values.flip(-1)


def _of_customers(batch: Batch, values: Tensor, actions: Tensor, first: int = 0) -> Tensor:
    """`values` [B, n] of the customers first .. first + n - 1 where they are visited, else 0: [B, K, T]."""
    before = batch.num_depot_tokens + first
    table = F.pad(values, (before, batch.num_tokens - before - values.shape[1]))  # [B, S]
    return table.gather(1, actions.flatten(1)).view(actions.shape)


def _plain_lengths(
    batch: Batch, actions: Tensor, closing: Tensor, closed: Tensor, left: Tensor, length: Tensor
) -> list[Tensor]:
    reach = _still_to_come(_of_customers(batch, batch.reach, actions))
    lagging = torch.cat([reach[..., :1], reach[..., :-1]], dim=-1)
    return [left / batch.num_customers, length, reach[..., :1].expand_as(reach), lagging]


def _pair_lengths(
    batch: Batch, actions: Tensor, closing: Tensor, closed: Tensor, left: Tensor, length: Tensor
) -> list[Tensor]:
    num_pairs = batch.num_customers // 2
    reach_p, reach_d = batch.reach.chunk(2, dim=1)  # [B, Q]
    customer = actions - batch.num_depot_tokens
    picks = ((customer >= 0) & (customer < num_pairs)).long()
    ride = _of_customers(batch, batch.ride, actions)
    farthest = _still_to_come(_of_customers(batch, batch.detour, actions))
    farthest[..., 0] = reach_p.amax(dim=1, keepdim=True)
    to_come = batch.ride.sum(dim=1)[:, None, None] - _before(ride.double())
    return [
        (num_pairs - _before(picks)) / num_pairs,
        length,
        farthest,
        _still_to_come(_of_customers(batch, reach_d, actions, num_pairs)),
        _since_close(ride, closing),
        (to_come / (batch.num_vehicles - closed)).float(),
    ]


def _begun(batch: Batch, actions: Tensor, starting: Tensor) -> Tensor:
    """Depot where the open route started, -1 while it is still to be chosen: int64 [B, K, T]."""
    if batch.form != "multi":
        return torch.zeros_like(actions)
    step = torch.arange(actions.shape[-1], device=actions.device)
    last = torch.where(actions < batch.num_depots, step, 0).cummax(dim=-1).values  # latest depot action
    begun = actions.gather(2, torch.cat([last[..., :1], last[..., :-1]], dim=-1))
    return begun.masked_fill(starting, -1)


def _unvisited(batch: Batch, actions: Tensor) -> Tensor:
    """Customers not visited yet: bool [B, K, T, N]."""
    step = torch.arange(actions.shape[-1], device=actions.device)
    when = torch.zeros(*actions.shape[:2], batch.num_tokens, dtype=torch.long, device=actions.device)
    when.scatter_(2, actions, step.expand_as(actions))
    return when[:, :, None, batch.num_depot_tokens :] >= step[:, None]


def _allowed(
    batch: Batch,
    customers: Tensor,
    vehicle: Tensor,
    closed: Tensor,
    left: Tensor,
    begun: Tensor,
    actions: Tensor,
) -> Tensor:
    """bool [B, K, T, S], the masks that `State.allowed` gives step by step; `customers` are unvisited."""
    num_depot_tokens = batch.num_depot_tokens
    may_close = (closed < batch.num_vehicles - 1) | (left == 0)  # [B, K, T]
    if batch.form == "pairs":
        unpicked, undelivered = customers.chunk(2, dim=-1)
        may_close = may_close & (unpicked.sum(-1) == undelivered.sum(-1))
    customers = reachable(batch, customers)
    token = torch.arange(num_depot_tokens, device=actions.device)
    close = may_close.unsqueeze(-1)
    if batch.form != "multi":
        return torch.cat([(token == vehicle.unsqueeze(-1)) & close, customers], dim=-1)
    closing = close
    if batch.return_to == "start":
        closing = close & (token == begun.unsqueeze(-1))
    starting = begun < 0
    opening = starting.unsqueeze(-1)
    depots = torch.where(opening, _free_depots(batch, actions, starting, token), closing)
    return torch.cat([depots, customers & ~opening], dim=-1)


def _free_depots(batch: Batch, actions: Tensor, starting: Tensor, token: Tensor) -> Tensor:
    """Depots where a route may start: bool [B, K, T, D], or [D] without limits."""
    if batch.vehicles_per_depot is None:
        return torch.ones_like(token, dtype=torch.bool)
    starts = (starting.unsqueeze(-1) & (actions.unsqueeze(-1) == token)).long()  # [B, K, T, D]
    return starts.cumsum(dim=2) - starts < batch.vehicles_per_depot[:, None, None]
