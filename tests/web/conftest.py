"""A real server on a free port of this machine, and a client for it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

SMALL = ("--max-customers", "300", "--max-seconds", "20", "--max-megabytes", "1")


class Running:
    """A server process and a client that talks to it."""

    def __init__(self, *options: str, **variables: str) -> None:
        for package in ("fastapi", "uvicorn"):
            pytest.importorskip(package, reason=f"{package} is not installed: the extra `web`")
        command = [sys.executable, "-m", "minmaxvrp", "serve", "--port", "0", *options]
        environment = {**os.environ, **variables}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        self.address = found[0]
        self.client = httpx.Client(base_url=self.address, timeout=120.0)

    def stop(self) -> str:
        """End the server; what it wrote to stderr since it started."""
        self.client.close()
        self.process.terminate()
        return self.process.communicate(timeout=60)[1]


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server with one worker for all tests of a process."""
    running = Running("--workers", "1", *SMALL)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A server of its own for a module: one worker, one place in the queue, a token."""
    running = Running("--workers", "1", "--waiting", "1", *SMALL, MINMAXVRP_TOKEN="secret")
    running.client.headers["authorization"] = "Bearer secret"
    yield running
    running.stop()


@pytest.fixture
def client(server: Running) -> httpx.Client:
    """A client of the server."""
    return server.client


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of example files."""
    return Path(__file__).resolve().parents[2] / "examples"
