"""The command line as a process: what it imports, signals, closed pipes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp import Progress
from minmaxvrp.cli import app
from minmaxvrp.cli.search_progress import SearchLine

ROOT = Path(__file__).resolve().parents[1]
CITY = str(ROOT / "examples" / "city.csv")
HEAVY = ("torch", "numba", "scipy", "matplotlib")


def start(*arguments: object) -> "subprocess.Popen[str]":
    """Start `minmaxvrp` with its output in pipes."""
    command = [sys.executable, "-m", "minmaxvrp", *(str(argument) for argument in arguments)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )


@pytest.mark.parametrize("arguments", [["--help"], ["info", CITY, "--vehicles", "5"]])
def test_help_and_info_import_nothing_heavy(arguments: list[str]) -> None:
    """So that they answer at once."""
    code = f"""
import sys
from minmaxvrp.cli import main
sys.argv = ["minmaxvrp", *{arguments!r}]
try:
    main()
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_package_imports_nothing_heavy() -> None:
    """`solve` and the checker are there without torch, numba, scipy and matplotlib."""
    code = f"import sys, minmaxvrp; minmaxvrp.solve; print([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_exit_code_and_streams_of_a_real_process(tmp_path: Path) -> None:
    """One line on stderr, nothing on stdout, exit code 2."""
    process = start("info", tmp_path / "none.csv")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (2, "", f"error: {tmp_path / 'none.csv'}: no such file\n")


def test_a_closed_pipe_is_no_traceback() -> None:
    """`minmaxvrp … | head` may close stdout before anything is printed."""
    process = start("info", CITY, "--vehicles", 5)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.wait(timeout=60)
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_search_with_the_best_plan_so_far(
    sign: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is printed and written as if the time were over; sent when the search reports progress."""
    sent: list[Progress] = []

    def send(line: SearchLine, progress: Progress) -> None:
        if not sent:
            sent.append(progress)
            os.kill(os.getpid(), sign)

    monkeypatch.setattr(SearchLine, "update", send)
    plan = tmp_path / "plan.json"
    arguments = ["solve", CITY, "-m", "5", "--time", "300", "--json", "--out", str(plan)]
    result = CliRunner().invoke(app, arguments)
    assert sent
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["makespan"] <= sent[0].makespan * (1 + 1e-9)
    assert document["seconds"] < 100
    assert json.loads(plan.read_text())["makespan"] == document["makespan"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
