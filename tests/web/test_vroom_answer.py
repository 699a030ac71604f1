"""VROOM's response format: sums, steps and times that follow from the request."""

from pathlib import Path
from typing import Any

import pytest

from minmaxvrp.problem.check import route_lengths
from minmaxvrp.problem.files.source import Source
from minmaxvrp.problem.files.vroom import read_request
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.result import Result
from minmaxvrp.web.vroom_answer import answer


def answered(document: dict[str, Any], *routes: Route) -> dict[str, Any]:
    """The answer to a request with these routes."""
    request = read_request(Source(Path("request")), document, speed=36.0)
    solution = Solution(routes)
    lengths = tuple(route_lengths(request.instance, solution).tolist())
    result = Result(request.instance, solution, lengths, 0.0, 0, 1, 0.25, "search")
    return answer(request, result)


def with_matrix() -> dict[str, Any]:
    """Two vehicles, one job and one shipment; every way takes 10 times the index it leads to, plus 1."""
    durations = [[0 if a == b else 10 * b + 1 for b in range(4)] for a in range(4)]
    return {
        "vehicles": [
            {"id": 31, "start_index": 0, "end_index": 0, "description": "red"},
            {"id": 32, "start_index": 0, "end_index": 0},
        ],
        "jobs": [{"id": 5, "location_index": 1, "service": 100, "priority": 3}],
        "shipments": [
            {
                "pickup": {"id": 8, "location_index": 2},
                "delivery": {"id": 9, "location_index": 3, "service": 4},
            }
        ],
        "matrices": {"car": {"durations": durations, "distances": durations}},
    }


def test_steps_count_travel_and_service() -> None:
    """Arrival is travel and service so far, duration is travel alone."""
    found = answered(with_matrix(), Route(0, (1,), 0), Route(0, (2, 3), 0))
    first, second = found["routes"]
    assert [route["vehicle"] for route in found["routes"]] == [31, 32]
    assert first["description"] == "red"
    assert [step["type"] for step in second["steps"]] == ["start", "pickup", "delivery", "end"]
    assert [step["arrival"] for step in first["steps"]] == [0, 11, 112]
    assert [step["duration"] for step in second["steps"]] == [0, 21, 52, 53]
    assert [step["arrival"] for step in second["steps"]] == [0, 21, 52, 57]
    assert second["steps"][2]["id"] == 9
    assert second["distance"] == 53


def test_the_summary_is_the_sum_of_the_routes() -> None:
    """Cost, duration, service, priority and distance add up; nothing is unassigned."""
    found = answered(with_matrix(), Route(0, (1,), 0), Route(0, (2, 3), 0))
    summary = found["summary"]
    assert found["code"] == 0
    assert found["unassigned"] == []
    assert (summary["cost"], summary["duration"], summary["service"]) == (65, 65, 104)
    assert (summary["routes"], summary["unassigned"], summary["priority"]) == (2, 0, 3)
    assert summary["distance"] == 65
    assert found["minmaxvrp"]["longest_route_seconds"] == 112


def test_an_unused_vehicle_has_no_route() -> None:
    """Empty routes are left out, as VROOM does."""
    found = answered(with_matrix(), Route(0, (), 0), Route(0, (1, 2, 3), 0))
    assert len(found["routes"]) == 1


def test_without_matrices_the_answer_states_the_speed() -> None:
    """A degree of latitude is 111.2 km, at 36 km/h a metre takes a tenth of a second."""
    document = {
        "vehicles": [{"id": 1, "start": [10.0, 50.0], "end": [10.0, 50.0]}],
        "jobs": [{"id": 1, "location": [10.0, 51.0], "service": 60}],
    }
    found = answered(document, Route(0, (1,), 0))
    route = found["routes"][0]
    assert found["minmaxvrp"]["speed_kmh"] == 36.0
    assert route["distance"] == pytest.approx(222_390, abs=5)
    assert route["duration"] == pytest.approx(22_239, abs=1)
    assert route["steps"][2]["arrival"] == route["duration"] + 60
    assert route["steps"][1]["location"] == [10.0, 51.0]


def test_vehicles_that_differ_have_their_own_routes() -> None:
    """Half the speed takes twice the time; no end step of an open route, no start step without a start."""
    document = with_matrix()
    document["vehicles"][0] |= {"speed_factor": 0.5, "end_index": None}
    document["vehicles"][1] |= {"start_index": None}
    found = answered(document, Route(0, (2,), -1), Route(1, (3, 4), 0))
    first, second = found["routes"]
    assert [step["type"] for step in first["steps"]] == ["start", "job"]
    assert first["duration"] == 22
    assert [step["type"] for step in second["steps"]] == ["pickup", "delivery", "end"]
    assert [step["duration"] for step in second["steps"]] == [0, 31, 32]
    assert [route["vehicle"] for route in (first, second)] == [31, 32]
    assert (second["distance"], found["minmaxvrp"]["longest_route_seconds"]) == (32, 122)
