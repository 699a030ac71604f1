"""The map of all files: read and write instances, sets of instances and solutions.

The format follows from the ending of the name, for `.txt` and unknown endings from the content.
Every reader gives an `Instance`, validated once, or raises `InputError` with one line that says
where. One file per format; `docs/formats.md` describes them, units first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...errors import InputError
from ..check import broken_rules
from ..distance import Distance, Floats
from ..fleet import Vehicle
from ..instance import Instance, ReturnTo
from ..repair import cleaned, completed
from ..solution import Route, Solution
from ..units import Units
from . import (
    benchmark_text,
    driver_pages,
    geojson,
    gpx,
    headings,
    instance_json,
    kml,
    npz,
    pickled,
    routing_json,
    sol,
    solution_json,
    stops_csv,
    table,
    tsplib,
    visits_csv,
    visits_xlsx,
    vroom,
)
from . import matrix as matrices
from .atomic import write_bytes, write_text
from .json_document import parse
from .source import FormatWarning, NoVehicles, Options, Source

__all__ = [
    "FormatWarning",
    "NoVehicles",
    "read",
    "read_matrix",
    "read_set",
    "read_solution",
    "read_start",
    "write",
    "write_bytes",
    "write_set",
    "write_solution",
    "write_text",
]

INSTANCE_ENDINGS = ".json, .csv, .xlsx, .tsp, .vrp, .txt, .npz, .geojson"
SOLUTION_ENDINGS = ".json, .sol, .geojson"
"""Plans that can be written and read back."""
EXPORT_ENDINGS = ".csv, .xlsx, .gpx, .kml, .html"
"""Plans for drivers and maps: written only."""


def read(
    path: str | Path,
    *,
    data: bytes | None = None,
    vehicles: int | None = None,
    matrix: str | Path | None = None,
    rounded: bool = False,
    return_to: ReturnTo | None = None,
    num_depots: int | None = None,
    columns: Mapping[str, str] | None = None,
    max_length: float | str | None = None,
    unit: str = "",
    speed: float | None = None,
) -> Instance:
    """The instance in a file, or in `data` if given; `path` is then only a name with an ending.

    `vehicles`, `return_to` and `max_length` replace what the file says. `matrix` is a file of distances that
    replace those of the coordinates. `rounded` takes EUC_2D and x, y as TSPLIB does, to whole
    numbers. `num_depots` says how many nodes are depots where the file cannot (a bare matrix,
    TSPLIB without DEPOT_SECTION, mTSP files: otherwise 1). `columns` says the headings of a table of stops
    where they are not among those known: `{"name": "Kunde", "lat": "Breite"}`. `unit` is that of the
    distances where the file cannot say, `speed` how many of them are driven in an hour: service is then in
    minutes or h:mm, and `max_length` may be h:mm.
    Raises `InputError` for everything that is not a valid instance; warns with `FormatWarning`
    about every field that is not used.
    """
    source = Source(Path(path), data)
    loaded = None if matrix is None else matrices.load(Source(Path(matrix)))
    options = Options(
        vehicles,
        num_depots,
        has_matrix=matrix is not None,
        columns=_known(columns or {}),
        unit=unit or (loaded.unit if loaded else ""),
        speed=speed,
    )
    instances = _read_any(source, options)
    if len(instances) != 1:
        raise source.error(f"a set of {len(instances)} instances, expected one instance (read_set)")
    instance = instances[0]
    if matrix is not None and loaded is not None:
        units = Units(options.unit, speed)
        instance = matrices.combine(instance, Source(Path(matrix)), loaded, units)
    return _adapt(source, instance, rounded, return_to, max_length, options)


def read_set(
    path: str | Path,
    *,
    vehicles: int | None = None,
    rounded: bool = False,
    return_to: ReturnTo | None = None,
    paired: bool = False,
    max_length: float | str | None = None,
) -> list[Instance]:
    """All instances in a file: an npz set, a pickled list, or one instance of any format.

    `paired` makes pairs of customer i and customer i + N/2 in sets that do not name pairs.
    Raises `InputError`, and warns, as `read` does.
    """
    source = Source(Path(path))
    instances = _read_any(source, Options(vehicles=vehicles, paired=paired))
    return [_adapt(source, instance, rounded, return_to, max_length, Options()) for instance in instances]


def read_matrix(path: str | Path) -> Floats:
    """The distances [n, n] in a CSV, npz or npy file; raises `InputError` unless square and ≥ 0."""
    return matrices.load(Source(Path(path))).matrix


def write(instance: Instance, path: str | Path) -> None:
    """Write an instance in the format of the ending, whole or not at all.

    Raises `InputError` when the format cannot hold the instance or the file cannot be written;
    warns with `FormatWarning` about options that reading it back will need.
    """
    path = Path(path)
    ending = path.suffix.lower()
    texts: dict[str, Callable[[], str]] = {
        ".json": lambda: instance_json.text(instance),
        ".csv": lambda: stops_csv.write(path, instance),
        ".geojson": lambda: geojson.text(path, instance),
        ".txt": lambda: benchmark_text.write(path, instance),
        **dict.fromkeys((".tsp", ".atsp", ".vrp"), lambda: tsplib.write(path, instance)),
    }
    if ending == ".npz":
        write_set([instance], path)
    elif ending == ".xlsx":
        write_bytes(path, visits_xlsx.stops_content(stops_csv.to_rows(path, instance)))
    elif ending in texts:
        write_text(path, texts[ending]())
    else:
        raise InputError(f"{path}: ending {ending!r}, expected one of {INSTANCE_ENDINGS}")


def write_set(instances: Sequence[Instance], path: str | Path) -> None:
    """Write instances of one size as an npz set; raises `InputError` when they differ in shape."""
    if Path(path).suffix.lower() != ".npz" or not instances:
        raise InputError(f"{path}: {len(instances)} instances, expected one or more and the ending .npz")
    write_bytes(path, npz.dump(instances))


def read_solution(path: str | Path, instance: Instance, *, data: bytes | None = None) -> Solution:
    """The solution in a file, or in `data` if given; raises `InputError` for damage.

    The checker judges what it says.
    """
    return _read_plan(Source(Path(path), data), instance)


def _read_plan(source: Source, instance: Instance) -> Solution:
    ending = source.path.suffix.lower()
    readers = {".json": solution_json.read, ".sol": sol.read, ".geojson": geojson.read_solution}
    if ending not in readers:
        raise source.error(f"ending {ending!r}, expected one of {SOLUTION_ENDINGS}")
    return readers[ending](source, instance)


def read_start(path: str | Path, instance: Instance, *, complete: bool = True) -> Solution:
    """A plan to start from, made to fit: stops that are gone dropped, new ones inserted, with a notice.

    Unless `complete`, only stops that are gone are dropped: `solve(keep=…)` makes the rest fit, and counts
    the stops that change their vehicle.
    Raises `InputError` for damage, and when no stop of the plan is left.
    """
    source = Source(Path(path), lenient=True)
    given = _read_plan(source, instance)
    stops = [node for route in given.routes for node in route.customers]
    known = {node for node in stops if node in instance.customers}
    if stops and not known:
        raise source.error("none of its stops is one of the instance")
    if not broken_rules(instance, given):
        return given
    kept = cleaned(instance, given.routes)
    gone, inserted = len(stops) - len(known), instance.num_customers - sum(len(route) for route in kept)
    source.warn(
        f"made to fit: {gone} stops that the instance does not have dropped, {inserted} inserted "
        "that were missing or broke a rule"
    )
    if complete:
        return completed(instance, kept)
    return Solution(
        tuple(
            Route(route.start, tuple(node for node in route.customers if node in known), route.end)
            for route in given.routes
        )
    )


def write_solution(
    path: str | Path,
    instance: Instance,
    solution: Solution,
    *,
    lower_bound: float | None = None,
    method: str | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    balance: float | None = None,
    then: str | None = None,
    moved: int | None = None,
) -> None:
    """Write a solution in the format of the ending, whole or not at all; raises `InputError`.

    Lengths, makespan and gap are measured here; the other facts are written where the format
    has a place for them (.json and .geojson).
    """
    facts = {"lower_bound": lower_bound, "method": method, "seed": seed}
    facts |= {"iterations": iterations, "seconds": seconds, "balance": balance, "then": then}
    facts |= {} if moved is None else {"moved": moved}
    texts: dict[str, Callable[[], str]] = {
        ".json": lambda: solution_json.text(instance, solution, facts),
        ".sol": lambda: sol.text(instance, solution),
        ".geojson": lambda: geojson.solution_text(instance, solution, facts),
        ".csv": lambda: visits_csv.text(instance, solution),
        ".gpx": lambda: gpx.text(instance, solution),
        ".kml": lambda: kml.text(instance, solution),
        ".html": lambda: driver_pages.text(instance, solution),
    }
    source = Source(Path(path))
    ending = source.path.suffix.lower()
    with source.located():
        if ending == ".xlsx":
            write_bytes(path, visits_xlsx.content(instance, solution))
        elif ending in texts:
            write_text(path, texts[ending]())
        else:
            known = f"{SOLUTION_ENDINGS}, {EXPORT_ENDINGS}"
            raise source.error(f"ending {ending!r}, expected one of {known}")


def _read_any(source: Source, options: Options) -> list[Instance]:
    ending = source.path.suffix.lower()
    if ending in (".pkl", ".pickle"):
        return pickled.read_set(source, _no_depots(source, options))
    if ending in (".npz", ".npy"):
        return _read_arrays(source, options)
    readers: dict[str, Callable[[Source, Options], Instance]] = {
        ".json": _read_json,
        ".geojson": _read_json,
        ".csv": _read_csv,
        **dict.fromkeys((".xlsx", ".xlsm"), _read_xlsx),
        **dict.fromkeys((".tsp", ".atsp", ".vrp"), tsplib.read),
    }
    return [readers.get(ending, _read_text)(source, options)]


def _adapt(
    source: Source,
    instance: Instance,
    rounded: bool,
    return_to: ReturnTo | None,
    max_length: float | str | None,
    options: Options,
) -> Instance:
    """Apply what the caller says about distances, returns, units and the limit."""
    with source.located():
        unit = options.unit or instance.unit
        speed = instance.speed if options.speed is None else options.speed
        if (unit, speed) != (instance.unit, instance.speed):
            instance = replace(instance, unit=unit, speed=speed)
        if isinstance(max_length, str):
            max_length = _limit(source, max_length, instance)
        if rounded and instance.kind in (Distance.GREAT_CIRCLE, Distance.MATRIX):
            raise source.error(f"rounded distances asked for, but distance = {instance.kind.value!r}")
        if rounded and instance.kind is Distance.EUCLIDEAN:
            instance = replace(instance, kind=Distance.EUC_2D)
        if max_length is not None:
            instance = replace(instance, max_length=max_length)
        if return_to is None:
            return instance
        # vehicles with ends of their own keep them: the rule is for those without
        return replace(_with_starts(instance) if return_to == "nowhere" else instance, return_to=return_to)


def _limit(source: Source, text: str, instance: Instance) -> float:
    """A limit on routes: a number in the unit of the distances, or h:mm where routes are durations."""
    if ":" in text:
        return source.length_of_time("max_length", text, "", instance.units)
    return source.number("max_length", text)


def _with_starts(instance: Instance) -> Instance:
    """The instance with a vehicle for every place at a depot, where depots have as many as there are."""
    places = instance.vehicles_per_depot
    if places is None or places.sum() != instance.num_vehicles:
        return instance
    fleet = tuple(Vehicle(start=depot) for depot in np.repeat(np.arange(len(places)), places).tolist())
    return replace(instance, fleet=fleet, vehicles_per_depot=None)


def _read_text(source: Source, options: Options) -> Instance:
    """A file whose ending says nothing: judged by its first characters."""
    if source.path.suffix.lower() == ".sol":
        raise source.error("a solution, expected an instance")
    text = source.table_text().lstrip()  # Excel's "Unicode text" is UTF-16 with this ending
    head = text.partition("\n")[0]
    if benchmark_text.is_header(head):
        return benchmark_text.read(source, options)
    if text.startswith("{"):
        return _read_json(source, options)
    if ":" in head:
        return tsplib.read(source, options)
    if any(mark in head for mark in ",;\t"):
        return _read_csv(source, options)
    raise source.error(f"format not recognised; known endings: {INSTANCE_ENDINGS}")


def _read_json(source: Source, options: Options) -> Instance:
    document = parse(source, source.text())
    if source.path.suffix.lower() == ".geojson" or document.get("type") == "FeatureCollection":
        return geojson.from_document(source, document, _no_depots(source, options))
    if routing_json.is_matrix(document):
        return routing_json.from_document(source, document, options)
    if vroom.is_request(document):
        return vroom.from_document(source, document, _no_depots(source, options))
    return instance_json.from_document(source, document, _no_depots(source, options))


def _read_csv(source: Source, options: Options) -> Instance:
    return _read_table(source, table.from_text(source, source.table_text()), options)


def _read_xlsx(source: Source, options: Options) -> Instance:
    return _read_table(source, table.from_xlsx(source), options)


def _read_table(source: Source, cells: table.Table, options: Options) -> Instance:
    if stops_csv.is_stops(cells, options.columns):
        return stops_csv.from_table(source, cells, _no_depots(source, options))
    return matrices.alone(source, *matrices.from_table(source, cells), options)


def _read_arrays(source: Source, options: Options) -> list[Instance]:
    arrays = npz.load(source)
    if "customers" in arrays or "depots" in arrays:
        return npz.read_set(source, arrays, _no_depots(source, options))
    return [matrices.alone(source, matrices.from_arrays(source, arrays), None, options)]


def _known(columns: Mapping[str, str]) -> Mapping[str, str]:
    """`InputError` for a name that no column has."""
    for key in columns:
        if key not in headings.HEADINGS:
            raise InputError(f"columns: {key!r}, expected one of {', '.join(headings.HEADINGS)}")
    return columns


def _no_depots(source: Source, options: Options) -> Options:
    """`InputError` for a number of depots where the file itself says which nodes are depots."""
    if options.num_depots is not None:
        raise source.error(f"num_depots = {options.num_depots} given, but this file says which are depots")
    return options
