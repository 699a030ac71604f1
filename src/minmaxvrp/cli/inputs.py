"""Options that several commands share, and how they change the instance that a file holds."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..engines import EngineName
from ..errors import InputError
from ..problem.instance import Instance, ReturnTo
from ..problem.solution import Solution
from .messages import say

InstanceFile = Annotated[
    Path, typer.Argument(metavar="INSTANCE", help="Instance: .csv .json .tsp .vrp .txt …")
]
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="Plan: .json .sol .geojson")]
Vehicles = Annotated[
    int | None, typer.Option("--vehicles", "-m", help="Number of vehicles, instead of the file's.")
]
NumDepots = Annotated[
    int | None,
    typer.Option("--depots", help="How many of the first nodes are depots, where the file cannot say."),
]
Matrix = Annotated[
    Path | None, typer.Option("--matrix", help="Distances: .csv .xlsx .npz, OSRM or Valhalla .json.")
]
Return = Annotated[
    ReturnTo | None,
    typer.Option("--return-to", help="Routes end where they started, at any depot, or nowhere (open)."),
]
Open = Annotated[bool, typer.Option("--open", help="Routes need not return: as --return-to nowhere.")]
MaxLength = Annotated[
    str | None,
    typer.Option("--max-length", help="Limit on the length of every route; h:mm with a speed or times."),
]
Unit = Annotated[
    str, typer.Option("--unit", help="Of the distances, where the file cannot say: km m mi s min h.")
]
Speed = Annotated[
    float | None,
    typer.Option("--speed", help="km (or units) per hour: routes are durations, service is in minutes."),
]
Rounded = Annotated[bool, typer.Option("--rounded", help="Round straight-line distances to whole numbers.")]
Columns = Annotated[
    str | None,
    typer.Option("--columns", help="Headings of a table of stops: name=Kunde,lat=Breite,lon=Länge."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]

EngineChoice = Annotated[
    EngineName, typer.Option("--engine", help="Many instances: processes of this machine, or a ray cluster.")
]
Address = Annotated[
    str | None, typer.Option("--address", help="Of the Ray cluster, such as 10.0.0.1:6379, or auto.")
]


def read_instance(
    path: Path,
    vehicles: int | None = None,
    depots: int | None = None,
    matrix: Path | None = None,
    return_to: ReturnTo | None = None,
    rounded: bool = False,
    columns: str | None = None,
    *,
    open_routes: bool = False,
    max_length: str | None = None,
    unit: str = "",
    speed: float | None = None,
) -> Instance:
    """The instance in a file, with the command line's wishes; raises `InputError`."""
    from ..problem import files

    for option, value in (("--vehicles", vehicles), ("--depots", depots)):
        if value is not None and value < 1:
            raise InputError(f"{option} = {value}, expected 1 or more")
    return files.read(
        path,
        vehicles=vehicles,
        matrix=matrix,
        rounded=rounded,
        return_to=rule_of(return_to, open_routes),
        num_depots=depots,
        columns=_columns(columns),
        max_length=max_length,
        unit=unit,
        speed=speed,
    )


def rule_of(return_to: ReturnTo | None, open_routes: bool) -> ReturnTo | None:
    """Where routes end as `--return-to` and `--open` say."""
    if open_routes and return_to not in (None, "nowhere"):
        raise InputError(f"--open and --return-to {return_to}, expected one of them")
    return "nowhere" if open_routes else return_to


def _columns(text: str | None) -> dict[str, str]:
    """The headings in an option such as `name=Kunde,lat=Breite`."""
    pairs = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for key, equals, heading in pairs:
        if not equals or not heading.strip():
            raise InputError(f"--columns = {key!r}, expected such as name=Kunde,lat=Breite,lon=Länge")
    return {key.strip(): heading.strip() for key, _, heading in pairs}


def show_doubts(instance: Instance) -> None:
    """Say on stderr what looks like a mistake in an instance."""
    from ..problem.plausibility import doubts

    for doubt in doubts(instance):
        say(f"warning: {doubt}")


SETS = (".npz", ".pkl", ".pickle")


def read_instances(
    path: Path,
    vehicles: int | None,
    return_to: ReturnTo | None,
    rounded: bool,
    *,
    max_length: str | None = None,
) -> list[Instance]:
    """All instances of a set; an empty list for a file of another kind or of a single instance."""
    from ..problem import files

    if path.suffix.lower() not in SETS:
        return []
    instances = files.read_set(
        path, vehicles=vehicles, return_to=return_to, rounded=rounded, max_length=max_length
    )
    return instances if len(instances) > 1 else []


def read_all(path: Path, **wishes: Any) -> list[Instance]:
    """All instances of a file of any kind, with the wishes of `read_instance`; raises `InputError`."""
    from ..problem import files

    if path.suffix.lower() not in SETS:
        return [read_instance(path, **wishes)]
    known = ("vehicles", "return_to", "rounded", "max_length")
    for name, value in wishes.items():
        if value and name not in known:
            raise InputError(f"{path}: a set and --{name}, expected it with other files only")
    return files.read_set(path, **{name: wishes[name] for name in known})


def read_start(path: Path, instance: Instance) -> Solution:
    """A plan to start from: its stops that the instance has; raises `InputError`."""
    from ..problem import files

    return files.read_start(path, instance, complete=False)


def read_plan(path: Path, instance: Instance) -> Solution:
    """The solution in a file; raises `InputError`."""
    from ..problem import files

    return files.read_solution(path, instance)


def fleet_sizes(text: str) -> tuple[int, ...]:
    """The numbers of vehicles in an option such as `3,5,7`, each once; none for an empty text."""
    try:
        numbers = tuple(int(word) for word in text.split(",")) if text.strip() else ()
    except ValueError:
        raise InputError(f"--vehicles = {text!r}, expected whole numbers such as 3,5,7") from None
    if any(number < 1 for number in numbers):
        raise InputError(f"--vehicles = {text!r}, expected numbers of 1 or more")
    return tuple(dict.fromkeys(numbers))
