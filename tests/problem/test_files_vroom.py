"""VROOM's request format: what becomes of it, and that nothing it asks for is passed over in silence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.files import FormatWarning, read
from minmaxvrp.problem.files.source import Source
from minmaxvrp.problem.files.vroom import read_request
from minmaxvrp.problem.fleet import Vehicle

HOME, WEST = [13.40, 52.50], [13.20, 52.55]


def request(**fields: Any) -> dict[str, Any]:
    """Two vehicles, three jobs and a shipment around a city."""
    vehicles = [{"id": 4, "start": HOME, "end": HOME}, {"id": 6, "start": HOME, "end": HOME}]
    jobs = [{"id": 10 + k, "location": [13.3 + k / 20, 52.4], "description": f"shop {k}"} for k in range(3)]
    pickup, delivery = {"id": 10, "location": [13.5, 52.6]}, {"id": 10, "location": [13.1, 52.3]}
    shipments = [{"pickup": pickup, "delivery": delivery}]
    return {"vehicles": vehicles, "jobs": jobs, "shipments": shipments, **fields}


def parsed(document: dict[str, Any]) -> Any:
    """The request that a document holds."""
    return read_request(Source(Path("request")), document)


def test_a_file_with_a_request_is_an_instance(tmp_path: Path) -> None:
    """Positions are [lon, lat]; jobs, then pickup and delivery as a pair; two vehicles from one depot."""
    file = tmp_path / "request.vroom.json"
    file.write_text(json.dumps(request()))
    instance = read(file)
    assert (instance.num_depots, instance.num_customers, instance.num_vehicles) == (1, 5, 2)
    assert instance.coordinates[0].tolist() == HOME[::-1]
    assert instance.pairs.tolist() == [[4, 5]]
    assert instance.kind is Distance.GREAT_CIRCLE
    assert instance.names == ("depot", "job 10", "job 11", "job 12", "pickup 10", "delivery 10")


def test_service_becomes_way_at_the_speed(tmp_path: Path) -> None:
    """Six minutes at 50 km/h are 5 km, and the reader says so."""
    document = request()
    document["jobs"][1]["service"] = 360
    file = tmp_path / "request.json"
    file.write_text(json.dumps(document))
    with pytest.warns(FormatWarning, match="50 km/h"):
        instance = read(file)
    assert instance.service is not None
    assert instance.service.tolist() == pytest.approx([0, 5, 0, 0, 0])


def test_vehicles_at_two_places_make_two_depots() -> None:
    """Each depot has as many vehicles as start there."""
    document = request()
    document["vehicles"] += [{"id": 5, "start": WEST, "end": WEST}]
    found = parsed(document)
    assert found.instance.vehicles_per_depot.tolist() == [2, 1]
    assert [vehicle.start for vehicle in found.vehicles] == [0, 0, 1]


def test_a_matrix_is_indexed_by_the_request() -> None:
    """Rows are those of the indices, times are seconds; positions are not needed."""
    durations = (np.arange(16).reshape(4, 4) * (1 - np.eye(4))).astype(int)
    document = {
        "vehicles": [{"id": 1, "start_index": 3, "end_index": 3}],
        "jobs": [{"id": 1, "location_index": 1, "service": 7}, {"id": 2, "location_index": 0}],
        "matrices": {"car": {"durations": durations.tolist()}},
    }
    found = parsed(document)
    assert found.instance.matrix.tolist() == [[0, 13, 12], [7, 0, 4], [3, 1, 0]]
    assert found.instance.service.tolist() == [7, 0]
    assert found.seconds_per_length == 1.0


@pytest.mark.parametrize(
    ("part", "field", "value", "named"),
    [
        ("vehicles", "capacity", [4], "capacity"),
        ("vehicles", "time_window", [0, 100], "time_window"),
        ("vehicles", "breaks", [{"id": 1}], "breaks"),
        ("vehicles", "speed_factor", "fast", "speed_factor"),
        ("vehicles", "skills", ["a"], "skill = 'a'"),
        ("vehicles", "max_tasks", 3, "max_tasks"),
        ("vehicles", "costs", {"fixed": 100}, "costs"),
        ("jobs", "delivery", [2], "delivery"),
        ("jobs", "skills", [2], r"task 1: no vehicle has the skills \[2\]"),
        ("jobs", "time_windows", [[0, 10]], "time_windows"),
        ("jobs", "setup", 60, "setup"),
        ("jobs", "surprise", 1, "surprise"),
        ("jobs", "location", [13.0], "location"),
        ("jobs", "location", [13.0, 95.0], "latitude"),
        ("jobs", "id", 11, "id 11 is used twice"),
        ("shipments", "amount", [1], "amount"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(part: str, field: str, value: Any, named: str) -> None:
    """The message names the field; nothing is left out in silence."""
    document = request()
    document[part][0][field] = value
    with pytest.raises(InputError, match=named):
        parsed(document)


def test_empty_wishes_are_none() -> None:
    """Zero amounts, no skills and a speed factor of 1 ask for nothing."""
    document = request()
    document["vehicles"][0] |= {"skills": [], "speed_factor": 1, "breaks": []}
    document["jobs"][0] |= {"delivery": [0, 0], "setup": 0, "time_windows": []}
    assert parsed(document).instance.num_customers == 5


@pytest.mark.parametrize("options", [{"g": True}, {"c": True}, {"x": 5}])
def test_options_that_change_the_answer_are_refused(options: dict[str, Any]) -> None:
    """Only a time limit and a number of threads are understood."""
    assert parsed(request(options={"l": 3, "t": 2, "g": False})).options == {"l": 3.0, "t": 2}
    with pytest.raises(InputError, match="options"):
        parsed(request(options=options))


def test_vehicles_that_differ_are_a_fleet() -> None:
    """Another end, no end, a speed factor; places are depots, described vehicles have names."""
    document = request()
    document["vehicles"][0] |= {"end": WEST, "description": "van"}
    document["vehicles"][1] |= {"end": None, "speed_factor": 1.5}
    instance = parsed(document).instance
    assert instance.num_depots == 2
    assert instance.fleet == (Vehicle("van", 0, 1), Vehicle("vehicle 6", 0, "nowhere", 1.5))
    del document["vehicles"][0]["start"], document["vehicles"][0]["end"]
    with pytest.raises(InputError, match="no start and no end"):
        parsed(document)


def test_skills_say_who_may_serve() -> None:
    """A task is for vehicles that have all its skills; a shipment's count for both of its stops."""
    document = request()
    document["vehicles"][1]["skills"] = [1, 2]
    document["jobs"][2]["skills"] = [2]
    document["shipments"][0]["skills"] = [1, 2]
    assert parsed(document).instance.allowed == {3: (1,), 4: (1,), 5: (1,)}


@pytest.mark.parametrize("with_matrix", [False, True])
def test_a_route_without_a_start_begins_with_its_first_task(with_matrix: bool) -> None:
    """A depot at no distance to every task stands for it; other distances stay as they are."""
    document = request(shipments=[])
    del document["vehicles"][1]["start"]
    plain = parsed(request(shipments=[])).instance
    if with_matrix:
        for number, place in enumerate([*document["vehicles"], *document["jobs"]]):
            for key in ("start", "end", "location"):
                if key in place:
                    place[f"{key}_index"] = max(0, number - 1)
        document["matrices"] = {"car": {"durations": (np.ones((4, 4)) - np.eye(4)).tolist()}}
    found = parsed(document)
    instance = found.instance
    assert (found.anywhere, instance.num_depots, instance.names[1]) == (1, 2, "anywhere")
    assert instance.fleet == (Vehicle("vehicle 4", 0, 0), Vehicle("vehicle 6", 1, 0))
    assert instance.distance(1, np.arange(2, 5)).tolist() == [0.0, 0.0, 0.0]
    expected = np.ones(3) if with_matrix else plain.distance(0, np.arange(1, 4))
    assert instance.distance(0, np.arange(2, 5)) == pytest.approx(expected)
