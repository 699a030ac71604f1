"""Tensors and text metadata in one safetensors file, with a checksum, written whole or not at all.

`weights_file` keeps weights this way and `training.checkpoint` the state of a run. Nothing is ever unpickled.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from ..errors import InputError
from ..problem.files.atomic import write_bytes

Metadata = dict[str, str]


def write_tensors(
    path: Path | str,
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str],
    *,
    seal_metadata: bool = False,
) -> None:
    """Write tensors and metadata to `path`; with `seal_metadata` the checksum covers the metadata as well.

    Raises `InputError` when the file cannot be written; then nothing is left of it.
    """
    path = Path(path)
    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    marked = {**metadata, "sha256": checksum(plain, metadata if seal_metadata else None)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be made: {error.strerror}") from None
    write_bytes(path, save(plain, marked))


def read_tensors(path: Path | str, *, seal_metadata: bool = False) -> tuple[dict[str, Tensor], Metadata]:
    """What `write_tensors` wrote with the same `seal_metadata`.

    Raises `InputError` when the file is missing, truncated, or not as it was written.
    """
    tensors, metadata = _open(path, tensors=True)
    written = metadata.pop("sha256", "")
    if written != checksum(tensors, metadata if seal_metadata else None):
        raise InputError(f"{path}: corrupt: its checksum is not the one it was written with")
    return tensors, metadata


def read_metadata(path: Path | str) -> Metadata:
    """The metadata alone, not checked. Raises `InputError` when the file is missing or truncated."""
    return _open(path, tensors=False)[1]


def checksum(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> str:
    """SHA-256 of names, types, shapes and values, and of `metadata` where given."""
    digest = hashlib.sha256()
    if metadata is not None:
        digest.update(json.dumps(dict(metadata), sort_keys=True).encode())
    for name in sorted(tensors):
        value = tensors[name].contiguous()
        # The two forms are those of the files that exist.
        shape = f"{tuple(value.shape)};" if metadata is None else f"{list(value.shape)}"
        digest.update(f"{name} {value.dtype} {shape}".encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _open(path: Path | str, *, tensors: bool) -> tuple[dict[str, Tensor], Metadata]:
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    try:
        with safe_open(path, framework="pt") as file:
            found = {name: file.get_tensor(name) for name in file.keys()} if tensors else {}  # noqa: SIM118
            return found, dict(file.metadata() or {})
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: corrupt or truncated, or not a safetensors file: {error}") from None
