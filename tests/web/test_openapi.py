"""Requests drawn from the OpenAPI description: whatever comes, the answer is one that it names."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .documents import instance

PLAN = {"format": "minmaxvrp-solution", "version": 1, "routes": [{"customers": [1, 2, 3]}]}
REQUEST = {
    "vehicles": [{"id": 1, "start": [9.0, 48.0], "end": [9.0, 48.0]}],
    "jobs": [{"id": 1, "location": [9.1, 48.1]}, {"id": 2, "location": [9.0, 48.2], "service": 60}],
}
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.sampled_from(["", "x", "\ud800", "<b>", "1e999", 10**400, -1, 0.5]),
    st.text(max_size=5),
)
KEYS = st.text(max_size=4)
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=4)
QUICK = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking over a socket takes minutes
)


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """A document with some of its values replaced, removed or joined by others."""
    if isinstance(document, dict):
        fields = {key: draw(damaged(value)) for key, value in document.items() if draw(st.integers(0, 19))}
        return fields if draw(st.integers(0, 9)) else fields | {draw(KEYS): draw(ANY)}
    if isinstance(document, list):
        return [draw(damaged(value)) for value in document]
    return document if draw(st.integers(0, 9)) else draw(ANY)


def from_schema(schema: dict[str, Any], components: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Values that a schema allows, and, one in eight, any others."""
    known = {"instance": damaged(instance(3)), "plan": damaged(PLAN), "start": damaged(PLAN)}
    if name in known:
        return known[name]
    if "$ref" in schema:
        return from_schema(components[schema["$ref"].rsplit("/", 1)[-1]], components)
    if "anyOf" in schema:
        return st.one_of([from_schema(part, components) for part in schema["anyOf"]])
    numbers = {"min_value": schema.get("minimum", 0)}
    plain: dict[str, st.SearchStrategy[Any]] = {
        "integer": st.integers(**numbers, max_value=50),
        "number": st.floats(**numbers, max_value=0.05),
        "string": st.text(max_size=8),
        "null": st.none(),
    }
    kind = schema.get("type", "")
    if kind == "object" and "properties" in schema:
        fields = {key: from_schema(field, components, key) for key, field in schema["properties"].items()}
        needed = {key: fields.pop(key) for key in schema.get("required", [])}
        return st.one_of([*[st.fixed_dictionaries(needed, optional=fields)] * 7, ANY])
    return st.one_of([*[plain.get(kind, ANY)] * 7, ANY])


@pytest.mark.parametrize("path", ["/api/jobs", "/api/solve", "/api/check", "/api/export/{format}", "/vroom"])
def test_any_body_gets_an_answer_that_is_described(client: httpx.Client, path: str) -> None:
    """No fault of the server, and every refusal has a message."""
    description = client.get("/openapi.json").json()
    operation = description["paths"][path]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    body = from_schema(schema, description["components"]["schemas"])
    bodies = body if path != "/vroom" else damaged(REQUEST) | ANY

    @QUICK
    @given(bodies)
    def ask(document: Any) -> None:
        address = path.format(format="geojson") + ("?seconds=0" if path == "/vroom" else "")
        kind = {"content-type": "application/json"}
        answer = client.post(address, content=json.dumps(document), headers=kind)
        assert str(answer.status_code) in operation["responses"], answer.text
        assert answer.status_code < 500
        if answer.status_code >= 400:
            assert answer.json()["error"]
        elif path == "/api/jobs":
            client.delete(f"/api/jobs/{answer.json()['id']}")

    ask()


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.geojson", "a.tsp", "a.txt", "a", "../../etc/passwd"])
def test_any_file_gets_an_answer(client: httpx.Client, name: str) -> None:
    """Bytes of any kind are read or refused with a message without paths of the server."""
    pieces = [
        b"name,role,lat,lon\n",
        b"A,depot,1,2\n",
        b'{"type": "FeatureCollection"',
        b"}",
        b"NAME: x\n",
        b"\xff",
        b"1 2 3\n",
    ]
    contents = st.binary(max_size=40) | st.lists(st.sampled_from(pieces), max_size=6).map(b"".join)

    @QUICK
    @given(contents)
    def ask(content: bytes) -> None:
        answer = client.post("/api/read", params={"name": name}, content=content)
        assert answer.status_code in (200, 422)
        assert "site-packages" not in answer.text
        assert "/tmp" not in answer.text

    ask()
