"""The HTTP API over a real socket: read, solve, listen, end early, check."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.files import read, read_solution


def square(customers: int = 7, **fields: Any) -> dict[str, Any]:
    """An instance document: customers on a line, two vehicles."""
    stops = [{"x": float(k), "y": float(k % 3)} for k in range(1, customers + 1)]
    document = {"format": "minmaxvrp-instance", "version": 1, "vehicles": 2}
    return {**document, "depots": [{"x": 0.0, "y": 0.0}], "customers": stops, **fields}


def events(client: httpx.Client, job: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The server-sent events of a job."""
    kind = ""
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))


def test_a_job_shows_its_first_plan_then_its_result(client: httpx.Client) -> None:
    """The stream begins with a plan and ends with the best, which the checker accepts."""
    instance = square(23)
    answer = client.post("/api/jobs", json={"instance": instance, "options": {"seconds": 0.5}})
    assert answer.status_code == 201
    heard = list(events(client, answer.json()["id"]))
    plans = [fields for kind, fields in heard if kind == "progress" and "routes" in fields]
    kind, result = heard[-1]
    assert kind == "result"
    assert result["makespan"] <= plans[0]["makespan"]
    assert result["lower_bound"] <= result["makespan"]
    problem = read("instance.json", data=json.dumps(instance).encode())
    solution = read_solution("plan.json", problem, data=json.dumps(result["plan"]).encode())
    assert violations(problem, solution) == []
    assert makespan(problem, solution) == pytest.approx(result["makespan"])
    assert client.get(f"/api/jobs/{result['id']}").json()["plan"] == result["plan"]


def test_deleting_a_job_returns_its_best_plan(client: httpx.Client) -> None:
    """A search of 20 seconds ends at once, with a plan."""
    instance = square(40, vehicles=3)
    job = client.post("/api/jobs", json={"instance": instance, "options": {"seconds": 20}}).json()["id"]
    ended = client.delete(f"/api/jobs/{job}").json()
    assert ended["status"] in ("done", "failed")  # failed: it was still in the queue
    assert ended["status"] == "failed" or ended["seconds"] < 15


def test_a_file_becomes_an_instance(client: httpx.Client, examples: Path) -> None:
    """A CSV without a number of vehicles takes the one of the query, with a notice."""
    data = (examples / "courier.csv").read_bytes()
    answer = client.post("/api/read", params={"name": "courier.csv", "vehicles": 4}, content=data).json()
    assert answer["instance"]["vehicles"] == 4
    assert len(answer["instance"]["pairs"]) == 16
    assert answer["notices"] == ["courier.csv: says no number of vehicles, 4 taken"]


def test_a_bad_file_gets_the_message_of_the_command_line(client: httpx.Client) -> None:
    """The message says where, what, expected; without a path of the server."""
    answer = client.post("/api/read?name=C:\\stops.csv", content=b"role,lat,lon\ndepot,abc,3\n")
    assert answer.status_code == 422
    assert answer.json() == {"error": "stops.csv line 2: latitude = 'abc', expected a number"}
