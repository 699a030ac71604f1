"""The vehicles as kernels see them, in search units; made from an instance before the search."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...problem.fleet import Vehicle
from ...problem.instance import Instance
from ..arrays.distances import Problem
from ..arrays.prepare import prepare
from .ways import ANY, NOWHERE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FEW = 4
"""Of a customer with at most this many vehicles every position on their routes is tried."""


class Fleet(NamedTuple):
    """M vehicles; R different sets of vehicles that may serve a customer, the first of them all vehicles."""

    slowness: Floats
    """[M] time for one unit of length: 1 / speed."""
    done: Floats
    """[M] length before the first customer."""
    start: Ints
    """[M] start depot, or `ANY`."""
    end: Ints
    """[M] end depot, `NOWHERE` or `ANY`."""
    round_trip: Bools
    """[M] whether the vehicle starts at any depot and returns to it; `start` and `end` are then the first."""
    kind: Ints
    """[M] vehicles of the same number are alike but for the customers that they may serve."""
    allowed: Bools
    """[R, M+1] which vehicles may serve; the last column, for removed customers, is False."""
    row: Ints
    """[n] the row of `allowed` for each customer; of a pair, of both."""
    is_few: Bools
    """[R] whether at most `FEW` vehicles may serve."""
    fixed: Bools
    """[n] customers that are never removed."""
    movable: Ints
    """All others."""
    active: Bools
    """[M] vehicles whose routes may change; of the others all customers are fixed."""
    has_round_trips: bool
    all_alike: bool


def prepare_problem(instance: Instance, unit: float) -> Problem:
    """The kernels' view of an instance: every vehicle counts, however few the customers are."""
    return prepare(instance, unit)._replace(num_vehicles=instance.num_vehicles)


def prepare_fleet(
    instance: Instance,
    unit: float,
    fixed: Collection[int] = (),
    frozen: Collection[int] = (),
) -> Fleet:
    """The vehicles of an instance. Customers in `fixed` keep their vehicle and order, routes of vehicles in
    `frozen` stay as they are (their customers must be in `fixed`); a pair is fixed if one of it is."""
    vehicles = instance.vehicles
    ends = np.array([_ends(vehicle) for vehicle in vehicles])
    round_trip = np.array([vehicle.start is None and vehicle.end == "start" for vehicle in vehicles])
    active = np.ones(len(vehicles), dtype=bool)
    active[list(frozen)] = False
    kept = np.zeros(instance.num_nodes, dtype=bool)
    kept[list(fixed)] = True
    kept[instance.pairs[kept[instance.pairs].any(axis=1)]] = True
    customers = np.arange(instance.num_depots, instance.num_nodes)
    allowed, row = _allowed(instance, active)
    slowness = np.array([1.0 / vehicle.speed for vehicle in vehicles])
    done = np.array([vehicle.done / unit for vehicle in vehicles])
    kind = _kinds(vehicles)
    return Fleet(
        slowness=slowness,
        done=done,
        start=ends[:, 0].copy(),
        end=ends[:, 1].copy(),
        round_trip=round_trip,
        kind=kind,
        allowed=allowed,
        row=row,
        is_few=allowed.sum(axis=1) <= FEW,
        fixed=kept,
        movable=customers[~kept[customers]],
        active=active,
        has_round_trips=bool(round_trip.any()),
        all_alike=bool((kind == 0).all()),
    )


def _ends(vehicle: Vehicle) -> tuple[int, int]:
    """Start and end as nodes or pseudo nodes."""
    start = ANY if vehicle.start is None else vehicle.start
    if vehicle.end == "start":
        return (0, 0) if start == ANY else (start, start)
    if isinstance(vehicle.end, int):
        return start, vehicle.end
    return start, ANY if vehicle.end == "any" else NOWHERE


def _kinds(vehicles: tuple[Vehicle, ...]) -> Ints:
    """Numbers of groups of vehicles that are alike, in the order of their first vehicles."""
    numbers: dict[tuple[object, ...], int] = {}
    for vehicle in vehicles:
        numbers.setdefault(_character(vehicle), len(numbers))
    return np.array([numbers[_character(vehicle)] for vehicle in vehicles])


def _character(vehicle: Vehicle) -> tuple[object, ...]:
    return vehicle.start, vehicle.end, vehicle.speed, vehicle.done


def _allowed(instance: Instance, active: Bools) -> tuple[Bools, Ints]:
    """The table of sets of vehicles, and the row of each customer."""
    everyone = tuple(range(instance.num_vehicles))
    given = dict(instance.allowed or {})
    for pickup, delivery in instance.pairs.tolist():
        both = set(given.get(pickup, everyone)) & set(given.get(delivery, everyone))
        if len(both) < len(everyone):
            given[pickup] = given[delivery] = tuple(sorted(both))
    rows: dict[tuple[int, ...], int] = {everyone: 0}
    row = np.zeros(instance.num_nodes, dtype=np.int64)
    for customer, vehicles in given.items():
        row[customer] = rows.setdefault(tuple(sorted(vehicles)), len(rows))
    allowed = np.zeros((len(rows), instance.num_vehicles + 1), dtype=bool)
    for chosen, number in rows.items():
        allowed[number, list(chosen)] = True
    allowed[:, :-1] &= active
    return allowed, row
