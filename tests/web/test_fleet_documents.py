"""Fleets through the server's tasks: files reach the page, answers measure them right."""

import base64
from typing import Any

from minmaxvrp.problem.fleet import NOWHERE, Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.web import tasks

LIMITS: dict[str, Any] = {"customers": 100, "vehicles": 10, "seconds": 10, "workers": 1}
TABLE = b"name,role,x,y\nAnna,vehicle,0,0\na,customer,1,0\n"


def test_a_fleet_in_a_file_reaches_the_page() -> None:
    """The row of a vehicle becomes one of the fleet, which the document names."""
    document = tasks.read("stops.csv", base64.b64encode(TABLE).decode(), LIMITS)["instance"]
    assert [vehicle["name"] for vehicle in document["fleet"]] == ["Anna"]


def test_travel_is_without_work_done_before() -> None:
    """Of 3 + 2 + 1, the way is 2 and the service 1; an open route ends at its last customer."""
    fleet = (Vehicle(done=3.0, end="nowhere"), Vehicle(done=7.0))
    instance = Instance.mtsp([0, 0], [[2, 0]], 2, fleet=fleet, service=[1])
    figures = tasks.measured(instance, Solution((Route(0, (1,), NOWHERE), Route(0, (), 0))), 1.0)
    assert figures["routes"] == [[0, 1], [0, 0]]
    assert (figures["lengths"], figures["travel"], figures["service"]) == ([6.0, 7.0], [2.0, 0.0], [1.0, 0.0])
