"""`minmaxvrp check`: judge a plan against its instance."""

import json as jsonlib

import typer

from ..errors import InfeasibleError
from ..picture import count_text
from ..problem import check
from . import inputs


def run(
    instance_file: inputs.InstanceFile,
    plan_file: inputs.PlanFile,
    vehicles: inputs.Vehicles = None,
    depots: inputs.NumDepots = None,
    json: inputs.Json = False,
    matrix: inputs.Matrix = None,
    return_to: inputs.Return = None,
    rounded: inputs.Rounded = False,
    columns: inputs.Columns = None,
    open_routes: inputs.Open = False,
    max_length: inputs.MaxLength = None,
    unit: inputs.Unit = "",
    speed: inputs.Speed = None,
) -> None:
    """Verify a plan: exit code 0 if it keeps every rule, 3 if not."""
    wishes = (vehicles, depots, matrix, return_to, rounded, columns)
    instance = inputs.read_instance(
        instance_file, *wishes, open_routes=open_routes, max_length=max_length, unit=unit, speed=speed
    )
    solution = inputs.read_plan(plan_file, instance)
    found = check.violations(instance, solution)
    # Nodes that do not exist cannot be measured.
    known = not any(violation.rule is check.Rule.UNKNOWN_NODE for violation in found)
    lengths = check.route_lengths(instance, solution).tolist() if known else []
    if json:
        report = {
            "feasible": not found,
            "violations": [{"rule": str(v.rule), "detail": v.detail} for v in found],
            "makespan": max(lengths, default=0.0) if known else None,
            "lengths": lengths if known else None,
        }
        typer.echo(jsonlib.dumps(report, indent=1))
    else:
        for violation in found:
            typer.echo(str(violation))
    if found:
        raise InfeasibleError(f"{plan_file}: infeasible, {count_text(len(found), 'violation')}")
    if not json:
        longest = instance.units.text(max(lengths, default=0.0))
        typer.echo(f"feasible: {count_text(len(lengths), 'route')}, longest {longest}")
