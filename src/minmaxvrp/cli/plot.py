"""`minmaxvrp plot`: draw an instance, a plan, or the curves of training runs."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InfeasibleError, InputError
from ..problem import check
from . import inputs, outputs


def run(
    instance_file: inputs.InstanceFile,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="[PLAN] PICTURE", help="Plan: .json .sol .geojson. Picture: .png .svg .pdf"),
    ],
    vehicles: inputs.Vehicles = None,
    depots: inputs.NumDepots = None,
    title: Annotated[str, typer.Option(help="Instead of the instance's name.")] = "",
    matrix: inputs.Matrix = None,
    return_to: inputs.Return = None,
    open_routes: inputs.Open = False,
    rounded: inputs.Rounded = False,
    columns: inputs.Columns = None,
    unit: inputs.Unit = "",
    speed: inputs.Speed = None,
) -> None:
    """Draw an instance, or a plan for it; given run folders, their training curves."""
    if instance_file.is_dir():
        from ..training.curves import draw_curves

        outputs.check_writable([paths[-1]], outputs.PICTURES, [])
        draw_curves([instance_file, *paths[:-1]], paths[-1])
        return
    if len(paths) > 2:
        raise InputError(
            f"{len(paths)} files after the instance, expected a picture, or a plan and a picture"
        )
    plan_file, target = (None if len(paths) == 1 else paths[0]), paths[-1]
    outputs.check_writable([target], outputs.PICTURES, [instance_file, plan_file, matrix])
    wishes = (vehicles, depots, matrix, return_to, rounded, columns)
    instance = inputs.read_instance(instance_file, *wishes, open_routes=open_routes, unit=unit, speed=speed)
    solution = None if plan_file is None else inputs.read_plan(plan_file, instance)
    if solution is not None:
        for violation in check.violations(instance, solution):
            if violation.rule is check.Rule.UNKNOWN_NODE:
                raise InfeasibleError(f"{plan_file}: {violation}")
    from .. import picture

    picture.save(target, instance, solution, title or instance.name or instance_file.stem)
