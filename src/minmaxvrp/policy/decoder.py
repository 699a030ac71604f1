"""From embeddings to the probabilities of the next node: context, glimpse, clipped logits.

`precompute` multiplies every projection that does not change from step to step into per-token tables, once
per instance; `logits` then needs only look-ups and three small products. Comes after `encoder`;
`rollout` (step by step) and `teacher_forcing` (all steps at once) call it.
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .batch import Batch, euclidean
from .encoder import Encoded
from .half_products import Linear, product
from .layers import merge_heads, split_heads
from .policy_config import PolicyConfig
from .state import Decisions, reachable

TABLE_TOKENS = 2_000
"""Up to this many tokens the distance rows are looked up in a table [B, S, S]; beyond, computed."""


TABLES = ("fixed", "at_node", "by_vehicle", "glimpse_key", "glimpse_value", "logit_key")
"""Fields of `DecoderCache` with one row per instance that carry gradient."""


@dataclass(frozen=True, eq=False)
class DecoderCache:
    """Per-token tables of B encoded instances; S counts the extra depot token where there is one."""

    batch: Batch
    encoded: Encoded
    fixed: Tensor
    """[B, 1, E] W_fixed · mean of the tokens."""
    at_node: Tensor
    """[B, S, E] the part of W_step that reads the current token, times each token."""
    by_vehicle: Tensor
    """[B, M, E] the part of W_step that reads the driving vehicle, times each vehicle.

    With `start_context` [B, M + D + 1, E]: then W_start times each depot, and zeros for none yet.
    """
    feature_weight: Tensor
    """[E, 2 + lengths] the rest of W_step, then W_length; with `start_context` W_start's last column."""
    glimpse_key: Tensor
    """[B, H, S, k] scaled by 1/sqrt(k)."""
    glimpse_value: Tensor
    """[B, H, S, k]"""
    logit_key: Tensor
    """[B, S, E] W_outᵀ · L_j / sqrt(E)."""
    nearness: Tensor | None
    """[B, S, S] −dist(i, j) / max_k dist(i, k), or None: computed where it is needed, or not used."""
    free_starts: bool
    """Whether the nearness of start depots is that of `start_nearness`."""
    first_token: int | None
    """The token that counts as current at the very first step, where it is not the first vehicle's."""

    def part(self, rows: slice) -> "DecoderCache":
        """The tables of the instances `rows`."""
        return replace(
            self,
            batch=self.batch.part(rows),
            encoded=self.encoded.part(rows),
            nearness=None if self.nearness is None else self.nearness[rows],
            **{name: getattr(self, name)[rows] for name in TABLES},
        )


class Decoder(nn.Module):
    """The single-layer decoder of the paper."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        embed = config.embed
        self.num_heads = config.num_heads
        self.tanh_clip = config.tanh_clip
        self.masked_glimpse = config.masked_glimpse
        self.fixed_context = nn.Linear(embed, embed, bias=False)
        self.step_context = nn.Linear(2 * embed + 2, embed, bias=False)
        self.lengths = nn.Linear(config.num_lengths, embed, bias=False)
        self.start: nn.Linear | None = None
        if config.start_context:
            self.start = nn.Linear(embed + 1, embed, bias=False)
        self.keys = Linear(embed, 3 * embed, bias=False)  # glimpse key, glimpse value, logit key
        self.out = nn.Linear(embed, embed, bias=False)
        self.distance_scalar = nn.Parameter(torch.ones(1)) if config.distance_bias else None
        self.context_head: nn.Sequential | None = None
        if config.context_head:
            self.context_head = nn.Sequential(
                nn.Linear(embed, 8 * embed, bias=False), nn.ReLU(), nn.Linear(8 * embed, embed, bias=False)
            )

    def precompute(self, encoded: Encoded, batch: Batch) -> DecoderCache:
        """The tables of encoded instances. Gradients flow through them."""
        nodes, embed = encoded.nodes, encoded.nodes.shape[-1]
        key, value, logit = self.keys(nodes).chunk(3, dim=-1)
        step = self.step_context.weight  # [E, 2E + 2]
        head_size = embed // self.num_heads
        extra = nodes.shape[1] > batch.num_tokens
        by_vehicle = encoded.vehicles @ step[:, embed : 2 * embed].T
        feature_weight = torch.cat([step[:, 2 * embed :], self.lengths.weight], dim=1)
        if self.start is not None:
            by_depot = nodes[:, : batch.num_depots] @ self.start.weight[:, :embed].T
            by_vehicle = torch.cat([by_vehicle, F.pad(by_depot, (0, 0, 0, 1))], dim=1)
            feature_weight = torch.cat([feature_weight, self.start.weight[:, embed:]], dim=1)
        return DecoderCache(
            batch=batch,
            encoded=encoded,
            fixed=self.fixed_context(nodes.mean(dim=1, keepdim=True)),
            at_node=product(nodes, step[:, :embed]),
            by_vehicle=by_vehicle,
            feature_weight=feature_weight,
            glimpse_key=split_heads(key * head_size**-0.5, self.num_heads),
            glimpse_value=split_heads(value, self.num_heads),
            logit_key=product(logit, self.out.weight.T * embed**-0.5),
            nearness=self._nearness_table(batch),
            free_starts=self.start is not None,
            first_token=nodes.shape[1] - 1 if extra else None,
        )

    def _nearness_table(self, batch: Batch) -> Tensor | None:
        if self.distance_scalar is None or batch.num_tokens > TABLE_TOKENS:
            return None
        return nearness(batch.tokens, batch.tokens)

    def query(self, cache: DecoderCache, decisions: Decisions) -> Tensor:
        """The context q of R decisions: [B, R, E]."""
        current = decisions.current
        if cache.first_token is not None:
            current = current.masked_fill(decisions.first, cache.first_token)
        features = decisions.features
        if self.start is not None:
            features = torch.cat([features, decisions.way_back.unsqueeze(-1)], dim=-1)
        q = cache.fixed + features @ cache.feature_weight.T
        q = q + rows(cache.at_node, current) + rows(cache.by_vehicle, decisions.vehicle)
        if self.start is not None:
            q = q + rows(cache.by_vehicle, cache.batch.num_vehicles + decisions.begun)
        if self.context_head is not None:
            q = q + self.context_head(q)
        return q

    def glimpse(self, cache: DecoderCache, decisions: Decisions) -> Tensor:
        """What each decision sees of all tokens, or with `masked_glimpse` of those left: [B, R, E]."""
        q = split_heads(self.query(cache, decisions), self.num_heads)  # [B, H, R, k]
        left = still_there(cache, decisions) if self.masked_glimpse else None
        seen = F.scaled_dot_product_attention(
            q, cache.glimpse_key, cache.glimpse_value, attn_mask=left, scale=1.0
        )
        return merge_heads(seen)

    def logits(self, cache: DecoderCache, decisions: Decisions) -> Tensor:
        """Clipped logits, −inf where not allowed: [B, R, S]."""
        key = cache.logit_key[:, : cache.batch.num_tokens]
        score = self.glimpse(cache, decisions) @ key.transpose(1, 2)  # [B, R, S]
        if self.distance_scalar is not None:
            score = score + self.distance_scalar * nearness_rows(cache, decisions)
        clipped = self.tanh_clip * torch.tanh(score)
        return clipped.masked_fill(~decisions.allowed, -torch.inf)


def still_there(cache: DecoderCache, decisions: Decisions) -> Tensor:
    """The tokens that a masked glimpse sees: bool [B, 1, R, S], the extra depot token included."""
    customers = reachable(cache.batch, decisions.unvisited)
    extra = cache.glimpse_key.shape[2] - cache.batch.num_tokens
    left = F.pad(customers, (cache.batch.num_depot_tokens, extra), value=True)
    return left.unsqueeze(1)


def rows(table: Tensor, index: Tensor) -> Tensor:
    """Rows of `table` [B, n, E] at `index` int64 [B, R]: [B, R, E]."""
    size, num_rows = table.shape[:2]
    offset = torch.arange(size, device=index.device).unsqueeze(1) * num_rows
    # whole rows of one long table: several times faster than gather, in both directions
    found = table.reshape(size * num_rows, -1).index_select(0, (index + offset).flatten())
    return found.view(*index.shape, table.shape[-1])


def nearness(places: Tensor, tokens: Tensor) -> Tensor:
    """−dist(i, j) / max_k dist(i, k) of `places` [B, n, 2] and `tokens` [B, S, 2]: [B, n, S].

    Where all tokens lie on one point it is 0.
    """
    apart = euclidean(places.unsqueeze(2) - tokens.unsqueeze(1))
    largest = apart.amax(dim=-1, keepdim=True)
    return apart / -largest.masked_fill(largest == 0.0, 1.0)


def nearness_rows(cache: DecoderCache, decisions: Decisions) -> Tensor:
    """Nearness of all tokens to the current ones of R decisions: [B, R, S]."""
    tokens, current = cache.batch.tokens, decisions.current
    if cache.nearness is not None:
        found = rows(cache.nearness, current)
    else:
        found = nearness(rows(tokens, current), tokens)
    if cache.free_starts:
        starting = decisions.begun == cache.batch.num_depots  # [B, R]
        near = start_nearness(
            cache.batch,
            starting.nonzero()[:, 0],
            decisions.unvisited[starting],
            decisions.features[..., 0][starting],
        )
        found[starting] = F.pad(near, (0, cache.batch.num_customers))
    return found


def start_nearness(batch: Batch, instance: Tensor, unvisited: Tensor, to_come: Tensor) -> Tensor:
    """How near each depot is to a fair share of the work left, for n decisions on a start.

    −mean distance to its nearest unvisited customers, as many as one of the vehicles left should visit,
    divided by the largest of the depots' means: [n, D]. `instance` int64 [n] is the row of the batch,
    `unvisited` bool [n, N], `to_come` float32 [n] the first feature: the share of the vehicles still to come.
    """
    apart = euclidean(batch.depots.unsqueeze(2) - batch.customers.unsqueeze(1))  # [B, D, N]
    ranked, by_rank = apart.sort(dim=-1, stable=True)
    left = unvisited.gather(1, by_rank.flatten(1)[instance]).view(-1, *by_rank.shape[1:])  # [n, D, N]
    later = (to_come * batch.num_vehicles).round()  # vehicles after this one
    share = torch.ceil(unvisited.sum(dim=-1) / (later + 1.0))  # [n]
    near = left.cumsum(dim=-1, dtype=torch.int32) <= share.int().view(-1, 1, 1)
    taken = ranked[instance] * (left & near)
    mean = taken.sum(dim=-1) / share.clamp(min=1.0).unsqueeze(-1)  # [n, D]
    largest = mean.amax(dim=-1, keepdim=True)
    return mean / -largest.masked_fill(largest == 0.0, 1.0)
