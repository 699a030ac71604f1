"""Fleets through the server's tasks: the page refuses what it cannot show, answers measure them right."""

import base64
from typing import Any

import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.fleet import NOWHERE, Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.web import tasks

LIMITS: dict[str, Any] = {"customers": 100, "vehicles": 10, "seconds": 10, "workers": 1}
TABLE = b"name,role,x,y\nAnna,vehicle,0,0\na,customer,1,0\n"


def test_the_page_refuses_a_fleet_with_what_to_do_instead() -> None:
    """It would lose the vehicles without a word."""
    with pytest.raises(InputError, match="which this page cannot show: send the instance to /api/jobs"):
        tasks.read("stops.csv", base64.b64encode(TABLE).decode(), LIMITS)


def test_travel_is_without_work_done_before() -> None:
    """Of 3 + 2 + 1, the way is 2 and the service 1; an open route ends at its last customer."""
    fleet = (Vehicle(done=3.0, end="nowhere"), Vehicle(done=7.0))
    instance = Instance.mtsp([0, 0], [[2, 0]], 2, fleet=fleet, service=[1])
    figures = tasks.measured(instance, Solution((Route(0, (1,), NOWHERE), Route(0, (), 0))), 1.0)
    assert figures["routes"] == [[0, 1], [0, 0]]
    assert (figures["lengths"], figures["travel"], figures["service"]) == ([6.0, 7.0], [2.0, 0.0], [1.0, 0.0])
