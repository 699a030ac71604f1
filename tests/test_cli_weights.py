"""The commands that take published weights over and pass trained ones on."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from minmaxvrp.cli import app
from minmaxvrp.policy import Policy
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import PolicyConfig
from minmaxvrp.training.checkpoint import Counters
from minmaxvrp.training.run_weights import write_weights
from minmaxvrp.training.train_config import TrainConfig


@pytest.mark.parametrize(("problem", "rule"), [("mtsp", "start"), ("fmdvrp", "any")])
def test_published_weights_become_a_policy(
    conformance: Callable[[str], Path], tmp_path: Path, problem: str, rule: str
) -> None:
    """The file that import-weights writes is one that `Policy.load` takes."""
    with np.load(conformance(problem), allow_pickle=False) as file:
        weights = {
            k.removeprefix("weights/"): torch.from_numpy(file[k]) for k in file.files if "weights/" in k
        }
    torch.save(weights, tmp_path / "authors.pt")
    target = tmp_path / "ours.safetensors"
    words = ["import-weights", str(tmp_path / "authors.pt"), str(target), "--return-to", rule]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 0, outcome.output
    assert "2 layers, 32 wide" in outcome.stdout
    assert Policy.load(str(target)).network.config.num_layers == 2


def test_what_is_not_a_published_file_is_refused(tmp_path: Path) -> None:
    """Garbage gives exit code 2 and one line, and nothing is written."""
    (tmp_path / "garbage.pt").write_bytes(b"\x80\x02garbage")
    target = tmp_path / "ours.safetensors"
    outcome = CliRunner().invoke(app, ["import-weights", str(tmp_path / "garbage.pt"), str(target)])
    assert outcome.exit_code == 2
    assert len(outcome.stderr.strip().splitlines()) == 1
    assert not target.exists()


def test_exported_weights_are_small_and_name_no_folders(tmp_path: Path) -> None:
    """Half the size, the same answers to three digits, and nothing of the machine in the file."""
    network = Network.initialised(PolicyConfig(embed=32, num_layers=2, hidden=64), 1)
    config = TrainConfig(network=network.config, start_from="/home/me/start", label_folder="/home/me/labels")
    run = tmp_path / "run"
    write_weights(run / "best.safetensors", network, config, Counters(step=7))
    target = tmp_path / "out.safetensors"
    words = ["export-weights", str(run), str(target), "--note", "seven steps"]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 0, outcome.output
    assert target.stat().st_size < 0.6 * (run / "best.safetensors").stat().st_size
    assert b"/home/me" not in target.read_bytes()
    policy = Policy.load(target)
    assert policy.provenance["note"] == "seven steps"
    assert policy.provenance["progress"]["step"] == 7
    for name, value in network.state_dict().items():
        torch.testing.assert_close(policy.network.state_dict()[name], value, rtol=1e-3, atol=1e-4)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    """Exit code 2, and nothing is written."""
    target = tmp_path / "out.safetensors"
    outcome = CliRunner().invoke(app, ["export-weights", str(tmp_path), str(target)])
    assert outcome.exit_code == 2
    assert "best.safetensors" in outcome.stderr
    assert not target.exists()
