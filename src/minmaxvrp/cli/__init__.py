"""The command line: `minmaxvrp COMMAND`, one module per command.

A command's module imports only what is light; numba, torch, scipy and matplotlib are imported inside
the functions that need them, so that `--help` answers at once. A new command is one line below.
"""

import gc
from typing import Annotated

import typer

from .. import __version__
from . import (
    bench,
    check,
    evaluate,
    export_weights,
    generate,
    import_weights,
    info,
    paper,
    plot,
    serve,
    solve,
    train,
)
from .messages import Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Routes for M vehicles whose longest is as short as possible.",
    epilog="Exit codes: 0 done, 1 a fault of minmaxvrp, 2 bad input, 3 an infeasible plan.",
)
app.command("solve")(solve.run)
app.command("check")(check.run)
app.command("info")(info.run)
app.command("generate")(generate.run)
app.command("plot")(plot.run)
app.command("serve")(serve.run)
app.command("bench")(bench.run)
app.command("paper")(paper.run)
app.command("train")(train.run)
app.command("evaluate")(evaluate.run)
app.command("import-weights")(import_weights.run)
app.command("export-weights")(export_weights.run)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"minmaxvrp {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback with errors.")] = False,
) -> None:
    """Options of every command; `messages` acts on them."""


def main() -> None:
    """Entry point of the `minmaxvrp` command."""
    # most objects made while modules are loaded stay: the search for garbage takes a tenth of that time
    gc.set_threshold(100_000, 20, 100)
    app(prog_name="minmaxvrp")
