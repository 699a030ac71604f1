"""`solve --start plan.json --keep …`: what of a plan stays when stops come and go."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.cli import app

STOPS: dict[str, tuple[float, float]] = {
    "a": (1, 0),
    "b": (2, 0),
    "c": (3, 0),
    "d": (0, 1),
    "e": (0, 2),
    "f": (0, 3),
}


def _table(path: Path, stops: dict[str, tuple[float, float]]) -> Path:
    rows = [f"{name},customer,{x},{y}" for name, (x, y) in stops.items()]
    path.write_text("\n".join(["name,role,x,y", "home,depot,0,0", *rows]) + "\n")
    return path


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Yesterday's plan, not a good one: c before a, and d with them."""
    before = _table(tmp_path / "before.csv", STOPS)
    (tmp_path / "bad.sol").write_text("Route #1: 3 1 4\nRoute #2: 2 5 6\n")
    path = tmp_path / "plan.json"
    options = ["-m", "2", "--start", str(tmp_path / "bad.sol"), "--no-search", "--out", str(path)]
    assert CliRunner().invoke(app, ["solve", str(before), *options]).exit_code == 0
    return path


@pytest.mark.parametrize("keep", ["order", "vehicle", "nothing"])
def test_kept_stops_stay_as_asked(tmp_path: Path, plan: Path, keep: str) -> None:
    """b is gone and n is new; the plan says how many stops have changed their vehicle."""
    today = _table(tmp_path / "today.csv", {k: v for k, v in STOPS.items() if k != "b"} | {"n": (2, 0.5)})
    options = ["-m", "2", "--start", plan, "--keep", keep, "--iterations", 2000, "--json"]
    result = CliRunner().invoke(app, [str(word) for word in ("solve", today, *options)])
    assert result.exit_code == 0, result.stderr
    assert "1 stops that the instance does not have dropped, 1 inserted" in result.stderr
    document = json.loads(result.stdout)
    first, second = ([name for name in route["names"] if name != "n"] for route in document["routes"])
    if keep == "order":
        assert (first, second) == (["c", "a", "d"], ["e", "f"])
    elif keep == "vehicle":
        assert (sorted(first), sorted(second)) == (["a", "c", "d"], ["e", "f"])
    else:
        assert (sorted(first), sorted(second)) == (["a", "c"], ["d", "e", "f"])
    assert document["moved"] == (1 if keep == "nothing" else 0)


def test_the_table_tells_how_many_stops_moved(tmp_path: Path, plan: Path) -> None:
    """Without --keep the plan is only a start."""
    options = ["-m", "2", "--start", str(plan), "--iterations", "2000"]
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "before.csv"), *options])
    assert result.exit_code == 0
    assert "to another vehicle" in result.stdout


def test_keep_without_a_plan_is_refused(tmp_path: Path, plan: Path) -> None:
    """One line says what to give; another word is refused as well."""
    stops = str(tmp_path / "before.csv")
    result = CliRunner().invoke(app, ["solve", stops, "-m", "2", "--keep", "order"])
    assert result.exit_code == 2
    assert "--keep order without --start" in result.stderr
    assert CliRunner().invoke(app, ["solve", stops, "--keep", "all"]).exit_code == 2


def test_stops_of_a_vehicle_that_is_gone_count_as_moved(tmp_path: Path, plan: Path) -> None:
    """With one vehicle less, the three stops of the second route change their vehicle."""
    options = ["-m", "1", "--start", str(plan), "--keep", "vehicle", "--iterations", "100", "--json"]
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "before.csv"), *options])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["moved"] == 3
