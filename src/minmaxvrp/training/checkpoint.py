"""The state of a run on disk: atomic, checksummed, the last few kept.

A checkpoint is one safetensors file: all tensors of `Optimiser`, and as metadata the counters of the
run and a SHA-256 over everything. `loop` saves and restores; nothing is ever unpickled.
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from torch import Tensor

from ..errors import InputError
from ..policy.tensor_file import read_tensors, write_tensors

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


def save(folder: Path, tensors: dict[str, Tensor], counters: Counters, keep: int) -> Path:
    """Write a checkpoint, remove all but the last `keep`. Raises `InputError` when it cannot be written."""
    path = folder / f"step-{counters.step:09d}.safetensors"
    metadata = {"format": FORMAT, "progress": json.dumps(asdict(counters))}
    write_tensors(path, tensors, metadata, seal_metadata=True)
    for old in list_checkpoints(folder)[:-keep]:
        old.unlink(missing_ok=True)
    return path


def list_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, oldest first."""
    found = [p for p in folder.iterdir() if _NAME.fullmatch(p.name)] if folder.is_dir() else []
    return sorted(found)


def load(path: Path) -> tuple[dict[str, Tensor], Counters]:
    """A checkpoint. Raises `InputError` when it is missing, truncated, changed or of another format."""
    tensors, metadata = read_tensors(path, seal_metadata=True)
    if metadata.get("format") != FORMAT:
        raise InputError(f"{path}: format {metadata.get('format')!r}, expected {FORMAT!r}")
    try:
        return tensors, Counters(**json.loads(metadata["progress"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a whole checkpoint ({error})") from None


def load_latest(folder: Path, notice: Callable[[str], None]) -> tuple[dict[str, Tensor], Counters] | None:
    """The newest checkpoint that is whole; a notice for each that is not. None when there is none."""
    for path in reversed(list_checkpoints(folder)):
        try:
            return load(path)
        except InputError as error:
            notice(f"{error}; the checkpoint before it is used")
    return None
