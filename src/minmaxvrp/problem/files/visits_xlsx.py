"""A plan as an Excel workbook: a sheet with all routes, then a sheet of visits for each vehicle."""

import io
from typing import Any

from ...errors import InputError
from ..check import route_lengths, travel
from ..instance import Instance
from ..solution import Solution
from . import visits_csv

LARGEST_NAME = 32_000
"""Characters that a cell holds."""


def content(instance: Instance, solution: Solution) -> bytes:
    """The bytes of the workbook; raises `InputError` where openpyxl is not installed."""
    workbook = new_workbook()
    overview = workbook.active
    overview.title = "routes"
    names = ["vehicle"] if instance.has_fleet else []
    time = [] if instance.units.per_hour is None else ["time"]
    overview.append(["route", *names, "stops", "length", *time])
    lengths = route_lengths(instance, solution).tolist()
    for number, (route, length) in enumerate(zip(solution.routes, lengths, strict=True), 1):
        title = [_cell(instance.route_label(number - 1))] if instance.has_fleet else []
        shown = [instance.units.text(length, max(lengths))] if time else []
        way = travel(instance, route) if instance.units.knows_way else length
        overview.append([number, *title, len(route), way, *shown])
    for rows in visits_csv.rows(instance, solution):
        sheet = workbook.create_sheet(_sheet_title(instance, int(str(rows[0][0]))))
        sheet.append(visits_csv.header(instance))
        for row in rows:
            sheet.append([_cell(value) for value in row])
        sheet.freeze_panes = "A2"
    return saved(workbook)


def _sheet_title(instance: Instance, number: int) -> str:
    """The name of a route's sheet, without what Excel forbids; openpyxl numbers those used already."""
    title = str(_cell(instance.route_label(number - 1)))
    return "".join("-" if c in "[]:*?/\\" else c for c in title)[:28].strip("' ") or f"route {number}"


def stops_content(rows: list[list[object]]) -> bytes:
    """The bytes of a workbook with one table of stops."""
    workbook = new_workbook()
    for row in rows:
        workbook.active.append([_cell(value) for value in row])
    return saved(workbook)


def new_workbook() -> Any:
    """An empty workbook of openpyxl."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError(".xlsx files need openpyxl: pip install 'minmaxvrp[excel]'") from None
    return Workbook()


def saved(workbook: Any) -> bytes:
    """The bytes of a workbook, with names that look like formulas as text."""
    for sheet in workbook:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    cell.data_type = "s"
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def _cell(value: object) -> object:
    """A value without the control characters that Excel refuses."""
    if not isinstance(value, str):
        return value
    return "".join(c for c in value[:LARGEST_NAME] if c.isprintable() or c == " ")
