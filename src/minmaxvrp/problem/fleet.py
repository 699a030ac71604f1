"""Vehicles that are told apart: `Vehicle`, the fields of a fleet in an `Instance`, and their validation.

An instance without any of them is a plain one, whose vehicles are all alike. `check.py` judges plans of a
fleet, `bounds/fleet_bounds.py` bounds them; the search has an engine of its own for them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from .instance import Instance

ReturnTo = Literal["start", "any", "nowhere"]
"""Where routes end: at the depot they started from, at any depot, at their last customer."""

NOWHERE = -1
"""`Route.end` of an open route."""
LARGEST = 1e150
"""Of coordinates, distances, service and work done: their squares and sums must stay finite."""
FASTEST = 1e6
"""Of speeds; the slowest is its inverse."""


@dataclass(frozen=True, slots=True)
class Vehicle:
    """One vehicle of a fleet: its route takes `done` + travel / `speed` + service; unused it takes `done`."""

    name: str = ""
    """Empty: `vehicle k`, counted from 1."""
    start: int | None = None
    """Node of a depot: the places of vehicles are depots. None: any depot, the search chooses."""
    end: int | ReturnTo | None = None
    """Node of a depot, or a rule; None: the rule of the instance, `return_to`."""
    speed: float = 1.0
    """Travel takes distance / speed; service and `done` are not divided."""
    done: float = 0.0
    """Length (or time) worked already before the first new stop."""


def resolved(vehicles: Iterable[Vehicle], num_depots: int, return_to: ReturnTo) -> tuple[Vehicle, ...]:
    """The vehicles with a name, an end that is not None and, where there is one depot only, a start."""
    return tuple(
        replace(
            vehicle,
            name=vehicle.name or f"vehicle {number}",
            start=0 if num_depots == 1 else vehicle.start,
            end=return_to if vehicle.end is None else vehicle.end,
        )
        for number, vehicle in enumerate(vehicles, 1)
    )


def possible_starts(instance: "Instance", vehicle: Vehicle) -> Sequence[int]:
    """Depots where a vehicle may start."""
    return range(instance.num_depots) if vehicle.start is None else (vehicle.start,)


def possible_ends(instance: "Instance", vehicle: Vehicle, start: int) -> Sequence[int]:
    """Where one of `instance.vehicles` that starts at `start` may end: depots, or `NOWHERE`."""
    if vehicle.end == "nowhere":
        return (NOWHERE,)
    if vehicle.end == "any":
        return range(instance.num_depots)
    return (vehicle.end if isinstance(vehicle.end, int) else start,)


def valid_fleet(instance: "Instance") -> tuple[Vehicle, ...] | None:
    """The field `fleet` of a new instance. Raises `InputError`."""
    if instance.has_fleet and instance.vehicles_per_depot is not None:
        raise InputError(
            "vehicles per depot together with a fleet, open routes or allowed vehicles: "
            "give each vehicle a start instead"
        )
    if instance.fleet is None:
        return None
    fleet = tuple(instance.fleet)
    if len(fleet) != instance.num_vehicles:
        raise InputError(f"fleet: {len(fleet)} vehicles, expected num_vehicles = {instance.num_vehicles}")
    found = tuple(_valid_vehicle(vehicle, k, instance.num_depots) for k, vehicle in enumerate(fleet, 1))
    names = Counter(vehicle.name for vehicle in resolved(found, instance.num_depots, "start"))
    name, times = names.most_common(1)[0]
    if times > 1:
        raise InputError(f"fleet: {times} vehicles are called {name!r}, expected different names")
    return found


def _valid_vehicle(vehicle: Any, number: int, num_depots: int) -> Vehicle:
    if not isinstance(vehicle, Vehicle):
        raise InputError(f"fleet: {vehicle!r}, expected a Vehicle")
    where = f"vehicle {number}" + (f" ({vehicle.name})" if vehicle.name else "")
    if not isinstance(vehicle.name, str):
        raise InputError(f"vehicle {number}: name = {vehicle.name!r}, expected a text")
    start = None if vehicle.start is None else _depot(f"{where}: start", vehicle.start, num_depots)
    end = vehicle.end
    if end is not None and end not in get_args(ReturnTo):
        end = _depot(f"{where}: end", end, num_depots, " or 'start', 'any', 'nowhere'")
    speed = _number(f"{where}: speed", vehicle.speed)
    if not 1.0 / FASTEST <= speed <= FASTEST:
        raise InputError(f"{where}: speed = {speed:g}, expected {1 / FASTEST:g} to {FASTEST:g}")
    done = _number(f"{where}: done", vehicle.done)
    if not 0.0 <= done <= LARGEST:
        raise InputError(f"{where}: done = {done:g}, expected 0 or more")
    return Vehicle(vehicle.name, start, end, speed, done)


def _depot(what: str, node: Any, num_depots: int, others: str = "") -> int:
    whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
    if not whole or not 0 <= node < num_depots:
        raise InputError(f"{what} = {node!r}, expected a depot, 0 to {num_depots - 1}{others}")
    return int(node)


def _number(what: str, value: Any) -> float:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        raise InputError(f"{what} = {value!r}, expected a number")
    return float(value)


def valid_allowed(instance: "Instance") -> dict[int, tuple[int, ...]] | None:
    """The field `allowed` of a new instance, without customers of all vehicles. Raises `InputError`."""
    if instance.allowed is None:
        return None
    if not isinstance(instance.allowed, Mapping):
        raise InputError("allowed: expected customer node -> numbers of vehicles")
    found = {}
    for node, vehicles in instance.allowed.items():
        if isinstance(node, bool) or not isinstance(node, int | np.integer) or node not in instance.customers:
            span = f"{instance.num_depots} to {instance.num_nodes - 1}"
            raise InputError(f"allowed: node {node!r} is not a customer, expected {span}")
        some = _valid_vehicles(instance, int(node), vehicles)
        if len(some) < instance.num_vehicles:
            found[int(node)] = some
    for pickup, delivery in instance.pairs.tolist():
        either = [set(found[node]) for node in (pickup, delivery) if node in found]
        if len(either) == 2 and not either[0] & either[1]:
            raise InputError(
                f"allowed: no vehicle may serve both pickup {instance.label(pickup)} "
                f"and its delivery {instance.label(delivery)}"
            )
    return found or None


def _valid_vehicles(instance: "Instance", node: int, vehicles: Any) -> tuple[int, ...]:
    if isinstance(vehicles, str) or not isinstance(vehicles, Iterable):
        raise InputError(f"allowed: {instance.label(node)}: {vehicles!r}, expected numbers of vehicles")
    numbers = tuple(vehicles)
    for number in numbers:
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number < instance.num_vehicles:
            last = instance.num_vehicles - 1
            raise InputError(
                f"allowed: {instance.label(node)}: vehicle {number!r}, expected a number from 0 to {last}"
            )
    if not numbers:
        raise InputError(f"allowed: no vehicle may serve {instance.label(node)}, expected one or more")
    return tuple(sorted({int(number) for number in numbers}))


def valid_max_length(instance: "Instance") -> float | None:
    """The field `max_length` of a new instance. Raises `InputError`."""
    if instance.max_length is None:
        return None
    limit = _number("max_length", instance.max_length)
    if limit <= 0.0:
        raise InputError(f"max_length = {limit:g}, expected more than 0")
    return limit
