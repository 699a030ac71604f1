"""From tensors to the arrays of the compiled `replay`, and its gradients back to tensors.

Comes after `trace`; `teacher_forcing` calls it where it serves the network.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from ..jit.cache import config
from ..jit.simd import WIDTH
from .batch import Batch, euclidean
from .decoder import TABLES, Decoder, DecoderCache, start_nearness
from .kernels.replay import replay
from .kernels.replay_arrays import Choices, ReplayTables, Steps, new_replay_workspace
from .kernels.rollout_arrays import FORBIDDEN
from .kernels.threads import over_instances
from .layers import merge_heads, split_heads
from .trace import Contexts


@dataclass(frozen=True)
class Gradients:
    """Of a sum of log-probabilities, along what it was computed from."""

    tables: dict[str, Tensor]
    """By the names of `TABLES`."""
    feature_weight: Tensor
    distance_scalar: Tensor | None
    """None where it is in the graph already, or does not exist."""


def can_replay(decoder: Decoder, cache: DecoderCache) -> bool:
    """Whether the compiled replay serves this decoder: heads of sixteen, no extra token or head, on a CPU."""
    embed = decoder.out.in_features
    plain = decoder.context_head is None and cache.first_token is None
    return (
        plain
        and embed == WIDTH * decoder.num_heads
        and cache.fixed.device.type == "cpu"
        and not config.DISABLE_JIT
    )


def replay_compiled(
    decoder: Decoder,
    cache: DecoderCache,
    found: Contexts,
    actions: Tensor,
    weight: Tensor,
    temperature: float = 1.0,
) -> tuple[Tensor, Gradients]:
    """Log p of the actions, float32 [B, K, T], and the gradient of Σ weight · log p.

    `found` are the contexts of the rollouts, `weight` float32 [B, K, T]; logits are divided by `temperature`.
    The result does not depend on the number of torch's threads.
    """
    with torch.no_grad():
        tables, steps = _tables(decoder, cache), _steps(decoder, cache, found, actions, weight)
    choices = Choices(
        clip=float(decoder.tanh_clip) / temperature,
        num_pairs=cache.batch.num_customers // 2 if cache.batch.form == "pairs" else 0,
        chooses_start=cache.batch.form == "multi",
        hides_visited=decoder.masked_glimpse,
        biased=decoder.distance_scalar is not None,
    )
    grad = _zero_gradients(tables, len(actions))
    log_p = np.empty(steps.weight.shape, dtype=np.float32)
    size, num_tokens, embed = tables.at_node.shape

    def run(instances: range) -> None:
        work = new_replay_workspace(num_tokens, embed)
        for b in instances:
            replay(tables, steps, choices, work, b, grad, log_p)

    over_instances(run, size)
    return torch.from_numpy(log_p)[..., : actions.shape[2]].clone(), _to_tensors(decoder, grad)


def _tables(decoder: Decoder, cache: DecoderCache) -> ReplayTables:
    scalar = decoder.distance_scalar
    return ReplayTables(
        fixed=_array(cache.fixed[:, 0]),
        at_node=_array(cache.at_node),
        by_vehicle=_array(cache.by_vehicle),
        glimpse_key=_array(merge_heads(cache.glimpse_key)),
        glimpse_value=_array(merge_heads(cache.glimpse_value)),
        logit_key=_array(cache.logit_key),
        feature_weight=_array(cache.feature_weight.T),
        distance_scalar=_array(cache.fixed.new_zeros(1) if scalar is None else scalar),
    )


def _steps(decoder: Decoder, cache: DecoderCache, found: Contexts, actions: Tensor, weight: Tensor) -> Steps:
    batch, places = cache.batch, cache.batch.tokens  # [B, S, 2]
    farthest = euclidean(places.unsqueeze(2) - places.unsqueeze(1)).amax(dim=-1)  # [B, S]
    num_steps = actions.shape[2]
    visit = actions.new_zeros(*actions.shape[:2], batch.num_tokens)
    visit.scatter_(2, actions, torch.arange(num_steps).expand_as(actions))
    visit = visit[..., batch.num_depot_tokens :]  # [B, K, N]
    features, start = found.features, actions[..., :0]
    if decoder.start is not None:
        features = torch.cat([features, found.way_back.unsqueeze(-1)], dim=-1)
        start = _filled(batch.num_vehicles + found.begun.masked_fill(found.begun < 0, batch.num_depots))
    starts = cache.free_starts and decoder.distance_scalar is not None
    near = _starts(batch, found, visit) if starts else weight.unsqueeze(2)[:, :, :0]
    allowed = torch.where(found.depots, 0.0, float(FORBIDDEN)).transpose(2, 3)  # [B, K, G, T]
    return Steps(
        x=_array(places[..., 0]),
        y=_array(places[..., 1]),
        nearest=_array(torch.where(farthest > 0.0, 1.0 / farthest, 0.0)),
        current=_array(_filled(found.current)),
        vehicle=_array(_filled(found.vehicle)),
        start=_array(start),
        features=_array(F.pad(features, (0, 0, 0, -num_steps % WIDTH))),
        depots=_array(_filled(allowed)),
        customers=_array(_filled(torch.where(found.begun < 0, float(FORBIDDEN), 0.0))),
        start_nearness=_array(_filled(near)),
        chosen=_array(_filled(actions).float()),
        visit=_array(visit),
        weight=_array(_filled(weight)),
    )


def _starts(batch: Batch, found: Contexts, visit: Tensor) -> Tensor:
    """Nearness of the depots where a start is chosen, else 0: [B, K, D, T]."""
    instance, rollout, step = (found.begun < 0).nonzero().unbind(dim=1)
    unvisited = visit[instance, rollout] >= step.unsqueeze(-1)  # [n, N]
    near = found.way_back.new_zeros(*found.begun.shape, batch.num_depots)
    near[instance, rollout, step] = start_nearness(
        batch, instance, unvisited, found.features[instance, rollout, step, 0]
    )
    return near.transpose(2, 3)


def _zero_gradients(tables: ReplayTables, size: int) -> ReplayTables:
    shared = {
        "feature_weight": np.zeros((size, *tables.feature_weight.shape), dtype=np.float32),
        "distance_scalar": np.zeros(size, dtype=np.float32),
    }
    own = {name: np.zeros_like(table) for name, table in tables._asdict().items() if name not in shared}
    return ReplayTables(**own, **shared)


def _to_tensors(decoder: Decoder, grad: ReplayTables) -> Gradients:
    tables = {name: torch.from_numpy(getattr(grad, name)) for name in TABLES}
    tables["fixed"] = tables["fixed"].unsqueeze(1)
    for name in ("glimpse_key", "glimpse_value"):
        tables[name] = split_heads(tables[name], decoder.num_heads)
    scalar = torch.from_numpy(grad.distance_scalar).sum().view(1)
    return Gradients(
        tables,
        torch.from_numpy(grad.feature_weight).sum(dim=0).T,
        None if decoder.distance_scalar is None else scalar,
    )


def _filled(values: Tensor) -> Tensor:
    """[..., T] filled up with zeros to a multiple of sixteen."""
    return F.pad(values, (0, -values.shape[-1] % WIDTH))


def _array(values: Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(values.detach().numpy())
