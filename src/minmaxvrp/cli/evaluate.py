"""`minmaxvrp evaluate`: a network alone over a suite; the runner and the table are those of `bench`."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError
from .bench import show
from .bench_progress import bench_bar
from .inputs import Json, fleet_sizes
from .messages import say


def run(
    weights: Annotated[str, typer.Argument(metavar="WEIGHTS", help="File, run folder, or shipped name.")],
    suite: Annotated[str, typer.Option(help="mtsp50 … fmdvrp100.")],
    vehicles: Annotated[
        str, typer.Option(help="Such as 3,5,7; by default those with published figures.")
    ] = "",
    symmetries: Annotated[int, typer.Option(min=1, max=8, help="Symmetric copies per instance.")] = 8,
    permutations: Annotated[int, typer.Option(min=1, help="Orders of the vehicles per copy.")] = 16,
    temperature: Annotated[
        float | None,
        typer.Option(min=0.0, help="Draw rollouts at this; 0: greedy, as the paper; by default as `solve`."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many instances.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Instances at a time, one core each.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the permutations and of drawn rollouts.")] = 0,
    set_seed: Annotated[int, typer.Option(min=0, help="Seed of the random instances.")] = 3333,
    as_json: Json = False,
) -> None:
    """Measure a network alone: the best of symmetries × permutations, every solution checked.

    What `bench --method policy` prints for the same weights, with nothing kept.
    """
    from ..bench import report
    from ..bench.measure import RunOptions, measure
    from ..bench.methods import Decoding
    from ..bench.suites import suite_cases
    from ..policy import Policy
    from ..training.run_weights import find_weights

    name = str(find_weights(weights)) if Path(weights).is_dir() else weights
    policy = Policy.load(name)
    cases = suite_cases(suite, fleet_sizes(vehicles), limit, set_seed)
    if (reason := policy.misfit(cases[0].instance)) is not None:
        raise InputError(f"{weights}: {reason}")
    drawn = policy.config.temperature(cases[0].instance.num_customers) if temperature is None else temperature
    how = f"drawn at temperature {drawn:g}" if drawn else "greedy"
    say(f"{weights} on {suite}: ×{symmetries} symmetries ×{permutations} permutations, {how}")
    options = RunOptions(
        "policy",
        seed=seed,
        policy=name,
        workers=workers,
        decoding=Decoding(symmetries, permutations, temperature),
    )
    with bench_bar(f"{suite} {weights}", len(cases)) as step:
        found = measure(cases, options, on_done=step)
    show(report.rows(found), as_json)
