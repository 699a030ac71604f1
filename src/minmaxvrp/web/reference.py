"""The page at `/docs`: the OpenAPI description as plain HTML, made here, without anything from elsewhere."""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

Fields = dict[str, Any]


def page(openapi: Fields) -> str:
    """The description of an API as an HTML page."""
    body = [f"<h1>{escape(openapi['info']['title'])} {escape(openapi['info']['version'])}: HTTP API</h1>"]
    body.append('<p>Machine-readable: <a href="/openapi.json">/openapi.json</a></p>')
    for path, methods in openapi["paths"].items():
        body += [_operation(method, path, fields) for method, fields in methods.items()]
    body.append("<h2>Schemas</h2>")
    for name, schema in openapi.get("components", {}).get("schemas", {}).items():
        text = escape(str(schema.get("description", "")))
        body.append(f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{text}</p>{_properties(schema)}')
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    style = '<link rel="stylesheet" href="/static/reference.css">'
    head = f"<head>{head}<title>HTTP API</title>{style}</head>"
    return f'<!doctype html><html lang="en">{head}<body>{"".join(body)}</body></html>'


def _operation(method: str, path: str, fields: Fields) -> str:
    parts = [f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"]
    parts.append(f"<p>{escape(str(fields.get('description') or fields.get('summary') or ''))}</p>")
    rows = [
        (p["name"], p["in"], _type(p["schema"]), p.get("description", ""))
        for p in fields.get("parameters", [])
    ]
    for kind, content in fields.get("requestBody", {}).get("content", {}).items():
        rows.append(("body", kind, _type(content["schema"]), content["schema"].get("description", "")))
    if rows:
        parts.append(_table(("parameter", "where", "type", "meaning"), rows))
    answers = []
    for status, answer in fields["responses"].items():
        content = answer.get("content", {})
        types = ", ".join(f"{kind} {_type(c.get('schema', {}))}".strip() for kind, c in content.items())
        answers.append((status, types, answer.get("description", "")))
    return "".join([*parts, _table(("status", "answer", "meaning"), answers)])


def _properties(schema: Fields) -> str:
    needed = schema.get("required", [])
    rows = [
        (name, _type(field), "yes" if name in needed else "", field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]
    return _table(("field", "type", "required", "meaning"), rows)


def _type(schema: Fields) -> str:
    """A schema in few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " or ".join(_type(part) for part in schema["anyOf"])
    kind = str(schema.get("type", "any"))
    if kind == "array":
        kind = f"list of {_type(schema.get('items', {}))}"
    return f"{kind} = {json.dumps(schema['default'])}" if schema.get("default") is not None else kind


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{lines}</table>"
