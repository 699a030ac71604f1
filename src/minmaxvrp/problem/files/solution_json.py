"""Our own JSON of solutions: routes by name and number, measured by the checker, units first."""

from typing import Any

from ..check import gap, route_lengths, travel
from ..fleet import NOWHERE
from ..instance import Instance
from ..solution import Route, Solution
from .instance_json import INSTANCE_FORMAT, SOLUTION_FORMAT, VERSION, node_number, units
from .json_document import as_list, as_object, check_header, dump, finite, parse, warn_unknown
from .source import Source, shown

SOLUTION_FIELDS = (
    *("format", "version", "units", "instance", "problem", "makespan", "total_length", "lower_bound", "gap"),
    *("method", "seed", "iterations", "seconds", "balance", "then", "moved", "routes"),
    *("speed", "makespan_minutes"),
)
GONE = -1
"""Node number of a stop that the instance does not have."""
ROUTE_FIELDS = (
    *("vehicle", "start", "end", "start_name", "end_name", "customers", "names", "length", "minutes"),
    "driven",
)


def read(source: Source, instance: Instance) -> Solution:
    """The solution of a JSON file: stops by name, or by number where plan or instance have no names."""
    document = parse(source, source.text())
    if document.get("format") == INSTANCE_FORMAT:
        raise source.error("holds an instance, expected a solution")
    check_header(source, document, SOLUTION_FORMAT, VERSION)
    warn_unknown(source, "the solution", document, SOLUTION_FIELDS)
    found = {}
    for number, entry in enumerate(as_list(source, "routes", document.get("routes"))):
        where = f"routes[{number}]"
        found[where] = as_object(source, where, entry)
        warn_unknown(source, where, found[where], ROUTE_FIELDS)
    return routes_from(source, found, instance)


def routes_from(source: Source, found: dict[str, dict[str, Any]], instance: Instance) -> Solution:
    """The solution of routes as JSON fields, each under where it is; those with vehicles in their order."""
    if not instance.has_fleet or not any("vehicle" in fields for fields in found.values()):
        return Solution(
            tuple(
                route_from(source, fields, where, instance, number)
                for number, (where, fields) in enumerate(found.items())
            )
        )
    number_of = {vehicle.name: number for number, vehicle in enumerate(instance.vehicles)}
    routes = [Route.idle(vehicle) for vehicle in instance.vehicles]
    taken: set[object] = set()
    for where, fields in found.items():
        name = fields.get("vehicle")
        if isinstance(name, str) and name in number_of and name not in taken:
            taken.add(name)
            routes[number_of[name]] = route_from(source, fields, where, instance, number_of[name])
        elif source.lenient:  # behind all vehicles: its stops go to others
            routes.append(route_from(source, fields, where, instance, len(number_of)))
        else:
            problem = "has two routes" if name in list(taken) else "is no vehicle of the instance"
            raise source.error(f"{shown(name)} {problem}", where)
    return Solution(tuple(routes))


def route_from(source: Source, fields: dict[str, Any], where: str, instance: Instance, number: int) -> Route:
    """One route, of this number from 0, from its JSON fields `start`, `end`, `customers` and `names`.

    Node numbers are judged later, by the checker. A name that the instance does not have becomes `GONE`,
    which no instance has: `InputError` unless the caller drops such stops.
    """
    numbers = as_list(source, f"{where}.customers", fields.get("customers"))
    customers = tuple(node_number(source, "customer", node, where) for node in numbers)
    idle = Route.idle(instance.vehicles[min(number, instance.num_vehicles - 1)])
    start = node_number(source, "start", fields.get("start", idle.start), where)
    end = fields.get("end", NOWHERE if idle.is_open else start)
    end = NOWHERE if end is None else node_number(source, "end", end, where)
    names = fields.get("names")
    if names is not None and instance.names is not None:
        start = _depot_named(source, fields, "start", start, where, instance)
        end = end if end == NOWHERE else _depot_named(source, fields, "end", end, where, instance)
        named = as_list(source, f"{where}.names", names)
        if len(named) != len(customers):
            raise source.error(f"{len(named)} names for {len(customers)} customers", where)
        node_of = {name: node for node, name in enumerate(instance.names)}
        unknown = [name for name in named if not isinstance(name, str) or name not in node_of]
        if unknown and not source.lenient:
            raise source.error(
                f"{shown(unknown[0])} is no stop of the instance"
                + (f", nor are {len(unknown) - 1} others" if len(unknown) > 1 else ""),
                where,
            )
        customers = tuple(node_of.get(name, GONE) if isinstance(name, str) else GONE for name in named)
    return Route(start, customers, end)


def _depot_named(
    source: Source, fields: dict[str, Any], what: str, number: int, where: str, instance: Instance
) -> int:
    """The depot that a route names at its start or end; `number` where it names none, or one that is gone."""
    name = fields.get(f"{what}_name")
    if name is None or instance.names is None:
        return number
    if name in instance.names[: instance.num_depots]:
        return instance.names.index(name)
    if source.lenient:
        return number
    raise source.error(f"{what}_name = {shown(name)} is no depot of the instance", where)


def text(instance: Instance, solution: Solution, facts: dict[str, Any]) -> str:
    """A solution as JSON text, measured by the checker, with `facts` about how it was found."""
    lengths = route_lengths(instance, solution).tolist()
    makespan = max(lengths, default=0.0)
    document: dict[str, Any] = {
        "format": SOLUTION_FORMAT,
        "version": VERSION,
        "units": {**units(instance), **({} if instance.kilometres is None else {"driven": "km"})},
        "instance": instance.name,
        "problem": instance.problem,
        **({} if instance.speed is None else {"speed": instance.speed}),
        "makespan": makespan,
        **({} if instance.units.per_hour is None else {"makespan_minutes": instance.units.minutes(makespan)}),
        "total_length": sum(lengths),
        **with_gap(makespan, facts),
        "routes": [
            route_fields(instance, number, route, length)
            for number, (route, length) in enumerate(zip(solution.routes, lengths, strict=True))
        ],
    }
    return dump(document)


def with_gap(makespan: float, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that are known, with the gap (makespan / lower bound − 1) after a lower bound."""
    known: dict[str, Any] = {}
    for key, value in facts.items():
        if value is None:
            continue
        known[key] = value
        if key == "lower_bound":
            known["gap"] = finite(gap(makespan, value))
    return known


def route_fields(instance: Instance, number: int, route: Route, length: float) -> dict[str, Any]:
    """One route, of this number from 0, as JSON fields; an open one ends at null."""
    fields: dict[str, Any] = {"vehicle": instance.route_label(number)} if instance.has_fleet else {}
    fields |= {"start": route.start, "end": None if route.is_open else route.end}
    fields["customers"] = list(route.customers)
    if instance.names is not None:
        if instance.num_depots > 1:
            fields["start_name"] = instance.names[route.start]
            fields |= {} if route.is_open else {"end_name": instance.names[route.end]}
        fields["names"] = [instance.names[node] for node in route.customers]
    minutes = instance.units.minutes(length)
    fields |= {"length": length} if minutes is None else {"length": length, "minutes": minutes}
    return {**fields, "driven": travel(instance, route)} if instance.units.knows_way else fields
