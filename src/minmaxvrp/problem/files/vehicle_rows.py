"""Rows with role `vehicle` in a table of stops: name, place, and columns `end`, `speed` and `done`.

`stop_table.build` takes them out of the table first; a vehicle's place is a depot of the instance, the one of
the table at the same coordinates if there is one. `stops_csv` writes such rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..fleet import Vehicle
from ..instance import Instance
from .fleet_fields import RULES, allowed_names, depot_number, vehicle_names, vehicle_numbers
from .source import shown
from .stop_columns import Stops

BETWEEN = "|"
"""Separates the vehicles in one cell."""


@dataclass(frozen=True, slots=True)
class VehicleRow:
    """One vehicle of a table, its cells as they are."""

    where: str
    name: str
    place: int | None
    """Row of the depot where it starts in the table without vehicles; None: any depot."""
    end: str
    speed: str
    done: str


def take_vehicles(stops: Stops) -> tuple[Stops, list[VehicleRow]]:
    """The table without its vehicles, whose places are depots now, and the vehicles."""
    rows = [row for row, role in enumerate(stops.roles) if role == "vehicle"]
    if not rows:
        return stops, []
    points = [tuple(point) for point in stops.points.tolist()]
    places = {points[row]: row for row, role in reversed(list(enumerate(stops.roles))) if role == "depot"}
    for row in rows:
        if row not in stops.placeless:
            places.setdefault(points[row], row)
    new = set(places.values()) & set(rows)
    kept = [row for row in range(len(stops.roles)) if row in new or row not in rows]
    number = {row: k for k, row in enumerate(kept)}
    vehicles = [
        VehicleRow(
            stops.where(row),
            _cell(stops.names, row),
            None if row in stops.placeless else number[places[points[row]]],
            *(_cell(column, row) for column in (stops.ends, stops.speeds, stops.done)),
        )
        for row in rows
    ]
    return _only(stops, kept, new), vehicles


def _cell(column: Sequence[str], row: int) -> str:
    return column[row].strip() if column else ""


def _only(stops: Stops, kept: list[int], depots: set[int]) -> Stops:
    """Some rows of the table; those in `depots` are depots now, named only where the other stops are."""
    named = stops.names and any(stops.names[row] for row in kept if row not in depots)

    def some(column: list[str]) -> list[str]:
        return [column[row] for row in kept] if column else []

    return replace(
        stops,
        where=lambda row: stops.where(kept[row]),
        roles=["depot" if row in depots else stops.roles[row] for row in kept],
        points=stops.points[kept],
        names=some(stops.names) if named else [],
        pair=some(stops.pair),
        service=["" if row in depots else stops.service[row] for row in kept] if stops.service else [],
        vehicles=["" if row in depots else stops.vehicles[row] for row in kept] if stops.vehicles else [],
    )


def fleet_of(stops: Stops, rows: list[VehicleRow], depots: list[int]) -> tuple[Vehicle, ...] | None:
    """The vehicles; `depots` are the rows of the depots. What is wrong with them is noted in the table."""
    if not rows:
        return None
    names = [stops.names[row] if stops.names else None for row in depots]
    homes = {row.name: depots.index(row.place) for row in rows if row.place is not None and row.name}
    fleet = []
    for row in rows:
        start = None if row.place is None else depots.index(row.place)
        speed, done, end = 1.0, 0.0, None
        with stops.faults.collected():
            speed = stops.source.number("speed", row.speed, row.where) if row.speed else speed
            if row.speed and stops.units.speed:  # in the same unit per hour: a factor of it
                speed /= stops.units.speed
        with stops.faults.collected():
            way = stops.units.per_hour is None and ":" not in row.done  # a length driven, not a time
            done = stops.length("done", row.done, row.where, way) if row.done else done
        with stops.faults.collected():
            end = _end(stops, row, names, homes)
        fleet.append(Vehicle(row.name, start, end, speed, done))  # type: ignore[arg-type]
    for depot in depots:
        if stops.vehicles and stops.vehicles[depot]:
            message = f"vehicles = {shown(stops.vehicles[depot])} at a depot, expected rows of vehicles alone"
            stops.faults.add(message, stops.where(depot))
    return tuple(fleet)


def _end(
    stops: Stops, row: VehicleRow, names: Sequence[str | None], homes: dict[str, int]
) -> str | int | None:
    """A rule, a depot, or the place of another vehicle; None for an empty cell."""
    word = row.end
    if not word or word.casefold() in RULES:
        return word.casefold() or None
    if word not in names and word in homes:
        return homes[word]
    return depot_number(stops.source, "end", word, row.where, names, RULES)


def allowed_of(
    stops: Stops, fleet: tuple[Vehicle, ...] | None, count: int, depots: list[int], customers: list[int]
) -> dict[int, tuple[int, ...]] | None:
    """Which vehicles may serve the customers that say so: `Anna`, `Anna|Ben`, or numbers from 1."""
    if not stops.vehicles:
        return None
    names, found = vehicle_names(fleet, count), {}
    for node, row in enumerate(customers, len(depots)):
        cell = stops.vehicles[row].strip()
        if not cell:
            continue
        words = [cell] if cell in names else [word.strip() for word in cell.split(BETWEEN)]
        with stops.faults.collected():
            found[node] = vehicle_numbers(stops.source, words, names, stops.where(row))
    return found or None


def vehicle_cells(instance: Instance) -> dict[str, list[object]]:
    """Columns of the rows of the vehicles, each of M cells; `first` and `second` are the coordinates."""
    keys = ("name", "first", "second", "end", "speed", "done")
    columns: dict[str, list[object]] = {key: [] for key in keys}
    for vehicle, named in zip(instance.fleet or (), instance.vehicles, strict=True):
        place = ["", ""] if vehicle.start is None else instance.coordinates[vehicle.start].tolist()
        end = instance.label(vehicle.end) if isinstance(vehicle.end, int) else vehicle.end or ""
        cells = (named.name, *place, end, vehicle.speed, vehicle.done)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    return columns


def allowed_cells(instance: Instance) -> list[object]:
    """[N] the cell of each customer that says which vehicles may serve it."""
    return [BETWEEN.join(allowed_names(instance, node) or ()) for node in instance.customers]
