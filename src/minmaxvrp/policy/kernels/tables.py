"""The decoder's matrix products that do not change from step to step, precomputed per instance.

Comes after `encoder`; `rollouts` hands the tables to the compiled loops. It computes what
`Decoder.precompute` does for torch, in the memory order of the kernels, and keeps no gradient.
"""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from ..batch import Batch
from ..decoder import Decoder
from ..encoder import Encoded
from ..layers import split_heads
from .arithmetic import BLOCK, Tables
from .rollout_arrays import BatchArrays

LEAST_EMBED = 16
"""The kernels read embeddings sixteen numbers at a time."""


def is_supported(decoder: Decoder) -> bool:
    """Whether the compiled rollouts serve this decoder: embeddings in multiples of sixteen."""
    return decoder.out.in_features % LEAST_EMBED == 0


def precompute_tables(decoder: Decoder, encoded: Encoded, batch: Batch) -> Tables:
    """The tables of encoded instances, on the CPU.

    Raises `ValueError` when `is_supported` says no.
    """
    if not is_supported(decoder):
        raise ValueError(f"embedding size {decoder.out.in_features}, expected a multiple of {LEAST_EMBED}")
    with torch.inference_mode():
        return _tables_of(decoder, encoded, batch)


def _tables_of(decoder: Decoder, encoded: Encoded, batch: Batch) -> Tables:
    nodes = encoded.nodes.detach().to("cpu", torch.float32)  # [B, S, E]
    vehicles = encoded.vehicles.detach().to("cpu", torch.float32)  # [B, M, E]
    num_heads, embed = decoder.num_heads, nodes.shape[-1]
    depth = embed // num_heads
    weight = {name: value.detach().to("cpu", torch.float32) for name, value in decoder.named_parameters()}
    key, value, logit = weight["keys.weight"].chunk(3)
    step = weight["step_context.weight"]  # [E, 2E + 2]
    keys = nodes @ (key * (math.log2(math.e) / math.sqrt(depth))).T
    current = nodes @ step[:, :embed].T
    current += (nodes.mean(dim=1) @ weight["fixed_context.weight"].T).unsqueeze(1)
    output = (weight["out.weight"].double().T @ logit.double() / math.sqrt(embed)).float()
    scalar = weight.get("distance_scalar")
    by_vehicle = vehicles @ step[:, embed : 2 * embed].T
    features = torch.cat([step[:, 2 * embed :], weight["lengths.weight"]], dim=1)
    start = weight.get("start.weight")  # [E, E + 1]
    if start is not None:
        by_depot = nodes[:, : batch.num_depots] @ start[:, :embed].T
        by_vehicle = torch.cat([by_vehicle, F.pad(by_depot, (0, 0, 0, 1))], dim=1)
        features = torch.cat([features, start[:, embed:]], dim=1)
    head_in = weight.get("context_head.0.weight", nodes.new_empty(0, embed))  # [U, E]
    head_out = weight.get("context_head.2.weight", nodes.new_empty(embed, 0))  # [E, U]
    return Tables(
        keys=_array(_blocks(split_heads(keys, num_heads))),
        values=_array(split_heads(nodes @ value.T, num_heads)),
        logits=_array(_blocks(nodes @ output.T)),
        current=_array(current),
        vehicles=_array(by_vehicle),
        features=_array(features.T),
        head_in=_array(_blocks(head_in)),
        head_out=_array(_blocks(head_out)),
        distance_scale=0.0 if scalar is None else float(scalar),
        clip=float(decoder.tanh_clip),
        reads_start=start is not None,
        hides_visited=decoder.masked_glimpse,
        first_token=nodes.shape[1] - 1 if nodes.shape[1] > batch.num_tokens else -1,
    )


def batch_arrays(batch: Batch) -> BatchArrays:
    """What the compiled rollouts need to know of a batch."""
    places = batch.tokens.detach().cpu().numpy().astype(np.float32)  # [B, S, 2]
    limit = batch.vehicles_per_depot
    if limit is None:
        capacity = np.full((batch.size, batch.num_depot_tokens), batch.num_vehicles, dtype=np.int64)
    else:
        capacity = np.ascontiguousarray(limit.cpu().numpy(), dtype=np.int64)
    first, far = batch.num_depot_tokens, _array(batch.reach.detach().cpu())  # [B, N]
    half = batch.num_customers // 2 if batch.form == "pairs" else 0
    key, start = far[:, None], np.array([first])  # [B, rows, R]
    if half:
        key = np.stack([_array(batch.detour.detach().cpu()), far[:, half:]], axis=1)
        start = np.array([first, first + half])
    order = np.argsort(-key, axis=-1, kind="stable")
    nearby = np.zeros((batch.size, 0, 0), dtype=np.int64)
    if batch.form == "multi":
        apart = np.linalg.norm(places[:, :first, None] - places[:, None, first:], axis=-1)  # [B, D, N]
        nearby = np.argsort(apart, axis=-1, kind="stable") + first
    return BatchArrays(
        x=np.ascontiguousarray(places[..., 0]),
        y=np.ascontiguousarray(places[..., 1]),
        num_depot_tokens=first,
        num_vehicles=batch.num_vehicles,
        num_pairs=half,
        chooses_start=batch.form == "multi",
        returns_anywhere=batch.return_to == "any",
        capacity=capacity,
        pair_length=_array(batch.ride.detach().cpu()) if half else np.zeros((batch.size, 0), np.float32),
        first_reach=(far[:, :half] if half else far).max(axis=1),
        reach=np.ascontiguousarray(np.take_along_axis(key, order, axis=-1)),
        ranked=np.ascontiguousarray(order + start[:, None]),
        nearby=nearby,
    )


def _blocks(rows: Tensor) -> Tensor:
    """[..., S, k] as [..., blocks, k, 8]; the last token fills the last block up."""
    filling = rows[..., -1:, :].expand(*rows.shape[:-2], -rows.shape[-2] % BLOCK, rows.shape[-1])
    rows = torch.cat([rows, filling], dim=-2)
    return rows.view(*rows.shape[:-2], rows.shape[-2] // BLOCK, BLOCK, rows.shape[-1]).transpose(-1, -2)


def _array(values: Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(values.numpy())
