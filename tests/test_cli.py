"""The commands of the command line, run in this process."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from minmaxvrp import InternalError, Solution, __version__
from minmaxvrp.cli import app
from minmaxvrp.problem import files
from minmaxvrp.problem.generate import uniform

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CITY = str(EXAMPLES / "city.csv")
FAST = ("--no-search",)


def run(*arguments: object, code: int = 0) -> Result:
    """Run a command, which must end with exit code `code`."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="minmaxvrp")
    assert result.exit_code == code, result.output
    return result


def stops(path: Path, points: Any, roles: str = "customer") -> Path:
    """A CSV with a depot at the origin and stops at `points`."""
    rows = [["depot", "depot", 0, 0], *([f"stop {k}", roles, *p] for k, p in enumerate(points, 1))]
    with path.open("w", newline="") as handle:
        csv.writer(handle).writerows([["name", "role", "x", "y"], *rows])
    return path


@pytest.fixture
def square(tmp_path: Path) -> Path:
    """Four stops of which the last is far: two routes of length 4 and 6 at best."""
    return stops(tmp_path / "square.csv", [(0, 1), (1, 1), (1, 0), (3, 0)])


def test_version_and_help_name_the_commands() -> None:
    """Each command has a line in the help."""
    assert run("--version").stdout == f"minmaxvrp {__version__}\n"
    text = run("--help").stdout
    assert all(name in text for name in ("solve", "check", "info", "generate", "plot"))


def test_info_shows_counts_extent_distances_and_bounds() -> None:
    """As text and as JSON."""
    text = run("info", CITY, "--vehicles", 5).stdout
    assert "customers       72" in text
    assert "great_circle" in text
    facts = json.loads(run("info", CITY, "--vehicles", 5, "--json").stdout)
    assert (facts["customers"], facts["depots"], facts["vehicles"], facts["unit"]) == (72, 1, 5, "km")
    assert 55.1 < facts["extent"]["latitude"][0] < facts["extent"]["latitude"][1] < 55.3
    assert facts["lower_bound"] == max(facts["lower_bounds"].values())


def test_info_shows_the_fleet_of_each_depot() -> None:
    """The three-depot example has 2, 2 and 3 vehicles."""
    facts = json.loads(run("info", EXAMPLES / "three_depots.csv", "--json").stdout)
    assert facts["vehicles_per_depot"] == [2, 2, 3]
    assert facts["problem"] == "mdvrp"
    facts = json.loads(run("info", EXAMPLES / "three_depots.csv", "--return-to", "any", "--json").stdout)
    assert facts["problem"] == "fmdvrp"


def test_solve_prints_routes_makespan_bound_and_gap(square: Path) -> None:
    """The far stop alone takes 6, which is also the lower bound."""
    text = run("solve", square, "--vehicles", 2, *FAST).stdout
    assert "longest route  6.0000" in text
    assert "lower bound    6.0000" in text
    assert "(optimal)" in text
    assert "100.0 %" in text


def test_solve_writes_every_kind_of_file_and_check_accepts_the_plans(tmp_path: Path) -> None:
    """One `--out` for each ending."""
    names = ["p.json", "p.sol", "p.geojson", "p.png", "p.svg", "p.pdf"]
    outs = [part for name in names for part in ("--out", tmp_path / name)]
    run("solve", CITY, "--vehicles", 5, *FAST, *outs, "--plot", tmp_path / "q.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "q.png"])
    for name in names[:3]:
        text = run("check", CITY, tmp_path / name, "--vehicles", 5).stdout
        assert text.startswith("feasible: 5 routes, longest ")
        assert text.rstrip().endswith(" km")


def test_solve_json_is_a_plan_that_check_accepts(tmp_path: Path) -> None:
    """One object on stdout, nothing else."""
    output = run("solve", EXAMPLES / "courier.csv", "-m", 4, *FAST, "--json").stdout
    document = json.loads(output)
    assert document["makespan"] == max(route["length"] for route in document["routes"])
    assert document["lower_bound"] <= document["makespan"]
    (tmp_path / "plan.json").write_text(output)
    report = json.loads(
        run("check", EXAMPLES / "courier.csv", tmp_path / "plan.json", "-m", 4, "--json").stdout
    )
    assert report["feasible"] is True
    assert report["makespan"] == document["makespan"]
    assert report["violations"] == []


def test_solve_begins_with_a_given_plan(square: Path, tmp_path: Path) -> None:
    """Without search the given plan itself is the answer."""
    instance = files.read(square, vehicles=2)
    files.write_solution(tmp_path / "start.json", instance, Solution.of([[4, 1], [2, 3]]))
    options = ("--start", tmp_path / "start.json", "--no-search", "--json")
    document = json.loads(run("solve", square, "-m", 2, *options).stdout)
    assert [route["customers"] for route in document["routes"]] == [[4, 1], [2, 3]]
    assert document["method"] == "given"


def test_solve_with_a_matrix_measures_with_it(square: Path, tmp_path: Path) -> None:
    """All distances 1: a route of k stops is k + 1 long."""
    np.savetxt(tmp_path / "m.csv", np.ones((5, 5)), delimiter=",")
    options = ("--matrix", tmp_path / "m.csv", *FAST, "--json")
    assert json.loads(run("solve", square, "-m", 4, *options).stdout)["makespan"] == 2.0


def test_solve_rounded_measures_whole_numbers(tmp_path: Path) -> None:
    """There and back 2 × 1.4 is 2 with rounded legs."""
    path = stops(tmp_path / "a.csv", [(1.4, 0)])
    assert json.loads(run("solve", path, "-m", 1, *FAST, "--json", "--rounded").stdout)["makespan"] == 2.0
    assert json.loads(run("solve", path, "-m", 1, *FAST, "--json").stdout)["makespan"] == 2.8


def test_check_lists_each_violation_and_exits_3(square: Path, tmp_path: Path) -> None:
    """A stop left out, one visited twice, one route too many."""
    instance = files.read(square, vehicles=2)
    files.write_solution(tmp_path / "bad.json", instance, Solution.of([[1, 1], [2], [3]]))
    result = run("check", square, tmp_path / "bad.json", "-m", 2, code=3)
    assert result.stdout.splitlines() == [
        "missing customer: stop 4 is on no route",
        "visited twice: stop 1 is visited 2 times",
        "too many routes: 3 routes for 2 vehicles",
    ]
    assert result.stderr == f"error: {tmp_path / 'bad.json'}: infeasible, 3 violations\n"
    report = json.loads(run("check", square, tmp_path / "bad.json", "-m", 2, "--json", code=3).stdout)
    assert report["violations"][0]["rule"] == "missing customer"
    assert report["feasible"] is False


def test_check_and_plot_refuse_a_plan_with_unknown_nodes(square: Path, tmp_path: Path) -> None:
    """It cannot be measured or drawn, and says which node."""
    (tmp_path / "odd.sol").write_text("Route #1: 1 2 3 4 99\n")
    assert "unknown node" in run("check", square, tmp_path / "odd.sol", "-m", 2, code=3).stdout
    report = json.loads(run("check", square, tmp_path / "odd.sol", "-m", 2, "--json", code=3).stdout)
    assert report["makespan"] is None
    assert "99" in run("plot", square, tmp_path / "odd.sol", tmp_path / "p.png", "-m", 2, code=3).stderr
    assert not (tmp_path / "p.png").exists()


def test_plot_draws_an_instance_or_a_plan(tmp_path: Path) -> None:
    """The plan comes between instance and picture."""
    run("plot", CITY, tmp_path / "a.svg", "--vehicles", 5, "--title", "My town")
    assert "My town" not in "".join(p.name for p in tmp_path.iterdir())
    run("solve", CITY, "--vehicles", 5, *FAST, "--out", tmp_path / "p.json")
    run("plot", CITY, tmp_path / "p.json", tmp_path / "b.svg", "--vehicles", 5)
    assert (tmp_path / "a.svg").read_bytes() != (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("problem", ["mtsp", "mpdp", "mdvrp", "fmdvrp"])
@pytest.mark.parametrize("ending", ["json", "csv", "npz"])
def test_generated_instances_can_be_read(problem: str, ending: str, tmp_path: Path) -> None:
    """The same seed gives the same file, another seed another one."""
    paths = [tmp_path / f"{name}.{ending}" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        run("generate", problem, "--size", 10, "--vehicles", 3, "--seed", seed, "--out", path)
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
    more = ["--return-to", "any"] if problem == "fmdvrp" else []
    facts = json.loads(run("info", paths[0], "--vehicles", 3, *more, "--json").stdout)
    assert facts["problem"] == problem
    assert facts["customers"] == (9 if problem == "mtsp" else 10)


def test_generate_makes_sets_and_other_distributions(tmp_path: Path) -> None:
    """Several instances go into one npz; the published recipe starts from another generator."""
    path = tmp_path / "set.npz"
    for distribution in ("gaussian", "drilled", "duplicates", "published"):
        run("generate", "mtsp", "--count", 3, "--size", 20, "--distribution", distribution, "--out", path)
        assert len(files.read_set(path)) == 3


POINTS = {
    "identical": [(5, 5)] * 4,
    "one customer": [(1, 2)],
    "on the depot": [(0, 0), (0, 0)],
    "collinear": [(k, 0) for k in range(1, 7)],
    "huge": [(1e9, 2e9), (3e9, -1e9), (-2e9, 1e9)],
    "tiny": [(1e-9, 2e-9), (3e-9, -1e-9), (-2e-9, 1e-9)],
}


@pytest.mark.parametrize("vehicles", [1, 2, 9])
@pytest.mark.parametrize("name", POINTS)
def test_degenerate_instances_work_everywhere(name: str, vehicles: int, tmp_path: Path) -> None:
    """info, solve, check and plot, also with more vehicles than customers."""
    path, plan = stops(tmp_path / "a.csv", POINTS[name]), tmp_path / "p.json"
    run("info", path, "-m", vehicles)
    run("solve", path, "-m", vehicles, "--iterations", 200, "--out", plan)
    run("check", path, plan, "-m", vehicles)
    run("plot", path, plan, tmp_path / "p.png", "-m", vehicles)


def test_a_solver_that_errs_is_a_fault_of_ours_and_nothing_is_written(
    square: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong answer never reaches a user: exit code 1."""
    import minmaxvrp.search.construction.construct as construction

    monkeypatch.setattr(construction, "construct", lambda instance, seed: Solution.of([[1, 2], [3]]))
    result = run("solve", square, "-m", 2, *FAST, "--out", tmp_path / "p.json", code=1)
    assert "missing customer: stop 4" in result.stderr
    assert not (tmp_path / "p.json").exists()
    assert InternalError.exit_code == 1


def test_examples_are_what_their_script_makes(tmp_path: Path) -> None:
    """The committed files follow from the seed."""
    namespace: dict[str, Any] = {"__name__": "make_city"}
    exec(compile((EXAMPLES / "make_city.py").read_text(), "make_city.py", "exec"), namespace)
    namespace["main"](tmp_path)
    for made in tmp_path.iterdir():
        assert made.read_text() == (EXAMPLES / made.name).read_text(), made.name
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in EXAMPLES.glob("*.csv")}


def test_a_set_is_shown_and_solved_line_by_line(tmp_path: Path) -> None:
    """`info` and `solve` of an npz set: a line for each instance, as text or JSON; no plan files."""
    path = tmp_path / "set.npz"
    files.write_set(uniform("mtsp", 8, 2, seed=3, count=3), path)
    assert len(run("info", path).stdout.splitlines()) == 3
    lines = run("solve", path, *FAST, "--json").stdout.splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1, 2]
    assert "a set of 3 instances" in run("solve", path, "--out", tmp_path / "p.json", code=2).stderr
    late = run("solve", path, *FAST, "--max-length", 0.1, code=3)
    assert len(late.stdout.splitlines()) == 3
    assert "set.npz instance 0: no plan keeps the limit of 0.1000" in late.stderr
    assert "; 2 more likewise" in late.stderr


def test_a_spreadsheet_goes_in_and_drivers_lists_come_out(tmp_path: Path) -> None:
    """German headings by option, a doubt about a stop at 0/0, a list of visits as CSV."""
    path = tmp_path / "s.csv"
    path.write_text("Laden;Nord;Ost\nHof;52,5;13,2\nA;52,6;13,3\nB;52,4;13,1\nC;0;0\n", encoding="utf-8")
    out = tmp_path / "visits.csv"
    columns = "name=Laden,lat=Nord,lon=Ost"
    said = run("solve", path, "-m", 2, *FAST, "--columns", columns, "--out", out).stderr
    assert "no column 'role': the first stop (line 2) is the depot" in said
    assert "C: at latitude 0, longitude 0" in said
    assert "A" in out.read_text(encoding="utf-8-sig")
    assert "--columns" in run("info", path, "-m", 2, "--columns", "lat", code=2).stderr
