"""`minmaxvrp export-weights`: what a run has learnt as one small file to share."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError


def run(
    source: Annotated[Path, typer.Argument(help="Run folder, or weights of a run.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Where to write (.safetensors).", show_default=False)],
    full: Annotated[bool, typer.Option("--full", help="Single instead of half precision.")] = False,
    note: Annotated[str, typer.Option(help="A sentence on how they were made, kept in the file.")] = "",
) -> None:
    """Write the best weights of a run for others to use."""
    if target.suffix != ".safetensors":
        raise InputError(f"{target}: ending {target.suffix!r}, expected '.safetensors'")
    from ..training.run_weights import export_weights

    config = export_weights(source, target, half=not full, note=note)
    size = target.stat().st_size / 1e6
    typer.echo(f"{target}: form {config.form}, {config.num_layers} layers, {size:.1f} MB")
