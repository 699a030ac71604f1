"""VROOM's request format: vehicles, jobs, shipments, matrices; positions [lon, lat], times in seconds.

`read_request` keeps beside the instance what an answer in VROOM's format needs; `web.vroom_answer` writes
that answer. Whatever the instance cannot express (capacities, time windows, breaks, …) is refused by name.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from .json_document import as_list, as_object
from .source import Options, Source, shown
from .vroom_fleet import ANYWHERE, VroomVehicle, fleet_fields_of, with_anywhere

Fields = dict[str, Any]

SPEED_KMH = 50.0
"""Of vehicles between positions, where a request has no matrices and the caller names no other."""

LARGEST_STARTLESS = 4_000
"""Places of a request without a matrix whose vehicles have no start: their distances are a matrix here."""
NO_EFFECT = ("priority", "description")
"""Honoured without doing anything: every task is done, whatever its priority."""
TASK_FIELDS = ("id", "location", "location_index", "service", "skills", *NO_EFFECT)
SHIPMENT_FIELDS = ("pickup", "delivery", "skills", *NO_EFFECT)
VEHICLE_FIELDS = (
    *("id", "profile", "start", "start_index", "end", "end_index", "description"),
    *("speed_factor", "skills"),
)
REQUEST_FIELDS = ("vehicles", "jobs", "shipments", "matrices", "matrix", "options")
REASONS = {
    **dict.fromkeys(("capacity", "delivery", "pickup", "amount"), "capacities are not supported"),
    **dict.fromkeys(("time_window", "time_windows"), "time windows are not supported"),
    "breaks": "breaks are not supported",
    "setup": "setup times are not supported; add them to service",
    "steps": "given routes are not supported",
    "costs": "the cost of a route is its duration",
    **dict.fromkeys(("max_tasks", "max_travel_time", "max_distance"), "limits per route are not supported"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is: a position, a row of the matrix, or both."""

    location: tuple[float, float] | None
    """Longitude, latitude."""
    index: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A node that is visited: a job, a pickup or a delivery."""

    kind: str
    """`job`, `pickup` or `delivery`, as in the steps of VROOM's answer."""
    id: int
    place: Place
    service: float
    """Seconds."""
    description: str
    priority: int
    skills: frozenset[int]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as an instance, with what an answer needs beside it."""

    instance: Instance
    """Lengths in seconds with a matrix, otherwise in kilometres."""
    seconds_per_length: float
    depots: tuple[Place, ...]
    tasks: tuple[Task, ...]
    """Customers in the order of their nodes."""
    vehicles: tuple[VroomVehicle, ...]
    metres: Floats | None
    """[D+N, D+N] distances, where the request has them; positions without a matrix give their own."""
    speed: float | None
    """Kilometres per hour; None with a matrix."""
    options: Fields
    """vroom-express' options: `l` seconds, `t` threads."""

    @property
    def anywhere(self) -> int | None:
        """The depot that stands for the start of vehicles without one; None where all have one."""
        free = any(vehicle.start is None for vehicle in self.vehicles)
        return self.instance.num_depots - 1 if free else None


def is_request(document: Fields) -> bool:
    """Whether a JSON document looks like a request of VROOM."""
    tasks = "jobs" in document or "shipments" in document
    return tasks and isinstance(document.get("vehicles"), list) and "format" not in document


def from_document(source: Source, document: Fields, options: Options) -> Instance:
    """The instance of a request."""
    request = read_request(source, document, options.vehicles, options.speed or SPEED_KMH)
    if request.speed is not None and request.instance.service is not None:
        source.warn(f"no matrices: kilometres, seconds of service taken as way at {request.speed:g} km/h")
    return request.instance


def read_request(
    source: Source, document: Fields, num_vehicles: int | None = None, speed: float = SPEED_KMH
) -> Request:
    """A request; raises `InputError` for damage and for what cannot be honoured."""
    _refuse_others(source, "the request", document, REQUEST_FIELDS)
    options = _options(source, document.get("options", {}))
    has_matrix = bool(document.get("matrices")) or "matrix" in document
    vehicles, depots = _vehicles(source, document, has_matrix)
    startless = any(vehicle.start is None for vehicle in vehicles)
    num_depots = len(depots) + startless
    tasks, pairs = _tasks(source, document, has_matrix, num_depots)
    places = [*depots, *(task.place for task in tasks)]
    durations, metres = _matrices(source, document, places) if has_matrix else (None, None)
    points, places_on_map = _points(places, durations), None
    if startless:
        points, durations, places_on_map = _add_anywhere(source, points, durations, len(depots))
        metres = None if metres is None else with_anywhere(metres, len(depots))
    seconds_per_length = 1.0 if has_matrix else 3600.0 / speed
    service = np.array([task.service for task in tasks]) / seconds_per_length
    with source.located():
        instance = Instance(
            points,
            num_depots,
            len(vehicles) if num_vehicles is None else num_vehicles,
            pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
            kind=Distance.GREAT_CIRCLE if durations is None else Distance.MATRIX,
            matrix=durations,
            service=service if service.any() else None,
            names=tuple(_names(len(depots), startless, tasks)),
            latlon=places_on_map,
            **fleet_fields_of(source, vehicles, [task.skills for task in tasks], num_depots),
            unit="km" if durations is None else "s",
            speed=speed if durations is None else None,
            kilometres=None if metres is None else metres / 1000.0,
        )
    places_of_depots, speed_used = tuple(depots), None if has_matrix else speed
    return Request(
        instance, seconds_per_length, places_of_depots, tuple(tasks), vehicles, metres, speed_used, options
    )


def _add_anywhere(
    source: Source, points: Floats, durations: Floats | None, depot: int
) -> tuple[Floats, Floats, Floats | None]:
    """Points, distances and places on the map with a depot from which every way is 0, in the middle."""
    places = None
    if durations is None:  # such a depot is nowhere on the globe: distances become a matrix
        if len(points) > LARGEST_STARTLESS:
            raise source.error(f"vehicles without a start: expected at most {LARGEST_STARTLESS} places")
        places = np.insert(points, depot, points.mean(axis=0), axis=0)
        globe = Instance(points, 1, 1, kind=Distance.GREAT_CIRCLE)
        points, durations = globe.plane, globe.distance_matrix()
    points = np.insert(points, depot, points.mean(axis=0), axis=0)
    return points, with_anywhere(durations, depot), places


def _vehicles(
    source: Source, document: Fields, has_matrix: bool
) -> tuple[tuple[VroomVehicle, ...], list[Place]]:
    """The vehicles and the distinct places where they start and end, which are the depots."""
    entries = as_list(source, "vehicles", document.get("vehicles"))
    if not entries:
        raise source.error("no vehicles")
    depots: dict[object, int] = {}
    places: list[Place] = []
    vehicles: list[VroomVehicle] = []
    for number, entry in enumerate(entries):
        where = f"vehicles[{number}]"
        fields = as_object(source, where, entry)
        _refuse_others(source, where, fields, VEHICLE_FIELDS)
        start = _place(source, fields, "start", "start_index", where, has_matrix)
        end = _place(source, fields, "end", "end_index", where, has_matrix)
        if start is None and end is None:
            raise source.error("no start and no end, expected one of them", where)
        for place in (start, end):
            key = None if place is None else place.index if has_matrix else place.location
            if place is not None and key not in depots:
                depots[key] = len(places)
                places.append(place)
        first, last = (
            None if place is None else depots[place.index if has_matrix else place.location]
            for place in (start, end)
        )
        speed = source.number("speed_factor", fields.get("speed_factor", 1), where)
        vehicles.append(
            VroomVehicle(
                *(_id(source, fields, where), first, last, _text(source, fields, where)),
                *(speed, _skills(source, fields, where)),
            )
        )
    _distinct(source, "vehicles", [vehicle.id for vehicle in vehicles])
    return tuple(vehicles), places


def _tasks(
    source: Source, document: Fields, has_matrix: bool, num_depots: int
) -> tuple[list[Task], list[tuple[int, int]]]:
    """Jobs, then pickups and deliveries; and the node numbers of each pair."""
    tasks: list[Task] = []
    for number, entry in enumerate(as_list(source, "jobs", document.get("jobs") or [])):
        where = f"jobs[{number}]"
        tasks.append(_task(source, "job", as_object(source, where, entry), where, has_matrix))
    pairs: list[tuple[int, int]] = []
    for number, entry in enumerate(as_list(source, "shipments", document.get("shipments") or [])):
        where = f"shipments[{number}]"
        fields = as_object(source, where, entry)
        _refuse_others(source, where, fields, SHIPMENT_FIELDS)
        node = num_depots + len(tasks)
        pairs.append((node, node + 1))
        for kind in ("pickup", "delivery"):
            step = as_object(source, f"{where}.{kind}", fields.get(kind))
            step = {**step, "skills": fields.get("skills") or []}
            if kind == "pickup":  # the priority of a shipment counts once
                step = {**step, "priority": fields.get("priority", 0)}
            tasks.append(_task(source, kind, step, f"{where}.{kind}", has_matrix))
    if not tasks:
        raise source.error("no jobs and no shipments")
    for kind in ("job", "pickup", "delivery"):
        _distinct(source, f"tasks of type {kind}", [task.id for task in tasks if task.kind == kind])
    return tasks, pairs


def _task(source: Source, kind: str, fields: Fields, where: str, has_matrix: bool) -> Task:
    _refuse_others(source, where, fields, TASK_FIELDS)
    place = _place(source, fields, "location", "location_index", where, has_matrix)
    if place is None:
        raise source.error(f"no {'location_index' if has_matrix else 'location'}", where)
    service = source.number("service", fields.get("service", 0), where)
    priority = _whole(source, fields, "priority", where)
    text, skills = _text(source, fields, where), _skills(source, fields, where)
    return Task(kind, _id(source, fields, where), place, service, text, priority, skills)


def _skills(source: Source, fields: Fields, where: str) -> frozenset[int]:
    values = as_list(source, f"{where}.skills", fields.get("skills") or [])
    return frozenset(source.whole("skill", value, where) for value in values)


def _place(
    source: Source, fields: Fields, at: str, index_at: str, where: str, has_matrix: bool
) -> Place | None:
    """The place that two fields give; None where the one that counts is absent."""
    location, index = None, None
    if fields.get(at) is not None:
        pair = as_list(source, f"{where}.{at}", fields[at])
        if len(pair) != 2:
            raise source.error(f"{at} = {shown(pair)}, expected [longitude, latitude]", where)
        longitude, latitude = (source.number(at, value, where) for value in pair)
        location = (longitude, latitude)
    if fields.get(index_at) is not None:
        index = source.whole(index_at, fields[index_at], where)
    if (index if has_matrix else location) is None:
        return None
    return Place(location, index)


def _matrices(source: Source, document: Fields, places: list[Place]) -> tuple[Floats, Floats | None]:
    """Durations and, where the request has them, distances between all places [D+N, D+N]."""
    if "matrix" in document:  # as VROOM had it before there were profiles
        tables: Fields = {"durations": document["matrix"]}
        where = "the request"
    else:
        profiles = as_object(source, "matrices", document["matrices"])
        used = {str(as_object(source, "vehicle", v).get("profile", "car")) for v in document["vehicles"]}
        if len(used) > 1:
            raise source.error(f"profiles {', '.join(sorted(used))}: vehicles of one profile are supported")
        profile = used.pop()
        where = f"matrices.{profile}"
        tables = as_object(source, where, profiles.get(profile))
        _refuse_others(source, where, tables, ("durations", "distances"))
    nodes = [place.index if place.index is not None else 0 for place in places]
    found = {key: _table(source, f"{where}.{key}", value, nodes) for key, value in tables.items()}
    if "durations" not in found:
        raise source.error("no durations", where)
    return found["durations"], found.get("distances")


def _table(source: Source, where: str, value: object, nodes: list[int]) -> Floats:
    rows = [as_list(source, f"{where}[{k}]", row) for k, row in enumerate(as_list(source, where, value))]
    for number, row in enumerate(rows):
        if len(row) != len(rows):
            raise source.error(f"{where}[{number}] has {len(row)} entries, expected {len(rows)}")
    if max(nodes) >= len(rows):
        raise source.error(f"index {max(nodes)}, but {where} has {len(rows)} rows")
    numbers = [[source.number("duration", entry, where) for entry in row] for row in rows]
    return np.array(numbers)[np.ix_(nodes, nodes)]


def _points(places: list[Place], durations: Floats | None) -> Floats:
    """[D+N, 2] latitude, longitude; beside a matrix a map of them, or points that resemble it."""
    positions = [place.location for place in places if place.location is not None]
    if durations is None:
        return np.array(positions)[:, ::-1]
    if len(positions) < len(places):
        return scaled_points(durations)
    return Instance(np.array(positions)[:, ::-1], 1, 1, kind=Distance.GREAT_CIRCLE).plane


def _options(source: Source, value: object) -> Fields:
    """The options of a request that can be honoured: `l` seconds, `t` threads."""
    options = as_object(source, "options", value)
    _refuse_others(source, "options", options, ("l", "t"))
    found: Fields = {}
    if options.get("l") is not None:
        found["l"] = source.number("options.l", options["l"])
    if options.get("t") is not None:
        found["t"] = source.whole("options.t", options["t"], least=1)
    return found


def _refuse_others(source: Source, where: str, fields: Fields, known: Iterable[str]) -> None:
    """Refuse every field that would change the answer; empty, zero and false ones change nothing."""
    for key, value in fields.items():
        if key in known or not _matters(value):
            continue
        raise source.error(f"{shown(key)}: {REASONS.get(key, 'not supported')}", where)


def _matters(value: object) -> bool:
    if isinstance(value, list):
        return any(_matters(entry) for entry in value)
    return bool(value)


def _names(num_depots: int, startless: bool, tasks: list[Task]) -> list[str]:
    depots = ["depot"] if num_depots == 1 else [f"depot {k}" for k in range(1, num_depots + 1)]
    return depots + [ANYWHERE] * startless + [f"{task.kind} {task.id}" for task in tasks]


def _id(source: Source, fields: Fields, where: str) -> int:
    return source.whole("id", fields.get("id"), where)


def _whole(source: Source, fields: Fields, key: str, where: str) -> int:
    return source.whole(key, fields.get(key, 0), where)


def _text(source: Source, fields: Fields, where: str) -> str:
    value = fields.get("description") or ""
    return source.label("description", value, where) if value else ""


def _distinct(source: Source, what: str, ids: list[int]) -> None:
    double = [number for number, count in Counter(ids).items() if count > 1]
    if double:
        raise source.error(f"{what}: id {double[0]} is used twice, expected different ids")
