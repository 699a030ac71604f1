"""A plan as CSV: one row per visit, for spreadsheets and scripts."""

import csv
import io

from ..instance import Instance
from ..solution import Solution
from .visits import Visit, degrees, visits


def header(instance: Instance) -> list[str]:
    """The names of the columns."""
    axes = ["x", "y"] if degrees(instance) is None else ["lat", "lon"]
    vehicle = ["vehicle"] if instance.has_fleet else []
    time = [] if instance.units.per_hour is None else ["time"]
    return ["route", *vehicle, "visit", "name", "role", *axes, "leg", "service", "length", *time]


def rows(instance: Instance, solution: Solution) -> list[list[list[object]]]:
    """The rows of each route; the last columns are length and time of the route so far.

    Where durations and ways are both known, `leg` and `length` are the way alone and `service` is in minutes:
    times are no part of ways.
    """
    places = degrees(instance)
    routes = visits(instance, solution)
    longest = max((visit.length for route in routes for visit in route), default=0.0)
    points = (instance.coordinates if places is None else places).tolist()

    def row(visit: Visit) -> list[object]:
        vehicle = [visit.title] if instance.has_fleet else []
        place = [visit.order, visit.name, visit.role, *points[visit.node]]
        units = instance.units
        time = [] if units.per_hour is None else [units.text(visit.length, longest)]
        measures: list[object] = [visit.leg, visit.service, visit.length]
        if units.knows_way:
            measures = [visit.way, units.minutes(visit.service), visit.driven]
        return [visit.route, *vehicle, *place, *measures, *time]

    return [[row(visit) for visit in route] for route in routes]


def text(instance: Instance, solution: Solution) -> str:
    """The text of the file, with a byte order mark: without it Excel misreads accents."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header(instance))
    for route in rows(instance, solution):
        writer.writerows([_plain(cell) for cell in row] for row in route)
    return "\ufeff" + out.getvalue()


def _plain(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@")) else cell
