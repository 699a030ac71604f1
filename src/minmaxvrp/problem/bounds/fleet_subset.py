"""A few requests of a fleet solved exactly: no plan for all requests is shorter than the best one for some.

One of the bounds of `bounds_of_fleet`, and the best one for a handful of vehicles. Each vehicle counts with
its start, its end, its speed, its work done and the customers that it may serve.
"""

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats
from ..fleet import Vehicle, possible_starts
from ..instance import Instance
from .dynamic_program import SetTables, set_tables, shortest_routes
from .fleet_legs import FleetLegs
from .requests import Indices, Requests, requests_of

MOST_VEHICLES = 12
"""Above, a subset would have a vehicle for each request: the longest trip is as good a bound."""
SIZES, TRIALS = (8.0, 10.0), (80, 30)
"""Sizes of the subsets, a plain customer counts 1 and a pair 1.4, and how many exchanges are tried at each.
An exact solution of the larger size takes about 4 milliseconds for three vehicles."""
POOL = 40
"""Requests that subsets are chosen from."""
SAMPLE = 2000
"""Requests that the pool is chosen from in a large instance: those with the longest trips."""
HOPELESS = 0.7
"""No exchange is tried where the first subset stays below this share of a bound known already."""


def fleet_subset(
    instance: Instance,
    legs: FleetLegs,
    trips: Floats,
    known: float = 0.0,
    effort: float = 1.0,
    seconds: float = math.inf,
) -> float:
    """A lower bound on the makespan: the exact optimum of a small subset of the requests; 0 without one.

    Remove all other requests from any solution. Between two stops that remain, a route was a path through
    customers, at least as long as `ShortestPaths` says, and removed service is not negative. So the subset,
    measured with `ShortestPaths`, has a solution whose routes are not longer. `trips` [R] is how long the
    best route of each request alone is: far ones are chosen. Ends after about `seconds`.
    """
    deadline = time.perf_counter() + seconds
    if instance.num_vehicles > MOST_VEHICLES:
        return 0.0
    pool = _FleetPool(instance, legs, trips)
    members, best = np.zeros(0, dtype=np.int64), 0.0
    rng = np.random.default_rng(0)
    for size, trials in zip(SIZES, TRIALS, strict=True):
        members = pool.extended(members, size)
        best = max(best, pool.optimum(members))
        if best < HOPELESS * known:
            break
        others = np.setdiff1d(np.arange(pool.count), members)
        for _ in range(int(effort * trials) if len(others) else 0):
            if time.perf_counter() > deadline:
                return best
            out, new = int(rng.integers(len(members))), int(rng.integers(len(others)))
            trial = members.copy()
            trial[out] = others[new]
            if pool.size(trial) > size:
                continue
            value = pool.optimum(trial)
            if value >= best:
                others[new], members, best = members[out], trial, value
    return best


@dataclass(frozen=True, slots=True)
class _Kind:
    """Vehicles that differ in nothing but what they may serve."""

    vehicle: Vehicle
    starts: tuple[int, ...]
    back: Floats
    """[starts, 2P] from each stop to the end."""


class _FleetPool:
    """P requests that subsets are chosen from; stop a is the first of request a, stop P + a the last."""

    def __init__(self, instance: Instance, legs: FleetLegs, trips: Floats) -> None:
        self.instance, requests = instance, requests_of(instance)
        self.chosen = _spread(instance, requests, trips)
        self.trips, self.count = trips[self.chosen], len(self.chosen)
        first, last = requests.first[self.chosen], requests.last[self.chosen]
        stops, paths = np.concatenate([first, last]), legs.paths
        nodes = stops + instance.num_depots
        self.between = (
            paths.out(nodes)[:, stops] if paths.searched else paths.direct(nodes[:, None], nodes[None, :])
        )
        self.service, self.paired = requests.service[self.chosen], first != last
        self.may: NDArray[np.bool_] = instance.may_serve[nodes[: self.count]]  # [P, M]
        self.out = legs.out[:, stops]
        self.kinds = []
        for number, vehicle in enumerate(instance.vehicles):
            starts = tuple(possible_starts(instance, vehicle))
            back = np.stack([legs.back((number,), start)[stops] for start in starts])
            self.kinds.append(_Kind(vehicle, starts, back))

    def size(self, members: Indices) -> float:
        """The size of a subset."""
        return float(np.where(self.paired[members], 1.4, 1.0).sum())

    def extended(self, members: Indices, size: float) -> Indices:
        """The members and more requests up to `size`: far ones, and far from each other."""
        near = self.trips.copy()
        near[members] = -np.inf
        for member in members:
            near = np.minimum(near, self.trips + self.between[member, : self.count])
        while True:
            fits = [k for k in np.argsort(-near, kind="stable").tolist() if near[k] > -np.inf]
            fits = [k for k in fits if self.size(np.append(members, k)) <= size]
            if not fits:
                return members
            members = np.append(members, fits[0])
            near = np.minimum(near, self.trips + self.between[fits[0], : self.count])
            near[members] = -np.inf

    def optimum(self, members: Indices) -> float:
        """The exact least makespan for the requests `members`."""
        members = members[np.argsort(self.paired[members], kind="stable")]
        pairs = int(self.paired[members].sum())
        stops = np.concatenate([members, members[len(members) - pairs :] + self.count])
        tables = set_tables(len(members) - pairs, pairs)
        depots = sorted({start for kind in self.kinds for start in kind.starts})
        out = self.out[np.ix_(np.array(depots), stops)]
        travel = shortest_routes(self.between[np.ix_(stops, stops)], out, tables)
        service = tables.contains @ self.service[members]
        best: Floats | None = None
        for number, kind in enumerate(self.kinds):
            route = np.full(len(service), np.inf)
            for start, back in zip(kind.starts, kind.back[:, stops], strict=True):
                np.minimum(route, (travel[depots.index(start)] + back[:, None]).min(axis=0), out=route)
            route[0] = 0.0
            length = kind.vehicle.done + route / kind.vehicle.speed + service
            length[tables.contains @ ~self.may[members, number] > 0.0] = np.inf
            best = length if best is None else _one_more(best, length, tables)
        return 0.0 if best is None else float(best[-1])


def _one_more(best: Floats, length: Floats, tables: SetTables) -> Floats:
    """[2^r] least makespan of each set with one more vehicle, whose routes are `length` [2^r] long."""
    more = np.empty_like(best)
    more[0] = max(best[0], length[0])
    either = np.minimum(
        np.maximum(length.take(tables.part), best.take(tables.rest)),
        np.maximum(best.take(tables.part), length.take(tables.rest)),
    )
    np.minimum.reduceat(either, tables.groups, out=more[1:])
    return more


def _spread(instance: Instance, requests: Requests, trips: Floats) -> Indices:
    """Up to `POOL` requests, greedily: next the one whose trip and leg from any chosen one is longest."""
    pool = np.argsort(-trips, kind="stable")[:SAMPLE]
    if len(pool) <= POOL:
        return pool
    nodes = requests.first[pool] + instance.num_depots
    near = trips[pool].copy()
    chosen: list[int] = []
    for _ in range(POOL):
        request = int(near.argmax())
        chosen.append(request)
        near = np.minimum(near, trips[pool] + instance.distance(nodes[request], nodes))
        near[chosen] = -np.inf
    return pool[chosen]
