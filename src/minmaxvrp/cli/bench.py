"""`minmaxvrp bench`: a method over a suite, every answer checked, beside the published figures."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..engines import Engine, make_engine
from ..errors import InputError
from ..search.settings import read_settings
from .bench_progress import bench_bar
from .inputs import Address, EngineChoice, Json, fleet_sizes
from .messages import say

if TYPE_CHECKING:
    from ..bench.measure import RunOptions
    from ..bench.report import Row
    from ..bench.store import Measurement
    from ..bench.suites import Case


def run(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="mtsp50 … fmdvrp100, or a folder of files.")],
    method: Annotated[
        str,
        typer.Option(
            "--method", help="greedy, search, policy, policy+search; others' ortools, pyvrp, lkh, hga, cross."
        ),
    ] = "search",
    vehicles: Annotated[
        str, typer.Option("--vehicles", help="Such as 3,5,7; by default those with published figures.")
    ] = "",
    seconds: Annotated[float, typer.Option("--time", help="Seconds per instance.")] = 1.0,
    per_customer: Annotated[
        float | None, typer.Option("--time-per-customer", help="Seconds per customer, instead of --time.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only the first so many instances.")
    ] = None,
    clock: Annotated[
        str, typer.Option("--clock", help="Whose seconds: wall, or cpu where the machine is busy.")
    ] = "wall",
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="Instances at a time, one core each.  [1; ray: all cores]"),
    ] = None,
    engine: EngineChoice = "processes",
    address: Address = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the method.")] = 0,
    set_seed: Annotated[int, typer.Option("--set-seed", min=0, help="Seed of the random instances.")] = 3333,
    best: Annotated[
        Path | None, typer.Option("--best", help="CSV of best known makespans, for a folder of files.")
    ] = None,
    policy: Annotated[str, typer.Option("--policy", help="Name or file of network weights.")] = "auto",
    settings: Annotated[
        Path | None, typer.Option("--settings", help="TOML file that changes settings of the search.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="JSON lines; by default runs/bench/SUITE-METHOD.jsonl.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what the file already has.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Convergence plot: .png .svg .pdf")] = None,
    as_json: Json = False,
) -> None:
    """Run a method over a suite and set the means beside the published figures.

    Results are kept as they come; the same command goes on where it was interrupted.
    """
    from ..bench import convergence, report
    from ..bench.measure import RunOptions

    changes = () if settings is None else tuple(sorted(read_settings(settings).items()))
    per_run = 1 if workers is None else workers
    options = RunOptions(method, seconds, per_customer, seed, policy, per_run, clock=clock, settings=changes)
    count = workers if engine == "ray" else per_run
    runner = make_engine(engine, count, address, lambda text: say(f"note: {text}"))
    if plot is not None:
        convergence.check_ending(plot)
    cases = _cases(suite, fleet_sizes(vehicles), limit, set_seed, best)
    name = f"{cases[0].suite}-{method}.jsonl"
    measurements = _measure(cases, options, out or Path("runs") / "bench" / name, fresh, runner)
    if plot is not None:
        convergence.plot(measurements, plot)
    show(report.rows(measurements), as_json)


def _cases(
    suite: str, vehicles: tuple[int, ...], limit: int | None, set_seed: int, best: Path | None
) -> "list[Case]":
    from ..bench.suites import folder_cases, named_suites, suite_cases

    if suite in named_suites():
        if best is not None:
            raise InputError(f"--best with the suite {suite}, expected it with a folder of files")
        return suite_cases(suite, vehicles, limit, set_seed)
    return folder_cases(Path(suite), vehicles, limit, best)


def _measure(
    cases: "list[Case]", options: "RunOptions", path: Path, fresh: bool, engine: Engine
) -> "list[Measurement]":
    """Run with a progress bar on stderr; Ctrl-C says how to go on and leaves with 130."""
    from ..bench.measure import measure
    from ..bench.store import Store

    hint = f"; results in {path}, the same command goes on"
    with Store(path) as store:
        if fresh:
            store.done.clear()
        before = len(store.done)
        with bench_bar(f"{cases[0].suite} {options.method}", len(cases), hint) as step:
            found = measure(cases, options, store, step, engine)
        new = len(store.done) - before
    say(f"{len(cases)} results in {path}, {len(cases) - new} of them from before")
    return found


def show(found: "list[Row]", as_json: bool) -> None:
    """Print the rows on stdout: a table, or one JSON object."""
    from ..bench import report

    if as_json:
        typer.echo(json.dumps(report.as_json(found)))
        return
    from rich.console import Console

    wide = None if sys.stdout.isatty() else 160
    Console(width=wide).print(report.table(found))
