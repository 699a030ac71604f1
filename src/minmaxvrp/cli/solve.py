"""`minmaxvrp solve`: read, solve, show, write."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InfeasibleError, InputError
from ..interrupt import sigterm_as_ctrl_c
from ..many import SolveOptions
from ..problem.instance import Instance
from ..problem.keep import Keep
from ..problem.solution import Solution
from ..result import Result, Then
from ..search.settings import as_toml, change_settings, read_settings, settings_for
from ..stop import FirstOf, MaxIterations, MaxRuntime, Stop
from . import inputs, outputs
from .messages import say
from .search_progress import SearchLine

DEFAULT_SECONDS = 10.0


def run(
    file: inputs.InstanceFile,
    vehicles: inputs.Vehicles = None,
    depots: inputs.NumDepots = None,
    time: Annotated[
        float | None, typer.Option(help=f"Seconds of search.  [{DEFAULT_SECONDS:g} if no limit is given]")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Iterations of search: the same answer on every run.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Threads that search side by side; of a folder: instances at a time.  [1; folder: all cores]"
        ),
    ] = None,
    engine: inputs.EngineChoice = "processes",
    address: inputs.Address = None,
    then: Annotated[
        Then,
        typer.Option(
            help="After the longest route: balance (the next longest), total (all together) or none."
        ),
    ] = "balance",
    json: inputs.Json = False,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "--export",
            help="Write the plan: .json .sol .geojson, for drivers .csv .xlsx .html .gpx .kml, "
            "as a picture .png .svg .pdf; may be repeated. Of a folder or a set: .jsonl.",
        ),
    ] = None,
    routes: Annotated[bool, typer.Option("--routes", help="Print every visit of every route.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the routes: .png .svg .pdf.")] = None,
    matrix: inputs.Matrix = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="Begin with this plan: .json .sol .geojson; stops gone are dropped, new ones inserted."
        ),
    ] = None,
    keep: Annotated[
        Keep | None,
        typer.Option(
            help="Of the plan to begin with: stops stay in their order on their vehicle (order), "
            "or on their vehicle (vehicle), or are only a start (nothing).",
            show_default="nothing",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Begin with the network of this name or file; auto: ours for the problem."),
    ] = None,
    no_search: Annotated[bool, typer.Option("--no-search", help="Only construct, do not search.")] = False,
    settings: Annotated[
        Path | None, typer.Option(help="TOML file that changes settings of the search.")
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print the settings of the search as TOML, and end.")
    ] = False,
    return_to: inputs.Return = None,
    rounded: inputs.Rounded = False,
    columns: inputs.Columns = None,
    open_routes: inputs.Open = False,
    max_length: inputs.MaxLength = None,
    unit: inputs.Unit = "",
    speed: inputs.Speed = None,
) -> None:
    """Find routes whose longest is as short as possible. Of a set: a line for each instance.

    Of a folder: all instance files, several at a time; with --out results.jsonl a second run goes on.
    """
    if keep is not None and start is None:
        raise InputError(f"--keep {keep} without --start, expected a plan of which something stays")
    stop = _stop(time, iterations)
    if workers is not None:
        _at_least("--workers", workers, 1)
    _at_least("--seed", seed, 0)
    changes = {} if settings is None else read_settings(settings)
    rule = inputs.rule_of(return_to, open_routes)
    if file.is_dir() or engine != "processes" or address is not None or _lines(out):
        from ..engines import make_engine
        from .solve_folder import FolderRequest, solve_folder

        plans = [str(path) for path in out or [] if path not in _lines(out)[:1]]
        single = {"--plot": plot, "--start": start, "--matrix": matrix, "--routes": routes}
        unfit = plans + [
            name for name, value in (single | {"--show-settings": show_settings}).items() if value
        ]
        if unfit:
            raise InputError(f"{file}: many instances and {unfit[0]}, expected --out results.jsonl or --json")
        outputs.check_writable(_lines(out), [".jsonl"], [file])
        reading: dict[str, Any] = {"vehicles": vehicles, "depots": depots, "return_to": rule}
        reading |= {
            "rounded": rounded,
            "columns": columns,
            "max_length": max_length,
            "unit": unit,
            "speed": speed,
        }
        solving = SolveOptions(stop, seed, then, policy, not no_search, changes)
        solve_folder(
            FolderRequest(
                source=file,
                read=lambda path: inputs.read_all(path, **reading),
                solving=solving,
                options={**_given(reading), **_given(asdict(solving)), "stop": str(stop)},
                engine=make_engine(engine, workers, address, lambda text: say(f"note: {text}")),
                out=next(iter(_lines(out)), None),
                json=json,
            )
        )
        return
    if plot is not None:
        outputs.check_writable([plot], outputs.PICTURES)
    paths = [*(out or []), *([plot] if plot else [])]
    outputs.check_writable(paths, outputs.PLANS + outputs.PICTURES, [file, matrix, start])
    choices: dict[str, Any] = {
        "seed": seed,
        "workers": workers or 1,
        "then": then,
        "policy": policy,
        "search": not no_search,
        "settings": changes,
        "keep": None if start is None else keep or "nothing",
    }
    many = inputs.read_instances(file, vehicles, rule, rounded, max_length=max_length)
    if many:
        if paths or start is not None or show_settings:
            raise InputError(
                f"{file}: a set of {len(many)} instances, expected --out results.jsonl, no --plot, --start"
            )
        _solve_set(file, many, stop, choices, json)
        return
    wishes = (vehicles, depots, matrix, return_to, rounded, columns)
    instance = inputs.read_instance(
        file, *wishes, open_routes=open_routes, max_length=max_length, unit=unit, speed=speed
    )
    inputs.show_doubts(instance)
    if workers is not None and workers > 1:
        from ..engines.engine import tell_if_crowded

        tell_if_crowded(workers, lambda text: say(f"note: {text}"))
    given = None if start is None else inputs.read_start(start, instance)
    if show_settings:
        _print_settings(instance, stop, changes)
        return
    result = _solved(instance, stop, given, choices)
    outputs.show(result, json, routes)
    outputs.write_all(paths, result, instance.name or file.stem)
    message = outputs.limit_message(result)
    if message:
        raise InfeasibleError(f"{file}: {message}")


def _lines(out: list[Path] | None) -> list[Path]:
    """Those of the files to be written that are JSON lines."""
    return [path for path in out or [] if path.suffix.lower() == ".jsonl"]


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Options that are not left as they are."""
    return {name: value for name, value in options.items() if value not in (None, False, "", {})}


def _solve_set(
    file: Path, instances: Sequence[Instance], stop: Stop, choices: dict[str, Any], as_json: bool
) -> None:
    """Solve one instance after the other and print a line for each; raise at the end for limits not kept."""
    broken = []
    for number, instance in enumerate(instances):
        result = _solved(instance, stop, None, choices)
        outputs.show_line(number, result, as_json)
        broken += [f"instance {number}: {text}" for text in [outputs.limit_message(result)] if text]
    if broken:
        more = f"; {len(broken) - 1} more likewise" if len(broken) > 1 else ""
        raise InfeasibleError(f"{file} {broken[0]}{more}")


def _print_settings(instance: Instance, stop: Stop, changes: dict[str, float]) -> None:
    """The settings of the search for an instance and a budget, as TOML."""
    from ..search.arrays.prepare import prepare
    from ..search.budget import expected_iterations

    defaults = settings_for(prepare(instance, 1.0), expected_iterations(stop))
    print(as_toml(change_settings(defaults, changes)), end="")


def _solved(instance: Instance, stop: Stop, start: Solution | None, choices: dict[str, Any]) -> Result:
    """The result of a search that shows its progress and can be ended."""
    from ..solve import solve

    with sigterm_as_ctrl_c(), SearchLine(instance, stop) as line:
        return solve(
            instance,
            stop,
            start=start,
            on_progress=line.update,
            notice=lambda text: say(f"note: {text}"),
            **choices,
        )


def _stop(time: float | None, iterations: int | None) -> Stop:
    """The limits given, or the default."""
    if time is not None and not 0 <= time < float("inf"):
        raise InputError(f"--time = {time:g}, expected 0 or more seconds")
    if iterations is not None:
        _at_least("--iterations", iterations, 0)
    limits: list[Stop] = [] if time is None else [MaxRuntime(time)]
    if iterations is not None:
        limits.append(MaxIterations(iterations))
    if len(limits) == 2:
        return FirstOf(tuple(limits))
    return limits[0] if limits else MaxRuntime(DEFAULT_SECONDS)


def _at_least(option: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(f"{option} = {value}, expected {least} or more")
