"""The authors' weights: turn a published `.pt` file into one of our weights files.

Only torch's safe loader reads the file (`weights_only=True`), never a fallback to unpickling. Names and
shapes follow the published programs; sizes are read from the tensors. `weights_file` writes the result.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..errors import InputError
from .network import Network
from .policy_config import Form, PolicyConfig, ReturnRule
from .weights_file import save_weights

PUBLISHED_HEADS = 8
PUBLISHED_CLIP = 50.0

Rename = Iterator[tuple[str, list[str], Callable[[list[Tensor]], Tensor]]]
"""(our name, the authors' tensors that make it, how)."""


def _same(parts: list[Tensor]) -> Tensor:
    return parts[0]


def _joined(parts: list[Tensor]) -> Tensor:
    return torch.cat(parts, dim=0)


def _heads(parts: list[Tensor]) -> Tensor:
    """Per-head matrices [H, E, k] as rows of linear weights, one block of E rows per part."""
    return torch.cat([part.permute(0, 2, 1).reshape(-1, part.shape[1]) for part in parts], dim=0)


def _linear(ours: str, theirs: str, *, bias: bool = True) -> Rename:
    for what in ("weight", "bias") if bias else ("weight",):
        yield f"{ours}.{what}", [f"{theirs}.{what}"], _same


def _block(ours: str, attention: tuple[str, str, str], combine: str, norm: str, feed: str) -> Rename:
    """One attention with its feed-forward; `attention` is empty where the projections are special."""
    query, key, value = attention
    if query:
        yield f"{ours}.attention.query.weight", [f"{query}.weight"], _same
        yield f"{ours}.attention.key_value.weight", [f"{key}.weight", f"{value}.weight"], _joined
    yield from _linear(f"{ours}.attention.combine", combine)
    yield f"{ours}.attention_scalar", [f"{norm}.alpha"], _same
    yield f"{ours}.feed_forward_scalar", [f"{feed}.alpha"], _same
    yield from _linear(f"{ours}.feed_forward.first", f"{feed}.W1")
    yield from _linear(f"{ours}.feed_forward.second", f"{feed}.W2")


def _single_layer(ours: str, theirs: str, form: Form) -> Rename:
    def block(name: str, suffix: str, number: int, special: bool = False) -> Rename:
        projections = ("", "", "") if special else tuple(f"{theirs}.W{x}{suffix}" for x in "qkv")
        yield from _block(
            f"{ours}.{name}",
            (projections[0], projections[1], projections[2]),
            f"{theirs}.multi_head_combine{suffix}",
            f"{theirs}.addAndNormalization{number}",
            f"{theirs}.feedForward{number}",
        )

    paired = form == "pairs"
    yield from block("navigation", "_3", 3, special=paired)
    yield from block("gather", "", 1)
    yield from block("assign", "_2", 2)
    if not paired:
        return
    inner = f"{ours}.navigation.attention"
    yield f"{inner}.query.weight", [f"{theirs}.W_query"], _heads
    yield f"{inner}.key_value.weight", [f"{theirs}.W_key", f"{theirs}.W_val"], _heads
    own_pickups_deliveries = ("1", "2", "3")
    yield f"{inner}.pickup_queries.weight", [f"{theirs}.W{x}_query" for x in own_pickups_deliveries], _heads
    own_pickups_deliveries = ("4", "6", "5")
    yield f"{inner}.delivery_queries.weight", [f"{theirs}.W{x}_query" for x in own_pickups_deliveries], _heads
    crossed = f"{ours}.assign.attention"
    yield f"{crossed}.query_pickup.weight", [f"{theirs}.Wq_2_pickup.weight"], _same
    yield f"{crossed}.query_delivery.weight", [f"{theirs}.Wq_2_delivery.weight"], _same


def _multi_layer(ours: str, theirs: str) -> Rename:
    blocks = (
        ("navigation", "", "s", "addAndNormalizations", "feedForwards"),
        ("depots_from_customers", "", "dn", "addAndNormalization1_dn", "feedForward1_dn"),
        ("customers_from_depots", "2", "dn", "addAndNormalization2_dn", "feedForward2_dn"),
        ("vehicles_from_depots", "", "ad", "addAndNormalization1_ad", "feedForward1_ad"),
        ("depots_from_vehicles", "2", "ad", "addAndNormalization2_ad", "feedForward2_ad"),
        ("vehicles_from_customers", "", "an", "addAndNormalization1_an", "feedForward1_an"),
        ("customers_from_vehicles", "2", "an", "addAndNormalization2_an", "feedForward2_an"),
    )
    for name, number, part, norm, feed in blocks:
        yield from _block(
            f"{ours}.{name}",
            (
                f"{theirs}.Wq{number}_{part}",
                f"{theirs}.Wk{number}_{part}",
                f"{theirs}.Wv{number}_{part}",
            ),
            f"{theirs}.multi_head_combine{number}_{part}",
            f"{theirs}.{norm}",
            f"{theirs}.{feed}",
        )


def _names(config: PolicyConfig) -> Rename:
    """Every tensor of our network and what it is made of."""
    multi = config.form == "multi"
    if multi:
        yield "encoder.beta", ["beta"], _same
        yield from _linear("encoder.depot", "init_embed_depot")
        vehicle = "encoder"
    else:
        vehicle = "encoder.vehicle"
        yield from _linear(f"{vehicle}.depot", "init_embed_depot")
        yield from _linear(f"{vehicle}.agent", "init_embed_agent")
    yield f"{vehicle}.alpha", ["alpha"], _same
    yield from _linear(f"{vehicle}.project", "pos_emb_proj.0", bias=False)
    if config.form == "pairs":
        yield from _linear("encoder.pickup", "init_embed_pick")
        yield from _linear("encoder.delivery", "init_embed_delivery")
    else:
        yield from _linear("encoder.customer", "init_embed")
    for layer in range(config.num_layers):
        ours, theirs = f"encoder.layers.{layer}", f"embedder.layers.{layer}"
        yield from _multi_layer(ours, theirs) if multi else _single_layer(ours, theirs, config.form)
    yield "decoder.distance_scalar", ["dist_alpha_1"], _same
    yield from _linear("decoder.lengths", "dis_emb.0", bias=False)
    yield from _linear("decoder.keys", "project_node_embeddings", bias=False)
    yield from _linear("decoder.fixed_context", "project_fixed_context", bias=False)
    yield from _linear("decoder.step_context", "project_step_context", bias=False)
    yield from _linear("decoder.out", "project_out", bias=False)
    if config.context_head:
        yield from _linear("decoder.context_head.0", "contextual_emb.0", bias=False)
        yield from _linear("decoder.context_head.2", "contextual_emb.2", bias=False)


_UNUSED: dict[Form, tuple[str, ...]] = {
    "single": ("beta",),
    "pairs": ("beta", "init_embed.weight", "init_embed.bias"),
    "multi": ("init_embed_agent.weight", "init_embed_agent.bias"),
}
"""Tensors that the published files hold and their programs never read."""


def published_config(tensors: Mapping[str, Tensor], return_to: ReturnRule = "start") -> PolicyConfig:
    """The config of an authors' state dict, read from names and shapes.

    Several depots look alike with both return rules, so `return_to` says which one was trained.
    """
    layers = {int(name.split(".")[2]) for name in tensors if name.startswith("embedder.layers.")}
    if not layers or "init_embed_depot.weight" not in tensors:
        raise InputError(
            "no tensors embedder.layers.* and init_embed_depot.weight: not a published DPN model"
        )
    form: Form = "single"
    if "init_embed_pick.weight" in tensors:
        form = "pairs"
    elif "embedder.layers.0.Wq_s.weight" in tensors:
        form = "multi"
    hidden = [n for n in tensors if n.startswith("embedder.layers.0.feedForward") and n.endswith("W1.weight")]
    if not hidden:
        raise InputError("no tensor embedder.layers.0.feedForward*.W1.weight: not a published DPN model")
    heads = tensors.get("embedder.layers.0.W_query")
    return PolicyConfig(
        form=form,
        return_to=return_to,
        embed=tensors["init_embed_depot.weight"].shape[0],
        num_layers=max(layers) + 1,
        num_heads=PUBLISHED_HEADS if heads is None else heads.shape[0],
        hidden=tensors[hidden[0]].shape[0],
        tanh_clip=PUBLISHED_CLIP,
        context_head="contextual_emb.0.weight" in tensors,
    )


def network_from_published(
    state_dict: Mapping[str, Tensor | NDArray[Any]], return_to: ReturnRule = "start"
) -> Network:
    """Our network with the weights of an authors' state dict.

    Raises `InputError` naming tensors that are missing, unknown or of another shape.
    """
    tensors = {
        name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
        for name, value in state_dict.items()
    }
    config = published_config(tensors, return_to)
    names = list(_names(config))
    wanted = {theirs for _, parts, _ in names for theirs in parts}
    if missing := sorted(wanted - set(tensors)):
        raise InputError(f"missing tensors: {_listed(missing)}")
    if unknown := sorted(set(tensors) - wanted - set(_UNUSED[config.form])):
        raise InputError(f"unknown tensors: {_listed(unknown)}")
    network = Network(config)
    own = network.state_dict()
    for ours, parts, make in names:
        made = make([tensors[part].detach().float() for part in parts])
        if made.shape != own[ours].shape:
            got, expected = tuple(made.shape), tuple(own[ours].shape)
            raise InputError(f"{' + '.join(parts)} gives shape {got}, expected {expected}")
        own[ours] = made
    network.load_state_dict(own)
    return network


def _listed(names: list[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


UNSAFE = re.compile(r"GLOBAL:? (\S+)")
"""How torch names what its safe loader does not load."""
DDP = "module."
"""What torch's DistributedDataParallel puts before every name."""


def read_published(path: Path | str, return_to: ReturnRule = "start") -> Network:
    """Our network with the weights of the authors' file `path` (a state dict or a whole checkpoint).

    Raises `InputError` when the file is not one, or holds more than plain tensors and containers.
    """
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except Exception as error:
        found = UNSAFE.search(str(error))  # torch's own words advise to load it unsafely
        reason = f"it names {found[1]}" if found else "expected a checkpoint that torch.save wrote (.pt)"
        raise InputError(f"{path}: not a file that torch's safe loader reads: {reason}") from None
    if isinstance(content, Mapping) and isinstance(content.get("model"), Mapping):
        content = content["model"]
    if isinstance(content, Mapping):  # trained by several processes (DDP): every name has a prefix
        while content and all(str(name).startswith(DDP) for name in content):
            content = {str(name).removeprefix(DDP): tensor for name, tensor in content.items()}
    if not isinstance(content, Mapping) or not all(isinstance(v, Tensor) for v in content.values()):
        raise InputError(f"{path}: expected a dict of tensors, or a checkpoint with one under 'model'")
    try:
        return network_from_published(content, return_to)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def import_weights(source: Path | str, target: Path | str, return_to: ReturnRule = "start") -> PolicyConfig:
    """Turn the authors' file `source` into the weights file `target`; returns the config found.

    For several depots `return_to` says which of the two problems the file was trained for. Raises
    `InputError` when the file is not a published DPN model.
    """
    network = read_published(source, return_to)
    digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    provenance = {"origin": "published weights", "file": Path(source).name, "sha256": digest}
    save_weights(target, network, provenance)
    return network.config
