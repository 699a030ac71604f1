"""Checkpoints come back as written, and bad files are refused."""

import errno
import json
from pathlib import Path
from typing import get_args

import pytest
import torch
from safetensors.torch import load, save

from minmaxvrp.errors import InputError
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import PolicyConfig
from minmaxvrp.policy.weights_file import Precision, load_weights, read_header, save_weights

from .problems import KINDS, small_network


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A checkpoint of a small network."""
    path = tmp_path / "small.safetensors"
    save_weights(path, small_network("mtsp"), {"seed": 3, "command": "train mtsp"})
    return path


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_checkpoint_comes_back_as_written(kind: str, tmp_path: Path) -> None:
    """Config, provenance and every tensor survive; nothing else is left in the folder."""
    path, network = tmp_path / "deep" / "x.safetensors", small_network(kind, context_head=True)
    save_weights(path, network, {"seed": 3})
    again, header = load_weights(path)
    assert header.config == network.config
    assert header.provenance == {"seed": 3}
    for name, value in network.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)
    assert [entry.name for entry in path.parent.iterdir()] == ["x.safetensors"]
    assert read_header(path) == header


def test_half_precision_halves_the_file_and_loads_as_float32(written: Path, tmp_path: Path) -> None:
    """Stored float16, loaded float32, equal to three digits."""
    network, _ = load_weights(written)
    half = tmp_path / "half.safetensors"
    save_weights(half, network, {}, "float16")
    assert half.stat().st_size < 0.6 * written.stat().st_size
    again, _ = load_weights(half)
    for name, value in network.state_dict().items():
        assert again.state_dict()[name].dtype == torch.float32
        torch.testing.assert_close(again.state_dict()[name], value, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", list(KINDS))
def test_eight_bits_per_weight_come_back_within_half_a_step_of_each_row(kind: str, tmp_path: Path) -> None:
    """A row's step is its largest magnitude / 127; what is not a matrix of long rows comes back exactly."""
    network, path = small_network(kind), tmp_path / "x.safetensors"
    save_weights(path, network, {"seed": 3}, "int8")
    again, header = load_weights(path)
    assert header.provenance == {"seed": 3}
    rounded = 0
    for name, value in network.state_dict().items():
        found = again.state_dict()[name]
        assert found.dtype == torch.float32
        if value.dim() == 2 and value.shape[1] >= 16:
            step = value.abs().amax(dim=1, keepdim=True) / 127.0
            assert ((found - value).abs() <= 0.501 * step).all()
            rounded += 1
        else:
            assert torch.equal(found, value)
    assert rounded > 5


def test_eight_bits_take_a_third_of_half_precision_or_more_off(tmp_path: Path) -> None:
    """At a width of 64, scales included."""
    network = Network.initialised(PolicyConfig(embed=64, num_layers=2, hidden=128), 1)
    sizes = {}
    for precision in get_args(Precision):
        save_weights(tmp_path / precision, network, {}, precision)
        sizes[precision] = (tmp_path / precision).stat().st_size
    assert sizes["int8"] < 0.67 * sizes["float16"] < 0.67 * sizes["float32"]


def test_a_row_of_zeros_stays_zero_in_eight_bits(tmp_path: Path) -> None:
    """Its scale is not a division by zero."""
    network = small_network("mtsp")
    with torch.no_grad():
        network.decoder.out.weight[1] = 0.0
    save_weights(tmp_path / "x.safetensors", network, {}, "int8")
    assert not load_weights(tmp_path / "x.safetensors")[0].decoder.out.weight[1].any()


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(InputError, match=r"nothing\.safetensors: no such file"):
        load_weights(tmp_path / "nothing.safetensors")


@pytest.mark.parametrize("keep", [0, 4, 200, -1])
def test_truncated_files_are_refused(written: Path, keep: int) -> None:
    """Cut anywhere, even by one byte."""
    written.write_bytes(written.read_bytes()[:keep])
    with pytest.raises(InputError, match="corrupt or truncated"):
        load_weights(written)


def test_a_flipped_bit_is_refused(written: Path) -> None:
    """The checksum finds a changed weight."""
    content = bytearray(written.read_bytes())
    content[-5] ^= 1
    written.write_bytes(content)
    with pytest.raises(InputError, match="checksum"):
        load_weights(written)


def rewrite(path: Path, **metadata: str | None) -> None:
    """The same tensors with other metadata."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    marked = json.loads(content[8 : 8 + size])["__metadata__"]
    marked = {key: value for key, value in {**marked, **metadata}.items() if value is not None}
    path.write_bytes(save(load(content), marked))


def test_other_versions_and_formats_are_refused(written: Path) -> None:
    """Got and expected are named."""
    rewrite(written, format_version="3")
    with pytest.raises(InputError, match="format version '3', expected '1' or '2'"):
        load_weights(written)
    rewrite(written, format=None)
    with pytest.raises(InputError, match="format = None"):
        load_weights(written)


def test_a_config_that_does_not_fit_the_tensors_is_refused(written: Path) -> None:
    """Another number of layers, a field too many, no config at all."""
    config = read_header(written).config.to_dict()
    rewrite(written, config=json.dumps({**config, "num_layers": 3}))
    with pytest.raises(InputError, match=r"tensor encoder\.layers\.2"):
        load_weights(written)
    rewrite(written, config=json.dumps({**config, "hidden": 12}))
    with pytest.raises(InputError, match="has shape"):
        load_weights(written)
    rewrite(written, config=json.dumps({**config, "colour": 1}))
    with pytest.raises(InputError, match="unknown fields colour"):
        load_weights(written)
    rewrite(written, config="[]")
    with pytest.raises(InputError, match="metadata"):
        load_weights(written)


def test_weights_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    """A diverged training run is not loaded."""
    network = small_network("mtsp")
    with torch.no_grad():
        network.decoder.out.weight[0, 0] = torch.nan
    save_weights(tmp_path / "x.safetensors", network, {})
    with pytest.raises(InputError, match=r"decoder\.out\.weight holds a value that is not a finite number"):
        load_weights(tmp_path / "x.safetensors")


def test_a_failed_write_leaves_the_old_file(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails before the rename, the old checkpoint is still there and no scraps are."""

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    before = written.read_bytes()
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(InputError, match="disk full"):
        save_weights(written, small_network("mtsp", 9), {})
    assert written.read_bytes() == before
    assert len(list(written.parent.iterdir())) == 1


def test_config_fields_must_all_be_there() -> None:
    """A checkpoint of an older config is named as such."""
    values = PolicyConfig().to_dict()
    del values["embed"]
    with pytest.raises(InputError, match="lacks the fields embed"):
        PolicyConfig.from_dict(values)


@pytest.mark.parametrize("field", ["start_context", "masked_glimpse"])
def test_files_from_before_a_switch_are_read(field: str) -> None:
    """Only these fields may be missing; they mean a network without."""
    values = PolicyConfig(form="multi").to_dict()
    del values[field]
    assert getattr(PolicyConfig.from_dict(values), field) is False
