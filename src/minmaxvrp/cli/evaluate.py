"""`minmaxvrp evaluate`: a network alone over a suite, its row beside the paper's."""

import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, InternalError
from ..problem import check
from .inputs import Json, fleet_sizes
from .messages import say

if TYPE_CHECKING:
    from ..bench.suites import Case
    from ..policy import Policy

PAPER = "DPN-x8aug-x16per"
CHUNK = 20
"""Instances constructed between two looks at Ctrl-C."""


@dataclass(frozen=True)
class Evaluated:
    """One number of vehicles of a suite; makespans are means over the instances."""

    suite: str
    vehicles: int
    instances: int
    makespan: float
    seconds_per_instance: float
    published: float | None
    """The paper's DPN with 8 symmetries and 16 permutations, fine-tuned where only that was published."""
    best_published: float | None
    best_method: str | None

    @property
    def gap(self) -> float | None:
        """How much longer than the best published figure, as a share."""
        return None if self.best_published is None else self.makespan / self.best_published - 1.0


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
    seed: Annotated[int, typer.Option(min=0, help="Seed of the permutations and of drawn rollouts.")] = 0,
    set_seed: Annotated[int, typer.Option(min=0, help="Seed of the random instances.")] = 3333,
    as_json: Json = False,
) -> None:
    """Measure a network alone: the best of symmetries × permutations, every solution checked."""
    from ..bench.suites import PUBLISHED_SEED, suite_cases

    policy = _load(weights)
    cases = suite_cases(suite, fleet_sizes(vehicles), limit, set_seed)
    if (reason := policy.misfit(cases[0].instance)) is not None:
        raise InputError(f"{weights}: {reason}")
    if temperature is None:
        temperature = policy.config.temperature(cases[0].instance.num_customers)
    found = []
    for count in dict.fromkeys(case.instance.num_vehicles for case in cases):
        part = [case for case in cases if case.instance.num_vehicles == count]
        found.append(measure(policy, part, symmetries, permutations, temperature, seed))
        if not as_json:
            say(f"{suite} M={count}: {found[-1].makespan:.4f}")
    if as_json:
        typer.echo(json.dumps([asdict(row) | {"gap": row.gap} for row in found]))
    else:
        comparable = set_seed == PUBLISHED_SEED and limit is None
        how = f", drawn at temperature {temperature:g}" if temperature else ", greedy"
        title = f"{weights} on {suite}, ×{symmetries} symmetries ×{permutations} permutations{how}"
        _print(found, title, comparable)


def measure(
    policy: "Policy", cases: "list[Case]", symmetries: int, permutations: int, temperature: float, seed: int
) -> Evaluated:
    """The mean makespan of the policy on cases of one suite and fleet; greedy at temperature 0."""
    from ..bench import published_figures

    began, makespans = time.perf_counter(), []
    for start in range(0, len(cases), CHUNK):
        instances = [case.instance for case in cases[start : start + CHUNK]]
        solutions = policy.construct(
            instances,
            symmetries=symmetries,
            permutations=permutations,
            temperature=temperature,
            seed=seed,
        )
        for instance, (solution, *_) in zip(instances, solutions, strict=True):
            if broken := check.violations(instance, solution):
                raise InternalError(f"a solution of the policy breaks a rule: {broken[0]}")
            makespans.append(check.makespan(instance, solution))
    seconds = (time.perf_counter() - began) / len(cases)
    one = cases[0]
    row = published_figures.suite_row(one.instance.problem, one.size, one.instance.num_vehicles)
    method, best = row.best() if row is not None else (None, None)
    return Evaluated(
        suite=one.suite,
        vehicles=one.instance.num_vehicles,
        instances=len(cases),
        makespan=sum(makespans) / len(makespans),
        seconds_per_instance=seconds,
        published=None if row is None else row.figure(PAPER),
        best_published=best,
        best_method=method,
    )


def _load(weights: str) -> "Policy":
    from ..policy import Policy
    from ..training.run_weights import find_weights

    return Policy.load(find_weights(weights) if Path(weights).is_dir() else weights)


def _print(found: list[Evaluated], title: str, comparable: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "vehicles", "ours", "paper ×8×16", "best published", "gap", "instances", "s/instance", title=title
    )
    for row in found:
        best = "" if row.best_published is None else f"{row.best_published:.4f} {row.best_method}"
        table.add_row(
            str(row.vehicles),
            f"{row.makespan:.4f}",
            "" if row.published is None else f"{row.published:.4f}",
            best,
            "" if row.gap is None else f"{100 * row.gap:.2f} %",
            str(row.instances),
            f"{row.seconds_per_instance:.3f}",
        )
    if not comparable:
        table.caption = "the published figures are of other instances"
    Console(width=None if sys.stdout.isatty() else 120).print(table)
