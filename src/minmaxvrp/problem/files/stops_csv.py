"""Tables of stops, from CSV or Excel: a header such as `name,role,lat,lon`, then one row per stop.

`table` brings the rows, `headings` knows the header's words, `stop_table.build` makes the instance.
100,000 rows take about half a second.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from .headings import HEADINGS, MINUTES, ROLES, normal, recognise
from .source import Faults, Options, Source, shown
from .stop_columns import Stops
from .stop_table import build
from .table import Table
from .unsupported import refuse, remind, rule_to_tell
from .vehicle_rows import allowed_cells, vehicle_cells

WORDS = frozenset(word for words in HEADINGS.values() for word in words)
SPOKEN = {"lat": "latitude", "lon": "longitude"}
BOUNDS = {"lat": 90.0, "lon": 180.0}


def is_stops(table: Table, columns: Mapping[str, str]) -> bool:
    """Whether the first row is the header of a table of stops, not that of a labelled matrix."""
    if not table.rows:
        return False
    if columns:
        return True
    known = [place for place, cell in enumerate(table.rows[0]) if normal(cell) in WORDS]
    if not known:
        return _is_other_header(table)
    return known != [0] or len(table.rows) != len(table.rows[0])


def _is_other_header(table: Table) -> bool:
    """Whether the first row is a header in words that nobody knows, above rows that are no matrix."""
    header = [cell.strip() for cell in table.rows[0]]
    if not all(cell and not table.is_number(cell) for cell in header):
        return False
    if {row[0].strip() for row in table.rows[1:]} & set(header[1:]):  # a matrix with labels
        return False
    square = len(table.rows) - 1 == len(header)
    return not square or not any(table.is_number(row[0]) for row in table.rows[1:])


def from_table(source: Source, table: Table, options: Options) -> Instance:
    """The instance of a table whose first row is the header; all its faults are said at once."""
    header = [cell.strip() for cell in table.rows[0]]
    places = recognise(source, header, options.columns)
    axes = _axes(source, header, places)
    rows, lines = table.rows[1:], table.lines[1:]
    if not rows:
        raise source.error("no stops below the header")
    body = Table(rows, lines, table.decimal_comma, table.word)
    faults = Faults(source)
    cells = _columns(header, body, places, faults)
    _warn_unused(source, header, body, places)
    if "role" in cells:
        roles = [ROLES.get(normal(cell), normal(cell)) for cell in cells["role"]]
    else:
        roles = ["depot"] + ["customer"] * (len(rows) - 1)
        source.warn(f"no column 'role': the first stop ({body.where(0)}) is the depot, all others customers")
    placeless = _placeless(roles, cells, axes)
    points = np.stack([_numbers(faults, key, cells[key], body) for key in axes], axis=1)
    stops = Stops(source, body.where, roles, points, placeless=placeless, faults=faults)
    stops.names = cells.get("name", [])
    stops.pair = [cell.strip() for cell in cells.get("pair", [])]
    stops.are_lengths = "service_length" in cells
    stops.in_minutes = "service" in places and normal(header[places["service"]]) in MINUTES
    stops.service = [body.plain(cell) for cell in cells.get("service_length", cells.get("service", []))]
    stops.vehicles = [body.plain(cell) for cell in cells.get("vehicles", [])]
    stops.ends = cells.get("end", [])
    stops.speeds = [body.plain(cell) for cell in cells.get("speed", [])]
    stops.done = [body.plain(cell) for cell in cells.get("done", [])]
    return build(stops, Distance.GREAT_CIRCLE if "lat" in axes else Distance.EUCLIDEAN, options)


def _placeless(roles: list[str], cells: dict[str, list[str]], axes: tuple[str, str]) -> frozenset[int]:
    """Rows of vehicles without coordinates, which get some to be passed over."""
    found = set()
    for row, role in enumerate(roles):
        if role == "vehicle" and not any(cells[key][row].strip() for key in axes):
            found.add(row)
            for key in axes:
                cells[key][row] = "0"
    return frozenset(found)


def write(path: Path, instance: Instance) -> str:
    """The text of a CSV of stops; warns about what the reader will have to be told again."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(to_rows(path, instance))
    return out.getvalue()


def to_rows(path: Path, instance: Instance) -> list[list[object]]:
    """Header and rows of a table of stops; warns likewise."""
    lacks = () if instance.fleet is not None else ("allowed vehicles",)  # the cells name rows of vehicles
    refuse(path, instance, (Distance.EUCLIDEAN, Distance.GREAT_CIRCLE, Distance.EUC_2D), lacks)
    fleet = _depot_vehicles(instance)
    known = instance.fleet is not None or (fleet is not None and sum(fleet) == instance.num_vehicles)
    remind(
        path,
        vehicles=None if known else instance.num_vehicles,
        return_to=rule_to_tell(instance),
        rounded=True if instance.kind is Distance.EUC_2D else None,
        max_length=instance.max_length,
        unit=None if instance.kind is Distance.GREAT_CIRCLE else instance.unit or None,
        speed=instance.speed,
    )
    roles = ["depot"] * instance.num_depots + ["customer"] * instance.num_customers
    pair = [""] * instance.num_nodes
    for number, (pickup, delivery) in enumerate(instance.pairs.tolist(), 1):
        roles[pickup], roles[delivery] = "pickup", "delivery"
        pair[pickup] = pair[delivery] = str(number)
    keys = ("lat", "lon") if instance.kind is Distance.GREAT_CIRCLE else ("x", "y")
    columns: dict[str, list[object]] = {} if instance.names is None else {"name": list(instance.names)}
    columns["role"] = list(roles)
    columns[keys[0]], columns[keys[1]] = instance.coordinates.T.tolist()
    if len(instance.pairs):
        columns["pair"] = list(pair)
    if instance.service is not None:
        times, heading = instance.service, "service_length" if instance.unit else "service"
        columns[heading] = [""] * instance.num_depots + times.tolist()
    if fleet is not None:
        columns["vehicles"] = [*fleet, *[""] * instance.num_customers]
    if instance.fleet is not None:
        _add_vehicles(instance, columns, keys)
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def _add_vehicles(instance: Instance, columns: dict[str, list[object]], axes: tuple[str, str]) -> None:
    """Add the rows of the vehicles and the columns that they need."""
    cells = vehicle_cells(instance)
    columns.setdefault("name", [""] * instance.num_nodes)
    if instance.allowed is not None:
        columns["vehicles"] = [*[""] * instance.num_depots, *allowed_cells(instance)]
    for key in ("end", "speed", "done"):
        columns[key] = [""] * instance.num_nodes
    own: dict[str, list[object]] = {**cells, "role": ["vehicle"] * instance.num_vehicles}
    own[axes[0]], own[axes[1]] = cells["first"], cells["second"]
    for key, column in columns.items():
        column.extend(own.get(key, [""] * instance.num_vehicles))


def _depot_vehicles(instance: Instance) -> list[int] | None:
    if instance.fleet is not None:
        return None
    if instance.num_depots == 1:
        return [instance.num_vehicles]
    return None if instance.vehicles_per_depot is None else instance.vehicles_per_depot.tolist()


def _axes(source: Source, header: list[str], places: dict[str, int]) -> tuple[str, str]:
    found = set(places) & {"x", "y", "lat", "lon"}
    if found not in ({"x", "y"}, {"lat", "lon"}):
        got = ", ".join(sorted(found)) or "none"
        columns = ", ".join(shown(cell) for cell in header[:20] if cell)
        raise source.error(
            f"coordinate columns: {got}, expected x and y, or lat and lon; the file has {columns}: "
            "say which they are with --columns lat=…,lon=…",
            "line 1",
        )
    return ("lat", "lon") if "lat" in found else ("x", "y")


def _columns(header: list[str], body: Table, places: dict[str, int], faults: Faults) -> dict[str, list[str]]:
    """The cells of each column that is used; empty where a row is too short."""
    width = len(header)
    for number, row in enumerate(body.rows):
        while len(row) > width and not row[-1].strip():
            row.pop()
        if len(row) != width:
            faults.add(f"{len(row)} cells, expected {width} as in the header", body.where(number))
            row.extend([""] * (width - len(row)))
    if faults.found:  # cells may be in the wrong column: what they say would mislead
        faults.raise_any()
    return {column: [row[place] for row in body.rows] for column, place in places.items()}


def _warn_unused(source: Source, header: list[str], body: Table, places: dict[str, int]) -> None:
    used = set(places.values())
    for place, title in enumerate(header):
        if not title and any(row[place].strip() for row in body.rows):
            source.warn(f"column {place + 1} has no name: not used")
    unused = [title for place, title in enumerate(header) if title and place not in used]
    for title in unused:
        taken = next((key for key, words in HEADINGS.items() if normal(title) in words), "")
        if taken in places:
            source.warn(f"column {shown(title)}: not used beside {shown(header[places[taken]])}")
    unknown = [title for title in unused if normal(title) not in WORDS]
    if unknown:
        source.warn(f"unknown column {', '.join(shown(cell) for cell in unknown[:10])}: not used")


def _numbers(faults: Faults, key: str, cells: list[str], body: Table) -> Floats:
    """One column as finite numbers within their bounds; 0 where there is a fault."""
    bound = BOUNDS.get(key, np.inf)
    plain = [body.plain(cell) for cell in cells]
    try:
        values = np.array(list(map(float, plain)))
        good = bool(np.isfinite(values).all() and (np.abs(values) <= bound).all()) and "_" not in "".join(
            plain
        )
    except ValueError:
        good = False
    if good:
        return values
    values = np.zeros(len(cells))
    for row, cell in enumerate(plain):  # slow, and only to name the places
        with faults.collected():
            value = faults.source.number(SPOKEN.get(key, key), cell, body.where(row))
            if abs(value) > bound:
                message = f"{SPOKEN[key]} = {shown(cell)}, expected -{bound:g} to {bound:g}"
                if key == "lat":
                    message += " (exchanged with the longitude?)"
                raise faults.source.error(message, body.where(row))
            values[row] = value
    return values
