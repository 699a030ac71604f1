"""Answers of routing services: the table of OSRM and the matrix of Valhalla, as JSON.

OSRM: `durations` (seconds) and `distances` (metres), places as `sources` with `location` [lon, lat].
Valhalla: `sources_to_targets`, either a table of objects with `time` and `distance`, or an object with
`durations` and `distances`; places as `sources` with `lat` and `lon`. Durations count where both are given.
"""

from typing import Any

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from .json_document import as_list, as_object
from .source import Options, Source, shown

TABLES = ("durations", "distances")


def is_matrix(document: dict[str, Any]) -> bool:
    """Whether a document is the answer of a routing service."""
    return "format" not in document and any(key in document for key in (*TABLES, "sources_to_targets"))


def matrix(source: Source, document: dict[str, Any]) -> Floats:
    """[n, n] durations in seconds, or distances in metres (Valhalla: in its unit) where there are none."""
    unit = document.get("sources_to_targets")
    if isinstance(unit, list):
        key = "time" if _has(unit, "time") else "distance"
        rows = [
            [as_object(source, f"row {k}", cell).get(key) for cell in as_list(source, f"row {k}", row)]
            for k, row in enumerate(unit)
        ]
    else:
        holder = document if unit is None else as_object(source, "sources_to_targets", unit)
        key = next((key for key in TABLES if holder.get(key) is not None), "durations")
        table = as_list(source, key, holder.get(key))
        rows = [as_list(source, f"{key}[{k}]", row) for k, row in enumerate(table)]
    for number, row in enumerate(rows):
        if len(row) != len(rows):
            raise source.error(
                f"{key}[{number}] has {len(row)} entries, expected {len(rows)}: a square table"
            )
        for column, value in enumerate(row):
            if value is None:
                raise source.error(f"{key}[{number}][{column}] is null: no way between these places")
    if not rows:
        raise source.error(f"{key} is empty")
    values = [[source.number(key, value, f"row {k}") for value in row] for k, row in enumerate(rows)]
    found = np.array(values)
    if (found < 0).any():
        raise source.error(f"{key}: {found.min():g}, expected 0 or more")
    return found


def unit_of(document: dict[str, Any]) -> str:
    """The unit of the table that `matrix` takes: seconds, or metres, for Valhalla what it says."""
    holder: Any = document.get("sources_to_targets", document)
    if isinstance(holder, list):
        if _has(holder, "time"):
            return "s"
    elif isinstance(holder, dict) and holder.get("durations") is not None:
        return "s"
    if "sources_to_targets" not in document:
        return "m"
    return {"kilometers": "km", "km": "km", "miles": "mi", "mi": "mi"}.get(
        str(document.get("units", "km")), ""
    )


def from_document(source: Source, document: dict[str, Any], options: Options) -> Instance:
    """An instance of the matrix and its places; the first place is the depot unless the caller says more."""
    distances = matrix(source, document)
    places = _places(source, document, len(distances))
    num_depots = 1 if options.num_depots is None else options.num_depots
    if options.num_depots is None:
        source.warn("the first place is the depot, all others are customers")
    with source.located():
        points = scaled_points(distances)
        if places is not None:
            points = Instance(places, num_depots, 1, kind=Distance.GREAT_CIRCLE).plane
        return Instance(
            points,
            num_depots,
            source.num_vehicles(options, None),
            kind=Distance.MATRIX,
            matrix=distances,
            latlon=places,
            unit=options.unit or unit_of(document),
            speed=options.speed,
        )


def _has(table: list[Any], key: str) -> bool:
    return any(isinstance(row, list) and any(isinstance(c, dict) and key in c for c in row) for row in table)


def _places(source: Source, document: dict[str, Any], count: int) -> Floats | None:
    """[n, 2] latitude, longitude of the sources; None where the answer does not carry them all."""
    stated = document.get("sources")
    if isinstance(stated, list) and len(stated) == 1 and isinstance(stated[0], list):
        stated = stated[0]  # Valhalla wraps them once more
    if not isinstance(stated, list) or len(stated) != count:
        return None
    points = []
    for number, entry in enumerate(stated):
        place, where = as_object(source, f"sources[{number}]", entry), f"sources[{number}]"
        if "location" in place:
            position = as_list(source, where, place["location"])
            if len(position) != 2:
                raise source.error(f"location = {shown(position)}, expected [lon, lat]", where)
            pair = (position[1], position[0])
        elif "lat" in place and "lon" in place:
            pair = (place["lat"], place["lon"])
        else:
            return None
        points.append([source.number("coordinate", value, where) for value in pair])
    return np.array(points)
