"""Fleets in files: what is written is read back, what people write is understood, what is wrong is named."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem import files
from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.fleet import NOWHERE, Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.fleet_brute import fleet_optimum
from tests.problem.fleet_small import random_fleet
from tests.problem.same import assert_same

FLEET = (
    Vehicle("Anna", start=0, end=1, speed=2.0),
    Vehicle("Ben", end="nowhere", done=3.5),
    Vehicle(start=2, end="any"),
)


def drivers(**fields: Any) -> Instance:
    """Three places, four customers, three vehicles, one pin."""
    points = [[0, 0], [9, 0], [5, 5], [1, 0], [2, 0], [7, 0], [5, 4]]
    start: dict[str, Any] = {"fleet": FLEET, "allowed": {4: (1,), 6: (0, 2)}}
    return Instance(np.array(points, dtype=float), 3, 3, **(start | fields))


NAMED = drivers(names=("Home", "Depot", "Garage", "a", "b", "c", "d"), max_length=30.0)
PLAN = Solution((Route(0, (3, 5), 1), Route(1, (4,), NOWHERE), Route(2, (6,), 0)))


@pytest.mark.parametrize("ending", ["json", "geojson"])
@pytest.mark.parametrize(
    "instance",
    [
        NAMED,
        drivers(),
        drivers(fleet=None),
        drivers(allowed=None, return_to="any"),
        drivers(return_to="nowhere", fleet=None, allowed=None, max_length=2.5),
    ],
)
def test_a_fleet_is_read_back(tmp_path: Path, ending: str, instance: Instance) -> None:
    """Names, places, ends, speeds, work done, pins, open routes and the limit."""
    path = tmp_path / f"fleet.{ending}"
    files.write(instance, path)
    assert_same(files.read(path), instance)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize("instance", [replace(NAMED, max_length=None), drivers(), drivers(allowed=None)])
def test_a_fleet_in_a_table_is_read_back(tmp_path: Path, ending: str, instance: Instance) -> None:
    """Rows with role vehicle hold the same; a vehicle without a name has its number as name."""
    if ending == "xlsx":
        pytest.importorskip("openpyxl")
    path = tmp_path / f"fleet.{ending}"
    files.write(instance, path)
    fleet = (*FLEET[:2], replace(FLEET[2], name="vehicle 3"))
    assert_same(files.read(path), replace(instance, fleet=fleet))


@pytest.mark.parametrize("seed", range(60))
def test_random_fleets_and_their_plans_are_read_back(tmp_path: Path, seed: int) -> None:
    """Mixtures of all rules through JSON, their plans through JSON, GeoJSON and .sol."""
    instance = random_fleet(seed, 4)
    files.write(instance, tmp_path / "a.json")
    again = files.read(tmp_path / "a.json")
    assert_same(again, instance)
    _, plan = fleet_optimum(instance)
    for ending in ("json", "geojson", "sol"):
        path = tmp_path / f"plan.{ending}"
        files.write_solution(path, instance, plan)
        assert files.read_solution(path, again) == plan


def test_vehicles_bring_their_own_places(tmp_path: Path) -> None:
    """Coordinates of a start or an end are a depot; the same ones are the same depot; names fit the stops."""
    document = {
        "format": "minmaxvrp-instance",
        "version": 1,
        "depots": [{"name": "Hub", "x": 5, "y": 5}],
        "customers": [{"name": "a", "x": 1, "y": 1, "vehicles": ["Ben", 1]}, {"name": "b", "x": 2, "y": 2}],
        "fleet": [
            {"name": "Anna", "start": {"x": 0, "y": 0}, "end": "Hub"},
            {"name": "Ben", "start": {"x": 5, "y": 5}, "end": {"x": 0, "y": 9}},
            {"start": {"x": 0, "y": 0}, "end": "nowhere"},
        ],
    }
    path = tmp_path / "own.json"
    path.write_text(json.dumps(document))
    instance = files.read(path)
    assert instance.names == ("Hub", "Anna", "Ben", "a", "b")
    assert instance.coordinates[:3].tolist() == [[5, 5], [0, 0], [0, 9]]
    assert instance.fleet == (Vehicle("Anna", 1, 0), Vehicle("Ben", 0, 2), Vehicle("", 1, "nowhere"))
    assert instance.allowed == {3: (0, 1)}
    del document["depots"]
    document["fleet"][0]["end"] = None  # type: ignore[index]
    path.write_text(json.dumps(document))
    assert files.read(path).num_depots == 3


def damaged(**fields: Any) -> dict[str, Any]:
    """A document with two vehicles, some fields replaced."""
    return {
        "format": "minmaxvrp-instance",
        "version": 1,
        "depots": [{"x": 0, "y": 0}],
        "customers": [{"x": 1, "y": 1}],
        "fleet": [{"name": "Anna"}, {}],
    } | fields


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"fleet": "Anna"}, "fleet is 'Anna', expected a list"),
        ({"fleet": ["Anna"]}, "fleet.0. is 'Anna', expected an object"),
        ({"fleet": [{"start": "Hub"}]}, "fleet.0.: start = 'Hub', expected a depot: 0 to 0"),
        ({"fleet": [{"end": 3}]}, "fleet.0.: end = 3, expected a depot: 0 to 0, 'start', 'any', 'nowhere'"),
        ({"fleet": [{"speed": "fast"}]}, "fleet.0.: speed = 'fast', expected a number"),
        ({"fleet": [{"speed": 0}]}, "speed = 0, expected"),
        ({"fleet": [{"name": 3}]}, "name = 3, expected a text"),
        ({"vehicles": 3}, "fleet: 2 vehicles, expected num_vehicles = 3"),
        ({"fleet": [{"start": {"x": 1}}]}, "depots.1.: y = None, expected a number"),
        ({"matrix": [[0, 1], [1, 0]], "fleet": [{"start": {"x": 1, "y": 1}}]}, "coordinates beside a matrix"),
        (
            {"customers": [{"x": 1, "y": 1, "vehicles": "Ben"}]},
            "'Ben', expected 1 to 2 or 'Anna', 'veh",
        ),
        ({"customers": [{"x": 1, "y": 1, "vehicles": [0]}]}, "vehicles: 0, expected 1 to 2"),
        ({"customers": [{"x": 1, "y": 1, "vehicles": []}]}, "no vehicle may serve customer 1"),
        ({"max_length": "8h"}, "max_length = '8h', expected a number"),
        ({"max_length": -1}, "max_length = -1, expected more than 0"),
    ],
)
def test_what_is_wrong_with_a_fleet_is_named(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    """In JSON, with where it is."""
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(damaged(**fields)))
    with pytest.raises(InputError, match=message):
        files.read(path)


TABLE = """name,role,x,y,vehicles,end,speed,done
Hub,depot,5,5,,,,
Anna,vehicle,0,0,,Hub,,30
Ben,Fahrer,5,5,,nowhere,1.5,
Cleo,vehicle,,,,any,,
Dora,vehicle,0,0,,Anna,,
a,customer,1,1,Anna,,,
b,customer,2,2,Ben|Cleo,,,
c,customer,3,3,4,,,
d,customer,4,4,,,,
"""


def test_a_table_holds_vehicles_and_pins(tmp_path: Path) -> None:
    """Places are depots, the same place is the same depot, no place is any depot; pins by name or number."""
    path = tmp_path / "stops.csv"
    path.write_text(TABLE)
    instance = files.read(path)
    assert instance.names == ("Hub", "Anna", "a", "b", "c", "d")
    assert instance.fleet == (
        Vehicle("Anna", 1, 0, done=30.0),
        Vehicle("Ben", 0, "nowhere", speed=1.5),
        Vehicle("Cleo", None, "any"),
        Vehicle("Dora", 1, 1),
    )
    assert instance.allowed == {2: (0,), 3: (1, 2), 4: (3,)}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (",Hub,,30", ",Hib,,30", "line 3: end = 'Hib', expected a depot: 'Hub', 'Anna', 'start'"),
        (",Hub,,30", ",Hub,x,30", "line 3: speed = 'x', expected a number"),
        (",Hub,,30", ",Hub,,half", "line 3: done = 'half', expected a number"),
        (
            "Ben|Cleo",
            "Ben|Clea",
            "line 8: vehicles: 'Clea', expected 1 to 4 or 'Anna', 'Ben', 'Cleo', 'Dora'",
        ),
        ("5,5,,,,\nAnna", "5,5,2,,,\nAnna", "line 2: vehicles = '2' at a depot, expected rows of vehicles"),
        ("Dora,vehicle", "Cleo,vehicle", "2 vehicles are called 'Cleo'"),
        ("Anna,vehicle,0,0", "Anna,vehicle,0,", "line 3: y = '', expected a number"),
    ],
)
def test_what_is_wrong_with_a_table_of_vehicles_is_named(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    """With the line."""
    path = tmp_path / "stops.csv"
    assert before in TABLE
    path.write_text(TABLE.replace(before, after))
    with pytest.raises(InputError, match=message.replace("|", r"\|")):
        files.read(path)


def test_open_routes_and_a_limit_can_be_asked_for(tmp_path: Path) -> None:
    """Instead of what the file says; vehicles at depots become vehicles with a start."""
    instance = Instance.mdvrp([[0, 0], [1, 1]], [[2, 2]], 3, vehicles_per_depot=[1, 2])
    files.write(instance, tmp_path / "a.json")
    again = files.read(tmp_path / "a.json", return_to="nowhere", max_length=7)
    assert (again.return_to, again.max_length, again.vehicles_per_depot) == ("nowhere", 7.0, None)
    assert again.fleet == (Vehicle(start=0), Vehicle(start=1), Vehicle(start=1))


@pytest.mark.parametrize("ending", ["tsp", "txt", "npz"])
def test_formats_of_the_literature_refuse_a_fleet(tmp_path: Path, ending: str) -> None:
    """Instead of dropping it."""
    with pytest.raises(InputError, match="cannot hold a fleet"):
        files.write(drivers(), tmp_path / f"a.{ending}")


def test_a_plan_is_matched_by_the_names_of_vehicles(tmp_path: Path) -> None:
    """Whatever their order in the file; who has no route stays; unknown ones are refused."""
    path = tmp_path / "plan.json"
    files.write_solution(path, NAMED, PLAN)
    document = json.loads(path.read_text())
    assert [route["vehicle"] for route in document["routes"]] == ["Anna", "Ben", "vehicle 3"]
    assert [route["end"] for route in document["routes"]] == [1, None, 0]
    document["routes"].reverse()
    path.write_text(json.dumps(document))
    assert files.read_solution(path, NAMED) == PLAN
    document["routes"].pop()
    path.write_text(json.dumps(document))
    assert files.read_solution(path, NAMED).routes[0] == Route(0, (), 0)
    document["routes"][0]["vehicle"] = "Zoe"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="'Zoe' is no vehicle of the instance"):
        files.read_solution(path, NAMED)


def test_exports_name_vehicles_and_leave_out_the_way_back(tmp_path: Path) -> None:
    """CSV, workbook, driver pages: names as titles, work done at the start, no end of an open route."""
    assert violations(NAMED, PLAN) == []
    files.write_solution(tmp_path / "plan.csv", NAMED, PLAN)
    rows = [line.split(",") for line in (tmp_path / "plan.csv").read_text(encoding="utf-8-sig").splitlines()]
    assert rows[0][:4] == ["route", "vehicle", "visit", "name"]
    ben = [row for row in rows if row[1] == "Ben"]
    assert [(row[3], row[4], float(row[-1])) for row in ben] == [("Depot", "start", 3.5), ("b", "stop", 10.5)]
    anna = [row for row in rows if row[1] == "Anna"]
    assert float(anna[-1][-1]) == route_lengths(NAMED, PLAN)[0] == 4.5
    files.write_solution(tmp_path / "plan.html", NAMED, PLAN)
    assert "<h1>plan: Anna</h1>" in (tmp_path / "plan.html").read_text()
    openpyxl = pytest.importorskip("openpyxl")
    files.write_solution(tmp_path / "plan.xlsx", NAMED, PLAN)
    assert openpyxl.load_workbook(tmp_path / "plan.xlsx").sheetnames == ["routes", "Anna", "Ben", "vehicle 3"]


def test_maps_name_vehicles(tmp_path: Path) -> None:
    """GPX and KML of open routes end at the last stop."""
    points = np.array([[50.0, 8.0], [50.1, 8.1], [50.2, 8.2]])
    instance = Instance(
        points, 1, 1, kind=Distance.GREAT_CIRCLE, fleet=(Vehicle("Anna"),), return_to="nowhere"
    )
    for ending, count in (("gpx", "<rtept"), ("kml", "<Point>")):
        path = tmp_path / f"plan.{ending}"
        files.write_solution(path, instance, Solution((Route(0, (1, 2), NOWHERE),)))
        text = path.read_text()
        assert "<name>Anna</name>" in text
        assert text.count(count) == 3
