"""Answers of routing services: the table of OSRM and the matrix of Valhalla, as JSON.

OSRM: `durations` (seconds) and `distances` (metres), places as `sources` with `location` [lon, lat].
Valhalla: `sources_to_targets`, either a table of objects with `time` and `distance`, or an object with
`durations` and `distances`; places as `sources` with `lat` and `lon`.
Durations count where both are given, and the distances are shown beside them.
"""

from typing import Any

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from .json_document import as_list, as_object
from .source import Options, Source, shown

TABLES = ("durations", "distances")
CELLS = {"durations": "time", "distances": "distance"}
"""What Valhalla calls them within a table of objects."""
KILOMETRES = {"m": 0.001, "km": 1.0, "mi": 1.609344}
"""How many kilometres one of a unit of length is."""


def is_matrix(document: dict[str, Any]) -> bool:
    """Whether a document is the answer of a routing service."""
    return "format" not in document and any(key in document for key in (*TABLES, "sources_to_targets"))


def matrix(source: Source, document: dict[str, Any]) -> Floats:
    """[n, n] durations in seconds, or distances in metres (Valhalla: in its unit) where there are none."""
    return _table(source, document, next((key for key in TABLES if _knows(document, key)), "durations"))


def unit_of(document: dict[str, Any]) -> str:
    """The unit of the table that `matrix` takes: seconds, or that of the distances."""
    return "s" if _knows(document, "durations") else _length_unit(document)


def kilometres(source: Source, document: dict[str, Any]) -> Floats | None:
    """[n, n] the distances beside durations; None where one of them is not there, or a unit is not known."""
    factor = KILOMETRES.get(_length_unit(document))
    if factor is None or not all(_knows(document, key) for key in TABLES):
        return None
    found, times = _table(source, document, "distances"), matrix(source, document)
    if len(found) != len(times):
        raise source.error(
            f"distances of {len(found)} places and durations of {len(times)}, expected as many"
        )
    return found * factor


def _knows(document: dict[str, Any], key: str) -> bool:
    """Whether an answer has this table."""
    holder = document.get("sources_to_targets", document)
    if isinstance(holder, list):
        return any(isinstance(row, list) and any(_has(cell, CELLS[key]) for cell in row) for row in holder)
    return _has(holder, key)


def _has(fields: object, key: str) -> bool:
    return isinstance(fields, dict) and fields.get(key) is not None


def _length_unit(document: dict[str, Any]) -> str:
    """The unit of the distances: metres, for Valhalla what it says."""
    if "sources_to_targets" not in document:
        return "m"
    words = {"kilometers": "km", "km": "km", "miles": "mi", "mi": "mi"}
    return words.get(str(document.get("units", "km")), "")


def _table(source: Source, document: dict[str, Any], key: str) -> Floats:
    """[n, n] one of the tables, checked."""
    wrapped = document.get("sources_to_targets")
    if isinstance(wrapped, list):
        key = CELLS[key]
        rows = [
            [as_object(source, f"row {k}", cell).get(key) for cell in as_list(source, f"row {k}", row)]
            for k, row in enumerate(wrapped)
        ]
    else:
        holder = document if wrapped is None else as_object(source, "sources_to_targets", wrapped)
        rows = [
            as_list(source, f"{key}[{k}]", row) for k, row in enumerate(as_list(source, key, holder.get(key)))
        ]
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
    found = np.array([[source.number(key, value, f"row {k}") for value in row] for k, row in enumerate(rows)])
    if (found < 0).any():
        raise source.error(f"{key}: {found.min():g}, expected 0 or more")
    return found


def from_document(source: Source, document: dict[str, Any], options: Options) -> Instance:
    """An instance of the matrix and its places; the first place is the depot unless the caller says more."""
    distances, ways = matrix(source, document), kilometres(source, document)
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
            kilometres=ways,
        )


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
