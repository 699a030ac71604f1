"""A plan as GPX: one route of waypoints per vehicle, for navigation devices and apps."""

from xml.sax.saxutils import escape

from ...errors import InputError
from ..distance import Floats
from ..instance import Instance
from ..solution import Solution
from .visits import Visit, degrees, visits


def text(instance: Instance, solution: Solution) -> str:
    """The text of the file; raises `InputError` unless the stops have latitude and longitude."""
    places = positions(instance, "GPX").tolist()
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.1" creator="minmaxvrp" xmlns="http://www.topografix.com/GPX/1/1">',
    ]
    for route in visits(instance, solution):
        out.append(f" <rte><name>{written(route_title(route[0]))}</name>")
        for visit in route:
            latitude, longitude = places[visit.node]
            out.append(
                f'  <rtept lat="{latitude!r}" lon="{longitude!r}"><name>{written(visit.name)}</name>'
                f"<desc>{visit.order}: {visit.role}, {visit.so_far(instance.units)}</desc></rtept>"
            )
        out.append(" </rte>")
    return "\n".join([*out, "</gpx>"]) + "\n"


def route_title(visit: Visit) -> str:
    """The title of a visit's route; a number has a capital: `Route 3`."""
    return title[:1].upper() + title[1:] if (title := visit.title).startswith("route ") else title


def positions(instance: Instance, what: str) -> Floats:
    """[D+N, 2] latitude, longitude; raises `InputError` where there are none."""
    places = degrees(instance)
    if places is None:
        raise InputError(f"{what} needs latitude and longitude, got stops at x, y")
    return places


def written(name: str) -> str:
    """A name as XML text, without the control characters that XML has no place for."""
    return escape("".join(c for c in name if c in "\t\n" or (ord(c) >= 32 and c not in "\ufffe\uffff")))
