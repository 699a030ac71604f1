"""A fleet in files: vehicles, their places and who may serve what, as JSON fields; vehicles count from 1.

Our JSON and GeoJSON hold them as they are here; `vehicle_rows` has the same for tables of stops.
"""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from ..fleet import ReturnTo, Vehicle, resolved
from ..instance import Instance
from .json_document import as_list, as_object, warn_unknown
from .source import Source, shown

FLEET_FIELDS = ("name", "start", "end", "speed", "done")
RULES: tuple[str, ...] = get_args(ReturnTo)
AXES = ("x", "y", "lat", "lon")


def with_places(source: Source, document: dict[str, Any]) -> dict[str, Any]:
    """The document with a depot for every place that a vehicle brings along, and its number instead of it.

    A place is an object with x, y or lat, lon; where a depot is at the same coordinates, it is that one.
    """
    entries = document.get("fleet")
    if entries is None:
        return document
    depots = list(as_list(source, "depots", document.get("depots", [])))
    stops = [*depots, *as_list(source, "customers", document.get("customers", []))]
    named = any(isinstance(stop, dict) and "name" in stop for stop in stops)
    fleet = []
    for number, entry in enumerate(as_list(source, "fleet", entries)):
        fields = dict(as_object(source, f"fleet[{number}]", entry))
        for key in ("start", "end"):
            if isinstance(fields.get(key), dict):
                if document.get("matrix") is not None:
                    raise source.error(
                        f"{key}: coordinates beside a matrix, expected the name or number of a depot",
                        f"fleet[{number}]",
                    )
                own = str(fields.get("name") or f"vehicle {number + 1}") if named else None
                fields[key] = _number_of(depots, fields[key], own)
        fleet.append(fields)
    return {**document, "depots": depots, "fleet": fleet}


def _number_of(depots: list[Any], place: dict[str, Any], vehicle: str | None) -> int:
    """The number of the depot at a place; where there is none it is added, named after the vehicle."""
    here = [place.get(key) for key in AXES]
    for number, depot in enumerate(depots):
        if isinstance(depot, dict) and [depot.get(key) for key in AXES] == here:
            return number
    taken = {depot.get("name") for depot in depots if isinstance(depot, dict)}
    name = vehicle if vehicle not in taken else f"{vehicle}, place {len(depots) + 1}"
    depots.append(place if vehicle is None else {"name": name, **place})
    return len(depots) - 1


def read_fleet(source: Source, value: object, names: Sequence[str | None]) -> tuple[Vehicle, ...] | None:
    """The vehicles of a JSON list; `names` are those of the depots, None where they have none."""
    if value is None:
        return None
    fleet = []
    for number, entry in enumerate(as_list(source, "fleet", value)):
        where = f"fleet[{number}]"
        fields = as_object(source, where, entry)
        warn_unknown(source, where, fields, FLEET_FIELDS)
        end = fields.get("end")
        fleet.append(
            Vehicle(
                source.label("name", fields["name"], where) if fields.get("name") else "",
                depot_number(source, "start", fields.get("start"), where, names),
                end if end in RULES else depot_number(source, "end", end, where, names, RULES),
                source.number("speed", fields.get("speed", 1), where),
                source.number("done", fields.get("done", 0), where),
            )
        )
    return tuple(fleet)


def depot_number(
    source: Source,
    what: str,
    value: object,
    where: str,
    names: Sequence[str | None],
    others: Sequence[str] = (),
) -> int | None:
    """The number of a depot that a name, a number or `depot k` says; None for None."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names)):
        return value
    if isinstance(value, str):
        known = [*names, *(f"depot {k}" for k in range(len(names)))]
        if value in known:
            return known.index(value) % len(names)
    listed = [shown(name) for name in names if name is not None][:10] or [f"0 to {len(names) - 1}"]
    expected = ", ".join([*listed, *(shown(rule) for rule in others)])
    raise source.error(f"{what} = {shown(value)}, expected a depot: {expected}", where)


def vehicle_names(fleet: tuple[Vehicle, ...] | None, count: int) -> list[str]:
    """What the vehicles are called."""
    return [vehicle.name for vehicle in resolved(fleet or (Vehicle(),) * count, 1, "start")]


def vehicle_numbers(
    source: Source, values: Iterable[object], names: Sequence[str], where: str
) -> tuple[int, ...]:
    """Vehicles (from 0) that a file calls by name or by number (from 1)."""
    found = []
    for value in values:
        if isinstance(value, str) and value in names:
            found.append(names.index(value))
            continue
        digits = isinstance(value, str) and value.isdecimal() and len(value) < 10
        number = int(value) if isinstance(value, str) and digits else value
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(names):
            listed = ", ".join(shown(name) for name in names[:10]) + (" …" if len(names) > 10 else "")
            raise source.error(f"vehicles: {shown(value)}, expected 1 to {len(names)} or {listed}", where)
        found.append(number - 1)
    return tuple(found)


def read_allowed(
    source: Source, customers: Sequence[dict[str, Any]], names: Sequence[str], first: int
) -> dict[int, tuple[int, ...]] | None:
    """Which vehicles may serve the customers that say so in `vehicles`; `first` is the first one's node."""
    found = {}
    for number, customer in enumerate(customers):
        value = customer.get("vehicles")
        if value is not None:
            where = f"customers[{number}]"
            values = value if isinstance(value, list) else [value]
            found[first + number] = vehicle_numbers(source, values, names, where)
    return found or None


def fleet_fields(instance: Instance) -> list[dict[str, Any]]:
    """The fleet as JSON objects, without what is as usual; depots by name, or by number without names."""
    found = []
    for vehicle in instance.fleet or ():
        fields: dict[str, Any] = {"name": vehicle.name} if vehicle.name else {}
        if vehicle.start is not None:
            fields["start"] = depot_word(instance, vehicle.start)
        if vehicle.end is not None:
            fields["end"] = depot_word(instance, vehicle.end) if isinstance(vehicle.end, int) else vehicle.end
        if vehicle.speed != 1.0:
            fields["speed"] = vehicle.speed
        if vehicle.done:
            fields["done"] = vehicle.done
        found.append(fields)
    return found


def depot_word(instance: Instance, depot: int) -> str | int:
    """The name of a depot, or its number where it has none or one that means something else."""
    name = None if instance.names is None else instance.names[depot]
    return depot if name is None or name in RULES or name.startswith("depot ") else name


def allowed_names(instance: Instance, node: int) -> list[str] | None:
    """Names of the vehicles that may serve a customer; None for all of them."""
    numbers = (instance.allowed or {}).get(node)
    return None if numbers is None else [instance.vehicles[number].name for number in numbers]
