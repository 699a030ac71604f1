"""`minmaxvrp export-weights`: what a run has learnt as one small file to share."""

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from ..errors import InputError


def run(
    source: Annotated[Path, typer.Argument(help="Run folder, or weights of a run.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Where to write (.safetensors).", show_default=False)],
    precision: Annotated[
        str,
        typer.Option(metavar="NAME", help="How weights are stored: float32, float16, or int8 (smallest)."),
    ] = "float16",
    note: Annotated[str, typer.Option(help="A sentence on how they were made, kept in the file.")] = "",
) -> None:
    """Write the best weights of a run for others to use."""
    if target.suffix != ".safetensors":
        raise InputError(f"{target}: ending {target.suffix!r}, expected '.safetensors'")
    from ..policy.weights_file import Precision
    from ..training.run_weights import export_weights

    if precision not in get_args(Precision):
        raise InputError(f"--precision {precision!r}, expected one of {', '.join(get_args(Precision))}")
    config = export_weights(source, target, precision=cast(Precision, precision), note=note)
    size = target.stat().st_size / 1e6
    typer.echo(f"{target}: form {config.form}, {config.num_layers} layers, {size:.1f} MB")
