"""Fleets, open routes and limits on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from minmaxvrp.cli import app

ROBOTS = """name,role,x,y,vehicles,end,speed,done
R1,vehicle,0,0,,,,
R2,vehicle,9,0,,,2,3
a,customer,1,0,,,,
b,customer,8,0,R2,,,
c,customer,4,0,,,,
"""


def run(*arguments: object) -> Result:
    """A command of the package."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="minmaxvrp")


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """Two robots on a line, one of them fast and busy, three customers."""
    path = tmp_path / "robots.csv"
    path.write_text(ROBOTS)
    return path


def test_info_shows_the_fleet(robots: Path) -> None:
    """Vehicles with what is special about them, restricted customers, the limit, bounds of fleets."""
    text = run("info", robots, "--open", "--max-length", 5).stdout
    assert "routes end at their last customer" in text
    assert "R1, start R1\n" in text
    assert "R2, start R2, speed 2.0, done 3.0" in text
    assert "1 customers, to some vehicles" in text
    assert "limit           5.0000 per route" in text
    facts = json.loads(run("info", robots, "--json").stdout)
    assert facts["fleet"][1] == {"name": "R2", "start": "R2", "speed": 2.0, "done": 3.0}
    assert set(facts["lower_bounds"]) == {"done", "trip", "subset", "average"}


def test_check_judges_a_plan_of_a_fleet(robots: Path, tmp_path: Path) -> None:
    """With the rules that --open and --max-length add."""
    plan = tmp_path / "plan.json"
    routes = [
        {"vehicle": "R1", "start": 0, "end": None, "customers": [2, 4], "names": ["a", "c"]},
        {"vehicle": "R2", "start": 1, "end": None, "customers": [3], "names": ["b"]},
    ]
    plan.write_text(json.dumps({"format": "minmaxvrp-solution", "version": 1, "routes": routes}))
    assert run("check", robots, plan, "--open").stdout == "feasible: 2 routes, longest 4.0000\n"
    late = run("check", robots, plan, "--open", "--max-length", 3.8)
    assert late.exit_code == 3
    assert "route too long: route 1 is 4 long, the limit is 3.8" in late.stdout
    assert "wrong return depot: R1 ends at its last customer" in run("check", robots, plan).stdout


def test_open_and_another_rule_exclude_each_other(robots: Path) -> None:
    """One line, exit code 2."""
    result = run("info", robots, "--open", "--return-to", "any")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --open and --return-to any, expected one of them\n",
    )


def test_solve_lists_the_vehicles_in_their_order(robots: Path, tmp_path: Path) -> None:
    """With names in the table, in the plan and in the pages for drivers."""
    pages = tmp_path / "pages.html"
    result = run("solve", robots, "--open", "--iterations", 2000, "--out", pages)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines() if line.strip().startswith("R")]
    assert [(line[0], line[1]) for line in lines] == [("R1", "R1"), ("R2", "R2")]
    assert ": R2</h1>" in pages.read_text()
    plan = json.loads(run("solve", robots, "--open", "--iterations", 2000, "--json").stdout)
    assert [route["vehicle"] for route in plan["routes"]] == ["R1", "R2"]
    # R1 to a, R2 by b to c in 3 + 5 / 2; or R1 to a and c in 4, which is best
    assert (plan["makespan"], plan["routes"][0]["names"]) == (4.0, ["a", "c"])


@pytest.mark.parametrize("policy", ["auto", "mtsp"])
def test_a_fleet_with_a_policy_goes_to_the_search_with_a_notice(robots: Path, policy: str) -> None:
    """The network does not serve it, and torch is not loaded for it."""
    result = run("solve", robots, "--open", "--iterations", 500, "--policy", policy)
    assert result.exit_code == 0, result.output
    assert "note: the network does not know vehicles that differ or open routes" in result.stderr
    assert "iterations (search)" in result.stdout


def test_a_limit_that_cannot_be_kept_is_explained_and_the_plan_still_written(
    robots: Path, tmp_path: Path
) -> None:
    """Exit code 3, one line with the least makespan and the stops that are the reason."""
    out = tmp_path / "plan.json"
    result = run("solve", robots, "--open", "--iterations", 500, "--max-length", 3.2, "--out", out)
    assert result.exit_code == 3
    assert "no plan keeps the limit of 3.2000: the least makespan found is 4.0000" in result.stderr
    assert "too far even alone: b, c" in result.stderr
    assert json.loads(out.read_text())["makespan"] == 4.0
    assert "longest route" in result.stdout
