"""Checkpoints: weights as safetensors with config, format version, provenance and checksum in the metadata.

Written atomically; refused when corrupt, truncated or of another version. Nothing is ever unpickled.
`published` and training write them, `construct` reads them.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from ..errors import InputError
from .config import PolicyConfig
from .network import Network

FORMAT = "minmaxvrp policy"
FORMAT_VERSION = "1"


@dataclass(frozen=True)
class Header:
    """What a checkpoint says about itself."""

    config: PolicyConfig
    provenance: dict[str, Any]
    """Where the weights come from: training command, seeds, data, commit, or the published file."""


def save_weights(
    path: Path | str, network: Network, provenance: Mapping[str, Any], *, half: bool = False
) -> None:
    """Write `network` to `path`, all or nothing. `half` stores float16, half the size."""
    tensors = {name: value.detach().cpu() for name, value in network.state_dict().items()}
    if half:
        tensors = {name: value.half() for name, value in tensors.items()}
    metadata = {
        "config": json.dumps(network.config.to_dict(), sort_keys=True),
        "provenance": json.dumps(dict(provenance), sort_keys=True),
    }
    write_tensors(path, tensors, metadata)


def load_weights(path: Path | str, device: torch.device | str = "cpu") -> tuple[Network, Header]:
    """The network of `path`, in float32 on `device`, ready for inference, and its header.

    Raises `InputError` when the file is missing, corrupt, truncated or of another version or kind.
    """
    tensors, metadata = read_tensors(path)
    header = _header(path, metadata)
    network = Network(header.config)
    own = network.state_dict()
    if set(tensors) != set(own):
        odd = sorted(set(tensors) ^ set(own))[0]
        raise InputError(f"{path}: tensor {odd} does not belong with the others of its config")
    for name, value in own.items():
        if tensors[name].shape != value.shape:
            got, expected = tuple(tensors[name].shape), tuple(value.shape)
            raise InputError(f"{path}: tensor {name} has shape {got}, expected {expected}")
        own[name] = tensors[name].float()
        if not own[name].isfinite().all():
            raise InputError(f"{path}: tensor {name} holds a value that is not a finite number")
    network.load_state_dict(own)
    return network.to(device).eval(), header


def read_header(path: Path | str) -> Header:
    """The header of `path` without its tensors. Raises `InputError` as `load_weights` does."""
    return _header(path, _open(path)[1])


def write_tensors(path: Path | str, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write tensors and metadata to `path` under a temporary name, flush to disk, then rename."""
    path = Path(path)
    plain = {name: value.contiguous() for name, value in tensors.items()}
    marked = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "sha256": _checksum(plain),
        **metadata,
    }
    content = save(plain, marked)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_tensors(path: Path | str) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and metadata of a file that `write_tensors` wrote, checked against its checksum."""
    tensors, metadata = _open(path, tensors=True)
    if metadata.get("sha256") != _checksum(tensors):
        raise InputError(f"{path}: corrupt: the checksum of its tensors is not the one it was written with")
    return tensors, metadata


def _open(path: Path | str, *, tensors: bool = False) -> tuple[dict[str, Tensor], dict[str, str]]:
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = dict(file.metadata() or {})
            found = {name: file.get_tensor(name) for name in file.keys()} if tensors else {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: corrupt or truncated, or not a safetensors file: {error}") from None
    if metadata.get("format") != FORMAT:
        raise InputError(f"{path}: format = {metadata.get('format')!r}, expected {FORMAT!r}")
    if metadata.get("format_version") != FORMAT_VERSION:
        got = metadata.get("format_version")
        raise InputError(f"{path}: format version {got!r}, expected {FORMAT_VERSION!r}")
    return found, metadata


def _header(path: Path | str, metadata: Mapping[str, str]) -> Header:
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


def _checksum(tensors: Mapping[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name].contiguous()
        digest.update(f"{name} {value.dtype} {tuple(value.shape)};".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
