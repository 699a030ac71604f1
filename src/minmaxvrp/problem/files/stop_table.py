"""A table of stops with roles becomes an instance: the common core of CSV and GeoJSON.

The readers fill `Stops` row by row; `build` sorts depots first and joins pickups with deliveries.
"""

import numpy as np

from ...errors import InputError
from ..distance import Distance, Floats
from ..instance import Indices, Instance, ReturnTo
from ..units import Units
from .fleet_fields import read_fleet
from .source import Options, shown
from .stop_columns import Stops
from .vehicle_rows import allowed_of, fleet_of, take_vehicles

ROLES = ("depot", "customer", "pickup", "delivery", "vehicle")


def build(
    stops: Stops,
    kind: Distance,
    options: Options,
    stated: int | None = None,
    return_to: ReturnTo = "start",
    name: str = "",
    fleet_value: object = None,
) -> Instance:
    """The instance of a table: depots first, then all others in the order of the file.

    `fleet_value` is the JSON value of a fleet, where it does not stand in rows of the table.
    """
    source = stops.source
    if stops.units == Units():
        with source.located():
            stops.units = options.units(kind)
    stops, vehicle_rows = take_vehicles(stops)
    depots, customers = _split(stops)
    order = depots + customers
    fleet = fleet_of(stops, vehicle_rows, depots)
    if fleet_value is not None:
        fleet = read_fleet(source, fleet_value, [stops.names[row] if stops.names else None for row in depots])
    per_depot = None
    if fleet is None:
        per_depot = _vehicles_per_depot(stops, depots, [] if stated is not None else customers)
    service = _service(stops, customers)
    names, pairs = _names(stops, order), _pairs(stops, order)
    if fleet is not None and stated is None:
        stated = len(fleet)
    allowed = None if stated is None else allowed_of(stops, fleet, stated, depots, customers)
    stops.faults.raise_any()
    num_vehicles = source.num_vehicles(options, stated, per_depot)
    if len(depots) == 1 and stated is None:
        per_depot = None  # a lone depot's number says how many vehicles there are; the caller may say more
    with source.located():
        return Instance(
            stops.points[order],
            len(depots),
            num_vehicles,
            pairs=pairs,
            return_to=return_to,
            kind=kind,
            vehicles_per_depot=None if per_depot is None else np.array(per_depot),
            service=service,
            names=names,
            name=name,
            fleet=fleet,
            allowed=allowed,
            unit="" if options.has_matrix else stops.units.unit,
            speed=None if options.has_matrix else stops.units.speed,
        )


def _split(stops: Stops) -> tuple[list[int], list[int]]:
    """Row numbers of depots and of all others."""
    for row, role in enumerate(stops.roles):
        if role not in ROLES:
            message = f"role = {shown(role)}, expected {', '.join(ROLES[:-1])} or {ROLES[-1]}"
            stops.faults.add(message, stops.where(row))
    depots = [row for row, role in enumerate(stops.roles) if role == "depot"]
    customers = [row for row, role in enumerate(stops.roles) if role != "depot"]
    if not depots:
        stops.faults.add("no depot: expected a stop with role depot, or vehicles with a place")
    if not customers:
        stops.faults.add("no customers: expected stops with role customer, pickup or delivery")
    return depots, customers


def _vehicles_per_depot(stops: Stops, depots: list[int], customers: list[int]) -> list[int] | None:
    if not stops.vehicles:
        return None
    for row in customers:
        if stops.vehicles[row]:
            message = f"vehicles = {shown(stops.vehicles[row])} at a customer, expected them at depots only"
            message += ", or rows with role vehicle"
            stops.faults.add(message, stops.where(row))
    if not any(stops.vehicles[row] for row in depots):
        return None
    fleet = [0] * len(depots)
    for place, row in enumerate(depots):
        if not stops.vehicles[row]:
            stops.faults.add("vehicles is empty, expected a number at every depot or none", stops.where(row))
            continue
        with stops.faults.collected():
            fleet[place] = stops.source.whole("vehicles", stops.vehicles[row], stops.where(row))
    return fleet


def _service(stops: Stops, customers: list[int]) -> Floats | None:
    if not any(stops.service):
        return None
    times = np.zeros(len(stops.roles))
    if (stops.units.unit or stops.in_minutes) and not stops.are_lengths:
        try:
            stops.units.of_minutes(0.0)
        except InputError as error:  # once for the column, not for each row
            stops.faults.add(f"service: {error}")
            return None
    for row, cell in enumerate(stops.service):
        if not cell:
            continue
        with stops.faults.collected():
            times[row] = stops.length("service", cell, stops.where(row), stops.are_lengths)
        if stops.roles[row] == "depot" and times[row] != 0:
            message = f"service = {shown(cell)} at a depot, expected it at customers only"
            stops.faults.add(message, stops.where(row))
        elif times[row] < 0:
            stops.faults.add(f"service = {shown(cell)}, expected 0 or more", stops.where(row))
    return np.asarray(times[customers])


def _names(stops: Stops, order: list[int]) -> tuple[str, ...] | None:
    """The names in the order of the nodes; a name that appears again gets a number, with a notice."""
    if not any(stops.names):
        return None
    taken = set(stops.names)
    first: dict[str, int] = {}
    again: list[str] = []
    names = list(stops.names)
    for row, name in enumerate(stops.names):
        with stops.faults.collected():
            stops.source.label("name", name, stops.where(row))
        if name in first and name:
            number = first[name] + 1
            while f"{name} ({number})" in taken:
                number += 1
            first[name], names[row] = number, f"{name} ({number})"
            taken.add(names[row])
            again.append(names[row])
        else:
            first[name] = 1
    if again:
        listed = ", ".join(shown(name) for name in again[:10]) + (" …" if len(again) > 10 else "")
        stops.source.warn(f"names that appear more than once are numbered: {listed}")
    return tuple(names[row] for row in order)


def _pairs(stops: Stops, order: list[int]) -> Indices:
    """[Q, 2] node numbers of the pairs, in the order of their pickups."""
    faults = stops.faults
    values = stops.pair or [""] * len(stops.roles)
    halves: dict[str, dict[str, int]] = {"pickup": {}, "delivery": {}}
    for node, row in enumerate(order):
        role, value = stops.roles[row], values[row]
        if role not in halves:
            if value and role in ROLES:
                message = f"pair = {shown(value)} at a {role}, expected it at pickups and deliveries only"
                faults.add(message, stops.where(row))
        elif not value:
            faults.add(f"{role} without a value in pair, expected one", stops.where(row))
        elif value in halves[role]:
            message = f"pair = {shown(value)} has a second {role}, expected one pickup and one delivery"
            faults.add(message, stops.where(row))
        else:
            halves[role][value] = node
    for role, other in (("pickup", "delivery"), ("delivery", "pickup")):
        for value, node in halves[role].items():
            if value not in halves[other]:
                message = f"pair = {shown(value)} has a {role} but no {other}"
                faults.add(message, stops.where(order[node]))
    both = [(node, halves["delivery"].get(value, node)) for value, node in halves["pickup"].items()]
    return np.array(both, dtype=np.int64).reshape(-1, 2)
