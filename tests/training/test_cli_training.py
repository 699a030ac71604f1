"""The commands train, evaluate and plot RUN."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from minmaxvrp.cli import app
from minmaxvrp.engines import FinishedTask
from minmaxvrp.engines.process_engine import ProcessEngine
from minmaxvrp.training import curves
from minmaxvrp.training.curves import validation_curves
from minmaxvrp.training.loop import train

from .small import small_config

TINY = [
    *("--set", "network.embed=16", "--set", "network.num_layers=1", "--set", "network.num_heads=2"),
    *("--set", "batch_size=4", "--set", "piece_size=4", "--set", "rollouts=4", "--set", "customers=9"),
    *("--set", "validation_customers=9", "--set", "validation_instances=2", "--set", "validate_every=2"),
    *("--set", "log_every=1", "--set", "validation_reference=0"),
]


def _run(*words: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_train_lists_its_presets() -> None:
    """Every preset with a line about it."""
    code, out, _ = _run("train", "--list")
    assert code == 0
    for name in ("mtsp50", "mpdp500-f", "fmdvrp100-f", "mtsp-tiny", "mtsp-cpu"):
        assert name in out


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the runner of bench solve here, as starting a worker that loads torch takes seconds."""

    def run(engine: ProcessEngine, function: Any, tasks: Iterable[Any]) -> Iterator[FinishedTask[Any, Any]]:
        for task in tasks:
            yield FinishedTask(task, function(task))

    monkeypatch.setattr(ProcessEngine, "run", run)


@pytest.mark.usefixtures("in_this_process")
def test_a_preset_trains_resumes_draws_and_is_evaluated(tmp_path: Path) -> None:
    """One command per step of a person's walk."""
    folder = tmp_path / "run"
    code, _, err = _run("train", "--preset", "mtsp-tiny", "--out", folder, "--set", "steps=2", *TINY)
    assert (code, "2 steps done" in err) == (0, True), err
    assert "validation M=2" in err
    code, _, err = _run("train", "--resume", "--out", folder, "--set", "steps=4")
    assert (code, "4 steps done" in err) == (0, True), err
    seen = validation_curves(folder)
    assert [point[0] for point in seen["2"]] == [8, 16]
    code, _, err = _run("plot", folder, tmp_path / "curves.png")
    assert code == 0, err
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    code, out, err = _run(
        *("evaluate", folder, "--suite", "mtsp50", "--vehicles", "3", "--limit", "2"),
        *("--symmetries", "2", "--permutations", "2", "--set-seed", "5", "--json"),
    )
    assert code == 0, err
    (row,) = json.loads(out)["rows"]
    assert (row["suite"], row["vehicles"], row["instances"]) == ("mtsp50", 3, 2)
    assert row["published"]["DPN-x8aug-x16per"] == pytest.approx(2.4637)
    assert row["objective"] > row["lower_bound"] > 1.0
    short = ("--suite", "mtsp50", "--vehicles", "3", "--limit", "2")
    for weights, words, said in (
        (folder, ("--temperature", "0.5"), "×8 symmetries ×16 permutations, drawn at temperature 0.5"),
        (folder, (), "greedy"),  # a network that says nothing of how to draw
        ("mtsp", ("--permutations", "1"), "drawn at temperature 0.612"),  # 30 / 49
    ):
        code, _, err = _run("evaluate", weights, *short, *words)
        assert (code, said in err) == (0, True), err


@pytest.mark.usefixtures("in_this_process")
def test_evaluate_and_bench_print_the_same_figures_in_the_same_words(tmp_path: Path) -> None:
    """Apart from the seconds, which no two runs share; drawn rollouts, so that seeds must agree too."""
    words = ("--vehicles", "3", "--limit", "2", "--seed", "7", "--json")
    _, evaluated, err = _run("evaluate", "mtsp", "--suite", "mtsp50", *words)
    bench = ("bench", "mtsp50", "--method", "policy", "--policy", "mtsp", "--out", tmp_path / "a.jsonl")
    _, benched, err = _run(*bench, *words)
    (one,), (two,) = (json.loads(out)["rows"] for out in (evaluated, benched))
    assert one.pop("seconds_per_instance") > 0, err
    assert two.pop("seconds_per_instance") > 0, err
    assert one == two


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train"], "no preset"),
        (["train", "--resume"], "--resume without --out or --preset"),
        (["train", "--preset", "mtsp-tiny", "--set", "speed=1"], "unknown key 'speed'"),
        (["train", "--resume", "--out", "nowhere"], "nowhere/config.json: cannot be read"),
        (["evaluate", "nowhere", "--suite", "mtsp50"], "nowhere"),
    ],
)
def test_misuse_is_told_in_one_line(words: list[str], message: str) -> None:
    """Exit code 2 and what was wrong."""
    code, _, err = _run(*words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_one_validation_is_drawn_as_a_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of one point could not be seen."""
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    monkeypatch.setattr(curves, "validation_curves", lambda folder: {"3": [(8, 0.1, 2.5)]})
    monkeypatch.setattr(Figure, "savefig", lambda figure, target, **how: drawn.append(figure))
    curves.draw_curves([tmp_path], tmp_path / "a.png")
    assert {line.get_marker() for axes in drawn[0].axes for line in axes.get_lines()} == {"o"}


def test_evaluate_refuses_weights_of_another_problem(tmp_path: Path) -> None:
    """A network for pairs cannot serve mTSP."""
    train(small_config("mpdp", steps=3), tmp_path / "run")
    code, _, err = _run("evaluate", tmp_path / "run", "--suite", "mtsp50", "--limit", "1")
    assert code == 2
    assert "pairs" in err
