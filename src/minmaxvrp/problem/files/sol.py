"""VRPLIB's `.sol` files: `Route #1: 3 5 7` for each route, then `Cost` with the makespan.

Customers are counted from 1 without the depots: customer k is node D − 1 + k. With several depots
the route says where it starts and ends: `Route #1 (start 0, end 2): 3 5 7`, depots counted from 0; an open
one `(start 0, end nowhere)`. Where vehicles are told apart, their routes stand in their order.
"""

import re

from ..check import makespan
from ..fleet import NOWHERE
from ..instance import Instance
from ..solution import Route, Solution
from .source import Source, shown

# for text with single spaces only: runs of optional spaces would make the search explode
ROUTE = re.compile(r"route ?#? ?\d{0,18} ?(?:\( ?start (\d+) ?, ?end (\d+|nowhere) ?\) ?)?:(.*)", re.I)


def read(source: Source, instance: Instance) -> Solution:
    """The solution of a `.sol` file."""
    routes, known = [], False
    for number, line in enumerate(source.text().splitlines(), 1):
        where, text = f"line {number}", " ".join(line.split())
        match = ROUTE.fullmatch(text)
        if match:
            routes.append(_route(source, match, where, instance))
        elif text.lower().startswith("route"):
            raise source.error(f"{shown(text)}, expected Route #1: 3 5 7", where)
        elif text.lower().startswith("cost"):
            source.number("Cost", text[4:].strip(" :="), where)
            known = True
        elif text and not text.startswith("#"):
            source.warn(f"{shown(text)}: not used", where)
    if not routes and not known:
        raise source.error("no routes, expected lines such as Route #1: 3 5 7")
    return Solution(tuple(routes))


def text(instance: Instance, solution: Solution) -> str:
    """The text of a `.sol` file."""
    shift = instance.num_depots - 1
    lines = []
    for number, route in enumerate(solution.routes, 1):
        end = "nowhere" if route.is_open else route.end
        ends = f" (start {route.start}, end {end})" if instance.num_depots > 1 or route.is_open else ""
        customers = "".join(f" {node - shift}" for node in route.customers)
        lines.append(f"Route #{number}{ends}:{customers}")
    return "\n".join([*lines, f"Cost {makespan(instance, solution)!r}"]) + "\n"


def _route(source: Source, match: re.Match[str], where: str, instance: Instance) -> Route:
    if match[1] is None and instance.num_depots > 1:
        raise source.error(
            f"a route without (start, end), expected them for {instance.num_depots} depots", where
        )
    start = source.whole("depot", match[1] or "0", where)
    end = NOWHERE if match[2] == "nowhere" else source.whole("depot", match[2] or "0", where)
    shift = instance.num_depots - 1
    customers = (source.whole("customer", word, where, least=1) + shift for word in match[3].split())
    return Route(start, tuple(customers), end)
