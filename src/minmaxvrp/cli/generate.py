"""`minmaxvrp generate`: random instances by seed."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import InputError
from . import outputs

ENDINGS = (".json", ".csv", ".geojson", ".tsp", ".vrp", ".txt", ".npz")
Problem = Literal["mtsp", "mpdp", "mdvrp", "fmdvrp"]


def run(
    problem: Annotated[Problem, typer.Argument(help="What to make.")],
    out: Annotated[Path, typer.Option(help=f"Where to: {' '.join(ENDINGS)}; several need .npz.")],
    size: Annotated[int, typer.Option(help="Customers; pickups and deliveries together.")] = 50,
    vehicles: Annotated[int, typer.Option("--vehicles", "-m", help="Vehicles.")] = 5,
    depots: Annotated[int | None, typer.Option(help="Depots of mdvrp and fmdvrp.  [6]")] = None,
    distribution: Annotated[str, typer.Option(help="Of the customers.")] = "uniform",
    seed: Annotated[int, typer.Option(help="The same seed makes the same instances.")] = 0,
    count: Annotated[int, typer.Option(help="How many.")] = 1,
) -> None:
    """Make random instances in the unit square."""
    for option, value, least in (("--count", count, 1), ("--seed", seed, 0)):
        if value < least:
            raise InputError(f"{option} = {value}, expected {least} or more")
    outputs.check_writable([out], ENDINGS)
    if count > 1 and out.suffix.lower() != ".npz":
        raise InputError(f"{out}: --count = {count}, expected the ending .npz")
