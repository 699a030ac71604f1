"""A plan as KML: a folder per route with its line and its stops, for maps such as Google Earth."""

from ..instance import Instance
from ..solution import Solution
from .gpx import positions, route_title, written
from .visits import visits


def text(instance: Instance, solution: Solution) -> str:
    """The text of the file; raises `InputError` unless the stops have latitude and longitude."""
    places = [f"{longitude!r},{latitude!r}" for latitude, longitude in positions(instance, "KML").tolist()]
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>',
        f"<name>{written(instance.name or 'plan')}</name>",
    ]
    for route in visits(instance, solution):
        title = written(route_title(route[0]))
        line = " ".join(places[visit.node] for visit in route)
        out += [
            f"<Folder><name>{title}</name>",
            f"<Placemark><name>{title}, {route[-1].so_far(instance.units)}</name>"
            f"<LineString><tessellate>1</tessellate><coordinates>{line}</coordinates></LineString></Placemark>",
        ]
        out += [
            f"<Placemark><name>{visit.order} {written(visit.name)}</name>"
            f"<description>{visit.role}, {visit.so_far(instance.units)}</description>"
            f"<Point><coordinates>{places[visit.node]}</coordinates></Point></Placemark>"
            for visit in route
        ]
        out.append("</Folder>")
    return "\n".join([*out, "</Document></kml>"]) + "\n"
