"""JSON text to and from checked objects, for all JSON formats.

`parse` comes before the readers, `dump` after the writers.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .source import Source, shown


def parse(source: Source, text: str) -> dict[str, Any]:
    """The object that a JSON text holds; `InputError` for damage, NaN, or anything but an object."""

    def no_constant(name: str) -> None:
        raise ValueError(f"{name} is not a number of JSON")

    try:
        value = json.loads(text, parse_constant=no_constant, object_pairs_hook=_no_double_key)
    except json.JSONDecodeError as error:
        raise source.error(f"not valid JSON: {error.msg}", f"line {error.lineno}") from None
    except ValueError as error:
        raise source.error(f"not valid JSON: {str(error)[:100]}") from None
    except RecursionError:
        raise source.error("not usable JSON: nested too deeply") from None
    return as_object(source, "the file", value)


def dump(document: Mapping[str, Any]) -> str:
    """JSON text with one line per field and one line per element of a list of objects or lists."""
    fields = [f" {json.dumps(key)}: {_field(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def finite(value: float) -> float | None:
    """The number as JSON has it: None if it is infinite."""
    return value if math.isfinite(value) else None


def as_object(source: Source, where: str, value: object) -> dict[str, Any]:
    """`value` if it is a JSON object."""
    if not isinstance(value, dict):
        raise source.error(f"{where} is {shown(value)}, expected an object {{...}}")
    return value


def as_list(source: Source, where: str, value: object) -> list[Any]:
    """`value` if it is a JSON list."""
    if not isinstance(value, list):
        raise source.error(f"{where} is {shown(value)}, expected a list [...]")
    return value


def warn_unknown(source: Source, where: str, found: Iterable[str], known: Iterable[str]) -> None:
    """Warn once with the names of all fields that nothing here reads."""
    unknown = sorted(set(found) - set(known))
    if unknown:
        names = ", ".join(shown(name) for name in unknown[:10])
        more = "" if len(unknown) <= 10 else f" and {len(unknown) - 10} more"
        source.warn(f"unknown field {names}{more} in {where}: not used")


def check_header(source: Source, document: Mapping[str, Any], expected: str, version: int) -> None:
    """`InputError` unless the document says that it is of format `expected` in `version`."""
    if document.get("format") != expected:
        raise source.error(f"format = {shown(document.get('format'))}, expected {expected!r}")
    found = document.get("version")
    if isinstance(found, bool) or found != version:
        raise source.error(f"version = {shown(found)}, expected {version}")


def _no_double_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        double, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"field {shown(double)} appears twice in one object")
    return fields


def _field(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(element, dict | list) for element in value):
        return "[\n  " + ",\n  ".join(json.dumps(e, ensure_ascii=False) for e in value) + "\n ]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
