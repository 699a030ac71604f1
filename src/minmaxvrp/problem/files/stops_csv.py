"""CSV of stops: a header `name,role,x,y` or `name,role,lat,lon`, then one row per stop.

`stop_table.build` turns the columns into an instance. 100,000 rows take about half a second.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from .source import Options, Source, shown
from .stop_table import Stops, build
from .unsupported import refuse, remind

COLUMNS = ("name", "role", "x", "y", "lat", "lon", "pair", "service", "vehicles")
SPOKEN = {"lat": "latitude", "lon": "longitude"}
BOUNDS = {"lat": 90.0, "lon": 180.0}


def rows_of(source: Source, text: str) -> tuple[list[list[str]], list[int]]:
    """Cells of all rows that are not blank, and the line where each row ends."""
    head = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise source.error(f"not valid CSV: {error}", f"line {reader.line_num}") from None
    return rows, lines


def is_stops(header: list[str]) -> bool:
    """Whether this first row names a column of a table of stops."""
    return any(cell.strip().lower() in COLUMNS for cell in header)


def from_rows(source: Source, rows: list[list[str]], lines: list[int], options: Options) -> Instance:
    """The instance of a table whose first row is the header."""
    header = [cell.strip().lower() for cell in rows[0]]
    _check_header(source, header)
    body, lines = rows[1:], lines[1:]
    if not body:
        raise source.error("no stops below the header")

    def where(row: int) -> str:
        return f"line {lines[row]}"

    for number, row in enumerate(body):
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells, expected {len(header)} as in the header", where(number))
    for place in (place for place, title in enumerate(header) if not title):
        if any(row[place].strip() for row in body):
            source.warn(f"column {place + 1} has no name: not used")
    columns = dict(zip(header, map(list, zip(*body, strict=True)), strict=True))
    pair = ("lat", "lon") if "lat" in columns else ("x", "y")
    points = np.stack([_numbers(source, key, columns[key], where) for key in pair], axis=1)
    stops = Stops(source, where, [cell.strip().lower() for cell in columns["role"]], points)
    stops.names = columns.get("name", [])
    for key in ("pair", "service", "vehicles"):
        setattr(stops, key, [cell.strip() for cell in columns.get(key, [])])
    return build(stops, Distance.GREAT_CIRCLE if "lat" in columns else Distance.EUCLIDEAN, options)


def write(path: Path, instance: Instance) -> str:
    """The text of a CSV of stops; warns about what the reader will have to be told again."""
    refuse(path, instance, (Distance.EUCLIDEAN, Distance.GREAT_CIRCLE, Distance.EUC_2D), ())
    fleet = _depot_vehicles(instance)
    known = fleet is not None and sum(fleet) == instance.num_vehicles
    remind(
        path,
        vehicles=None if known else instance.num_vehicles,
        return_to="any" if instance.return_to == "any" and instance.num_depots > 1 else None,
        rounded=True if instance.kind is Distance.EUC_2D else None,
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
        columns["service"] = [""] * instance.num_depots + instance.service.tolist()
    if fleet is not None:
        columns["vehicles"] = [*fleet, *[""] * instance.num_customers]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def _depot_vehicles(instance: Instance) -> list[int] | None:
    if instance.num_depots == 1:
        return [instance.num_vehicles]
    return None if instance.vehicles_per_depot is None else instance.vehicles_per_depot.tolist()


def _check_header(source: Source, header: list[str]) -> None:
    double, times = Counter(filter(None, header)).most_common(1)[0]
    if times > 1:
        raise source.error(f"column {shown(double)} appears twice", "line 1")
    found = set(header) & {"x", "y", "lat", "lon"}
    if found not in ({"x", "y"}, {"lat", "lon"}):
        got = ", ".join(sorted(found)) or "none"
        raise source.error(f"coordinate columns: {got}, expected x and y, or lat and lon", "line 1")
    if "role" not in header:
        raise source.error(
            "no column 'role', expected one with depot, customer, pickup or delivery", "line 1"
        )
    unknown = [cell for cell in header if cell and cell not in COLUMNS]
    if unknown:
        source.warn(f"unknown column {', '.join(shown(cell) for cell in unknown[:10])}: not used")


def _numbers(source: Source, key: str, cells: list[str], where: Callable[[int], str]) -> Floats:
    """One column as finite numbers within their bounds."""
    bound = BOUNDS.get(key, np.inf)
    try:
        values = np.array(list(map(float, cells)))
        good = bool(np.isfinite(values).all() and (np.abs(values) <= bound).all()) and "_" not in "".join(
            cells
        )
    except ValueError:
        good = False
    if good:
        return values
    for row, cell in enumerate(cells):  # slow, and only to name the place
        value = source.number(SPOKEN.get(key, key), cell, where(row))
        if abs(value) > bound:
            message = f"{SPOKEN[key]} = {shown(cell)}, expected -{bound:g} to {bound:g}"
            raise source.error(message, where(row))
    raise source.error(f"column {key}: expected numbers")
