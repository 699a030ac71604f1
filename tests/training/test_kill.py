"""kill -9 at any moment, then resume: the same bits."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from minmaxvrp.training.loop import train
from minmaxvrp.training.train_config import TrainConfig

from .small import small_config
from .test_loop import assert_same_state

PROGRAM = """
import json, sys
from pathlib import Path
from minmaxvrp.training.train_config import from_dict
from minmaxvrp.training.loop import train
config = from_dict(json.loads(sys.argv[1]), "test")
folder = Path(sys.argv[2])
train(config, folder, resume=(folder / "config.json").exists())
"""


def _start(config: TrainConfig, folder: Path) -> "subprocess.Popen[bytes]":
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, json.dumps(config.to_dict()), str(folder)]
    return subprocess.Popen(command, env=environment)


def _steps(folder: Path) -> int:
    """Lines of the log so far."""
    try:
        return len((folder / "log.jsonl").read_bytes().splitlines())
    except OSError:
        return 0


@pytest.mark.parametrize(("kills", "imitation"), [(1, False), pytest.param(6, True, marks=pytest.mark.slow)])
def test_a_killed_and_resumed_run_ends_with_the_same_bits(
    tmp_path: Path, kills: int, imitation: bool
) -> None:
    """Killed with SIGKILL at random moments, in the middle of whatever it was doing."""
    config = small_config(
        steps=12 * (kills + 1),
        validate_every=10,
        checkpoint_every=4,
        imitation_share=0.3 if imitation else 0.0,
        label_folder=str(tmp_path / "labels"),
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as many as those that are cut have
    train(config, tmp_path / "whole")
    torch.set_num_threads(threads)
    rng = np.random.default_rng(5)
    for _ in range(kills):
        process = _start(config, tmp_path / "cut")
        enough = _steps(tmp_path / "cut") + int(rng.integers(5, 11))
        while process.poll() is None and _steps(tmp_path / "cut") < enough:
            time.sleep(0.001)
        time.sleep(float(rng.random()) * 0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL
    assert _start(config, tmp_path / "cut").wait() == 0
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
    lines = [json.loads(line) for line in (tmp_path / "cut" / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if "loss" in line] == list(range(1, config.steps + 1))
