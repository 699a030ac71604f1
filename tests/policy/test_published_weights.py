"""Importing the authors' files."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from minmaxvrp.errors import InputError
from minmaxvrp.policy.published_weights import (
    import_weights,
    network_from_published,
    published_config,
    read_published,
)
from minmaxvrp.policy.weights_file import load_weights


@pytest.fixture
def weights(conformance: Callable[[str], Path]) -> dict[str, torch.Tensor]:
    """The state dict of a published mTSP model with random weights."""
    return published(conformance, "mtsp")


def published(conformance: Callable[[str], Path], problem: str) -> dict[str, torch.Tensor]:
    """The state dict of a published model of `problem` with random weights."""
    with np.load(conformance(problem), allow_pickle=False) as file:
        return {
            key.removeprefix("weights/"): torch.from_numpy(file[key])
            for key in file.files
            if key.startswith("weights/")
        }


@pytest.mark.parametrize("whole", [False, True])
def test_prefixes_of_training_by_several_processes_are_taken_off(
    weights: dict[str, torch.Tensor], tmp_path: Path, whole: bool
) -> None:
    """`module.` before every name, as DDP saves it: the network is the same."""
    wrapped: Any = {f"module.{name}": tensor for name, tensor in weights.items()}
    torch.save({"model": wrapped} if whole else wrapped, tmp_path / "ddp.pt")
    found, plain = read_published(tmp_path / "ddp.pt"), network_from_published(weights)
    assert all(torch.equal(found.state_dict()[name], tensor) for name, tensor in plain.state_dict().items())


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    ("problem", "form"), [("mtsp", "single"), ("mpdp", "pairs"), ("mdvrp", "multi"), ("fmdvrp", "multi")]
)
def test_files_are_imported_and_their_problem_found(
    conformance: Callable[[str], Path], tmp_path: Path, problem: str, form: str, whole: bool
) -> None:
    """A state dict alone or a whole checkpoint becomes ours; sizes are read from the tensors."""
    content: Any = published(conformance, problem)
    if whole:
        content = {"model": content, "optimizer": {"state": {}}, "rng_state": torch.zeros(3)}
    torch.save(content, tmp_path / "authors.pt")
    config = import_weights(tmp_path / "authors.pt", tmp_path / "ours.safetensors", "any")
    network, header = load_weights(tmp_path / "ours.safetensors")
    assert header.config == config == network.config
    assert (config.form, config.embed, config.num_layers, config.hidden) == (form, 32, 2, 512)
    assert header.provenance["file"] == "authors.pt"


def test_the_fine_tuned_head_is_imported(weights: dict[str, torch.Tensor]) -> None:
    """ "+LP" files add two matrices: q ← W2·ReLU(W1·q) + q."""
    weights["contextual_emb.0.weight"] = torch.randn(256, 32)
    weights["contextual_emb.2.weight"] = torch.randn(32, 256)
    network = network_from_published(weights)
    assert network.config.context_head
    assert network.decoder.context_head is not None
    q = torch.randn(5, 32)
    expected = torch.relu(q @ weights["contextual_emb.0.weight"].T) @ weights["contextual_emb.2.weight"].T
    torch.testing.assert_close(network.decoder.context_head(q), expected)


def test_missing_unknown_and_misshapen_tensors_are_named(weights: dict[str, torch.Tensor]) -> None:
    """Each error names the tensor."""
    lacking = {name: value for name, value in weights.items() if name != "project_out.weight"}
    with pytest.raises(InputError, match=r"missing tensors: project_out\.weight"):
        network_from_published(lacking)
    with pytest.raises(InputError, match=r"unknown tensors: extra\.weight"):
        network_from_published({**weights, "extra.weight": torch.zeros(1)})
    with pytest.raises(InputError, match=r"project_out\.weight gives shape \(3, 3\), expected \(32, 32\)"):
        network_from_published({**weights, "project_out.weight": torch.zeros(3, 3)})
    with pytest.raises(InputError, match="not a published DPN model"):
        published_config({"weight": torch.zeros(1)})


class Harmful:
    """An object whose unpickling would run code."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("harmed"),))


def test_files_with_code_are_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither torch's format nor a plain pickle gets to run anything."""
    monkeypatch.chdir(tmp_path)
    torch.save({"model": Harmful()}, "a.pt")
    Path("b.pt").write_bytes(pickle.dumps(Harmful()))
    for name in ("a.pt", "b.pt"):
        with pytest.raises(InputError, match=r"safe loader reads: (it names|expected a checkpoint)"):
            import_weights(name, "ours.safetensors")
    assert not Path("harmed").exists()
    assert not Path("ours.safetensors").exists()


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Not there, not a torch file, not a dict of tensors."""
    with pytest.raises(InputError, match="no such file"):
        import_weights(tmp_path / "none.pt", tmp_path / "ours.safetensors")
    (tmp_path / "text.pt").write_text("hello")
    (tmp_path / "table.pt").write_text("name,role,lat,lon\nDepot,depot,1,2\n")
    for name in ("text.pt", "table.pt"):  # torch's own words advise to load them unsafely
        with pytest.raises(InputError, match=r"expected a checkpoint that torch.save wrote \(\.pt\)$"):
            import_weights(tmp_path / name, tmp_path / "ours.safetensors")
    torch.save([1, 2], tmp_path / "list.pt")
    with pytest.raises(InputError, match="expected a dict of tensors"):
        import_weights(tmp_path / "list.pt", tmp_path / "ours.safetensors")
