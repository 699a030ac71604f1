"""The loop: it learns, resumes exactly, stops safely."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from minmaxvrp.errors import InputError
from minmaxvrp.policy import half_products, layers
from minmaxvrp.policy.half_products import half_works
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy import Policy
from minmaxvrp.policy.weights_file import load_weights
from minmaxvrp.training import checkpoint, loop
from minmaxvrp.training.loop import TrainingError, train
from minmaxvrp.training.optimiser import Optimiser
from minmaxvrp.training.run import read_config, read_log
from minmaxvrp.training.run_weights import read_weights
from minmaxvrp.training.train_config import TrainConfig

from .small import FORMS, small_config


def final_state(folder: Path) -> dict[str, torch.Tensor]:
    """Every tensor of the newest checkpoint: weights, averages, Adam's moments."""
    return checkpoint.load(checkpoint.list_checkpoints(folder / "checkpoints")[-1])[0]


def assert_same_state(one: Path, other: Path) -> None:
    """Bit for bit."""
    a, b = final_state(one), final_state(other)
    assert a.keys() == b.keys()
    assert [name for name in a if not torch.equal(a[name], b[name])] == []


def test_steps_without_gradient_are_said(tmp_path: Path) -> None:
    """With one customer all rollouts are alike, so nothing can be learnt; with more there is a gradient."""
    heard: list[str] = []
    one = small_config(steps=12, customers=(1, 1), vehicles=(1, 1))
    train(one, tmp_path / "one", notice=heard.append)
    assert [text.partition(",")[0] for text in heard] == ["step 10: the gradient has been 0 for 10 steps"]
    heard.clear()
    train(small_config(steps=12), tmp_path / "more", notice=heard.append)
    assert heard == []


def _interrupt_after(count: int) -> Any:
    """A listener that presses Ctrl-C while step `count` runs."""

    def hear(entry: dict[str, Any]) -> None:
        if entry["step"] == count - 1 and "loss" in entry:
            os.kill(os.getpid(), signal.SIGINT)

    return hear


@pytest.mark.parametrize("form", FORMS)
def test_every_form_trains_validates_and_leaves_weights(tmp_path: Path, form: str) -> None:
    """A whole run: log, config, checkpoints and weights that load."""
    config = small_config(form)
    outcome = train(config, tmp_path / "run")
    assert outcome.finished
    assert outcome.counters.instances == config.steps * config.batch_size
    assert read_config(tmp_path / "run") == config
    entries = read_log(tmp_path / "run")
    assert [e["step"] for e in entries if "loss" in e] == [1, 2, 3, 4, 5, 6]
    assert [e["step"] for e in entries if "validation" in e] == [3, 6]
    network, header = load_weights(tmp_path / "run" / "weights.safetensors")
    assert header.provenance["progress"]["step"] == 6
    assert network.config == config.network
    assert (tmp_path / "run" / "best.safetensors").exists()


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    """A run depends on its config alone."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(small_config(seed=seed), tmp_path / name)
    assert_same_state(tmp_path / "a", tmp_path / "b")
    a, c = final_state(tmp_path / "a"), final_state(tmp_path / "c")
    assert any(not torch.equal(a[name], c[name]) for name in a)


@pytest.mark.parametrize(("step", "form", "heads"), [(2, "mtsp", 2), (3, "mtsp", 1), (5, "mpdp", 1)])
def test_an_interrupted_and_resumed_run_ends_with_the_same_bits(
    tmp_path: Path, step: int, form: str, heads: int
) -> None:
    """Ctrl-C after any step, resumed: weights, averages and moments as if nothing had happened.

    Heads of sixteen train with the compiled kernels, those of eight with torch alone.
    """
    config = small_config(
        form,
        shapes="piece",
        schedule="cosine",
        warmup_steps=2,
        normalise_advantage=True,
        network={"num_heads": heads},
    )
    train(config, tmp_path / "whole")
    stopped = train(config, tmp_path / "cut", on_entry=_interrupt_after(step))
    assert (stopped.finished, stopped.counters.step) == (False, step)
    assert train(config, tmp_path / "cut", resume=True).finished
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
    losses = [[e.get("loss") for e in read_log(tmp_path / name)] for name in ("whole", "cut")]
    assert losses[0] == losses[1]


def test_resuming_after_a_damaged_checkpoint_repeats_the_lost_steps(tmp_path: Path) -> None:
    """The newest checkpoint is cut off: the one before is used, with a notice, and the end is the same."""
    config = small_config()
    train(config, tmp_path / "whole")
    train(config, tmp_path / "cut", on_entry=_interrupt_after(5))
    newest = checkpoint.list_checkpoints(tmp_path / "cut" / "checkpoints")[-1]
    newest.write_bytes(newest.read_bytes()[:100])
    told: list[str] = []
    train(config, tmp_path / "cut", resume=True, notice=told.append)
    assert len(told) == 1
    assert "step-000000005" in told[0]
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
    steps = [e["step"] for e in read_log(tmp_path / "cut") if "loss" in e]
    assert steps == [1, 2, 3, 4, 5, 6]


def test_a_run_that_died_before_its_first_checkpoint_begins_again(tmp_path: Path) -> None:
    """The log of lost steps is dropped; a line cut off in the middle does no harm."""
    config = small_config()
    train(config, tmp_path / "whole")
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    (folder / "log.jsonl").write_text('{"step": 1, "instances": 6}\n{"step": 2, "inst')
    told: list[str] = []
    train(read_config(folder), folder, resume=True, notice=told.append)
    assert "begins at step 0" in told[0]
    assert_same_state(tmp_path / "whole", folder)
    assert [e["step"] for e in read_log(folder) if "loss" in e] == [1, 2, 3, 4, 5, 6]


def test_a_loss_that_is_not_a_number_stops_and_keeps_the_state_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state on disk is that of the steps before, all numbers; the message says what to do."""
    real = loop.explore

    def broken(network: Network, config: TrainConfig, step: int, *rest: Any) -> Any:
        learnt = real(network, config, step, *rest)
        if step == 3:
            for parameter in network.parameters():
                assert parameter.grad is not None
                parameter.grad.fill_(float("nan"))
        return learnt

    monkeypatch.setattr(loop, "explore", broken)
    with pytest.raises(TrainingError, match=r"step 4: .*nan.*is kept in .*learning_rate"):
        train(small_config(), tmp_path / "run")
    state = final_state(tmp_path / "run")
    assert all(bool(t.isfinite().all()) for t in state.values())
    monkeypatch.setattr(loop, "explore", real)
    train(small_config(steps=3), tmp_path / "short")
    assert_same_state(tmp_path / "run", tmp_path / "short")


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    """Without resume it is refused, and the run stays as it is."""
    train(small_config(steps=2), tmp_path / "run")
    before = sorted(p.name for p in (tmp_path / "run").rglob("*"))
    with pytest.raises(InputError, match="has a run already"):
        train(small_config(steps=2, seed=9), tmp_path / "run")
    assert sorted(p.name for p in (tmp_path / "run").rglob("*")) == before


def test_resuming_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    """The message names what is missing."""
    with pytest.raises(InputError, match=r"config.json: cannot be read"):
        read_config(tmp_path)


def test_training_makes_routes_shorter(tmp_path: Path) -> None:
    """A second of a tiny network's life: validation improves by a tenth at least."""
    config = small_config(
        steps=100,
        batch_size=16,
        piece_size=16,
        rollouts=8,
        learning_rate=1e-2,
        validate_every=100,
        validation_instances=20,
        checkpoint_every=100,
    )
    start = small_config(steps=1, learning_rate=1e-9, validation_instances=20)
    train(start, tmp_path / "start")
    train(config, tmp_path / "run")
    before, after = (read_log(tmp_path / n)[-1]["validation_mean"] for n in ("start", "run"))
    assert after < 0.9 * before


def test_fine_tuning_starts_from_the_weights_of_a_run(tmp_path: Path) -> None:
    """A frozen rate leaves the weights where the earlier run ended; +LP begins as the same function."""
    train(small_config(average_weights=0.0), tmp_path / "base")
    tuned = small_config(
        steps=1,
        start_from=str(tmp_path / "base"),
        learning_rate=1e-12,
        trainable="context_head",
        average_weights=0.0,
        network={"context_head": True},
    )
    train(tuned, tmp_path / "tuned")
    base = load_weights(tmp_path / "base" / "best.safetensors")[0].state_dict()
    found = load_weights(tmp_path / "tuned" / "weights.safetensors")[0].state_dict()
    for name, value in base.items():
        assert torch.equal(found[name], value)
    assert float(found["decoder.context_head.2.weight"].abs().max()) < 1e-9


def test_a_start_context_is_added_as_no_change(tmp_path: Path) -> None:
    """Weights without one may start a run with one: at first it is the same function."""
    multi = {"form": "multi", "return_to": "any"}
    train(small_config(average_weights=0.0, depots=3, network=multi), tmp_path / "base")
    more = small_config(
        steps=1,
        depots=3,
        start_from=str(tmp_path / "base"),
        learning_rate=1e-12,
        average_weights=0.0,
        network=multi | {"start_context": True},
    )
    train(more, tmp_path / "more")
    base = load_weights(tmp_path / "base" / "best.safetensors")[0].state_dict()
    found = load_weights(tmp_path / "more" / "weights.safetensors")[0].state_dict()
    assert float(found.pop("decoder.start.weight").abs().max()) < 1e-9
    assert max(float((found[name] - value).abs().max()) for name, value in base.items()) < 1e-9


def test_a_network_without_navigation_starts_from_one_that_has_it(tmp_path: Path) -> None:
    """All other parts are taken as they are; the way back, from one without to one with it, is refused."""
    train(small_config(average_weights=0.0), tmp_path / "whole")
    leaner = small_config(
        steps=1,
        start_from=str(tmp_path / "whole"),
        learning_rate=1e-12,
        average_weights=0.0,
        network={"encoder": "pn-no-navigation"},
    )
    train(leaner, tmp_path / "leaner")
    whole = load_weights(tmp_path / "whole" / "best.safetensors")[0].state_dict()
    found = load_weights(tmp_path / "leaner" / "weights.safetensors")[0].state_dict()
    assert set(found) == {name for name in whole if ".navigation." not in name} < set(whole)
    assert max(float((value - whole[name]).abs().max()) for name, value in found.items()) < 1e-9
    with pytest.raises(InputError, match="does not fit"):
        train(small_config(start_from=str(tmp_path / "leaner")), tmp_path / "back")


def test_training_can_start_from_shipped_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, unless there is a file or run of that name."""
    monkeypatch.chdir(tmp_path)
    shipped = Policy.load("mpdp")
    network = Network.initialised(shipped.config, seed=1)
    read_weights(network, "mpdp")
    own = network.state_dict()
    assert all(torch.equal(value, own[name]) for name, value in shipped.network.state_dict().items())
    (tmp_path / "mpdp").mkdir()
    with pytest.raises(InputError, match="has neither"):
        read_weights(network, "mpdp")


@pytest.mark.parametrize("wrong", ["absent", "other sizes"])
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, wrong: str) -> None:
    """A start that is not there, or of another network."""
    start = tmp_path / "base"
    if wrong == "other sizes":
        train(small_config(steps=3, network={"embed": 32}), start)
    with pytest.raises(InputError, match="start_from"):
        train(small_config(start_from=str(start)), tmp_path / "run")


def test_the_optimiser_refuses_the_state_of_another_network() -> None:
    """Shapes are compared."""
    small, large = (Network.initialised(small_config(network={"embed": e}).network, 1) for e in (16, 32))
    config = small_config()
    with pytest.raises(ValueError, match="expected"):
        Optimiser(small, config).restore(Optimiser(large, config).tensors())


def test_auto_precision_is_settled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run keeps what `auto` meant when it began, also where it is resumed on another processor."""
    monkeypatch.setattr(loop, "has_fast_half", lambda: False)
    train(small_config(precision="auto", steps=2), tmp_path)
    monkeypatch.setattr(loop, "has_fast_half", lambda: True)
    train(read_config(tmp_path, ("steps=4",)), tmp_path, resume=True)
    assert read_config(tmp_path).precision == "float32"
    assert loop.settled("auto") == "bfloat16"
    monkeypatch.setattr(loop, "half_works", lambda: False)
    with pytest.raises(InputError, match="ends the process"):
        loop.settled("bfloat16")


def test_a_run_in_bfloat16_resumes_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit, as in float32, and not the same bits as in float32."""
    if not half_works():
        pytest.skip("bfloat16 ends the process here")
    monkeypatch.setattr(half_products, "FEWEST_ROWS", 1)
    monkeypatch.setattr(layers, "FEWEST_WIDE_ROWS", 1)
    for name, precision in (("whole", "bfloat16"), ("full", "float32")):
        train(small_config(precision=precision), tmp_path / name)
    train(small_config(precision="bfloat16"), tmp_path / "cut", on_entry=_interrupt_after(3))
    train(read_config(tmp_path / "cut"), tmp_path / "cut", resume=True)
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
    one, other = final_state(tmp_path / "whole"), final_state(tmp_path / "full")
    assert any(not torch.equal(one[name], other[name]) for name in one)
