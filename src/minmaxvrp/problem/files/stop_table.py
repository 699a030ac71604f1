"""A table of stops with roles becomes an instance: the common core of CSV and GeoJSON.

The readers fill `Stops` row by row; `build` sorts depots first and joins pickups with deliveries.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..distance import Distance, Floats
from ..instance import Indices, Instance, ReturnTo
from .source import Options, Source, shown

ROLES = ("depot", "customer", "pickup", "delivery")


@dataclass(slots=True)
class Stops:
    """The columns of a table of stops; an empty text is an empty cell."""

    source: Source
    where: Callable[[int], str]
    """The place of a row in its file, such as `line 17`."""
    roles: list[str]
    points: Floats
    """[rows, 2], in the order an `Instance` has them."""
    names: list[str] = field(default_factory=list)
    """One per row, or an empty list for none."""
    pair: list[str] = field(default_factory=list)
    service: list[str] = field(default_factory=list)
    vehicles: list[str] = field(default_factory=list)


def build(
    stops: Stops,
    kind: Distance,
    options: Options,
    stated: int | None = None,
    return_to: ReturnTo = "start",
    name: str = "",
) -> Instance:
    """The instance of a table: depots first, then all others in the order of the file."""
    source = stops.source
    depots, customers = _split(stops)
    order = depots + customers
    fleet = _fleet(stops, depots, customers)
    num_vehicles = source.num_vehicles(options, stated, fleet)
    if len(depots) == 1 and stated is None:
        fleet = None  # a lone depot's number says how many vehicles there are; the caller may say more
    with source.located():
        return Instance(
            stops.points[order],
            len(depots),
            num_vehicles,
            pairs=_pairs(stops, order),
            return_to=return_to,
            kind=kind,
            vehicles_per_depot=None if fleet is None else np.array(fleet),
            service=_service(stops, depots, customers),
            names=_names(stops, order),
            name=name,
        )


def _split(stops: Stops) -> tuple[list[int], list[int]]:
    """Row numbers of depots and of all others."""
    for row, role in enumerate(stops.roles):
        if role not in ROLES:
            message = f"role = {shown(role)}, expected {', '.join(ROLES[:-1])} or {ROLES[-1]}"
            raise stops.source.error(message, stops.where(row))
    depots = [row for row, role in enumerate(stops.roles) if role == "depot"]
    customers = [row for row, role in enumerate(stops.roles) if role != "depot"]
    if not depots:
        raise stops.source.error("no depot: expected a stop with role depot")
    if not customers:
        raise stops.source.error("no customers: expected stops with role customer, pickup or delivery")
    return depots, customers


def _fleet(stops: Stops, depots: list[int], customers: list[int]) -> list[int] | None:
    if not stops.vehicles:
        return None
    for row in customers:
        if stops.vehicles[row]:
            message = f"vehicles = {shown(stops.vehicles[row])} at a customer, expected them at depots only"
            raise stops.source.error(message, stops.where(row))
    given = [row for row in depots if stops.vehicles[row]]
    if not given:
        return None
    if len(given) < len(depots):
        row = next(row for row in depots if not stops.vehicles[row])
        raise stops.source.error(
            "vehicles is empty, expected a number at every depot or none", stops.where(row)
        )
    return [stops.source.whole("vehicles", stops.vehicles[row], stops.where(row)) for row in depots]


def _service(stops: Stops, depots: list[int], customers: list[int]) -> Floats | None:
    if not any(stops.service):
        return None
    source = stops.source
    for row in depots:
        if stops.service[row] and source.number("service", stops.service[row], stops.where(row)) != 0:
            message = f"service = {shown(stops.service[row])} at a depot, expected it at customers only"
            raise source.error(message, stops.where(row))
    times = np.zeros(len(customers))
    for place, row in enumerate(customers):
        if stops.service[row]:
            times[place] = source.number("service", stops.service[row], stops.where(row))
            if times[place] < 0:
                message = f"service = {shown(stops.service[row])}, expected 0 or more"
                raise source.error(message, stops.where(row))
    return times


def _names(stops: Stops, order: list[int]) -> tuple[str, ...] | None:
    if not any(stops.names):
        return None
    first: dict[str, int] = {}
    for row, name in enumerate(stops.names):
        stops.source.label("name", name, stops.where(row))
        if name in first:
            message = (
                f"name = {shown(name)} is also that of {stops.where(first[name])}, expected different names"
            )
            raise stops.source.error(message, stops.where(row))
        first[name] = row
    return tuple(stops.names[row] for row in order)


def _pairs(stops: Stops, order: list[int]) -> Indices:
    """[Q, 2] node numbers of the pairs, in the order of their pickups."""
    source = stops.source
    values = stops.pair or [""] * len(stops.roles)
    halves: dict[str, dict[str, int]] = {"pickup": {}, "delivery": {}}
    for node, row in enumerate(order):
        role, value = stops.roles[row], values[row]
        if role in ("depot", "customer"):
            if value:
                message = f"pair = {shown(value)} at a {role}, expected it at pickups and deliveries only"
                raise source.error(message, stops.where(row))
            continue
        if not value:
            raise source.error(f"{role} without a value in pair, expected one", stops.where(row))
        if value in halves[role]:
            message = f"pair = {shown(value)} has a second {role}, expected one pickup and one delivery"
            raise source.error(message, stops.where(row))
        halves[role][value] = node
    for role, other in (("pickup", "delivery"), ("delivery", "pickup")):
        for value, node in halves[role].items():
            if value not in halves[other]:
                message = f"pair = {shown(value)} has a {role} but no {other}"
                raise source.error(message, stops.where(order[node]))
    pairs = [[node, halves["delivery"][value]] for value, node in halves["pickup"].items()]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
