"""What happens when processes die, listeners leave and the server ends."""

import os
import signal
from pathlib import Path
from typing import Any

from .conftest import Running
from .documents import events, hard, instance, start, wait_for


def workers(server: Running, role: str) -> list[int]:
    """Process numbers of a server's children of a role."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            command = (status.parent / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == server.process.pid and role.encode() in command:
            found.append(int(status.parent.name))
    return found


def test_a_worker_that_is_killed_loses_its_own_job_only(small: Running) -> None:
    """The job says so; the one behind it is solved by the next worker."""
    lost = start(small.client, hard(), seconds=20)
    next_one = start(small.client, instance(11), seconds=0)
    wait_for(lambda: small.client.get(f"/api/jobs/{lost}").json()["status"] == "running")
    (worker,) = workers(small, "search")
    os.kill(worker, signal.SIGKILL)
    kind, state = list(events(small.client, lost))[-1]
    assert kind == "failed"
    assert "died" in state["error"]
    assert list(events(small.client, next_one))[-1][0] == "result"
    assert workers(small, "search") != [worker]


def test_a_desk_that_is_killed_while_idle_is_replaced(small: Running) -> None:
    """No request is lost by it."""
    for desk in workers(small, "desk"):
        os.kill(desk, signal.SIGKILL)
    body = {"instance": instance(5), "options": {"seconds": 0}}
    assert small.client.post("/api/solve", json=body).status_code == 200


def test_a_job_ends_when_its_listener_leaves(small: Running) -> None:
    """Five seconds after the stream was closed, with the best plan."""
    job = start(small.client, hard(), seconds=20)
    stream = events(small.client, job)
    while next(stream)[0] != "progress":
        pass
    stream.close()
    # GET would count as interest, so ask the server how many are running
    wait_for(lambda: small.client.get("/api/health").json()["busy"] == 0)
    state = small.client.get(f"/api/jobs/{job}").json()
    assert state["status"] == "done"
    assert state["seconds"] < 18


def test_sigterm_ends_with_the_best_plans(small: Running) -> None:
    """A listener gets the result, then the server leaves no process behind."""
    job = start(small.client, hard(), seconds=20)
    heard: list[tuple[str, dict[str, Any]]] = []
    for kind, fields in events(small.client, job):
        if kind == "progress" and heard[-1][0] == "status":
            small.process.send_signal(signal.SIGTERM)
        heard.append((kind, fields))
    assert heard[-1][0] == "result"
    assert heard[-1][1]["seconds"] < 18
    children = workers(small, "search") + workers(small, "desk")
    small.process.wait(timeout=30)
    assert not any(Path(f"/proc/{child}").exists() for child in children)
