"""Weights files: the tensors of a network with config, format version, provenance and checksum.

Refused when corrupt, truncated or of another version. `published_weights` and training write them, `policy`
reads them; the file itself is `tensor_file`'s.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from ..errors import InputError
from .network import Network
from .policy_config import PolicyConfig
from .tensor_file import Metadata, read_metadata, read_tensors, write_tensors

FORMAT = "minmaxvrp policy"
FORMAT_VERSION = "1"
INT8_VERSION = "2"
"""Of files with 8-bit weights, which programs from before do not know."""

Precision = Literal["float32", "float16", "int8"]

SCALE = ".scale"
"""Ending of the tensor that holds the scales of 8-bit rows."""
LEAST_ROW = 16
"""Shorter rows, such as those that read coordinates, are kept in float32: a scale each would gain nothing."""


@dataclass(frozen=True)
class Header:
    """What a weights file says about itself."""

    config: PolicyConfig
    provenance: dict[str, Any]
    """Where the weights come from: training command, seeds, data, commit, or the published file."""


def save_weights(
    path: Path | str,
    network: Network,
    provenance: Mapping[str, Any],
    precision: Precision = "float32",
) -> None:
    """Write `network` to `path`, all or nothing; `precision` is how the weights are stored.

    int8: a matrix as whole numbers from -127 to 127 with one scale per row, all else in float32. Raises
    `InputError` when the file cannot be written.
    """
    tensors = {name: value.detach().cpu() for name, value in network.state_dict().items()}
    if precision == "float16":
        tensors = {name: value.half() for name, value in tensors.items()}
    if precision == "int8":
        tensors = quantise(tensors)
    metadata = {
        "format": FORMAT,
        "format_version": INT8_VERSION if precision == "int8" else FORMAT_VERSION,
        "config": json.dumps(network.config.to_dict(), sort_keys=True),
        "provenance": json.dumps(dict(provenance), sort_keys=True),
    }
    write_tensors(path, tensors, metadata)


def load_weights(path: Path | str, device: torch.device | str = "cpu") -> tuple[Network, Header]:
    """The network of `path`, in float32 on `device`, ready for inference, and its header.

    Raises `InputError` when the file is missing, corrupt, truncated or of another version or kind.
    """
    stored, metadata = read_tensors(path)
    header = _header(path, metadata)
    tensors = dequantise(stored)
    network = Network(header.config)
    own = network.state_dict()
    if set(tensors) != set(own):
        odd = sorted(set(tensors) ^ set(own))[0]
        raise InputError(f"{path}: tensor {odd} does not belong with the others of its config")
    for name, value in own.items():
        if tensors[name].shape != value.shape:
            got, expected = tuple(tensors[name].shape), tuple(value.shape)
            raise InputError(f"{path}: tensor {name} has shape {got}, expected {expected}")
        own[name] = tensors[name]
        if not own[name].isfinite().all():
            raise InputError(f"{path}: tensor {name} holds a value that is not a finite number")
    network.load_state_dict(own)
    return network.to(device).eval(), header


def read_header(path: Path | str) -> Header:
    """The header of `path` without its tensors. Raises `InputError` as `load_weights` does."""
    return _header(path, read_metadata(path))


def quantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with the largest magnitude of each row at 127, and their scales; the rest as it is.

    A matrix with a value that is not finite stays as it is, so that loading refuses it by name.
    """
    found: dict[str, Tensor] = {}
    for name, value in tensors.items():
        if value.dim() != 2 or value.shape[1] < LEAST_ROW or not value.isfinite().all():
            found[name] = value.float()
            continue
        scale = value.abs().amax(dim=1).clamp(min=1e-30) / 127.0  # [rows]
        found[name] = (value / scale.unsqueeze(1)).round().to(torch.int8)
        found[name + SCALE] = scale
    return found


def dequantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What `quantise` was given, up to rounding; tensors of any other type in float32."""
    found = {}
    for name, value in tensors.items():
        whole = tensors.get(name.removesuffix(SCALE))
        if name.endswith(SCALE) and whole is not None and whole.dtype == torch.int8:
            continue
        scale = tensors.get(name + SCALE)
        quantised = value.dtype == torch.int8 and scale is not None and scale.shape == value.shape[:1]
        found[name] = value.float() * scale.unsqueeze(1) if quantised and scale is not None else value.float()
    return found


def _header(path: Path | str, metadata: Metadata) -> Header:
    if metadata.get("format") != FORMAT:
        raise InputError(f"{path}: format = {metadata.get('format')!r}, expected {FORMAT!r}")
    version = metadata.get("format_version")
    if version not in (FORMAT_VERSION, INT8_VERSION):
        raise InputError(
            f"{path}: format version {version!r}, expected {FORMAT_VERSION!r} or {INT8_VERSION!r}"
        )
    try:
        config, provenance = json.loads(metadata["config"]), json.loads(metadata["provenance"])
        if not isinstance(config, dict) or not isinstance(provenance, dict):
            raise ValueError("expected objects")
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: metadata without config and provenance as JSON: {error}") from None
    try:
        return Header(PolicyConfig.from_dict(config), provenance)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
