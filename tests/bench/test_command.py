"""`minmaxvrp bench` as a user meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.cli import app

SQUARE = "square EUC_2D 4 2\n1 0 0\n2 0 3\n3 4 3\n4 4 0\n"


def bench(*words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a bench command."""
    result = CliRunner().invoke(app, ["bench", *words])
    return result.return_value if result.exit_code == 0 else result.exit_code, result.stdout, result.stderr


def test_a_folder_is_measured_against_its_best_known_values(tmp_path: Path) -> None:
    """A rectangle of 3 by 4 with two vehicles: 12, two corners on one route, is the best.

    JSON on stdout, a picture of the convergence, and a table the second time.
    """
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "square_2.txt").write_text(SQUARE)
    best, out, plot = tmp_path / "best.csv", tmp_path / "a.jsonl", tmp_path / "a.svg"
    best.write_text("instance,vehicles,best_known,proven_optimal\nsquare,2,12,yes\n")
    words = (str(folder), "--method", "greedy", "--best", str(best), "--out", str(out))
    code, stdout, stderr = bench(*words, "--json", "--plot", str(plot))
    assert not code, stderr
    (row,) = json.loads(stdout)["rows"]
    assert (row["suite"], row["instance"], row["vehicles"], row["best_known"]) == ("files", "square", 2, 12.0)
    assert row["objective"] >= row["lower_bound"] == pytest.approx(12.0)
    assert row["gap_percent"] == pytest.approx(100 * (row["objective"] / 12 - 1))
    assert plot.read_text().startswith("<?xml")
    code, stdout, stderr = bench(*words)
    assert not code
    assert "12 optimal" in stdout
    assert "1 of them from before" in stderr


def test_a_run_that_fails_before_its_first_result_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without torch: nor the folders made for it; a file that was there stays, and so do its lines."""
    hiding, place = tmp_path / "hiding", tmp_path / "place"
    hiding.mkdir()
    place.mkdir()
    (hiding / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')\n")
    monkeypatch.syspath_prepend(hiding)  # for the processes that measure, which take over the path
    new, old = place / "runs" / "bench" / "new.jsonl", place / "old.jsonl"
    old.write_bytes(b"")
    for out in (new, old):
        words = ("mtsp50", "--method", "policy", "--limit", "1", "--vehicles", "3", "--out", str(out))
        code, _, stderr = bench(*words)
        assert code == 2
        assert "pip install 'minmaxvrp[policy]'" in stderr
    assert [path.name for path in place.iterdir()] == ["old.jsonl"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mtsp51",), "expected a folder or one of mtsp50, mtsp100"),
        (("mtsp50", "--method", "magic"), "method = 'magic', expected one of greedy, search"),
        (("mtsp50", "--vehicles", "3,x"), "--vehicles = '3,x', expected whole numbers such as 3,5,7"),
        (("mtsp50", "--vehicles", "0"), "--vehicles = '0', expected numbers of 1 or more"),
        (("mtsp50", "--best", "a.csv"), "--best with the suite mtsp50"),
        (("mtsp50", "--time", "-1"), "time = -1 s, expected a number above 0"),
        (("mtsp50", "--plot", "a.doc"), "ending '.doc', expected one of .png"),
        (("mtsp50", "--limit", "0"), "--limit"),
        (("mtsp50", "--settings", "no.toml"), "no.toml: "),
    ],
)
def test_a_wish_that_cannot_be_met_is_one_line_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    """Before anything is measured."""
    code, stdout, stderr = bench(*words)
    assert code == 2
    assert message in stderr
    assert stdout == ""
