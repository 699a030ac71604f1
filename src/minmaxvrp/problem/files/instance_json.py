"""Our own JSON of instances: every field, units first, versioned.

The one format that holds everything an `Instance` has; `docs/formats.md` describes it.
"""

from typing import Any

import numpy as np

from ..distance import Distance, Floats, is_geographic
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from ..units import HOURS, UNITS, Units
from .fleet_fields import allowed_names, fleet_fields, read_allowed, read_fleet, vehicle_names, with_places
from .json_document import as_list, as_object, check_header, dump, warn_unknown
from .source import Options, Source, shown

INSTANCE_FORMAT = "minmaxvrp-instance"
SOLUTION_FORMAT = "minmaxvrp-solution"
VERSION = 1

INSTANCE_FIELDS = (
    *("format", "version", "units", "name", "problem", "vehicles", "return_to", "distance"),
    *("depots", "customers", "pairs", "matrix", "fleet", "max_length", "speed", "kilometres"),
)


def units(instance: Instance) -> dict[str, str]:
    """The units of coordinates and distances of an instance, in words."""
    kind = instance.kind
    if instance.unit and not is_geographic(kind):
        return {"coordinates": "any", "distance": instance.unit, "service": instance.unit}
    if kind is Distance.GREAT_CIRCLE:
        return {"coordinates": "degrees", "distance": "km", "service": "km"}
    if kind is Distance.GEO:
        return {"coordinates": "degrees.minutes", "distance": "km", "service": "km"}
    length = "unit of the matrix" if kind is Distance.MATRIX else "unit of the coordinates"
    return {"coordinates": "any", "distance": length, "service": length}


def from_document(source: Source, document: dict[str, Any], options: Options) -> Instance:
    """The instance that a parsed JSON document holds."""
    if document.get("format") == SOLUTION_FORMAT:
        raise source.error("holds a solution, expected an instance")
    check_header(source, document, INSTANCE_FORMAT, VERSION)
    warn_unknown(source, "the instance", document, INSTANCE_FIELDS)
    document = with_places(source, document)
    depots = _stops(source, document, "depots", "vehicles")
    customers = _stops(source, document, "customers", "service", "vehicles")
    matrix = _matrix(source, "matrix", document.get("matrix"))
    geographic, points = _points(source, {"depots": depots, "customers": customers}, matrix)
    per_depot = _vehicles_per_depot(source, depots)
    fleet = read_fleet(source, document.get("fleet"), [depot.get("name") for depot in depots])
    stated = document.get("vehicles")
    if stated is not None:
        stated = source.whole("vehicles", stated, least=1)
    elif fleet is not None:
        stated = len(fleet)
    num_vehicles = source.num_vehicles(options, stated, per_depot)
    limit = document.get("max_length")
    word = document.get("distance", _default_kind(geographic, matrix is not None))
    kind = source.kind(word, options, matrix is not None)
    if geographic != is_geographic(kind) and kind is not Distance.MATRIX:
        raise source.error(
            f"distance = {kind.value!r} with {'lat, lon' if geographic else 'x, y'} coordinates, "
            f"expected {'x, y' if geographic else 'lat, lon'}"
        )
    with source.located():
        measures, service_unit = read_units(source, document, kind, options)
        places = points if geographic else None
        if geographic and kind is Distance.MATRIX:  # a matrix goes with x, y: draw the map
            points = Instance(points, len(depots), 1, kind=Distance.GREAT_CIRCLE).plane
        instance = Instance(
            points,
            len(depots),
            num_vehicles,
            pairs=_pairs(source, document.get("pairs", [])),
            return_to=document.get("return_to", "start"),
            kind=kind,
            matrix=matrix,
            vehicles_per_depot=None if per_depot is None else np.array(per_depot),
            service=in_units(_service(source, customers), service_unit, measures),
            names=_names(source, depots, customers),
            name=_name(source, document.get("name", "")),
            latlon=places if kind is Distance.MATRIX else None,
            fleet=fleet,
            allowed=read_allowed(source, customers, vehicle_names(fleet, num_vehicles), len(depots)),
            max_length=None if limit is None else source.number("max_length", limit),
            unit=measures.unit,
            speed=measures.speed,
            kilometres=_matrix(source, "kilometres", document.get("kilometres")),
        )
    _check_words(source, document, instance)
    return instance


def read_units(
    source: Source, document: dict[str, Any], kind: Distance, options: Options
) -> tuple[Units, str]:
    """The units that `units` and `speed` of a document state, and that of its service times."""
    stated = as_object(source, "units", document.get("units", {}))
    unit, service = stated.get("distance", ""), stated.get("service", "")
    speed = document.get("speed")
    measures = options.units(
        kind,
        unit if unit in UNITS and kind is not Distance.GREAT_CIRCLE else "",
        None if speed is None else source.number("speed", speed),
    )
    return measures, service if service in UNITS else ""


def in_units(service: Floats | None, unit: str, measures: Units) -> Floats | None:
    """Service given in a unit of time, in the unit of the distances; other service as it is."""
    if service is None or unit not in HOURS or unit == measures.unit:
        return service
    return np.asarray(service * measures.of_minutes(60.0 * HOURS[unit]))


def text(instance: Instance) -> str:
    """An instance as JSON text."""
    geographic = is_geographic(instance.kind) or instance.latlon is not None
    first, second = ("lat", "lon") if geographic else ("x", "y")
    points = instance.coordinates if instance.latlon is None else instance.latlon
    stops: list[dict[str, Any]] = [{first: a, second: b} for a, b in points.tolist()]
    if instance.names is not None:
        stops = [{"name": name, **stop} for name, stop in zip(instance.names, stops, strict=True)]
    if instance.vehicles_per_depot is not None:
        for stop, vehicles in zip(stops, instance.vehicles_per_depot.tolist(), strict=False):
            stop["vehicles"] = vehicles
    if instance.service is not None:
        for stop, service in zip(stops[instance.num_depots :], instance.service.tolist(), strict=True):
            stop["service"] = service
    for node in instance.allowed or ():
        stops[node]["vehicles"] = allowed_names(instance, node)
    document: dict[str, Any] = {
        "format": INSTANCE_FORMAT,
        "version": VERSION,
        "units": units(instance),
        "name": instance.name,
        "problem": instance.problem,
        "vehicles": instance.num_vehicles,
        "return_to": instance.return_to,
        "distance": instance.kind.value,
        "depots": stops[: instance.num_depots],
        "customers": stops[instance.num_depots :],
    }
    if instance.speed is not None:
        document["speed"] = instance.speed
    if instance.fleet is not None:
        document["fleet"] = fleet_fields(instance)
    if instance.max_length is not None:
        document["max_length"] = instance.max_length
    if len(instance.pairs):
        document["pairs"] = instance.pairs.tolist()
    if instance.matrix is not None:
        document["matrix"] = instance.matrix.tolist()
    if instance.kilometres is not None:
        document["kilometres"] = instance.kilometres.tolist()
    return dump(document)


def node_number(source: Source, what: str, value: object, where: str) -> int:
    """A node number from a JSON value: an integer, not a float or a text."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**53) < value < 2**53:
        raise source.error(f"{what} = {shown(value)}, expected a node number", where)
    return value


def _stops(source: Source, document: dict[str, Any], key: str, *extra: str) -> list[dict[str, Any]]:
    stops = as_list(source, key, document.get(key))
    if not stops:
        raise source.error(f"no {key}")
    found: set[str] = set()
    for number, stop in enumerate(stops):
        found.update(as_object(source, f"{key}[{number}]", stop))
    warn_unknown(source, key, found, ("name", "x", "y", "lat", "lon", *extra))
    return stops


def _points(
    source: Source, groups: dict[str, list[dict[str, Any]]], matrix: Floats | None
) -> tuple[bool, Floats]:
    """Whether coordinates are lat, lon; and all points [D+N, 2]. Without any, a matrix lays them out."""
    used = {
        key for stops in groups.values() for stop in stops for key in ("x", "y", "lat", "lon") if key in stop
    }
    if not used and matrix is not None:
        return False, scaled_points(matrix)
    if used != {"x", "y"} and used != {"lat", "lon"}:
        got = ", ".join(sorted(used)) or "none"
        raise source.error(f"coordinates of the stops: {got}, expected x, y or lat, lon in all")
    geographic = "lat" in used
    labels = (("lat", "latitude"), ("lon", "longitude")) if geographic else (("x", "x"), ("y", "y"))
    points = [
        [source.number(what, stop.get(key), f"{group}[{number}]") for key, what in labels]
        for group, stops in groups.items()
        for number, stop in enumerate(stops)
    ]
    return geographic, np.array(points)


def _default_kind(geographic: bool, has_matrix: bool) -> str:
    if has_matrix:
        return Distance.MATRIX
    return Distance.GREAT_CIRCLE if geographic else Distance.EUCLIDEAN


def _vehicles_per_depot(source: Source, depots: list[dict[str, Any]]) -> list[int] | None:
    given = [d for d in depots if "vehicles" in d]
    if not given:
        return None
    if len(given) < len(depots):
        raise source.error("some depots have 'vehicles' and some have not, expected all or none")
    return [source.whole("vehicles", d["vehicles"], f"depots[{k}]") for k, d in enumerate(depots)]


def _service(source: Source, customers: list[dict[str, Any]]) -> Floats | None:
    if not any("service" in customer for customer in customers):
        return None
    times = [
        source.number("service", c.get("service", 0), f"customers[{k}]") for k, c in enumerate(customers)
    ]
    return np.array(times)


def _names(
    source: Source, depots: list[dict[str, Any]], customers: list[dict[str, Any]]
) -> tuple[str, ...] | None:
    stops = depots + customers
    if not any("name" in stop for stop in stops):
        return None
    return tuple(source.label("name", stop.get("name"), f"stop {k}") for k, stop in enumerate(stops))


def _name(source: Source, value: object) -> str:
    return "" if value == "" else source.label("name", value)


def _pairs(source: Source, value: object) -> np.ndarray[Any, np.dtype[np.int64]]:
    pairs = []
    for number, entry in enumerate(as_list(source, "pairs", value)):
        where = f"pairs[{number}]"
        pair = as_list(source, where, entry)
        if len(pair) != 2:
            raise source.error(f"{where} is {shown(pair)}, expected [pickup, delivery]")
        pairs.append([node_number(source, "node", node, where) for node in pair])
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _matrix(source: Source, what: str, value: object) -> Floats | None:
    if value is None:
        return None
    rows = [as_list(source, f"{what} row {k}", row) for k, row in enumerate(as_list(source, what, value))]
    for number, row in enumerate(rows):
        if len(row) != len(rows):
            raise source.error(f"{what} row {number} has {len(row)} entries, expected {len(rows)}")
    return np.array(
        [[source.number("distance", d, f"{what} row {k}") for d in row] for k, row in enumerate(rows)]
    ).reshape(len(rows), len(rows))


def _check_words(source: Source, document: dict[str, Any], instance: Instance) -> None:
    """Units and the name of the problem follow from the fields; say so where the file disagrees."""
    stated = as_object(source, "units", document.get("units", {}))
    expected = units(instance)
    warn_unknown(source, "units", stated, expected)
    for key, unit in expected.items():
        if key == "service" and stated.get(key) in tuple(HOURS):  # a list cannot be looked up in a dict
            continue
        if is_geographic(instance.kind) and stated.get(key, unit) != unit:
            raise source.error(f"units: {key} = {shown(stated[key])}, expected {unit!r}")
    problem = document.get("problem", instance.problem)
    if problem != instance.problem:
        source.warn(f"problem = {shown(problem)}, but the fields make it {instance.problem!r}")
