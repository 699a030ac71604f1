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
    assert set(facts["lower_bounds"]) == {"done", "trip", "average"}


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
