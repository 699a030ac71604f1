"""Two processes train as one."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from minmaxvrp.training.loop import train
from minmaxvrp.training.parallel import ProcessGroup
from minmaxvrp.training.train_config import TrainConfig

from .small import small_config
from .test_loop import assert_same_state, final_state

PROGRAM = """
import json, sys
from pathlib import Path
from minmaxvrp.training.train_config import from_dict
from minmaxvrp.training.loop import train
train(from_dict(json.loads(sys.argv[1]), "test"), Path(sys.argv[2]), resume=sys.argv[3] == "resume")
"""


def _train_together(config: TrainConfig, folder: Path, size: int, resume: bool = False) -> None:
    """Train with `size` processes on this machine, as torchrun starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
    arguments = [json.dumps(config.to_dict()), str(folder), "resume" if resume else "new"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            env=os.environ | shared | {"RANK": str(rank), "LOCAL_RANK": str(rank), "OMP_NUM_THREADS": "1"},
        )
        for rank in range(size)
    ]
    assert [process.wait(timeout=300) for process in processes] == [0] * size


@pytest.mark.parametrize("piece_size", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_two_processes_have_the_gradient_of_one(tmp_path: Path, piece_size: int) -> None:
    """The same batch, cut into the same pieces: Adam's first moment after one step is the same gradient.

    Three pieces, so that one process has two of them and the other one; or one piece, so that one has none.
    """
    config = small_config(steps=1, batch_size=5, piece_size=piece_size, clip_gradient=0.0)
    train(config, tmp_path / "one")
    _train_together(config, tmp_path / "two", 2)
    one, two = final_state(tmp_path / "one"), final_state(tmp_path / "two")
    moments = [name for name in one if name.startswith("adam.exp_avg.")]
    assert len(moments) > 10
    for name in moments:
        torch.testing.assert_close(two[name], one[name], rtol=1e-4, atol=1e-7)


@pytest.mark.slow
def test_two_processes_resume_to_the_same_bits(tmp_path: Path) -> None:
    """Two processes, interrupted after half the steps and resumed, end as two that were not."""
    config = small_config(imitation_share=0.5, label_folder=str(tmp_path / "labels"))
    _train_together(config, tmp_path / "whole", 2)
    _train_together(
        small_config(steps=4, imitation_share=0.5, label_folder=str(tmp_path / "labels")), tmp_path / "cut", 2
    )
    _train_together(config, tmp_path / "cut", 2, resume=True)
    assert_same_state(tmp_path / "whole", tmp_path / "cut")


def test_a_process_on_its_own_is_a_team_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torchrun's variables nothing is connected, and all pieces are its own."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    team = ProcessGroup.join()
    assert (team.rank, team.size, team.leads) == (0, 1, True)
    assert list(team.share(3)) == [0, 1, 2]
    assert list(ProcessGroup(1, 2).share(5)) == [1, 3]
    assert team.agree(True)
    assert not team.agree(False)
