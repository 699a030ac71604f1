"""Our own JSON of solutions: routes by node number, measured by the checker, units first, versioned."""

from typing import Any

from ..check import route_lengths
from ..instance import Instance
from ..solution import Route, Solution
from .instance_json import INSTANCE_FORMAT, SOLUTION_FORMAT, VERSION, node_number, units
from .json_document import as_list, as_object, check_header, dump, parse, warn_unknown
from .source import Source

SOLUTION_FIELDS = (
    *("format", "version", "units", "instance", "problem", "makespan", "lower_bound", "gap"),
    *("method", "seed", "iterations", "seconds", "routes"),
)
ROUTE_FIELDS = ("start", "end", "customers", "names", "length")


def read(source: Source, instance: Instance) -> Solution:
    """The solution of a JSON file; node numbers are judged later, by the checker."""
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
    """One route from its JSON fields `start`, `end`, `customers` and, as a check, `names`."""
    numbers = as_list(source, f"{where}.customers", fields.get("customers"))
    customers = tuple(node_number(source, "customer", node, where) for node in numbers)
    start = node_number(source, "start", fields.get("start", 0), where)
    end = node_number(source, "end", fields.get("end", start), where)
    names = fields.get("names")
    if names is not None and instance.names is not None:
        here = [instance.names[c] if 0 <= c < instance.num_nodes else None for c in customers]
        if names != here:
            source.warn(f"the names of {where} are not those of its customers in the instance", "")
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
