"""Our own JSON of solutions: routes by name and number, measured by the checker, units first."""

from typing import Any

from ..check import route_lengths
from ..instance import Instance
from ..solution import Route, Solution
from .instance_json import INSTANCE_FORMAT, SOLUTION_FORMAT, VERSION, node_number, units
from .json_document import as_list, as_object, check_header, dump, parse, warn_unknown
from .source import Source, shown

SOLUTION_FIELDS = (
    *("format", "version", "units", "instance", "problem", "makespan", "total_length", "lower_bound", "gap"),
    *("method", "seed", "iterations", "seconds", "balance", "then", "routes"),
)
GONE = -1
"""Node number of a stop that the instance does not have."""
ROUTE_FIELDS = ("start", "end", "customers", "names", "length")


def read(source: Source, instance: Instance) -> Solution:
    """The solution of a JSON file: stops by name, or by number where plan or instance have no names."""
    document = parse(source, source.text())
    if document.get("format") == INSTANCE_FORMAT:
        raise source.error("holds an instance, expected a solution")
    check_header(source, document, SOLUTION_FORMAT, VERSION)
    warn_unknown(source, "the solution", document, SOLUTION_FIELDS)
    routes = []
    for number, entry in enumerate(as_list(source, "routes", document.get("routes"))):
        where = f"routes[{number}]"
        fields = as_object(source, where, entry)
        warn_unknown(source, where, fields, ROUTE_FIELDS)
        routes.append(route_from(source, fields, where, instance))
    return Solution(tuple(routes))


def route_from(source: Source, fields: dict[str, Any], where: str, instance: Instance) -> Route:
    """One route from its JSON fields `start`, `end`, `customers` and `names`.

    Node numbers are judged later, by the checker. A name that the instance does not have becomes `GONE`,
    which no instance has: `InputError` unless the caller drops such stops.
    """
    numbers = as_list(source, f"{where}.customers", fields.get("customers"))
    customers = tuple(node_number(source, "customer", node, where) for node in numbers)
    start = node_number(source, "start", fields.get("start", 0), where)
    end = node_number(source, "end", fields.get("end", start), where)
    names = fields.get("names")
    if names is not None and instance.names is not None:
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


def text(instance: Instance, solution: Solution, facts: dict[str, Any]) -> str:
    """A solution as JSON text, measured by the checker, with `facts` about how it was found."""
    lengths = route_lengths(instance, solution).tolist()
    makespan = max(lengths, default=0.0)
    document: dict[str, Any] = {
        "format": SOLUTION_FORMAT,
        "version": VERSION,
        "units": units(instance.kind),
        "instance": instance.name,
        "problem": instance.problem,
        "makespan": makespan,
        "total_length": sum(lengths),
        **with_gap(makespan, facts),
        "routes": [
            route_fields(instance, route, length)
            for route, length in zip(solution.routes, lengths, strict=True)
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
            over = makespan > value
            known["gap"] = (makespan / value - 1.0 if value > 0 else None) if over else 0.0
    return known


def route_fields(instance: Instance, route: Route, length: float) -> dict[str, Any]:
    """One route as JSON fields."""
    fields: dict[str, Any] = {"start": route.start, "end": route.end, "customers": list(route.customers)}
    if instance.names is not None:
        fields["names"] = [instance.names[node] for node in route.customers]
    return {**fields, "length": length}
