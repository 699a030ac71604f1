"""GeoJSON: stops as points and routes as lines, for any map; reads back what it writes.

Positions are longitude, latitude. What GeoJSON has no word for (vehicles, return_to, the kind of
distance, planar coordinates) stands in one foreign member called `minmaxvrp`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..check import route_lengths
from ..distance import Distance, Floats, from_degrees_minutes, is_geographic, to_degrees_minutes
from ..instance import Instance
from ..solution import Solution
from .fleet_fields import allowed_names, fleet_fields
from .instance_json import read_units, units
from .json_document import as_list, as_object, dump, parse, warn_unknown
from .solution_json import ROUTE_FIELDS, route_fields, routes_from, with_gap
from .source import Options, Source, shown
from .stop_columns import Stops
from .stop_table import build
from .unsupported import remind
from .vehicle_rows import BETWEEN

VERSION = 1
MEMBER = "minmaxvrp"
STOP_FIELDS = ("name", "role", "pair", "service", "vehicles")
MEMBER_FIELDS = (
    *("version", "units", "name", "coordinates", "distance", "vehicles", "return_to"),
    *("makespan", "total_length", "lower_bound", "gap", "method", "seed", "iterations", "seconds"),
    *("balance", "then", "moved", "fleet", "max_length", "speed"),
)


def from_document(source: Source, document: dict[str, Any], options: Options) -> Instance:
    """The instance of a parsed FeatureCollection; routes in it are passed over."""
    member = _member(source, document)
    kind = _kind(source, member, options)
    numbers, points, columns = _features(source, document)
    if not numbers:
        raise source.error("no points, expected a Point with a role for every stop")
    stops = Stops(
        source,
        lambda row: f"feature {numbers[row]}",
        [role.strip().lower() for role in columns["role"]],
        _from_positions(np.array(points), kind),
        columns["name"],
        columns["pair"],
        columns["service"],
        columns["vehicles"],
    )
    with source.located():
        stops.units, service = read_units(source, member, kind, options)
    stops.are_lengths = bool(service) and service == stops.units.unit
    stated = member.get("vehicles")
    if stated is not None:
        stated = source.whole("vehicles", stated, MEMBER, least=1)
    name = member.get("name", "")
    name = source.label("name", name, MEMBER) if name else ""
    rule, limit = member.get("return_to", "start"), member.get("max_length")
    instance = build(stops, kind, options, stated, rule, name, member.get("fleet"))
    if limit is None:
        return instance
    with source.located():
        return replace(instance, max_length=source.number("max_length", limit, MEMBER))


def text(path: Path, instance: Instance) -> str:
    """An instance as GeoJSON text."""
    if instance.kind is Distance.MATRIX:
        remind(path, matrix="FILE")
    return dump(_collection(_member_of(instance), _stop_features(instance)))


def solution_text(instance: Instance, solution: Solution, facts: dict[str, Any]) -> str:
    """A solution as GeoJSON text: the stops, and a line for each route."""
    lengths = route_lengths(instance, solution).tolist()
    positions = _to_positions(instance).tolist()
    lines = []
    for number, (route, length) in enumerate(zip(solution.routes, lengths, strict=True)):
        nodes = route.nodes if len(route.nodes) > 1 else route.nodes * 2  # a line has two positions
        geometry = {"type": "LineString", "coordinates": [positions[node] for node in nodes]}
        properties = {"route": number + 1, **route_fields(instance, number, route, length)}
        lines.append({"type": "Feature", "geometry": geometry, "properties": properties})
    makespan = max(lengths, default=0.0)
    member = {
        **_member_of(instance),
        "makespan": makespan,
        "total_length": sum(lengths),
        **with_gap(makespan, facts),
    }
    return dump(_collection(member, _stop_features(instance) + lines))


def read_solution(source: Source, instance: Instance) -> Solution:
    """The solution of a GeoJSON file: its lines with the property `route`."""
    document = parse(source, source.text())
    _member(source, document)
    routes: dict[str, dict[str, Any]] = {}
    for number, feature in enumerate(_feature_list(source, document)):
        geometry, properties = _parts(source, number, feature)
        if "route" in properties and geometry.get("type") == "LineString":
            where = f"feature {number}"
            warn_unknown(source, where, properties, ("route", *ROUTE_FIELDS))
            routes[where] = properties
    if not routes:
        raise source.error("no routes, expected a LineString with property 'route' for each")
    return routes_from(source, routes, instance)


def _collection(member: dict[str, Any], features: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "FeatureCollection", MEMBER: member, "features": features}


def _member_of(instance: Instance) -> dict[str, Any]:
    return {
        "version": VERSION,
        "units": units(instance),
        "name": instance.name,
        "coordinates": "geographic" if is_geographic(instance.kind) else "planar",
        "distance": instance.kind.value,
        "vehicles": instance.num_vehicles,
        "return_to": instance.return_to,
        **({} if instance.fleet is None else {"fleet": fleet_fields(instance)}),
        **({} if instance.speed is None else {"speed": instance.speed}),
        **({} if instance.max_length is None else {"max_length": instance.max_length}),
    }


def _stop_features(instance: Instance) -> list[dict[str, Any]]:
    roles = ["depot"] * instance.num_depots + ["customer"] * instance.num_customers
    extra: list[dict[str, Any]] = [{} for _ in roles]
    for number, (pickup, delivery) in enumerate(instance.pairs.tolist(), 1):
        roles[pickup], roles[delivery] = "pickup", "delivery"
        extra[pickup]["pair"] = extra[delivery]["pair"] = number
    if instance.vehicles_per_depot is not None:
        for node, vehicles in enumerate(instance.vehicles_per_depot.tolist()):
            extra[node]["vehicles"] = vehicles
    for node in instance.allowed or ():
        extra[node]["vehicles"] = allowed_names(instance, node)
    if instance.service is not None:
        for node, service in enumerate(instance.service.tolist(), instance.num_depots):
            extra[node]["service"] = service
    features = []
    for node, position in enumerate(_to_positions(instance).tolist()):
        name = {} if instance.names is None else {"name": instance.names[node]}
        features.append(
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": position},
                "properties": {**name, "role": roles[node], **extra[node]},
            }
        )
    return features


def _to_positions(instance: Instance) -> Floats:
    """[D+N, 2] positions as GeoJSON wants them: longitude, latitude in degrees; or x, y."""
    points = instance.coordinates
    if instance.kind is Distance.GEO:
        points = from_degrees_minutes(points)
    return np.asarray(points[:, ::-1]) if is_geographic(instance.kind) else points


def _from_positions(positions: Floats, kind: Distance) -> Floats:
    if kind is Distance.GEO:
        positions = to_degrees_minutes(positions)
    return np.asarray(positions[:, ::-1]) if is_geographic(kind) else positions


def _member(source: Source, document: dict[str, Any]) -> dict[str, Any]:
    """The foreign member, empty where the file is not ours."""
    if document.get("type") != "FeatureCollection":
        raise source.error(f"type = {shown(document.get('type'))}, expected 'FeatureCollection'")
    warn_unknown(source, "the FeatureCollection", document, ("type", "features", "bbox", MEMBER))
    member = as_object(source, MEMBER, document.get(MEMBER, {"version": VERSION}))
    if isinstance(member.get("version"), bool) or member.get("version") != VERSION:
        raise source.error(f"{MEMBER}: version = {shown(member.get('version'))}, expected {VERSION}")
    warn_unknown(source, MEMBER, member, MEMBER_FIELDS)
    return member


def _kind(source: Source, member: dict[str, Any], options: Options) -> Distance:
    kind = source.kind(member.get("distance", Distance.GREAT_CIRCLE), options)
    expected = "geographic" if is_geographic(kind) else "planar"
    if member.get("coordinates", expected) != expected:
        raise source.error(
            f"coordinates = {shown(member['coordinates'])}, expected {expected!r} with {kind.value!r}"
        )
    return kind


def _feature_list(source: Source, document: dict[str, Any]) -> list[Any]:
    return as_list(source, "features", document.get("features"))


def _parts(source: Source, number: int, feature: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Geometry and properties of a feature, each empty for null."""
    fields = as_object(source, f"feature {number}", feature)
    parts = (fields.get("geometry") or {}, fields.get("properties") or {})
    geometry, properties = (as_object(source, f"a part of feature {number}", part) for part in parts)
    return geometry, properties


def _features(source: Source, document: dict[str, Any]) -> tuple[list[int], Any, dict[str, list[str]]]:
    """Numbers, positions and columns of properties of all points."""
    numbers: list[int] = []
    points: list[list[float]] = []
    columns: dict[str, list[str]] = {key: [] for key in STOP_FIELDS}
    found: set[str] = set()
    for number, feature in enumerate(_feature_list(source, document)):
        where = f"feature {number}"
        geometry, properties = _parts(source, number, feature)
        if geometry.get("type") == "LineString" and "route" in properties:
            continue
        if geometry.get("type") != "Point":
            source.warn(f"geometry {shown(geometry.get('type'))} is no stop: not used", where)
            continue
        position = as_list(source, f"coordinates of {where}", geometry.get("coordinates"))
        if len(position) not in (2, 3):
            raise source.error(f"{len(position)} coordinates, expected longitude, latitude", where)
        if len(position) == 3:
            found.add("altitude")
        points.append([source.number("coordinate", value, where) for value in position[:2]])
        numbers.append(number)
        found.update(properties)
        for key, column in columns.items():
            column.append(_cell(source, key, properties.get(key), where))
    warn_unknown(source, "the points", found, STOP_FIELDS)
    return numbers, points, columns


def _cell(source: Source, key: str, value: object, where: str) -> str:
    """A property as the text of a table's cell."""
    if value is None:
        return ""
    if key in ("name", "role"):
        return source.label(key, value, where)
    if key == "pair" and isinstance(value, str):
        return value
    if key == "vehicles" and isinstance(value, str | list):
        words = [value] if isinstance(value, str) else value
        return BETWEEN.join(source.label(key, str(word), where) for word in words)
    number = source.number(key, value, where)
    return repr(int(number) if key == "vehicles" and number == int(number) else number)
