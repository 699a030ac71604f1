"""Units: lengths that are durations, service in minutes, texts in h:mm."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp import InputError, Instance, Solution, Vehicle
from minmaxvrp.problem import files
from minmaxvrp.problem.check import route_length, travel
from minmaxvrp.problem.files.source import FormatWarning
from minmaxvrp.problem.units import Units, clock_text, parse_minutes
from tests.problem.same import assert_same

TOWN = """Kunde;Breite;Länge;Minuten
Lager;52,52;13,40;
A;52,53;13,41;0:20
B;52,50;13,45;15
C;52,55;13,38;7,5
"""
PLAN = Solution.of([[1, 2], [3]])


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """A planner's table with service in minutes and in h:mm."""
    path = tmp_path / "town.csv"
    path.write_text(TOWN, encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore::minmaxvrp.problem.files.source.FormatWarning")
def test_service_in_minutes_needs_a_speed_and_then_routes_are_durations(town: Path) -> None:
    """Without one an error says once what to write; at 30 km/h a minute is half a kilometre."""
    with pytest.raises(
        InputError, match=r"service: times and distances in km, expected a speed .--speed 40"
    ) as e:
        files.read(town, vehicles=2)
    assert str(e.value).count("--speed") == 1
    instance = files.read(town, vehicles=2, speed=30.0)
    assert (instance.unit, instance.speed) == ("km", 30.0)
    assert instance.service is not None
    assert instance.service.tolist() == [10.0, 7.5, 3.75]
    assert instance.units.text(instance.node_service.sum()) == "0:42"
    assert travel(instance, PLAN.routes[1]) == pytest.approx(2 * float(instance.distance(0, 3)))


@pytest.mark.filterwarnings("ignore::minmaxvrp.problem.files.source.FormatWarning")
def test_a_matrix_of_seconds_makes_durations(town: Path, tmp_path: Path) -> None:
    """OSRM says so itself, other matrices by `unit`; a limit may be h:mm."""
    seconds = [[0, 600, 1200, 1800], [600, 0, 900, 900], [1200, 900, 0, 300], [1800, 900, 300, 0]]
    osrm, table = tmp_path / "osrm.json", tmp_path / "matrix.csv"
    osrm.write_text(json.dumps({"code": "Ok", "durations": seconds}), encoding="utf-8")
    np.savetxt(table, seconds, delimiter=",")
    instance = files.read(town, vehicles=2, matrix=osrm, max_length="1:10")
    assert instance.unit == "s"
    assert instance.service is not None
    assert instance.service.tolist() == [1200.0, 900.0, 450.0]
    assert instance.max_length == 4200.0
    assert_same(files.read(town, vehicles=2, matrix=table, unit="s", max_length="1:10"), instance)
    alone = files.read(osrm, vehicles=2)
    assert (alone.unit, alone.units.text(4200.0)) == ("s", "1:10")
    with pytest.raises(InputError, match="without a unit, expected a speed"):
        files.read(town, vehicles=2, matrix=table)


def test_mixed_units_say_what_to_write() -> None:
    """A speed without a unit, a speed with times, a unit that is none, service that is no time."""
    depot, customers = [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]
    for fields, message in (
        ({"speed": 40.0}, "the distances have no unit: expected one .--unit km"),
        ({"speed": 40.0, "unit": "s"}, "speed = 40 with distances in s, expected lengths"),
        ({"unit": "parsec"}, "unit = 'parsec', expected one of km, m, mi, s, min, h"),
        ({"unit": "km", "speed": -1.0}, "speed = -1.0, expected a number above 0"),
        ({"unit": "s", "kind": "great_circle"}, "unit = 's', expected 'km'"),
    ):
        with pytest.raises(InputError, match=message):
            Instance.mtsp(depot, customers, 1, **fields)


@pytest.mark.parametrize("ending", [".json", ".geojson"])
def test_units_are_kept_in_our_formats(tmp_path: Path, ending: str) -> None:
    """Unit, speed and service come back as they were."""
    instance = Instance.mtsp(
        [52.5, 13.4], [[52.6, 13.5], [52.4, 13.3]], 2, kind="great_circle", speed=45.0, service=[3.5, 0.25]
    )
    path = tmp_path / f"town{ending}"
    files.write(instance, path)
    again = files.read(path)
    assert (again.unit, again.speed) == ("km", 45.0)
    assert again.service is not None
    assert again.service.tolist() == [3.5, 0.25]


def test_json_states_the_unit_of_its_service(tmp_path: Path) -> None:
    """Minutes at 60 km/h are as many kilometres."""
    document = {
        "format": "minmaxvrp-instance",
        "version": 1,
        "units": {"service": "min"},
        "speed": 60,
        "vehicles": 1,
        "depots": [{"lat": 52.5, "lon": 13.4}],
        "customers": [{"lat": 52.6, "lon": 13.4, "service": 12}],
    }
    path = tmp_path / "town.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    service = files.read(path).service
    assert service is not None
    assert service.tolist() == [12.0]


def test_a_table_written_without_a_speed_is_read_back(tmp_path: Path) -> None:
    """Service that is a length has a heading of its own."""
    instance = Instance.mtsp([52.5, 13.4], [[52.6, 13.5]], 1, kind="great_circle", service=[2.5])
    files.write(instance, tmp_path / "town.csv")
    again = files.read(tmp_path / "town.csv").service
    assert again is not None
    assert again.tolist() == [2.5]
    with pytest.warns(FormatWarning, match=r"speed=30\.0"):
        files.write(Instance.mtsp([1, 2], [[3, 4]], 1, kind="great_circle", speed=30.0), tmp_path / "t.csv")


def test_vehicles_have_speeds_and_work_in_the_same_units(tmp_path: Path) -> None:
    """45 km/h where 30 is usual is a factor of 1.5; work done in h:mm."""
    path = tmp_path / "fleet.csv"
    path.write_text(
        "name,role,lat,lon,speed,done\nHome,depot,52.5,13.4,,\nS,customer,52.6,13.4,,\n"
        "fast,vehicle,,,45,0:30\nslow,vehicle,,,,\n",
        encoding="utf-8",
    )
    vehicles = files.read(path, speed=30.0).vehicles
    assert [(v.speed, v.done) for v in vehicles] == [(1.5, 15.0), (1.0, 0.0)]


@pytest.mark.parametrize(
    ("minutes", "text"), [(0, "0:00"), (72.4, "1:12"), (1500, "25:00"), (7.5, "0:07:30")]
)
def test_times_as_people_write_them(minutes: float, text: str) -> None:
    """h:mm, with seconds where it is short; and back."""
    assert clock_text(minutes) == text
    assert parse_minutes(text) == pytest.approx(minutes, abs=0.5)


@pytest.mark.parametrize("text", ["1:75", "abc", "-3", "1:2:3:4", "nan", "inf", "1:00:99"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """Not guessed."""
    with pytest.raises(ValueError, match=r"."):
        parse_minutes(text)


@pytest.mark.filterwarnings("ignore::minmaxvrp.problem.files.source.FormatWarning")
@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (".csv", "length,time"),
        (".html", "time so far"),
        (".gpx", "stop, 0:"),
        (".kml", "Route 1, 0:"),
        (".json", '"makespan_minutes"'),
    ],
)
def test_exports_show_durations(town: Path, tmp_path: Path, ending: str, expected: str) -> None:
    """As h:mm beside the lengths; JSON as numbers with their units named."""
    instance = files.read(town, vehicles=2, speed=60.0)
    files.write_solution(tmp_path / f"plan{ending}", instance, PLAN)
    text = (tmp_path / f"plan{ending}").read_text(encoding="utf-8")
    assert expected.casefold() in text.casefold()
    if ending == ".html":
        assert " km</td>" in text


def test_lengths_keep_their_texts() -> None:
    """With the unit where there is one."""
    assert Units("km").text(12.3456) == "12.35 km"
    assert Units("min").text(90.0) == "1:30"
    assert Units("km", 30.0).text(45.0) == "1:30"
    assert Units("km", 30.0).way_text(45.0) == "45.00 km"


@pytest.mark.filterwarnings("ignore::minmaxvrp.problem.files.source.FormatWarning")
def test_exports_keep_ways_and_times_apart(tmp_path: Path) -> None:
    """At twice 30 km/h: 30 km there, 20 minutes of service and 30 km back are 60 km and 1:20, not 70 km."""
    instance = Instance.mtsp(
        [0, 0], [[30, 0]], 1, unit="km", speed=30.0, service=[10.0], fleet=(Vehicle("Anna", speed=2.0),)
    )
    path, plan = tmp_path / "plan.csv", Solution.of([[1]])
    files.write_solution(path, instance, plan)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["leg"], row["service"], row["length"], row["time"]) for row in rows] == [
        ("0.0", "0.0", "0.0", "0:00"),
        ("30.0", "20.0", "30.0", "0:50"),
        ("30.0", "0.0", "60.0", "1:20"),
    ]
    files.write_solution(path.with_suffix(".html"), instance, plan)
    page = path.with_suffix(".html").read_text(encoding="utf-8")
    assert "1 stops, 1:20, 60.00 km" in page
    assert "driven so far" in page


def _with_kilometres() -> Instance:
    """Ten minutes and 5 km to A, twenty and 30 km back, 20 minutes of service; B is as far as the depot."""
    return Instance(
        matrix=[[0, 600, 0], [1200, 0, 1200], [0, 600, 0]],
        num_vehicles=2,
        unit="s",
        service=[1200, 0],
        names=["Depot", "A", "B"],
        kilometres=[[0, 5, 0], [30, 0, 30], [0, 5, 0]],
    )


@pytest.mark.parametrize("ending", [".json", ".npz"])
def test_kilometres_beside_durations_are_kept_in_our_formats(tmp_path: Path, ending: str) -> None:
    """They come back as they were, and no length is made of them."""
    instance = _with_kilometres()
    files.write(instance, tmp_path / f"town{ending}")
    again = files.read(tmp_path / f"town{ending}")
    assert_same(again, instance)
    assert route_length(again, PLAN_OF_A.routes[0]) == 3000.0
    assert travel(again, PLAN_OF_A.routes[0]) == 35.0


PLAN_OF_A = Solution.of([[1], [2]])


def test_formats_without_kilometres_say_so(tmp_path: Path) -> None:
    """TSPLIB holds one matrix."""
    with pytest.warns(FormatWarning, match="no place for kilometres: not written"):
        files.write(replace(_with_kilometres(), names=None), tmp_path / "town.tsp")


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (".csv", "1,2,Depot,end,0.0,0.0,30.0,0.0,35.0,0:50"),
        (".html", "1 stops, 0:50, 35.00 km"),
        (".json", '"length": 3000.0, "minutes": 50.0, "driven": 35.0'),
    ],
)
def test_exports_show_kilometres_beside_durations(tmp_path: Path, ending: str, expected: str) -> None:
    """Of a matrix of times as of a speed; JSON names their unit."""
    instance = replace(_with_kilometres(), coordinates=np.zeros((3, 2)))
    files.write_solution(tmp_path / f"plan{ending}", instance, PLAN_OF_A)
    text = (tmp_path / f"plan{ending}").read_text(encoding="utf-8")
    assert expected in text
    assert ending != ".json" or '"driven": "km"' in text


def test_kilometres_go_beside_times_only() -> None:
    """Beside lengths, of another size, or negative they are refused."""
    times = [[0, 1], [1, 0]]
    for kilometres, unit, message in (
        (times, "km", "kilometres beside distances in km, expected times in s, min, h"),
        (times, "", "kilometres beside distances without a unit"),
        ([[0]], "s", r"kilometres has shape \(1, 1\), expected \(2, 2\)"),
        ([[0, -1], [1, 0]], "s", "kilometres row 0 column 1 = -1, expected 0 or more"),
    ):
        with pytest.raises(InputError, match=message):
            Instance(matrix=times, num_vehicles=1, unit=unit, kilometres=kilometres)


def test_the_longest_of_a_column_decides_on_its_format() -> None:
    """Below ten minutes with seconds, but not beside longer ones; ways likewise."""
    minutes = Units("min")
    assert [minutes.text(m, 15.0) for m in (0.0, 7.8, 15.0)] == ["0:00", "0:08", "0:15"]
    assert [minutes.text(m, 7.8) for m in (0.0, 7.8)] == ["0:00:00", "0:07:48"]
    assert [Units().text(way, 120.0) for way in (3.0, 120.0)] == ["3.00", "120.00"]
    assert [minutes.text(m) for m in (7.8, 15.0)] == ["0:07:48", "0:15"]


@pytest.mark.parametrize("ending", [".csv", ".html"])
def test_times_of_a_list_have_one_format(tmp_path: Path, ending: str) -> None:
    """Ten minutes there, 20 of service, 20 back, and a leg of 20 seconds: all h:mm."""
    instance = replace(
        Instance(matrix=[[0, 20, 600], [20, 0, 600], [600, 600, 0]], num_vehicles=1, unit="s"),
        coordinates=np.zeros((3, 2)),
    )
    path = tmp_path / f"plan{ending}"
    files.write_solution(path, instance, Solution.of([[1, 2]]))
    text = path.read_text(encoding="utf-8")
    assert re.search(r"\b0:20\b", text)
    assert not re.search(r"\b\d+:\d\d:\d\d\b", text)
