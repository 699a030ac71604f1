"""States on disk: whole, or refused and the one before used."""

import errno
import os
import shutil
from pathlib import Path

import pytest
import torch

from minmaxvrp.errors import InputError
from minmaxvrp.training import checkpoint
from minmaxvrp.training.checkpoint import Counters
from minmaxvrp.training.loop import train
from minmaxvrp.training.run import read_config, read_log


def _tensors(value: float) -> dict[str, torch.Tensor]:
    return {"weights.a": torch.full((3, 2), value), "adam.step.a": torch.tensor(value)}


def _save(folder: Path, step: int, keep: int = 3) -> Path:
    return checkpoint.save(folder, _tensors(float(step)), Counters(step=step, instances=8 * step), keep)


def test_a_checkpoint_gives_back_what_was_saved(tmp_path: Path) -> None:
    """Tensors, scalars among them, and counters."""
    tensors, progress = checkpoint.load(_save(tmp_path, 5))
    assert progress == Counters(step=5, instances=40)
    assert all(torch.equal(tensors[n], t) for n, t in _tensors(5.0).items())


def test_only_the_last_few_are_kept(tmp_path: Path) -> None:
    """Of six, the last two."""
    for step in range(6):
        _save(tmp_path, step, keep=2)
    assert [p.name for p in checkpoint.list_checkpoints(tmp_path)] == [
        "step-000000004.safetensors",
        "step-000000005.safetensors",
    ]


@pytest.mark.parametrize("damage", ["truncated", "empty", "one bit of a tensor", "a counter", "no file"])
def test_a_damaged_checkpoint_is_noticed_and_the_one_before_used(tmp_path: Path, damage: str) -> None:
    """Whatever happened to the newest file, the one before it is loaded and the damage is told."""
    _save(tmp_path, 1)
    path = _save(tmp_path, 2)
    data = bytearray(path.read_bytes())
    if damage == "truncated":
        path.write_bytes(data[:-3])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "one bit of a tensor":
        data[-1] ^= 1
        path.write_bytes(data)
    elif damage == "a counter":
        path.write_bytes(bytes(data).replace(b'\\"instances\\": 16', b'\\"instances\\": 17'))
        assert path.read_bytes() != data
    else:
        path.unlink()
        path.mkdir()  # a name that cannot be read as a file
    told: list[str] = []
    found = checkpoint.load_latest(tmp_path, told.append)
    assert found is not None
    assert found[1].step == 1
    assert len(told) == 1
    assert "step-000000002" in told[0]
    assert "the checkpoint before it is used" in told[0]


def test_without_a_whole_checkpoint_there_is_none(tmp_path: Path) -> None:
    """An empty folder, and one whose only file is damaged."""
    assert checkpoint.load_latest(tmp_path / "absent", print) is None
    _save(tmp_path, 1).write_bytes(b"x")
    assert checkpoint.load_latest(tmp_path, lambda text: None) is None


def test_a_full_disk_is_told_and_leaves_the_older_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half-written stays, nothing older goes."""
    _save(tmp_path, 1, keep=1)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        _save(tmp_path, 2, keep=1)
    assert [p.name for p in tmp_path.iterdir()] == ["step-000000001.safetensors"]
    assert checkpoint.load(tmp_path / "step-000000001.safetensors")[1].step == 1


def test_a_run_of_an_older_version_goes_on(tmp_path: Path) -> None:
    """Config, log and checkpoint as version 9f0ada4 wrote them after 4 steps; two more are done."""
    shutil.copytree(Path(__file__).parent / "old_run", tmp_path / "run")
    config = read_config(tmp_path / "run", ("steps=6",))
    outcome = train(config, tmp_path / "run", resume=True)
    assert (outcome.finished, outcome.counters.step) == (True, 6)
    assert outcome.counters.instances == 6 * config.batch_size
    assert [entry["step"] for entry in read_log(tmp_path / "run") if "loss" in entry] == list(range(1, 7))
