"""The HTTP API over a real socket: read, solve, listen, end early, check, export."""

import itertools
import json
from pathlib import Path

import httpx
import pytest

from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.files import read, read_solution

from .documents import events, hard, instance, start


def test_a_job_shows_its_first_plan_then_its_result(client: httpx.Client) -> None:
    """The stream begins with a plan and ends with the best, which the checker accepts."""
    document = instance(23)
    heard = list(events(client, start(client, document, seconds=0.5)))
    plans = [fields for kind, fields in heard if kind == "progress" and "routes" in fields]
    kind, result = heard[-1]
    assert kind == "result"
    assert result["makespan"] <= plans[0]["makespan"]
    assert result["lower_bound"] <= result["makespan"]
    problem = read("instance.json", data=json.dumps(document).encode())
    solution = read_solution("plan.json", problem, data=json.dumps(result["plan"]).encode())
    assert violations(problem, solution) == []
    assert makespan(problem, solution) == pytest.approx(result["makespan"])
    assert client.get(f"/api/jobs/{result['id']}").json()["plan"] == result["plan"]


def test_routes_get_better_while_one_listens(client: httpx.Client) -> None:
    """Plans come in falling order of their makespan, and the same instance gets the same bound."""
    job, heard, ended = start(client, hard(), seconds=20), [], False
    for kind, fields in events(client, job):
        heard.append((kind, fields))
        lengths = [plan["makespan"] for kind, plan in heard if kind == "progress" and "routes" in plan]
        if not ended and lengths and lengths[-1] < lengths[0]:  # seen: the search need not go on
            client.delete(f"/api/jobs/{job}")
            ended = True
    assert ended
    assert lengths == sorted(lengths, reverse=True)
    bounds = [fields["lower_bound"] for _, fields in heard if fields.get("lower_bound")]
    assert len(bounds) > 1
    assert len(set(bounds)) == 1


def test_deleting_a_running_job_returns_its_best_plan(client: httpx.Client) -> None:
    """A search of 20 seconds ends at once, with a plan."""
    job = start(client, hard(40), seconds=20)
    stream = events(client, job)
    while next(stream)[0] != "progress":
        pass
    ended = client.delete(f"/api/jobs/{job}").json()
    stream.close()
    assert ended["status"] == "done"
    assert ended["seconds"] < 15
    assert len(ended["plan"]["routes"]) >= 1


@pytest.mark.parametrize("kind", ["plain", "pinned, open"])
def test_a_job_that_waits_has_a_first_plan(client: httpx.Client, kind: str) -> None:
    """Behind a search of 20 seconds it shows a plan that keeps every rule; ended early it is the answer."""
    document = hard(29)
    if kind != "plain":
        document["return_to"] = "nowhere"
        document["customers"] = [
            {**stop, "vehicles": [k % 3 + 1]} for k, stop in enumerate(document["customers"])
        ]
    ahead = start(client, hard(50), seconds=20)
    waiting = start(client, document, seconds=20)
    shown = client.get(f"/api/jobs/{waiting}").json()
    assert (shown["status"], shown["iterations"]) == ("queued", 0)
    assert [kind for kind, _ in itertools.islice(events(client, waiting), 2)] == ["status", "progress"]
    ended = client.delete(f"/api/jobs/{waiting}").json()
    client.delete(f"/api/jobs/{ahead}")
    assert (ended["status"], ended["routes"]) == ("done", shown["routes"])
    problem = read("instance.json", data=json.dumps(document).encode())
    solution = read_solution("plan.json", problem, data=json.dumps(ended["plan"]).encode())
    assert violations(problem, solution) == []


def test_solve_goes_on_from_a_plan(client: httpx.Client) -> None:
    """One call, once from scratch and once from the plan with no time: the same makespan."""
    document = hard(30)
    options = {"seconds": 0.3, "seed": 5}
    first = client.post("/api/solve", json={"instance": document, "options": options}).json()
    options = {"seconds": 0, "start": first["plan"]}
    second = client.post("/api/solve", json={"instance": document, "options": options}).json()
    assert second["makespan"] == pytest.approx(first["makespan"])
    assert second["travel"] == pytest.approx(second["lengths"])


def test_vehicles_of_the_options_come_first(client: httpx.Client) -> None:
    """Four vehicles instead of two."""
    job = start(client, instance(9), vehicles=4, seconds=0)
    assert client.get(f"/api/jobs/{job}").json()["vehicles"] == 4


def test_what_counts_after_the_longest_route_is_an_option(client: httpx.Client) -> None:
    """The least total leaves a vehicle at home where that saves; an unknown word is refused."""
    stops = [{"x": 9.0, "y": 0.0}, {"x": 1.0, "y": 0.0}]
    document = {**instance(2), "customers": stops}
    used = {}
    for then in ("none", "total"):
        options = {"seconds": 0.5, "then": then}
        answer = client.post("/api/solve", json={"instance": document, "options": options}).json()
        used[then] = sum(len(route) > 2 for route in answer["routes"])
    assert used == {"none": 2, "total": 1}
    wrong = client.post("/api/solve", json={"instance": document, "options": {"then": "least"}})
    assert wrong.status_code == 422


def test_a_file_becomes_an_instance(client: httpx.Client, examples: Path) -> None:
    """A CSV without a number of vehicles takes the one of the query, with a notice."""
    data = (examples / "courier.csv").read_bytes()
    answer = client.post("/api/read", params={"name": "courier.csv", "vehicles": 4}, content=data).json()
    assert answer["instance"]["vehicles"] == 4
    assert len(answer["instance"]["pairs"]) == 16
    assert answer["notices"] == ["courier.csv: says no number of vehicles, 4 taken"]


def test_a_table_with_minutes_of_service_is_read_with_a_speed(client: httpx.Client) -> None:
    """30 minutes at 40 km/h are 20 km; without a speed the message says what to add."""
    data = b"name,role,lat,lon,service\nDepot,depot,55,3,\nAnna,customer,55.1,3,0:30\n"
    query: dict[str, str | int] = {"name": "stops.csv", "vehicles": 1}
    assert "expected a speed" in client.post("/api/read", params=query, content=data).json()["error"]
    read = client.post("/api/read", params=query | {"speed": 40}, content=data).json()["instance"]
    assert read["speed"] == 40
    wrong = client.post("/api/read", params=query | {"speed": 0}, content=data)
    assert wrong.status_code == 422


def test_a_bad_file_gets_the_message_of_the_command_line(client: httpx.Client) -> None:
    """The message says where, what, expected; without a path of the server."""
    answer = client.post("/api/read?name=C:\\stops.csv", content=b"role,lat,lon\ndepot,abc,3\ncustomer,1,2\n")
    assert answer.status_code == 422
    assert answer.json() == {"error": "stops.csv line 2: latitude = 'abc', expected a number"}


def test_every_example_can_be_solved(client: httpx.Client) -> None:
    """Each is an instance that the server takes."""
    for example in client.get("/api/examples").json():
        answer = client.get(f"/api/examples/{example['name']}").json()["instance"]
        assert answer["vehicles"] == example["vehicles"]
        if len(answer["customers"]) <= 300:
            assert start(client, answer, seconds=0)


def test_check_names_rule_nodes_and_route(client: httpx.Client) -> None:
    """A customer left out is named with its node; the gap of a broken plan is not known."""
    routes = [{"customers": [1, 2]}, {"customers": [3]}]
    plan = {"format": "minmaxvrp-solution", "version": 1, "routes": routes}
    verdict = client.post("/api/check", json={"instance": instance(4), "plan": plan}).json()
    assert verdict["ok"] is False
    missing = {"rule": "missing customer", "text": "customer 4", "nodes": [4], "route": None}
    assert verdict["violations"] == [{**missing, "text": verdict["violations"][0]["text"]}]
    assert verdict["gap"] is None
    assert len(verdict["lengths"]) == 2


def test_every_format_on_offer_can_be_written(client: httpx.Client) -> None:
    """As an answer to a plan, and as a link of a job, with a name and without scripts."""
    body = {"instance": instance(5, name="north <side>"), "options": {"seconds": 0}}
    job = client.post("/api/solve", json=body).json()
    formats = client.get("/api/formats").json()
    assert {"json", "geojson", "svg", "png"} <= {entry["name"] for entry in formats}
    for entry in formats:
        request = {"instance": body["instance"], "plan": job["plan"]}
        posted = client.post(f"/api/export/{entry['name']}", json=request)
        if entry["name"] in ("gpx", "kml"):  # these stops are at x, y
            assert "needs latitude and longitude" in posted.json()["error"]
            continue
        assert posted.status_code == 200
        assert f'filename="north-side{entry["ending"]}"' in posted.headers["content-disposition"]
        assert "sandbox" in posted.headers["content-security-policy"]
        assert len(posted.content) > 20
    linked = client.get(f"/api/jobs/{job['id']}/export/json")
    assert linked.json()["routes"] == job["plan"]["routes"]


def test_vroom_users_change_the_address_only(client: httpx.Client) -> None:
    """A request with positions gets balanced routes; one with time windows is refused by name."""
    places = [[10.0 + k / 50, 50.0 + (k % 4) / 50] for k in range(9)]
    vehicles = [{"id": k, "start": places[0], "end": places[0]} for k in (1, 2)]
    jobs = [{"id": k, "location": place, "service": 60} for k, place in enumerate(places[1:], 1)]
    answer = client.post("/vroom?seconds=0.2&speed=30", json={"vehicles": vehicles, "jobs": jobs})
    assert answer.status_code == 200
    done = [step["id"] for route in answer.json()["routes"] for step in route["steps"] if "id" in step]
    assert sorted(done) == list(range(1, 9))
    assert answer.json()["minmaxvrp"]["speed_kmh"] == 30
    jobs[0]["time_windows"] = [[0, 60]]
    answer = client.post("/vroom", json={"vehicles": vehicles, "jobs": jobs})
    assert answer.status_code == 400
    assert answer.json()["code"] == 2
    assert "time_windows" in answer.json()["error"]


def test_the_page_and_its_description_come_from_here(client: httpx.Client) -> None:
    """Page and docs name nothing on other servers; their policy allows no foreign scripts."""
    for path in ("/", "/docs"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert 'src="http' not in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "/api/jobs/{id}/events" in client.get("/docs").text


def test_metrics_count_jobs_and_requests(client: httpx.Client) -> None:
    """In Prometheus' text format, by route and never by path."""
    job = start(client, instance(3), seconds=0)
    client.delete(f"/api/jobs/{job}")
    text = client.get("/metrics").text
    assert 'minmaxvrp_http_requests_total{method="DELETE",route="/api/jobs/{id}",status="200"}' in text
    assert "minmaxvrp_first_plan_seconds_bucket" in text
    assert job not in text
