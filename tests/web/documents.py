"""Instances and server-sent events for the tests of the server."""

import json
import time
from collections.abc import Callable, Generator
from typing import Any

import httpx


def instance(customers: int = 7, **fields: Any) -> dict[str, Any]:
    """An instance document: customers on three lines, two vehicles."""
    stops = [{"x": float(k), "y": float(7 * k % 3)} for k in range(1, customers + 1)]
    document = {"format": "minmaxvrp-instance", "version": 1, "vehicles": 2}
    return {**document, "depots": [{"x": 0.0, "y": 0.0}], "customers": stops, **fields}


def hard(customers: int = 60) -> dict[str, Any]:
    """An instance whose bound is not reached, so that a search lasts as long as it may."""
    points = [{"x": (k * 0.618) % 1, "y": (k * 0.754) % 1} for k in range(customers + 1)]
    return {**instance(vehicles=3), "depots": points[:1], "customers": points[1:]}


def start(client: httpx.Client, document: dict[str, Any], **options: Any) -> str:
    """The id of a new job."""
    answer = client.post("/api/jobs", json={"instance": document, "options": options})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def wait_for(found: Callable[[], bool], seconds: float = 60.0) -> None:
    """Return as soon as a function says so."""
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def events(client: httpx.Client, job: str) -> Generator[tuple[str, dict[str, Any]], None, None]:
    """The server-sent events of a job."""
    kind = ""
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))
