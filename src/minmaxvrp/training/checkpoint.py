"""The state of a run on disk: atomic, checksummed, the last few kept.

A checkpoint is one safetensors file: all tensors of `Optimiser`, and as metadata the counters of the
run and a SHA-256 over everything. `loop` saves and restores; nothing is ever unpickled.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as parse
from safetensors.torch import save as serialise
from torch import Tensor

from ..errors import InputError
from ..problem.files.atomic import write_bytes

FORMAT = "minmaxvrp training state 1"
_NAME = re.compile(r"step-(\d{9})\.safetensors")


@dataclass
class Counters:
    """The counters of a run; `step` steps are done."""

    step: int = 0
    instances: int = 0
    """Seen by REINFORCE and imitation together."""
    imitated: int = 0
    """Seen by imitation."""
    seconds: float = 0.0
    """Of training, validation included, over all sessions."""
    cpu_seconds: float = 0.0
    """Processor time of this process over all sessions; label workers not counted."""
    best: float = float("inf")
    """Lowest mean makespan of validation so far."""
    history: dict[str, float] = field(default_factory=dict)
    """Latest validation by number of vehicles, for the progress line."""


def save(folder: Path, tensors: dict[str, Tensor], progress: Counters, keep: int) -> Path:
    """Write a checkpoint, remove all but the last `keep`. Raises `InputError` when it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step-{progress.step:09d}.safetensors"
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    metadata = {"format": FORMAT, "progress": json.dumps(asdict(progress))}
    metadata["sha256"] = _digest(tensors, metadata)
    write_bytes(path, serialise(tensors, metadata))
    for old in list_checkpoints(folder)[:-keep]:
        old.unlink(missing_ok=True)
    return path


def list_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, oldest first."""
    found = [p for p in folder.iterdir() if _NAME.fullmatch(p.name)] if folder.is_dir() else []
    return sorted(found)


def load(path: Path) -> tuple[dict[str, Tensor], Counters]:
    """A checkpoint. Raises `InputError` when it is missing, truncated, changed or of another format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        tensors, metadata = parse(data), _metadata(data)
        if metadata.get("format") != FORMAT:
            raise InputError(f"{path}: format {metadata.get('format')!r}, expected {FORMAT!r}")
        digest = metadata.pop("sha256", "")
        if digest != _digest(tensors, metadata):
            raise InputError(f"{path}: its checksum does not fit its content, the file is damaged")
        progress = Counters(**json.loads(metadata["progress"]))
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a whole checkpoint ({error})") from None
    return tensors, progress


def load_latest(folder: Path, notice: Callable[[str], None]) -> tuple[dict[str, Tensor], Counters] | None:
    """The newest checkpoint that is whole; a notice for each that is not. None when there is none."""
    for path in reversed(list_checkpoints(folder)):
        try:
            return load(path)
        except InputError as error:
            notice(f"{error}; the checkpoint before it is used")
    return None


def _metadata(data: bytes) -> dict[str, Any]:
    """The metadata of a safetensors file: its header is JSON after eight bytes of length."""
    size = int.from_bytes(data[:8], "little")
    found: dict[str, Any] = json.loads(data[8 : 8 + size])["__metadata__"]
    return found


def _digest(tensors: dict[str, Tensor], metadata: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {list(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
