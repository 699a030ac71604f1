"""Lower bounds for vehicles that are told apart: places of their own, speeds, work done, open routes.

`bounds` takes these instead of the plain ones, which rely on vehicles that are all alike and return.
"""

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats
from ..fleet import possible_starts
from ..instance import Instance
from .average import TREE_NODES, tree_totals
from .fleet_legs import FleetLegs
from .fleet_subset import fleet_subset
from .requests import requests_of
from .two_nearest import two_nearest

Nodes = NDArray[np.int64]

AVERAGE_SHARE = 0.5
"""Of a limit of seconds that the average may take."""
MOST_GROUPS = 24
"""Sets of allowed vehicles whose average is worked out: those of the most customers."""


def bounds_of_fleet(instance: Instance, effort: float = 1.0, seconds: float = math.inf) -> dict[str, float]:
    """Every lower bound on the makespan of a fleet by name, in the instance's unit.

    `done`: a vehicle that has worked already has a route of that length at least. `trip`: the customer or
    pair that is longest when the best vehicle for it serves it alone. `average`: the work that is to be
    shared, divided by the vehicles that may share it. `subset`: a few requests solved exactly. The last two
    are smaller where they would take more than the `seconds`.
    """
    began = time.perf_counter()
    legs = FleetLegs(instance)
    trips, _ = cheapest_trips(instance, legs)
    groups = _groups(instance)
    each = AVERAGE_SHARE * seconds / len(groups)
    found = {
        "done": max(vehicle.done for vehicle in instance.vehicles),
        "trip": float(trips.max()),
        "average": max(_average(instance, legs, group, effort, each) for group in groups),
    }
    left = seconds - (time.perf_counter() - began)
    return found | {"subset": fleet_subset(instance, legs, trips, max(found.values()), effort, left)}


def cheapest_trips(instance: Instance, legs: FleetLegs | None = None) -> tuple[Floats, Nodes]:
    """[R] the least length of a route that serves a request (`requests_of`), and the node of its first stop.

    The route of an allowed vehicle leads from its start to the customer (or the pickup, and on to the
    delivery) and to its end, each on a path as short as `ShortestPaths` says; work done and the request's
    own service are part of it. No route that serves the request is shorter. Between pickup and delivery only
    the straight way of metric distances counts.
    """
    legs = legs or FleetLegs(instance)
    requests = requests_of(instance)
    first, last = requests.first + instance.num_depots, requests.last + instance.num_depots
    between = np.zeros(len(first)) if legs.paths.searched else legs.paths.direct(first, last)
    least = np.full(len(first), np.inf)
    for number, vehicle in enumerate(instance.vehicles):
        travel = np.full(len(first), np.inf)
        for start in possible_starts(instance, vehicle):
            back = legs.back((number,), start)
            np.minimum(travel, legs.out[start][requests.first] + back[requests.last], out=travel)
        length = vehicle.done + (travel + between) / vehicle.speed + requests.service
        np.copyto(least, length, where=instance.may_serve[first, number] & (length < least))
    return least, first


@dataclass(frozen=True, slots=True)
class _Group:
    """Vehicles, and the customers that no other vehicle may serve."""

    vehicles: tuple[int, ...]
    customers: Nodes


def _groups(instance: Instance) -> list[_Group]:
    """All vehicles with all customers, then every set of vehicles that some customer is restricted to."""
    customers = np.arange(instance.num_depots, instance.num_nodes)
    everybody = _Group(tuple(range(instance.num_vehicles)), customers)
    if instance.allowed is None:
        return [everybody]
    may = instance.may_serve[customers]
    sets, count = np.unique(may, axis=0, return_counts=True)
    found = [everybody]
    for some in sets[np.argsort(-count)][: MOST_GROUPS + 1]:
        if not some.all():
            inside = ~(may & ~some).any(axis=1)
            found.append(_Group(tuple(np.flatnonzero(some).tolist()), customers[inside]))
    return found


def _average(instance: Instance, legs: FleetLegs, group: _Group, effort: float, seconds: float) -> float:
    """A lower bound on the makespan: the customers of a group, shared by its vehicles as evenly as can be.

    If m of the vehicles serve the customers, with a total travel of T(m) at least and service S, and no
    route is longer than C, then vehicle v travels at most speed(v) · (C − done(v) − its service). The sum of
    speed(v) · (C − done(v)) over the m vehicles with the most must reach T(m) + (slowest speed) · S.
    Divided by the speed before the sum: the sum of C − done(v) must reach T(m) / (fastest speed) + S. The
    bound is the least C that satisfies both, for the best m. Pairs are ignored: more plans are allowed.
    """
    vehicles = [instance.vehicles[number] for number in group.vehicles]
    service = float(instance.node_service[group.customers].sum())
    speed = np.array([vehicle.speed for vehicle in vehicles])
    done = np.array([vehicle.done for vehicle in vehicles])
    totals = _totals(instance, legs, group, effort, seconds)
    travel = _least_level(totals + speed.min() * service, speed, done)
    time = _least_level(totals / speed.max() + service, np.ones(len(speed)), done)
    return float(np.maximum(travel, time).min())


def _least_level(needed: Floats, rate: Floats, done: Floats) -> Floats:
    """[m] the least C at which rate · (C − done) of the m vehicles with the most adds up to `needed`."""
    low = np.zeros(len(needed))
    high = np.full(len(needed), done.max()) + needed / rate.max() + 1e-12
    most = np.arange(len(needed))
    for _ in range(60):  # halving; the lower end is never above the level sought
        middle = 0.5 * (low + high)
        gives = np.sort(rate * np.maximum(middle[:, None] - done, 0.0), axis=1)[:, ::-1]  # [m, vehicles]
        enough = np.cumsum(gives, axis=1)[most, most] >= needed
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return low


def _totals(instance: Instance, legs: FleetLegs, group: _Group, effort: float, seconds: float) -> Floats:
    """[m] lower bounds on the travel of m = 1, 2, … routes through the customers of a group.

    All starts are merged into one node at the distance of the nearest. Ends are told apart up to `TREE_NODES`
    customers: only so many routes are open, only so many end at a certain depot. A leg counts as the shorter
    of its two directions. In a group of some customers a route may pass others in between, so legs are
    shortest paths there.
    """
    inside = group.customers - instance.num_depots
    vehicles = [instance.vehicles[number] for number in group.vehicles]
    starts = {start for vehicle in vehicles for start in possible_starts(instance, vehicle)}
    out = legs.out[sorted(starts)].min(axis=0)[inside]
    back = legs.back(group.vehicles)[inside]
    most = min(len(group.vehicles), len(inside))
    everybody = len(inside) == instance.num_customers
    if len(inside) > TREE_NODES:
        return _entering_totals(instance, out, back, most) if everybody else np.zeros(most)
    if everybody:
        among = instance.distance_matrix()[instance.num_depots :, instance.num_depots :]
    else:
        among = legs.paths.out(group.customers)[:, inside]
    distances = np.zeros((len(inside) + 1,) * 2)
    distances[1:, 1:] = np.minimum(among, among.T)
    distances[0, 1:] = distances[1:, 0] = out
    ends = [(back[inside], count) for back, count in _ends(legs, group)]
    return tree_totals(distances, most, effort, np.zeros(most), ends, seconds)


def _ends(legs: FleetLegs, group: _Group) -> list[tuple[Floats, int]]:
    """[N] the way to each kind of end that vehicles of a group have, and how many of them have it."""
    kinds: dict[tuple[object, object], list[int]] = {}
    for number in group.vehicles:
        vehicle = legs.instance.vehicles[number]
        kinds.setdefault((vehicle.end, vehicle.start if vehicle.end == "start" else None), []).append(number)
    return [(legs.back(numbers[:1]), len(numbers)) for numbers in kinds.values()]


def _entering_totals(instance: Instance, out: Floats, back: Floats, most: int) -> Floats:
    """[most] lower bounds on the travel of m = 1, 2, … routes through all customers, about linear in N.

    Each customer is entered once, from its nearest customer or from a start: the sum of these legs, plus the
    m shortest legs to an end. Or half of every leg at each of its ends, as in `nearest_totals`.
    """
    nearest = two_nearest(instance)
    ends = np.cumsum(np.sort(np.partition(back, most - 1)[:most]))
    starts = np.cumsum(np.sort(np.partition(out, most - 1)[:most]))
    entered = np.minimum(nearest[:, 0], out).sum() + ends
    halves = np.partition(np.column_stack([nearest, out, back]), 1, axis=1)[:, :2].sum() / 2.0
    return np.asarray(np.maximum(entered, halves + (starts + ends) / 2.0))
