"""The folder of a run: config.json, log.jsonl, checkpoints/, weights.safetensors, best.safetensors.

`loop` writes it through `Run`; `curves` and people read it.
"""

import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..problem.files.atomic import write_text
from .presets import override
from .train_config import TrainConfig

CONFIG, LOG, CHECKPOINTS = "config.json", "log.jsonl", "checkpoints"
WEIGHTS, BEST = "weights.safetensors", "best.safetensors"


class Run:
    """An open run folder, written by the leading process alone."""

    def __init__(self, folder: Path, writes: bool = True) -> None:
        self.folder, self.writes = folder, writes
        self.board = _board(folder) if writes else None

    @property
    def checkpoints(self) -> Path:
        """Where the states are."""
        return self.folder / CHECKPOINTS

    def write_config(self, config: TrainConfig) -> None:
        """Keep the config beside what it made."""
        if self.writes:
            write_text(self.folder / CONFIG, json.dumps(config.to_dict(), indent=2) + "\n")

    def log(self, entry: dict[str, Any]) -> None:
        """Append one line to the log, and to TensorBoard where it is installed."""
        if not self.writes:
            return
        with (self.folder / LOG).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry) + "\n")
        if self.board is not None:
            for key, value in _flat(entry):
                self.board.add_scalar(key, value, entry["instances"])

    def rewind(self, step: int) -> None:
        """Drop what the log says of steps after `step`: a resumed run does them again."""
        if not self.writes or not (self.folder / LOG).exists():
            return
        kept = [json.dumps(entry) for entry in read_log(self.folder) if entry["step"] <= step]
        write_text(self.folder / LOG, "".join(line + "\n" for line in kept))


def open_new(folder: Path, config: TrainConfig, writes: bool = True) -> Run:
    """A folder for a new run. Raises `InputError` when one is there already or it cannot be made."""
    if writes:
        if (folder / CONFIG).exists():
            raise InputError(
                f"{folder}: has a run already; --resume continues it, --out names another folder"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    run = Run(folder, writes)
    run.write_config(config)
    return run


def read_config(folder: Path, settings: tuple[str, ...] = ()) -> TrainConfig:
    """The config of a run with `settings` put over it. Raises `InputError` when there is no run."""
    path = folder / CONFIG
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}, expected the folder of a run") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    return override(values, settings, str(path))


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The entries of a run's log; a last line cut off by a crash is left out."""
    try:
        lines = (folder / LOG).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{folder / LOG}: cannot be read: {error.strerror}") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except ValueError:
            if number < len(lines):
                raise InputError(f"{folder / LOG} line {number}: not JSON") from None
    return found


def _flat(entry: dict[str, Any]) -> list[tuple[str, float]]:
    found = []
    for key, value in entry.items():
        if isinstance(value, dict):
            found += [(f"{key}/{inner}", float(v)) for inner, v in value.items()]
        elif isinstance(value, int | float):
            found.append((key, float(value)))
    return found


def _board(folder: Path) -> Any:
    """TensorBoard's writer, None where it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
