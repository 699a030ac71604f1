"""TSPLIB and VRPLIB files (.tsp, .atsp, .vrp): keywords with values, then sections of rows.

The first node is the depot unless a DEPOT_SECTION names others. EUC_2D is read as the plain
Euclidean distance, as in the min-max literature; `read(..., rounded=True)` rounds as TSPLIB does.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..distance import Distance, Floats
from ..instance import Instance
from ..multidimensional_scaling import scaled_points
from .source import Options, Source, shown
from .unsupported import FLEET, lose, refuse, remind, rule_to_tell

Rows = list[tuple[int, list[str]]]
"""Line number and words of each row."""

KINDS = {
    "EUC_2D": Distance.EUCLIDEAN,
    "EXACT_2D": Distance.EUCLIDEAN,
    "CEIL_2D": Distance.CEIL_2D,
    "ATT": Distance.ATT,
    "GEO": Distance.GEO,
}
WORDS = {Distance.EUC_2D: "EUC_2D", **{kind: word for word, kind in reversed(KINDS.items())}}
USED = (
    *("NAME", "TYPE", "COMMENT", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT", "NODE_COORD_TYPE"),
    *("DISPLAY_DATA_TYPE", "VEHICLES", "SALESMEN", "SERVICE_TIME", "NODE_COORD_SECTION", "DEPOT_SECTION"),
    *("EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION", "SERVICE_TIME_SECTION"),
)
TRIANGLES = {  # row format: (lower half?, diagonal given?); a column format is the other half by rows
    "LOWER_ROW": (True, False),
    "LOWER_DIAG_ROW": (True, True),
    "UPPER_ROW": (False, False),
    "UPPER_DIAG_ROW": (False, True),
    "UPPER_COL": (True, False),
    "UPPER_DIAG_COL": (True, True),
    "LOWER_COL": (False, False),
    "LOWER_DIAG_COL": (False, True),
}


@dataclass(slots=True)
class Sheet:
    """The parts of a file by keyword."""

    source: Source
    header: dict[str, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    """Where each keyword stands, as `line 3`."""
    sections: dict[str, Rows] = field(default_factory=dict)

    def whole(self, key: str, least: int = 1) -> int | None:
        """The whole number of a keyword, or None where it is absent."""
        if key not in self.header:
            return None
        return self.source.whole(key, self.header[key], self.lines[key], least)


def read(source: Source, options: Options) -> Instance:
    """The instance of a TSPLIB or VRPLIB file."""
    sheet = _sheet(source, source.text())
    ids, points, matrix, kind = _geometry(sheet)
    depots = _depots(sheet, ids, options)
    chosen = set(depots)
    order = depots + [place for place in range(len(ids)) if place not in chosen]
    plain = ids == list(range(1, len(ids) + 1)) and order == list(range(len(ids)))
    stated = sheet.whole("VEHICLES")
    if stated is None:
        stated = sheet.whole("SALESMEN")
    with source.located():
        return Instance(
            points[order],
            len(depots),
            source.num_vehicles(options, stated),
            kind=kind,
            matrix=None if matrix is None else matrix[np.ix_(order, order)],
            service=_service(sheet, ids, order, len(depots)),
            names=None if plain else tuple(str(ids[place]) for place in order),
            name=sheet.header.get("NAME", ""),
        )


def write(path: Path, instance: Instance) -> str:
    """The text of a TSPLIB file; warns about what the format has no place for."""
    refuse(path, instance, (*WORDS, Distance.MATRIX), ("pairs", "vehicles_per_depot", *FLEET))
    lose(path, instance, "names", "kilometres")
    remind(
        path,
        return_to=rule_to_tell(instance),
        max_length=instance.max_length,
        rounded=True if instance.kind is Distance.EUC_2D else None,
    )
    out = [
        f"NAME : {one_word(instance.name)}",
        f"TYPE : {'TSP' if instance.is_symmetric else 'ATSP'}",
        f"DIMENSION : {instance.num_nodes}",
        f"VEHICLES : {instance.num_vehicles}",
        f"EDGE_WEIGHT_TYPE : {WORDS.get(instance.kind, 'EXPLICIT')}",
    ]
    points = [f"{k} {x} {y}" for k, (x, y) in enumerate(instance.coordinates.tolist(), 1)]
    if instance.matrix is None:
        out += ["NODE_COORD_SECTION", *points]
    else:
        out += ["EDGE_WEIGHT_FORMAT : FULL_MATRIX", "DISPLAY_DATA_TYPE : TWOD_DISPLAY", "EDGE_WEIGHT_SECTION"]
        out += [" ".join(map(str, row)) for row in instance.matrix.tolist()]
        out += ["DISPLAY_DATA_SECTION", *points]
    if instance.service is not None:
        times = enumerate(instance.service.tolist(), instance.num_depots + 1)
        out += ["SERVICE_TIME_SECTION", *(f"{k} {time}" for k, time in times)]
    out += ["DEPOT_SECTION", *(str(k + 1) for k in range(instance.num_depots)), "-1", "EOF"]
    return "\n".join(out) + "\n"


def one_word(name: str) -> str:
    """A name without spaces, as these files want it."""
    return "_".join(name.split()) or "unnamed"


def coordinate_rows(source: Source, rows: Rows) -> tuple[list[int], Floats]:
    """Ids and points [n, 2] of rows `id x y`; ids must differ."""
    ids, points, seen = [], [], set()
    for line, words in rows:
        where = f"line {line}"
        if len(words) != 3:
            raise source.error(f"{len(words)} words, expected: id x y", where)
        number = source.whole("id", words[0], where)
        if number in seen:
            raise source.error(f"id {number} appears twice", where)
        seen.add(number)
        ids.append(number)
        points.append([source.number("x", words[1], where), source.number("y", words[2], where)])
    return ids, np.array(points).reshape(-1, 2)


def _sheet(source: Source, text: str) -> Sheet:
    sheet = Sheet(source)
    rows: Rows | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line:
            continue
        if line == "EOF":
            break
        if line[0] in "+-.0123456789":
            if rows is None:
                raise source.error(f"{shown(line)} before any section", f"line {number}")
            rows.append((number, line.split()))
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if key in sheet.lines:
            if key == "COMMENT":
                continue
            raise source.error(f"{key} appears twice", f"line {number}")
        sheet.lines[key] = f"line {number}"
        if key.endswith("_SECTION"):
            rows = sheet.sections[key] = []
        elif not colon:
            raise source.error(f"{shown(line)}, expected KEYWORD : value", f"line {number}")
        else:
            sheet.header[key] = value
    unused = [key for key in sheet.lines if key not in USED]
    if unused:
        source.warn(f"{', '.join(shown(key) for key in unused[:10])}: not part of this problem, not used")
    return sheet


def _geometry(sheet: Sheet) -> tuple[list[int], Floats, Floats | None, Distance]:
    """Ids, points, matrix and kind of distance."""
    source, size = sheet.source, sheet.whole("DIMENSION")
    if size is None:
        raise source.error("no DIMENSION")
    word = sheet.header.get("EDGE_WEIGHT_TYPE", "")
    if word != "EXPLICIT" and word not in KINDS:
        known = ", ".join((*KINDS, "EXPLICIT"))
        raise source.error(f"EDGE_WEIGHT_TYPE = {shown(word)}, expected one of {known}")
    key = "NODE_COORD_SECTION" if "NODE_COORD_SECTION" in sheet.sections else "DISPLAY_DATA_SECTION"
    matrix = _matrix(sheet, size) if word == "EXPLICIT" else None
    if matrix is not None and key not in sheet.sections:
        return list(range(1, size + 1)), scaled_points(matrix), matrix, Distance.MATRIX
    ids, points = coordinate_rows(source, sheet.sections.get(key, []))
    if len(ids) != size:
        raise source.error(f"{len(ids)} rows of coordinates, expected DIMENSION = {size}")
    return ids, points, matrix, KINDS.get(word, Distance.MATRIX)


def _matrix(sheet: Sheet, size: int) -> Floats:
    """[size, size] from the EDGE_WEIGHT_SECTION."""
    source = sheet.source
    form = sheet.header.get("EDGE_WEIGHT_FORMAT", "")
    if form != "FULL_MATRIX" and form not in TRIANGLES:
        known = ", ".join(("FULL_MATRIX", *TRIANGLES))
        raise source.error(f"EDGE_WEIGHT_FORMAT = {shown(form)}, expected one of {known}")
    lower, diagonal = TRIANGLES.get(form, (False, False))
    expected = size * size if form == "FULL_MATRIX" else size * (size + (1 if diagonal else -1)) // 2
    rows = sheet.sections.get("EDGE_WEIGHT_SECTION", [])
    found = sum(len(words) for _, words in rows)
    if found != expected:
        raise source.error(f"EDGE_WEIGHT_SECTION has {found} numbers, expected {expected} for {form}")
    values = np.array([source.number("distance", w, f"line {line}") for line, words in rows for w in words])
    if form == "FULL_MATRIX":
        return values.reshape(size, size)
    matrix = np.zeros((size, size))
    offset = 0 if diagonal else -1
    place = np.tril_indices(size, offset) if lower else np.triu_indices(size, -offset)
    matrix[place] = values
    matrix.T[place] = values
    return matrix


def _depots(sheet: Sheet, ids: list[int], options: Options) -> list[int]:
    """Places of the depots among `ids`."""
    source = sheet.source
    if "DEPOT_SECTION" not in sheet.sections:
        return list(range(min(1 if options.num_depots is None else options.num_depots, len(ids))))
    if options.num_depots is not None:
        raise source.error("num_depots given, but the file names its depots in a DEPOT_SECTION")
    place_of = {number: place for place, number in enumerate(ids)}
    depots: dict[int, None] = {}
    for line, word in _words(sheet.sections["DEPOT_SECTION"]):
        number = source.whole("depot", word, f"line {line}", least=-1)
        if number == -1:
            break
        if number not in place_of or place_of[number] in depots:
            problem = "is no node" if number not in place_of else "appears twice"
            raise source.error(f"depot {number} {problem}", f"line {line}")
        depots[place_of[number]] = None
    if not depots:
        raise source.error("no depot in the DEPOT_SECTION")
    return list(depots)


def _service(sheet: Sheet, ids: list[int], order: list[int], num_depots: int) -> Floats | None:
    source, times = sheet.source, dict.fromkeys(ids, 0.0)
    if "SERVICE_TIME" not in sheet.header and "SERVICE_TIME_SECTION" not in sheet.sections:
        return None
    depots = {ids[place] for place in order[:num_depots]}
    if "SERVICE_TIME" in sheet.header:
        value = source.number("SERVICE_TIME", sheet.header["SERVICE_TIME"], sheet.lines["SERVICE_TIME"])
        times = dict.fromkeys(ids, value)
    for line, words in sheet.sections.get("SERVICE_TIME_SECTION", []):
        where = f"line {line}"
        if len(words) != 2:
            raise source.error(f"{len(words)} words, expected: id service", where)
        number, value = source.whole("id", words[0], where), source.number("service", words[1], where)
        if number not in times:
            raise source.error(f"id {number} is no node", where)
        if number in depots and value != 0:
            raise source.error(
                f"service = {shown(words[1])} at a depot, expected it at customers only", where
            )
        times[number] = value
    return np.array([times[ids[place]] for place in order[num_depots:]])


def _words(rows: Rows) -> Iterable[tuple[int, str]]:
    return ((line, word) for line, words in rows for word in words)
