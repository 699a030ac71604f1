"""Results as people and programs want them: a table, JSON, and files by their endings.

Comes after `solve`; but whether files can be written is asked before it, so that no time is lost.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..picture import ENDINGS, count_text
from ..problem.check import travel
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..result import Result

if TYPE_CHECKING:
    from rich.table import Table

PICTURES = ENDINGS
PLANS = (".json", ".sol", ".geojson", ".csv", ".xlsx", ".gpx", ".kml", ".html")
MOST_SHOWN = 40
"""Stops of a route in the table, which is cut at the width of the terminal anyway."""
MOST_BLAMED = 12
"""Stops that a message lists."""
LEAST_ORDER = 24
"""Characters that the order of visits needs beside the other columns."""
LONGEST_TABLE = 60
"""Rows; the files hold all routes."""


def check_writable(paths: Sequence[Path], endings: Sequence[str], inputs: Sequence[Path | None] = ()) -> None:
    """Raise `InputError` for a file that could not be written later, or that would replace an input."""
    read = {os.path.realpath(path) for path in inputs if path is not None}
    written: set[str] = set()
    for path in paths:
        if path.suffix.lower() not in endings:
            raise InputError(f"{path}: ending {path.suffix!r}, expected one of {', '.join(endings)}")
        folder = path.parent
        if path.is_dir():
            raise InputError(f"{path}: a folder, expected a file name")
        if not folder.is_dir():
            raise InputError(f"{path}: no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise InputError(f"{path}: cannot be written: permission denied")
        real = os.path.realpath(path)
        if real in read or real in written:
            use = "an input file" if real in read else "named twice"
            raise InputError(f"{path}: {use}, expected another file name")
        written.add(real)


def write_plan(path: Path, result: Result, title: str = "") -> None:
    """Write a result as plan or picture, by the ending of the name; `title` stands on the picture."""
    if path.suffix.lower() in PICTURES:
        from .. import picture

        picture.save(path, result.instance, result.solution, title)
        return
    from ..problem import files

    files.write_solution(path, result.instance, result.solution, **facts(result))


def write_all(paths: Sequence[Path], result: Result, title: str = "") -> None:
    """Write every file that can be written; then raise `InputError` for the first that could not.

    Comes after the answer is printed: a picture that cannot be drawn must not cost it.
    """
    failures: list[InputError] = []
    for path in paths:
        try:
            write_plan(path, result, title)
        except InputError as error:
            failures.append(error)
        except Exception as error:  # such as a font or an encoder that fails within matplotlib
            if path.suffix.lower() not in PICTURES:
                raise
            failures.append(InputError(f"{path}: cannot be drawn: {type(error).__name__}: {error}"))
    if failures:
        raise failures[0]


def facts(result: Result) -> dict[str, Any]:
    """What a plan's file says about how it was found."""
    return {
        "lower_bound": result.lower_bound,
        "balance": round(result.balance, 6),
        "then": result.then,
        "method": result.method,
        "seed": result.seed,
        "iterations": result.iterations,
        "seconds": round(result.seconds, 3),
        **({} if result.moved is None else {"moved": result.moved}),
    }


def routes_table(
    instance: Instance, solution: Solution, lengths: Sequence[float], ordered: bool = True
) -> "Table":
    """A table of the routes: number, start, end if it differs, stops, length, share of the longest, order.

    Without the order unless `ordered`.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=ordered)
    apart = any(route.start != route.end for route in solution.routes)
    measures = ["duration", "driven"] if instance.units.knows_way else ["length"]
    first = "vehicle" if instance.has_fleet else "route"
    for heading in (first, "start", *(["end"] if apart else []), "stops", *measures, "of longest"):
        table.add_column(heading, justify="left" if heading in ("vehicle", "start", "end") else "right")
    if ordered:  # takes what is left
        table.add_column("order of visits", no_wrap=True, overflow="ellipsis", ratio=1)
    longest, units = max(lengths, default=0.0), instance.units
    ways = [travel(instance, route) for route in solution.routes] if units.knows_way else []
    for number, (route, length) in enumerate(zip(solution.routes, lengths, strict=True), 1):
        if number > LONGEST_TABLE:
            break
        share = f"{100 * length / longest:.1f} %" if longest > 0 else "–"
        end = "–" if route.is_open else instance.label(route.end)
        depots = [instance.label(route.start), *([end] if apart else [])]
        title = instance.route_label(number - 1) if instance.has_fleet else str(number)
        driven = [units.way_text(way, max(ways)) for way in ways[number - 1 : number]]
        cells = [title, *depots, str(len(route)), units.text(length, longest), *driven, share]
        cells += [_order(instance, route)] if ordered else []
        table.add_row(*(Text(cell) for cell in cells), style="bold" if length == longest else "")
    if len(solution.routes) > LONGEST_TABLE:
        table.caption = f"and {count_text(len(solution.routes) - LONGEST_TABLE, 'more route')}"
    return table


def _order(instance: Instance, route: Route) -> str:
    return ", ".join(instance.label(node) for node in route.customers[:MOST_SHOWN])


def order_lines(instance: Instance, solution: Solution, width: int) -> str:
    """The order of visits of each route on a line, cut at `width`: where the table has no room for it."""
    lines = []
    for number, route in enumerate(solution.routes[:LONGEST_TABLE]):
        line = f"{instance.route_label(number)}: {_order(instance, route)}"
        lines.append(line if len(line) <= width else f"{line[: width - 1]}…")
    return "\n".join(lines)


def summary(result: Result) -> str:
    """Makespan, lower bound, gap and time, one line each."""
    units = result.instance.units
    unused = result.instance.num_vehicles - len(result.solution.without_empty().routes)
    gap = f"{100 * result.gap:.2f} %" if result.gap != float("inf") else "not known"
    if result.gap == 0:
        gap += " (optimal)"
    lines = [
        ("longest route", units.text(result.makespan)),
        ("lower bound", units.text(result.lower_bound)),
        ("gap at most", gap),
        ("balance", f"{100 * result.balance:.1f} % (mean of all vehicles, of the longest)"),
        ("total time" if units.per_hour else "total length", units.text(result.total)),
        ("time", f"{result.seconds:.2f} s, {result.iterations:,} iterations ({result.method})"),
    ]
    if units.knows_way:
        driven = sum(travel(result.instance, route) for route in result.solution.routes)
        speed = "" if units.speed is None else f" at {units.speed:g} {units.unit}/h"
        lines.insert(5, ("driven", f"{units.way_text(driven)}{speed}"))
    if result.moved is not None:
        lines.append(("moved", f"{count_text(result.moved, 'stop')} to another vehicle"))
    if unused:
        lines.append(("not used", count_text(unused, "vehicle")))
    return "\n".join(f"{name:<14} {value}" for name, value in lines)


def limit_message(result: Result) -> str:
    """What to say about a limit that the plan does not keep; empty if it does or there is none."""
    over, instance = result.over_limit, result.instance
    if over is None:
        return ""
    names = ", ".join(instance.label(node) for node in over.stops[:MOST_BLAMED])
    names += f" and {len(over.stops) - MOST_BLAMED} more" if len(over.stops) > MOST_BLAMED else ""
    limit, longest = instance.units.text(over.limit), instance.units.text(over.makespan)
    least = f"the least makespan found is {longest}"
    if over.alone:
        return f"no plan keeps the limit of {limit}: {least}; too far even alone: {names}"
    if over.impossible:
        bound = instance.units.text(result.lower_bound)
        return f"no plan keeps the limit of {limit}: the lower bound is {bound}, {least}; too long: {names}"
    return f"no plan found that keeps the limit of {limit}: {least}; too long: {names}"


def show_line(number: int, result: Result, json: bool) -> None:
    """Print the result of one instance of a set on one line: text, or a JSON object."""
    import json as jsonlib

    import typer

    if json:
        lengths = {"index": number, "makespan": result.makespan, "lengths": list(result.lengths)}
        routes = [list(route.nodes) for route in result.solution.routes]
        typer.echo(jsonlib.dumps({**lengths, **facts(result), "routes": routes}))
        return
    units = result.instance.units
    gap = f"{100 * result.gap:.2f} %" if result.gap != float("inf") else "not known"
    longest, bound = units.text(result.makespan), units.text(result.lower_bound)
    typer.echo(
        f"{number:>5}  longest {longest}  lower bound {bound}  gap at most {gap}  {result.seconds:.2f} s"
    )


def visit_lines(instance: Instance, solution: Solution) -> str:
    """Every visit of every route: its place in the order, its name, its role, and the length up to there."""
    from ..problem.files.visits import visits

    parts, units, routes = [], instance.units, visits(instance, solution)
    longest = max((visit.length for route in routes for visit in route), default=0.0)
    farthest = max((visit.driven for route in routes for visit in route), default=0.0)
    for route in routes:
        lines = [route[0].title]
        for visit in route:
            place = "" if visit.role in ("start", "end") else str(visit.order)
            role = "" if visit.role == "stop" else visit.role
            driven = f"{units.way_text(visit.driven, farthest):>12}" if units.knows_way else ""
            length = units.text(visit.length, longest)
            lines.append(f"{place:>4}  {visit.name:<32} {role:<8} {length:>12}{driven}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def show(result: Result, json: bool, routes: bool = False) -> None:
    """Print a result on stdout: the table of routes and the summary, or the plan as one JSON object.

    With `routes` every visit is printed as well.
    """
    if json:
        import typer

        from ..problem.files import solution_json

        typer.echo(solution_json.text(result.instance, result.solution, facts(result)), nl=False)
        return
    from rich.console import Console

    console = Console(highlight=False)
    plan = (result.instance, result.solution)
    narrow = routes_table(*plan, result.lengths, ordered=False)
    if routes or console.width - console.measure(narrow).maximum < LEAST_ORDER:
        console.print(narrow)
        if not routes:
            console.print(order_lines(*plan, console.width) + "\n", markup=False, soft_wrap=True)
    else:
        console.print(routes_table(*plan, result.lengths))
    if routes:
        console.print(visit_lines(result.instance, result.solution) + "\n", markup=False, soft_wrap=True)
    console.print(summary(result), markup=False)
