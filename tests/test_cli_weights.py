"""The command that takes published weights over."""

from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from minmaxvrp.cli import app
from minmaxvrp.policy import Policy


@pytest.mark.parametrize(("problem", "rule"), [("mtsp", "start"), ("fmdvrp", "any")])
def test_published_weights_become_a_policy(shared: Path, tmp_path: Path, problem: str, rule: str) -> None:
    """The file that import-weights writes is one that `Policy.load` takes."""
    with np.load(shared / "conformance" / f"{problem}.npz", allow_pickle=False) as file:
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
