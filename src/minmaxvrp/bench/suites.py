"""What is measured: named suites of random instances, and folders of instance files.

Comes first on the walk of `bench`: suites → `measure` (one case after the other) → `report`.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..natural_order import natural_key
from ..problem import files
from ..problem.generate import published_set
from ..problem.instance import Instance
from . import published_figures

PUBLISHED_SEED = 3333
PUBLISHED_COUNT = 100
ENDINGS = (".tsp", ".txt", ".vrp", ".csv", ".json", ".geojson", ".xlsx", ".npz", ".pkl", ".pickle")


@dataclass(frozen=True)
class Suite:
    """A named row of the literature's tables: random instances of one problem and size."""

    problem: str
    size: int
    """Nodes for mTSP (depot included), customers for the others."""
    depots: int
    vehicles: tuple[int, ...]
    """Those with published figures."""


@dataclass(frozen=True)
class BestKnown:
    """The best makespan known for one instance file."""

    makespan: float
    proven_optimal: bool = False
    rounded: bool = False
    """Known as a whole number only: compare after rounding."""


@dataclass(frozen=True)
class Case:
    """One instance to solve, and where its result belongs."""

    suite: str
    size: int
    index: int
    name: str
    """Empty for random instances."""
    set_seed: int | None
    """Of the random set; None for files."""
    instance: Instance
    best: BestKnown | None = None


def named_suites() -> dict[str, Suite]:
    """Every suite with published figures, by name: mtsp50 … fmdvrp100."""
    found: dict[str, Suite] = {}
    for row in published_figures.table_rows(*published_figures.SUITE_TABLES):
        assert row.problem is not None
        assert row.size is not None
        name = f"{row.problem}{row.size}"
        before = found[name].vehicles if name in found else ()
        found[name] = Suite(row.problem, row.size, row.depots or 1, (*before, row.vehicles))
    return found


def suite_cases(
    name: str, vehicles: Sequence[int] = (), limit: int | None = None, set_seed: int = PUBLISHED_SEED
) -> list[Case]:
    """The cases of a named suite: the first `limit` instances of its set, for each number of vehicles.

    Without `vehicles`, those with published figures. Raises `InputError` for an unknown name.
    """
    suites = named_suites()
    if name not in suites:
        raise InputError(f"suite = {name!r}, expected a folder or one of {', '.join(suites)}")
    suite = suites[name]
    cases = []
    for count in vehicles or suite.vehicles:
        instances = published_set(
            suite.problem,
            suite.size,
            count,
            num_depots=suite.depots,
            seed=set_seed,
            count=PUBLISHED_COUNT,
        )
        for index, instance in enumerate(instances[:limit]):
            cases.append(Case(name, suite.size, index, "", set_seed, instance))
    return cases


def folder_cases(
    folder: Path, vehicles: Sequence[int] = (), limit: int | None = None, best: Path | None = None
) -> list[Case]:
    """The instance files of a folder (or one file), each with its best known makespan if there is one.

    A file that names its number of vehicles is taken with that number (and left out if `vehicles` are
    given without it); any other is taken with each of `vehicles`, or else with those published
    for its name. Raises `InputError` when a file cannot be read or nothing is left.
    """
    known = read_best(best) if best is not None else {}
    paths = [folder] if folder.is_file() else instance_files(folder, best)
    read = [case for path in paths for case in _file_cases(path, tuple(vehicles))]
    cases = []
    for index, (path, instance) in enumerate(read[:limit]):
        name = _known_name(path, instance, known)
        figure = _best_of(name, instance.num_vehicles, known)
        cases.append(Case(_folder_name(folder), instance.num_nodes, index, name, None, instance, figure))
    if not cases:
        raise InputError(f"{folder}: no instance with {_listed(vehicles)} vehicles")
    return cases


def read_best(path: Path) -> dict[tuple[str, int], BestKnown]:
    """Best known makespans by name and vehicles, from a .csv file with a header row.

    Columns: instance, vehicles, best_known and, if there is one, proven_optimal (yes or no).
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            return dict(_best_rows(path, csv.DictReader(stream)))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}, expected a .csv file") from None


def _best_rows(path: Path, rows: "csv.DictReader[str]") -> Iterator[tuple[tuple[str, int], BestKnown]]:
    wanted = ("instance", "vehicles", "best_known")
    missing = [column for column in wanted if column not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f"{path} line 1: no column {missing[0]!r}, expected {', '.join(wanted)}")
    for row in rows:
        where = f"{path} line {rows.line_num}"
        try:
            key = (str(row["instance"]), int(row["vehicles"]))
            makespan = float(row["best_known"])
        except (TypeError, ValueError):
            cells = f"vehicles = {row['vehicles']!r}, best_known = {row['best_known']!r}"
            raise InputError(f"{where}: {cells}, expected numbers") from None
        if not 0 < makespan < float("inf"):
            raise InputError(f"{where}: best_known = {makespan:g}, expected a number above 0")
        proven = (row.get("proven_optimal") or "").strip().lower() in ("yes", "true", "1")
        yield key, BestKnown(makespan, proven)


def instance_files(folder: Path, best: Path | None = None) -> list[Path]:
    """The files of a folder that may be instances, but for `best`; raises `InputError` if there are none."""
    if not folder.is_dir():
        raise InputError(f"suite = {str(folder)!r}, expected a folder or one of {', '.join(named_suites())}")
    skip = None if best is None else best.resolve()
    paths = [p for p in folder.iterdir() if p.suffix.lower() in ENDINGS and p.resolve() != skip]
    if not paths:
        raise InputError(f"{folder}: no instance files, expected some with {' '.join(ENDINGS)}")
    return sorted(paths, key=lambda p: natural_key(p.name))


def _file_cases(path: Path, vehicles: tuple[int, ...]) -> Iterator[tuple[Path, Instance]]:
    try:
        instances = files.read_set(path)
    except InputError:
        counts = vehicles or published_figures.instance_vehicles(path.stem)
        if not counts:
            raise
        for count in counts:
            for instance in files.read_set(path, vehicles=count):
                yield path, instance
    else:
        for instance in instances:
            if not vehicles or instance.num_vehicles in vehicles:
                yield path, instance


def _known_name(path: Path, instance: Instance, known: dict[tuple[str, int], BestKnown]) -> str:
    """The name its best value is filed under: the file's stem, that without `_VEHICLES`, or its own."""
    stem = path.stem
    names = [stem, stem.removesuffix(f"_{instance.num_vehicles}"), instance.name]
    for name in names:
        if (name, instance.num_vehicles) in known:
            return name
    for name in names:
        if published_figures.instance_vehicles(name):
            return name
    return stem


def _best_of(name: str, vehicles: int, known: dict[tuple[str, int], BestKnown]) -> BestKnown | None:
    if (name, vehicles) in known:
        return known[name, vehicles]
    row = published_figures.instance_row(name, vehicles)
    if row is None:
        return None
    return BestKnown(min(row.objective.values()), rounded=True)


def _folder_name(folder: Path) -> str:
    return folder.stem if folder.is_file() else folder.resolve().name


def _listed(vehicles: Sequence[int]) -> str:
    return " or ".join(str(v) for v in vehicles) or "any number of"
