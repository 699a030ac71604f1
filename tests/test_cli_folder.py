"""`minmaxvrp solve FOLDER`: lines that a second run does not make again, failures, Ctrl-C, messages."""

import json
import os
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from minmaxvrp import Instance
from minmaxvrp.cli import app
from minmaxvrp.engines.engine import num_cores
from minmaxvrp.problem import check, files
from minmaxvrp.problem.generate import uniform
from minmaxvrp.problem.solution import Solution

FAST = ("--iterations", "50", "--workers", "1")


def run(*arguments: object, code: int = 0) -> Result:
    """Run the command line in this process."""
    result = CliRunner().invoke(app, ["solve", *(str(argument) for argument in arguments)])
    assert result.exit_code == code, result.output
    return result


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of results."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file of one instance, a set of two, and a file that is no instance."""
    made = tmp_path / "instances"
    made.mkdir()
    files.write(uniform("mtsp", 7, 2, seed=21, count=1)[0], made / "town2.json")
    files.write_set(uniform("mtsp", 9, 3, seed=22, count=2), made / "town10.npz")
    (made / "notes.md").write_text("not an instance, and not taken for one", encoding="utf-8")
    return made


def test_every_instance_is_a_line_and_a_row(folder: Path, tmp_path: Path) -> None:
    """The routes of each line have the makespan that it says; rows are sorted as people count."""
    out = tmp_path / "results.jsonl"
    done = run(folder, *FAST, "--out", out)
    lines = records(out)
    assert {(line["file"], line["index"]) for line in lines} == {
        ("town2.json", None),
        ("town10.npz", 0),
        ("town10.npz", 1),
    }
    instances: dict[tuple[str, int | None], Instance] = {
        ("town2.json", None): files.read(folder / "town2.json")
    }
    instances |= {("town10.npz", k): one for k, one in enumerate(files.read_set(folder / "town10.npz"))}
    for line in lines:
        instance = instances[line["file"], line["index"]]
        plan = Solution.of([route[1:-1] for route in line["routes"]])
        assert check.makespan(instance, plan) == pytest.approx(line["makespan"], rel=1e-12)
    rows = [row.split()[0] for row in done.stdout.splitlines() if "town" in row]
    assert rows == ["town2.json", "town10.npz", "town10.npz"]
    assert "3 solved, 0 of them before, 0 failed" in done.stderr


def test_a_second_run_solves_only_what_is_new(folder: Path, tmp_path: Path) -> None:
    """A file that changed, or other options, are new; a torn line of a killed run is made again."""
    out = tmp_path / "results.jsonl"
    run(folder, *FAST, "--out", out)
    before = out.read_bytes()
    assert "3 solved, 3 of them before" in run(folder, *FAST, "--out", out).stderr
    assert out.read_bytes() == before
    out.write_bytes(before[:-20])
    assert "3 solved, 2 of them before" in run(folder, *FAST, "--out", out).stderr
    assert len(records(out)) == 3
    files.write(uniform("mtsp", 8, 2, seed=23, count=1)[0], folder / "town2.json")
    assert "3 solved, 2 of them before" in run(folder, *FAST, "--out", out).stderr
    assert "3 solved, 0 of them before" in run(folder, *FAST, "--seed", 4, "--out", out).stderr
    assert len(records(out)) == 7


def test_a_file_that_is_no_instance_is_a_line_with_its_reason(folder: Path, tmp_path: Path) -> None:
    """The others are solved, the exit code is 2, and the second run tries again without a second line."""
    (folder / "broken.json").write_text("{", encoding="utf-8")
    out = tmp_path / "results.jsonl"
    assert "3 solved, 0 of them before, 1 failed" in run(folder, *FAST, "--out", out, code=2).stderr
    assert "3 solved, 3 of them before, 1 failed" in run(folder, *FAST, "--out", out, code=2).stderr
    (line,) = [line for line in records(out) if "failure" in line]
    assert line["file"] == "broken.json"
    assert "broken.json" in line["failure"]


def test_a_set_has_lines_too_and_json_prints_them(folder: Path, tmp_path: Path) -> None:
    """`--out results.jsonl` of a set, and `--json` of a folder without a file."""
    out = tmp_path / "set.jsonl"
    run(folder / "town10.npz", *FAST, "--out", out)
    assert [line["index"] for line in records(out)] == [0, 1]
    printed = [json.loads(line) for line in run(folder, *FAST, "--json").stdout.splitlines()]
    assert len(printed) == 3


def test_more_workers_than_cores_is_a_note(folder: Path) -> None:
    """And the instances are solved, those of a folder as well as a single one."""
    for source in (folder, folder / "town2.json"):
        done = run(source, "--iterations", 20, "--workers", num_cores() + 1)
        assert f"note: {num_cores() + 1} workers on {num_cores()} cores" in done.stderr


def test_bad_input_says_what_is_expected(folder: Path, tmp_path: Path) -> None:
    """Exit code 2 and one line, before anything is solved."""
    empty = tmp_path / "empty"
    empty.mkdir()
    assert f"{empty}: no instance files, expected some with .tsp" in run(empty, code=2).stderr
    assert "expected --out results.jsonl or --json" in run(folder, "--plot", "a.png", code=2).stderr
    assert "expected --out results.jsonl or --json" in run(folder, "--out", "plan.json", code=2).stderr
    assert "expected engine = 'ray'" in run(folder, "--address", "10.0.0.1:6379", code=2).stderr
    other = tmp_path / "other.jsonl"
    other.write_text('{"suite": "mtsp50"}\n', encoding="utf-8")
    assert "other.jsonl line 1: not a result of minmaxvrp solve" in run(folder, "--out", other, code=2).stderr


@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra 'ray'")
@pytest.mark.filterwarnings("default")
def test_an_address_without_a_cluster_is_bad_input(folder: Path) -> None:
    """For `bench` as well."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening
        where = ("--engine", "ray", "--address", f"127.0.0.1:{taken.getsockname()[1]}")
        assert "no Ray cluster there" in run(folder, *where, code=2).stderr
        done = CliRunner().invoke(app, ["bench", "mtsp50", "--method", "greedy", *where])
    assert done.exit_code == 2
    assert "no Ray cluster there" in done.stderr


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_done_and_the_same_command_goes_on(
    tmp_path: Path, sign: signal.Signals
) -> None:
    """Of an easy and a hard instance the easy one is on the disk, and not solved again."""
    folder, out = tmp_path / "instances", tmp_path / "results.jsonl"
    folder.mkdir()
    files.write(uniform("mtsp", 3, 2, seed=24, count=1)[0], folder / "a.json")
    files.write(uniform("mtsp", 60, 3, seed=25, count=1)[0], folder / "b.json")
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start = [sys.executable, "-c", f"{listen}; from minmaxvrp.cli import main; main()"]
    command = [*start, "solve", str(folder), "--out", str(out), "--then", "none"]
    process = subprocess.Popen(
        [*command, "--time", "600", "--workers", "1", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["file"] == "a.json"  # optimal at once
    os.kill(process.pid, sign)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"1 solved, 0 of them before, 0 failed; results in {out}, the same command goes on" in said
    assert [line["file"] for line in records(out)] == ["a.json"]
    (folder / "b.json").unlink()  # what is left is done: the same command has nothing to solve
    again = run(folder, "--out", out, "--then", "none", "--time", 600, "--workers", 1)
    assert "1 solved, 1 of them before" in again.stderr
