"""What the server refuses: too much, too long, too many, from elsewhere, without a token."""

import httpx
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.web.server_settings import ServerSettings

from .conftest import Running
from .documents import hard, instance, start, wait_for


def test_a_body_is_counted_as_it_comes(client: httpx.Client) -> None:
    """Too long with and without a stated length: 413 and a message."""
    for content in (b"x" * 1_100_000, (b"y" * 100_000 for _ in range(12))):
        answer = client.post("/api/read?name=a.csv", content=content)
        assert answer.status_code == 413
        assert "at most 1,048,576 bytes" in answer.json()["error"]


@pytest.mark.parametrize(
    ("options", "customers", "named"),
    [
        ({"seconds": 21}, 3, "options.seconds = 21, expected at most 20"),
        ({"workers": 2}, 3, "options.workers = 2, expected at most 1"),
        ({"vehicles": 2000}, 3, "2,000 vehicles, expected at most 1,000"),
        ({}, 301, "301 customers, expected at most 300"),
        ({"minutes": 1}, 3, "options.minutes"),
        ({"seconds": "long"}, 3, "options.seconds = 'long'"),
    ],
)
def test_too_much_is_refused_with_a_message(
    client: httpx.Client, options: dict[str, object], customers: int, named: str
) -> None:
    """422, what was asked for and what is allowed."""
    answer = client.post("/api/jobs", json={"instance": instance(customers), "options": options})
    assert answer.status_code == 422
    assert named in answer.json()["error"]


def test_pages_of_other_sites_are_refused(client: httpx.Client) -> None:
    """By their origin, and by the name under which they reached this machine."""
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert client.get("/api/examples", headers=headers).status_code == 403
    own = str(client.base_url).rstrip("/")
    assert client.get("/api/examples", headers={"origin": own}).status_code == 200


def test_unknown_things_are_404_with_a_message(client: httpx.Client) -> None:
    """Jobs, examples, formats, paths."""
    for path in ("/api/jobs/nothing", "/api/examples/nothing", "/api/nothing", "/static/../app.py"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]


def test_other_addresses_need_a_token() -> None:
    """Only loopback may be open to all, unless one insists."""
    for host in ("0.0.0.0", "192.0.2.7", "::"):
        with pytest.raises(InputError, match="token"):
            ServerSettings(host=host)
        assert ServerSettings(host=host, token="secret").token
        assert ServerSettings(host=host, insecure=True).insecure
    assert ServerSettings(host="::1").is_local


def test_token_and_full_queue(small: Running) -> None:
    """Without the token 401; with it jobs, until the queue of one is full: 429 and when to try again."""
    with httpx.Client(base_url=small.address, timeout=60) as stranger:
        assert stranger.get("/api/examples").status_code == 401
        assert stranger.get("/").status_code == 401
        assert stranger.get("/?token=wrong").status_code == 401
        assert stranger.get("/api/health").status_code == 200
        assert stranger.get("/?token=secret").headers["location"] == "/"
        assert stranger.get("/").status_code == 200  # by the cookie
    jobs = [start(small.client, hard(), seconds=20)]
    wait_for(lambda: small.client.get("/api/health").json()["busy"] == 1)
    jobs += [start(small.client, hard(), seconds=20)]
    answer = small.client.post("/api/jobs", json={"instance": hard()})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert small.client.delete(f"/api/jobs/{jobs[1]}").json()["status"] == "done"  # with its first plan
    assert small.client.delete(f"/api/jobs/{jobs[0]}").json()["status"] == "done"
