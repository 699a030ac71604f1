"""`minmaxvrp generate`: random instances by seed."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..errors import InputError
from . import outputs

ENDINGS = (".json", ".csv", ".geojson", ".tsp", ".vrp", ".txt", ".npz")
ProblemName = Literal["mtsp", "mpdp", "mdvrp", "fmdvrp"]


def run(
    problem: Annotated[ProblemName, typer.Argument(help="What to make.")],
    out: Annotated[Path, typer.Option(help=f"File to write: {' '.join(ENDINGS)}; several need .npz.")],
    size: Annotated[
        int, typer.Option(help="Customers; for mtsp counting the depot, as the paper does.")
    ] = 50,
    vehicles: Annotated[int, typer.Option("--vehicles", "-m", help="Vehicles.")] = 5,
    depots: Annotated[int | None, typer.Option(help="Depots of mdvrp and fmdvrp.  [6]")] = None,
    distribution: Annotated[
        str,
        typer.Option(
            help="uniform, gaussian, explosion, rotation, clustered, drilled, ring, line, grid, city, "
            "duplicates or published."
        ),
    ] = "uniform",
    seed: Annotated[int, typer.Option(help="The same seed makes the same instances.")] = 0,
    count: Annotated[int, typer.Option(help="How many.")] = 1,
) -> None:
    """Make random instances in the unit square.

    The distribution `published` with seed 3333 and count 100 gives the test sets of the DPN paper.
    """
    for option, value, least in (("--count", count, 1), ("--seed", seed, 0)):
        if value < least:
            raise InputError(f"{option} = {value}, expected {least} or more")
    outputs.check_writable([out], ENDINGS)
    if count > 1 and out.suffix.lower() != ".npz":
        raise InputError(f"{out}: --count = {count}, expected the ending .npz")
    from ..problem import files
    from ..problem.distributions import DISTRIBUTIONS
    from ..problem.generate import instances, published_set

    if distribution == "published":
        made = published_set(problem, size, vehicles, depots, seed, count)
    elif distribution in DISTRIBUTIONS:
        made = instances(
            problem, size, vehicles, distribution=distribution, num_depots=depots, seed=seed, count=count
        )
    else:
        known = ", ".join([*DISTRIBUTIONS, "published"])
        raise InputError(f"--distribution = {distribution!r}, expected one of {known}")
    if out.suffix.lower() == ".npz":
        files.write_set(made, out)
    else:
        files.write(made[0], out)
