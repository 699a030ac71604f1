"""What solve prints and writes: the order of visits, and the answer whatever happens to files."""

import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from minmaxvrp import Instance, Solution, picture
from minmaxvrp.cli import app, outputs

STOPS = "name,role,x,y\nYard,depot,0,0\nAnna,customer,0,3\nBert,customer,4,3\n"
QUICK = ("--vehicles", "1", "--iterations", "20")


def _solve(folder: Path, *words: str) -> tuple[int, str, str]:
    (folder / "stops.csv").write_text(STOPS)
    result = CliRunner().invoke(app, ["solve", str(folder / "stops.csv"), *QUICK, *words])
    return result.exit_code, result.stdout, result.stderr


def test_the_table_shows_the_order_of_visits(tmp_path: Path) -> None:
    """By the names of the stops, one way round or the other."""
    code, out, err = _solve(tmp_path)
    assert code == 0, err
    assert "Anna, Bert" in out or "Bert, Anna" in out


def test_long_orders_are_cut_at_the_width_of_the_terminal_and_nothing_else_is() -> None:
    """Route, start, stops, length and share stay whole on 80 columns."""
    from rich.console import Console

    names = ("Yard", *(f"A place with a long name {k}" for k in range(20)))
    instance = Instance.mtsp([0, 0], [[k, 0] for k in range(1, 21)], 1, names=names)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(outputs.routes_table(instance, Solution.of([list(range(1, 21))]), [40.0]))
    (line,) = [line for line in console.export_text().splitlines() if "Yard" in line]
    assert line.split()[:6] == ["1", "Yard", "20", "40.0000", "100.0", "%"]
    assert "A place with a" in line
    assert line.rstrip().endswith("…")


def test_an_order_without_room_beside_the_table_stands_below_it(tmp_path: Path) -> None:
    """Durations, ways, starts and ends fill 80 columns: a line for each vehicle, cut at the width."""
    rows = "".join(f"Bakery number {k},customer,0,{k}," + "\n" for k in range(1, 9))
    stops = f"name,role,x,y,end\nYard,depot,0,0,\nAnna,vehicle,1,1,Yard\nBen,vehicle,2,1,nowhere\n{rows}"
    (tmp_path / "stops.csv").write_text(stops)
    options = ["--iterations", "20", "--unit", "km", "--speed", "30"]
    out = CliRunner().invoke(app, ["solve", str(tmp_path / "stops.csv"), *options]).stdout
    lines = [line for line in out.splitlines() if line.startswith(("Anna: Bakery", "Ben: Bakery"))]
    assert len(lines) == 2
    assert max(map(len, out.splitlines())) <= 80


def test_routes_prints_every_visit_with_the_length_driven() -> None:
    """3 up, 4 to the right, 5 back."""
    instance = Instance.mtsp([0, 0], [[0, 3], [4, 3]], 2, names=("Yard", "Anna", "Bert"))
    lines = outputs.visit_lines(instance, Solution.of([[1, 2]])).splitlines()
    assert [line.split() for line in lines] == [
        ["route", "1"],
        ["Yard", "start", "0.0000"],
        ["1", "Anna", "3.0000"],
        ["2", "Bert", "7.0000"],
        ["Yard", "end", "12.0000"],
    ]


def test_routes_is_an_option_of_solve(tmp_path: Path) -> None:
    """Each stop on a line of its own."""
    code, out, err = _solve(tmp_path, "--routes")
    assert code == 0, err
    assert any(line.split()[1:2] == ["Anna"] for line in out.splitlines())


@pytest.mark.parametrize("as_json", [False, True])
def test_a_picture_that_cannot_be_drawn_does_not_cost_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    """The answer is printed, the other files are written, one line says what failed, exit code 2."""

    def fail(*arguments: object) -> None:
        raise RuntimeError("no fonts")

    monkeypatch.setattr(picture, "save", fail)
    files = ("--plot", str(tmp_path / "a.png"), "--out", str(tmp_path / "b.sol"))
    code, out, err = _solve(tmp_path, *files, *(["--json"] if as_json else []))
    assert code == 2, err
    assert "a.png: cannot be drawn: RuntimeError: no fonts" in err
    assert (tmp_path / "b.sol").is_file()
    assert json.loads(out)["makespan"] == 12.0 if as_json else "12.0000" in out


@pytest.mark.parametrize(
    "words",
    [
        ["train", "--preset", "mtsp-tiny", "--out", "run"],
        ["evaluate", "mtsp", "--suite", "mtsp50"],
        ["import-weights", "a.pt", "b.safetensors"],
        ["export-weights", "run", "b.safetensors"],
    ],
)
def test_without_torch_the_commands_of_the_network_say_what_to_install(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 2 and one line."""
    monkeypatch.chdir(tmp_path)
    for name in [m for m in sys.modules if m.startswith(("minmaxvrp.policy", "minmaxvrp.training"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "pip install 'minmaxvrp[policy]'" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_with_a_speed_routes_are_durations_with_the_kilometres_beside(tmp_path: Path) -> None:
    """Minutes in the table of stops; without a speed one line says what to write, exit code 2."""
    stops, picture = tmp_path / "town.csv", tmp_path / "town.png"
    stops.write_text(
        "Kunde;Breite;Länge;Minuten\nLager;52,52;13,40;\nA;52,53;13,41;0:20\nB;52,50;13,45;15\n",
        encoding="utf-8",
    )
    given = ["solve", str(stops), *QUICK]
    timed = CliRunner().invoke(app, [*given, "--speed", "30", "--max-length", "2:00", "--routes"])
    assert timed.exit_code == 0, timed.output
    assert "total time     0:54" in timed.stdout
    assert " km at 30 km/h" in timed.stdout
    assert "duration" in timed.stdout
    assert "0:00 " in timed.stdout
    assert not re.search(r"\d:\d\d:\d\d", timed.stdout)  # a leg of 3 minutes beside a route of 54
    refused = CliRunner().invoke(app, given)
    assert refused.exit_code == 2
    assert "--speed 40" in refused.output
    columns = ["--columns", "name=Kunde,lat=Breite,lon=Länge"]
    drawn = CliRunner().invoke(app, ["plot", str(stops), str(picture), "-m", "1", "--speed", "30", *columns])
    assert drawn.exit_code == 0, drawn.output
    assert picture.is_file()


@pytest.mark.parametrize("then", ["balance", "total"])
def test_an_answer_of_osrm_with_its_places_is_solved(tmp_path: Path, then: str) -> None:
    """Seconds beside latitude and longitude: also where only some of the routes are searched again."""
    points = np.random.default_rng(1).normal((13.4, 52.5), 0.05, (9, 2))
    times = 9000.0 * np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    places = [{"name": "", "location": point} for point in points.tolist()]
    path = tmp_path / "osrm.json"
    metres = (10.0 * times).tolist()
    document = {"code": "Ok", "durations": times.tolist(), "distances": metres, "sources": places}
    path.write_text(json.dumps(document))
    options = ["-m", "3", "--iterations", "500", "--then", then, "--out", str(tmp_path / "plan.gpx")]
    result = CliRunner().invoke(app, ["solve", str(path), *options])
    assert result.exit_code == 0, result.stderr
    assert "longest route  0:" in result.stdout
    assert "driven" in result.stdout.splitlines()[1]
    assert re.search(r"^driven +[0-9.]+ km$", result.stdout, re.MULTILINE)
    assert (tmp_path / "plan.gpx").exists()
