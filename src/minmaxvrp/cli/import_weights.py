"""`minmaxvrp import-weights`: turn a published DPN file into weights that `--policy` takes."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from .messages import say


def run(
    source: Annotated[Path, typer.Argument(help="The authors' file (.pt).", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Where to write (.safetensors).", show_default=False)],
    return_to: Annotated[
        str | None,
        typer.Option(
            metavar="start|any",
            help="Several depots: the return rule it was trained for, MDVRP start, FMDVRP any.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Turn published weights into ours."""
    if target.suffix != ".safetensors":
        raise InputError(f"{target}: ending {target.suffix!r}, expected '.safetensors'")
    if return_to not in (None, "start", "any"):
        raise InputError(f"--return-to = {return_to!r}, expected 'start' or 'any'")
    from ..policy import import_weights

    config = import_weights(source, target, "any" if return_to == "any" else "start")
    if config.form == "multi" and return_to is None:
        say("note: taken as MDVRP weights (routes return to their start); --return-to any for FMDVRP")
    sizes = f"{config.num_layers} layers, {config.embed} wide, {config.num_heads} heads"
    typer.echo(f"{target}: form {config.form}, {sizes}")
