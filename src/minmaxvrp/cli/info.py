"""`minmaxvrp info`: what an instance file holds, and how short the longest route can be at best."""

import json as jsonlib
from typing import Any

import typer

from ..problem.distance import is_geographic
from ..problem.instance import Instance
from . import inputs

QUICK = 0.25
"""Share of the effort that `solve` puts into its lower bound: `info` answers at once."""


def run(
    instance_file: inputs.InstanceFile,
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
    """Show an instance: counts, extent, distances, fleet, lower bounds. Of a set: a line for each."""
    rule = inputs.rule_of(return_to, open_routes)
    many = inputs.read_instances(instance_file, vehicles, rule, rounded, max_length=max_length)
    for number, instance in enumerate(many):
        facts = describe(instance)
        typer.echo(jsonlib.dumps(facts, ensure_ascii=False) if json else _line(number, instance, facts))
    if many:
        return
    wishes = (vehicles, depots, matrix, return_to, rounded, columns)
    instance = inputs.read_instance(
        instance_file, *wishes, open_routes=open_routes, max_length=max_length, unit=unit, speed=speed
    )
    inputs.show_doubts(instance)
    facts = describe(instance)
    if json:
        typer.echo(jsonlib.dumps(facts, indent=1, ensure_ascii=False))
        return
    for name, value in _lines(instance, facts):
        typer.echo(f"{name:<15} {value}")


def describe(instance: Instance) -> dict[str, Any]:
    """The facts of an instance, ready for JSON; lengths in the instance's unit."""
    from ..problem.bounds import bounds
    from ..problem.files.fleet_fields import fleet_fields

    axes = ("latitude", "longitude") if is_geographic(instance.kind) else ("x", "y")
    low, high = instance.coordinates.min(axis=0).tolist(), instance.coordinates.max(axis=0).tolist()
    fleet = instance.vehicles_per_depot
    known = bounds(instance, QUICK)
    return {
        "name": instance.name,
        "problem": instance.problem,
        "customers": instance.num_customers,
        "pairs": len(instance.pairs),
        "depots": instance.num_depots,
        "vehicles": instance.num_vehicles,
        "vehicles_per_depot": None if fleet is None else fleet.tolist(),
        "return_to": instance.return_to,
        "fleet": None if instance.fleet is None else fleet_fields(instance),
        "restricted_customers": len(instance.allowed or ()),
        "max_length": instance.max_length,
        "distance": instance.kind.value,
        "symmetric": instance.is_symmetric,
        "unit": instance.unit,
        "speed": instance.speed,
        "kilometres": instance.kilometres is not None,
        "service_total": float(instance.node_service.sum()),
        "extent": {axis: [low[k], high[k]] for k, axis in enumerate(axes)},
        "lower_bounds": known,
        "lower_bound": max(known.values(), default=0.0),
    }


def _line(number: int, instance: Instance, facts: dict[str, Any]) -> str:
    """One instance of a set."""
    bound = instance.units.text(facts["lower_bound"])
    counts = f"{facts['customers']:,} customers, {facts['depots']} depots, {facts['vehicles']} vehicles"
    return f"{number:>5}  {facts['problem']}  {counts}, lower bound {bound}"


def _lines(instance: Instance, facts: dict[str, Any]) -> list[tuple[str, str]]:
    kind, text = instance.kind, instance.units.text
    customers = f"{facts['customers']:,}" + (f", of which {facts['pairs']:,} pairs" if facts["pairs"] else "")
    fleet = facts["vehicles_per_depot"]
    lines = [
        ("name", facts["name"] or "–"),
        ("problem", facts["problem"]),
        ("customers", customers),
        ("depots", f"{facts['depots']:,}, routes end at {_END[facts['return_to']]}"),
        ("vehicles", f"{facts['vehicles']:,}" + (f", per depot {_list(fleet)}" if fleet else "")),
        ("distances", kind.value + ("" if facts["symmetric"] else ", not the same both ways")),
    ]
    lines += [
        (f"  {k}", _vehicle(fields)) for k, fields in enumerate((facts["fleet"] or ())[:MOST_VEHICLES], 1)
    ]
    if instance.unit:
        speed = "" if instance.speed is None else f", driven at {instance.speed:g} {instance.unit} per hour"
        speed += ", kilometres known beside it" if instance.units.has_kilometres else ""
        lines.append(("unit", instance.unit + speed))
    if facts["restricted_customers"]:
        lines.append(("restricted", f"{facts['restricted_customers']:,} customers, to some vehicles"))
    if facts["max_length"] is not None:
        lines.append(("limit", f"{text(facts['max_length'])} per route"))
    lines += [(axis, f"{low:.6g} to {high:.6g}") for axis, (low, high) in facts["extent"].items()]
    if facts["service_total"] > 0:
        lines.append(("service", f"{text(facts['service_total'])} in total"))
    lines.append(("lower bound", text(facts["lower_bound"])))
    lines += [(f"  {name}", text(value)) for name, value in facts["lower_bounds"].items()]
    return lines


_END = {"start": "the depot they started from", "any": "any depot", "nowhere": "their last customer"}
MOST_VEHICLES = 40
"""Vehicles of a fleet that are listed."""


def _vehicle(fields: dict[str, Any]) -> str:
    """One vehicle of the fleet; what is as usual is left out."""
    words = [f"{key} {fields[key]}" for key in ("start", "end", "speed", "done") if key in fields]
    return ", ".join([str(fields.get("name", "–")), *words])


def _list(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:20])
    return shown + (f" … ({len(numbers)} depots)" if len(numbers) > 20 else "")
