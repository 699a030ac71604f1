"""Plans as files to take away: whatever `problem.files` and `picture` can write."""

import base64
import re
from importlib.util import find_spec
from typing import Any

from .. import picture
from ..errors import InputError
from ..problem import check, files
from .tasks import Fields, instance_of, noticing, solution_of, written

MEDIA_TYPES = {
    ".json": "application/json",
    ".geojson": "application/geo+json",
    ".sol": "text/plain; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gpx": "application/gpx+xml",
    ".kml": "application/vnd.google-earth.kml+xml",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}
NEEDS = {".xlsx": "openpyxl", ".png": "matplotlib", ".svg": "matplotlib", ".pdf": "matplotlib"}
"""Packages without which a format is not offered."""
SHOWN = ("html",)
"""Formats that a browser shows instead of saving: sheets to print."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-modals"
"""Content security policy of an export: no scripts, nothing from elsewhere, may be printed."""
FACTS: dict[str, Any] = {
    "lower_bound": (int, float),
    "method": str,
    "seed": int,
    "iterations": int,
    "seconds": (int, float),
}


def formats() -> list[dict[str, str]]:
    """Name, ending and media type of each format that can be written here."""
    endings = (*files.SOLUTION_ENDINGS.split(", "), *files.EXPORT_ENDINGS.split(", "), *picture.ENDINGS)
    return [
        {"name": ending[1:], "ending": ending, "media_type": MEDIA_TYPES[ending]}
        for ending in MEDIA_TYPES
        if ending in endings and (ending not in NEEDS or find_spec(NEEDS[ending]))
    ]


def export(ending: str, request: Fields, limits: Fields) -> Fields:
    """A plan as a file in base64 with a name; `InputError` if it names nodes that do not exist."""
    with noticing() as notices:
        instance = instance_of(request["instance"], limits)
        solution = solution_of(request["plan"], instance, request.get("name", "plan.json"))
        found = check.violations(instance, solution)
        if found and found[0].rule is check.Rule.UNKNOWN_NODE:
            raise InputError(f"plan.json: {found[0]}")
        name = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', instance.name).strip('-.')[:60] or 'plan'}{ending}"
        if ending in picture.ENDINGS:
            data = written(name, lambda path: picture.save(path, instance, solution, instance.name))
        else:
            facts = _facts(request["plan"])
            data = written(name, lambda path: files.write_solution(path, instance, solution, **facts))
    return {"name": name, "data": base64.b64encode(data).decode(), "notices": notices}


def _facts(plan: Fields | str) -> dict[str, Any]:
    """What a plan's document says about how it was found, where it has the right type."""
    if isinstance(plan, str):
        return {}
    return {key: plan[key] for key, kind in FACTS.items() if isinstance(plan.get(key), kind)}
