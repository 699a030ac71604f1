"""Bad input on the command line: one line on stderr, exit code 2, nothing written."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.cli import app

HEADER = "name,role,x,y\n"
GOOD = HEADER + "d,depot,0,0\na,customer,1,0\nb,customer,0,1\n"
PAIRS = "name,role,x,y,pair\nd,depot,0,0,\n"

BAD_FILES = {
    "nan": (HEADER + "d,depot,0,0\na,customer,nan,0\n", "line 3"),
    "infinite": (HEADER + "d,depot,0,0\na,customer,0,inf\n", "line 3"),
    "not a number": (HEADER + "d,depot,0,0\na,customer,abc,0\n", "'abc'"),
    "empty": ("", "empty file"),
    "blank": ("\n \n", "empty file"),
    "header only": (HEADER, "no stops"),
    "no customers": (HEADER + "d,depot,0,0\n", "customer"),
    "no depot": (HEADER + "a,customer,0,0\n", "depot"),
    "unknown role": (HEADER + "d,depot,0,0\na,shop,1,1\n", "'shop'"),
    "pickup without delivery": (PAIRS + "p,pickup,1,1,1\n", "pair"),
    "delivery of another pair": (PAIRS + "p,pickup,1,1,1\nq,delivery,1,2,2\n", "pair"),
    "latitude out of range": ("name,role,lat,lon\nd,depot,0,0\na,customer,91,0\n", "latitude"),
    "longitude out of range": ("name,role,lat,lon\nd,depot,0,0\na,customer,0,-181\n", "longitude"),
    "truncated row": (HEADER + "d,depot,0,0\na,customer\n", "line 3"),
    "open quote": (HEADER + 'd,depot,0,0\n"a,customer,1,1\n', "CSV"),
}


def fault(*arguments: object, code: int = 2) -> str:
    """The one line on stderr of a command that must fail with exit code `code` and print nothing."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="minmaxvrp")
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A file that can be read."""
    path = tmp_path / "good.csv"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_is_one_line_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    """The line names the file and what is wrong."""
    content, expected = BAD_FILES[name]
    path, out = tmp_path / "bad.csv", tmp_path / "out.json"
    path.write_text(content)
    line = fault("solve", path, "--vehicles", 2, "--out", out, "--plot", tmp_path / "out.png")
    assert "bad.csv" in line
    assert expected.lower() in line.lower()
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize("ending", ["csv", "json", "tsp", "npz", "txt", "geojson", "pkl"])
def test_binary_garbage_is_refused_in_every_format(ending: str, tmp_path: Path) -> None:
    """Not even a hint of a traceback."""
    path = tmp_path / f"garbage.{ending}"
    path.write_bytes(bytes(range(256)) * 20)
    assert f"garbage.{ending}" in fault("info", path, "-m", 2)


def test_truncated_json_is_refused(tmp_path: Path) -> None:
    """With the line where it ends."""
    path = tmp_path / "a.json"
    path.write_text('{"format": "minmaxvrp instance",\n "coordinates": [[0, 0], [1')
    assert "not valid JSON" in fault("info", path)


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    """For instances and for plans."""
    assert "a folder" in fault("info", tmp_path)
    assert "no such file" in fault("info", tmp_path / "none.csv")


@pytest.mark.parametrize("matrix", ["0,1\n1,0\n", "0,1,1\n1,0,-1\n1,1,0\n", "0,1,x\n1,0,1\n1,1,0\n"])
def test_bad_matrix_is_refused(matrix: str, good: Path, tmp_path: Path) -> None:
    """Wrong shape, negative entry, not a number."""
    (tmp_path / "m.csv").write_text(matrix)
    assert "m.csv" in fault("solve", good, "-m", 1, "--matrix", tmp_path / "m.csv")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--vehicles", "0"], "--vehicles = 0"),
        (["--vehicles", "-3"], "--vehicles = -3"),
        (["--vehicles", "x"], "'--vehicles'"),
        ([], "--vehicles"),
        (["-m", "2", "--time", "-1"], "--time = -1"),
        (["-m", "2", "--time", "nan"], "--time = nan"),
        (["-m", "2", "--iterations", "-1"], "--iterations = -1"),
        (["-m", "2", "--workers", "0"], "--workers = 0"),
        (["-m", "2", "--seed", "-1"], "--seed = -1"),
        (["-m", "2", "--return-to", "home"], "'start', 'any'"),
        (["-m", "2", "--policy", "no such policy"], "no such policy"),
        (["-m", "2", "--frobnicate"], "expected one of --address, --columns, --depots, --engine, --export"),
        (
            ["-m", "2", "--out", "plan.gif"],
            "'.gif', expected one of .json, .sol, .geojson, .csv, .xlsx, .gpx",
        ),
        (["-m", "2", "--plot", "plan.json"], "'.json', expected one of .png, .svg, .pdf"),
        (["-m", "2", "--out", "no/such/folder/plan.json"], "no folder"),
        (["-m", "2", "--start", "none.json"], "none.json"),
    ],
)
def test_bad_option_is_one_line(options: list[str], expected: str, good: Path) -> None:
    """What was got and what was expected."""
    assert expected in fault("solve", good, *options)
    assert [p.name for p in good.parent.iterdir()] == ["good.csv"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["tsp"], "'mtsp'"),
        (["mtsp", "--size", "1"], "size = 1"),
        (["mpdp", "--size", "5"], "even"),
        (["mtsp", "--depots", "3"], "depots = 3"),
        (["mtsp", "--vehicles", "0"], "vehicles = 0"),
        (["mtsp", "--count", "0"], "--count = 0"),
        (["mtsp", "--count", "2"], ".npz"),
        (["mtsp", "--distribution", "square"], "'square', expected one of uniform, gaussian"),
        (["mtsp", "--seed", "-1"], "--seed = -1"),
    ],
)
def test_generate_refuses_what_it_cannot_make(options: list[str], expected: str, tmp_path: Path) -> None:
    """And writes nothing."""
    assert expected in fault("generate", *options, "--out", tmp_path / "a.json")
    assert not list(tmp_path.iterdir())


def test_unknown_command_is_refused_with_the_list() -> None:
    """As unknown options are."""
    assert "expected one of solve, check, info" in fault("frobnicate")


def test_an_output_never_replaces_an_input_or_another_output(good: Path, tmp_path: Path) -> None:
    """Also under another spelling of the same path."""
    plan = tmp_path / "plan.json"
    same = tmp_path / "." / "plan.json"
    assert "named twice" in fault("solve", good, "-m", 2, "--out", plan, "--out", same)
    plan.write_text("{}")
    assert "an input file" in fault("solve", good, "-m", 2, "--start", plan, "--out", same)


def test_start_plan_with_a_missing_stop_is_made_to_fit(good: Path, tmp_path: Path) -> None:
    """A warning says what was done, and the plan that is written visits every stop."""
    (tmp_path / "start.sol").write_text("Route #1: 1\n")
    options = ["--start", tmp_path / "start.sol", "--out", tmp_path / "p.json", "--iterations", 50]
    result = CliRunner().invoke(app, [str(a) for a in ("solve", good, "-m", 2, *options)])
    assert result.exit_code == 0
    assert "made to fit" in result.stderr
    assert "1 inserted" in result.stderr
    assert CliRunner().invoke(app, ["check", str(good), str(tmp_path / "p.json"), "-m", "2"]).exit_code == 0


def test_plot_wants_one_or_two_files_after_the_instance(good: Path, tmp_path: Path) -> None:
    """A picture, or a plan and a picture."""
    assert "expected a picture" in fault("plot", good, "a.json", "b.json", "c.png")
    assert "'.json', expected one of .png" in fault("plot", good, tmp_path / "p.json")


def test_unknown_columns_warn_and_the_answer_comes_anyway(tmp_path: Path) -> None:
    """One line `warning: …` on stderr names the column; JSON on stdout stays clean."""
    path = tmp_path / "extra.csv"
    path.write_text("name,role,x,y,colour\nd,depot,0,0,red\na,customer,1,0,blue\n")
    result = CliRunner().invoke(app, ["info", str(path), "-m", "1", "--json"])
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: ")
    assert "'colour'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert json.loads(result.stdout)["customers"] == 1


def test_debug_shows_a_traceback_before_or_after_the_command(tmp_path: Path) -> None:
    """And still ends with the one line."""
    for arguments in (["--debug", "info", "none.csv"], ["info", "none.csv", "--debug"]):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        assert result.stderr.splitlines()[-1] == "error: none.csv: no such file"


def test_an_unforeseen_error_is_one_line_and_exit_1(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that it is ours."""
    import minmaxvrp.problem.files as files

    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(files, "read", fail)
    assert "ZeroDivisionError: oh (a fault of minmaxvrp" in fault("info", good, code=1)
