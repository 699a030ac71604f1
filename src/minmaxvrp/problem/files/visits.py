"""The visits of a plan in order, with lengths so far: what drivers' lists, maps and spreadsheets show.

Comes before the writers of CSV, XLSX, GPX, KML and HTML, which are for people and are not read back.
"""

from dataclasses import dataclass

import numpy as np

from ..distance import Distance, Floats, from_degrees_minutes, is_geographic
from ..instance import Instance
from ..solution import Route, Solution
from ..units import Units


@dataclass(frozen=True, slots=True)
class Visit:
    """One stop of one route, the depots at its ends included."""

    route: int
    """Number of the route in the plan, from 1."""
    title: str
    """What to call the route: `route 3`, or its vehicle's name."""
    order: int
    """0 at the start depot, 1 at the first customer, …"""
    node: int
    name: str
    role: str
    """start, end, stop, pickup or delivery."""
    leg: float
    """Length of the leg that leads here, at its vehicle's speed."""
    service: float
    length: float
    """Length of the route up to here, with the service here and what its vehicle had done before."""
    way: float
    """How far the leg that leads here goes, whatever the vehicle's speed."""
    driven: float
    """How far the route goes up to here, without service."""

    def so_far(self, units: Units) -> str:
        """The length up to here for people; a duration with the way beside it where that is known."""
        length = units.text(self.length)
        return length if not units.knows_way else f"{length}, {units.way_text(self.driven)}"


def visits(instance: Instance, solution: Solution) -> list[list[Visit]]:
    """The visits of each route that visits a customer."""
    return [
        _of_route(instance, number, route) for number, route in enumerate(solution.routes, 1) if len(route)
    ]


def degrees(instance: Instance) -> Floats | None:
    """[D+N, 2] latitude and longitude of the nodes; None where the instance has none."""
    if not is_geographic(instance.kind):
        return instance.latlon
    points = instance.coordinates
    return from_degrees_minutes(points) if instance.kind is Distance.GEO else points


def _of_route(instance: Instance, number: int, route: Route) -> list[Visit]:
    nodes = np.asarray(route.nodes)
    vehicle = instance.vehicles[min(number, instance.num_vehicles) - 1]
    ways = np.concatenate([[0.0], instance.way(nodes[:-1], nodes[1:])])
    legs = np.concatenate([[0.0], instance.distance(nodes[:-1], nodes[1:])]) / vehicle.speed
    service = instance.node_service[nodes]
    lengths = vehicle.done + np.cumsum(legs + service)
    roles = {
        **dict.fromkeys(instance.pairs[:, 0].tolist(), "pickup"),
        **dict.fromkeys(instance.pairs[:, 1].tolist(), "delivery"),
    }
    words = ["start", *(roles.get(node, "stop") for node in route.customers), *["end"][route.is_open :]]
    title = instance.route_label(number - 1)
    numbers = (legs, service, lengths, ways, np.cumsum(ways))
    columns = zip(nodes.tolist(), words, *(column.tolist() for column in numbers), strict=True)
    return [
        Visit(number, title, order, node, instance.label(node), role, *measures)
        for order, (node, role, *measures) in enumerate(columns)
    ]
