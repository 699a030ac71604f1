"""PyVRP on the min-max problems: the route limit is found by bisection. A baseline for `bench`.

PyVRP minimises total length and knows a limit on each route (`max_distance`). Bisection asks it for any
feasible plan under a limit halfway between what is known to do and what is taken for impossible, the whole
of it within the budget. `shortest_total` is the other use: the least total length with a given makespan.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InternalError
from ..problem.bounds import lower_bound
from ..problem.check import makespan
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..search.construction.construct import construct
from .legs import refuse_fleet, with_depots

RESOLUTION = 1_000_000
"""The longest distance in PyVRP's whole numbers."""
FINE = 1_000_000_000
"""The same for a limit that is not to be exceeded: a route to the farthest customer that is as long as the
limit could take others along if rounding left it room."""
STEPS = 10
"""Limits that are tried: each has a share of the time that is left."""
LAST_SHARES = 3
"""From then on each has the third part of it."""
CLOSE = 5e-4
"""Bisection ends when the limits differ by this share; time left goes to limits just below the best."""
WIDER = 1.5
"""The first limit is the makespan of a greedy plan; while there is no plan under it, it grows by this."""
LONE_LEGS = 3
"""Of a route with one customer or one pair, which may be as long as the limit but for rounding."""
LEAST = 0.01
"""Seconds that are always given."""

ReadClock = Callable[[], float]


@dataclass(frozen=True)
class _Model:
    """The instance as PyVRP wants it."""

    data: Any
    scale: float
    """PyVRP's units per unit of the instance."""
    starts: tuple[int | None, ...]
    """Depot of each vehicle type; None: the best one of its first customer."""
    single: NDArray[np.int64]
    """Node of each client."""
    spare: bool
    """Whether there are more vehicles than may be used, as each depot has its own."""


def solve(
    instance: Instance, seconds: float, seed: int = 0, clock: ReadClock = time.perf_counter
) -> Solution:
    """The plan with the shortest longest route that bisection finds in `seconds` of `clock`.

    Raises `InputError` where PyVRP is not installed or too old for pairs, `InternalError` when it finds no
    plan.
    """
    ends = clock() + seconds
    model = _model(instance)
    bound = low = lower_bound(instance)
    limit = makespan(instance, construct(instance, seed))
    best: Solution | None = None
    step = 0
    while step < STEPS or clock() < ends:
        share = max(ends - clock(), LEAST) / max(STEPS - step, LAST_SHARES)
        found = _under_limit(instance, model, limit, share, seed + step, clock, first=True)
        step += 1
        if found is not None:
            best = found
        elif best is not None:
            low = limit
        if best is None:
            limit *= WIDER
            continue
        high = makespan(instance, best)
        if clock() >= ends or high <= bound * (1 + 1e-6):
            break
        if high - low <= CLOSE * high:  # what took too long before may be found with another seed
            low = max(bound, high * (1 - 2 * CLOSE))
        limit = (low + high) / 2.0
    if best is None:
        raise InternalError(f"PyVRP found no plan for {instance.num_vehicles} vehicles in {seconds:g} s")
    return best


def shortest_total(
    instance: Instance, limit: float, seconds: float, seed: int = 0, clock: ReadClock = time.perf_counter
) -> Solution | None:
    """A plan of least total length with no route longer than `limit`; None when none was found.

    PyVRP counts in whole numbers, here so fine that a route exceeds the limit by a millionth at most.
    """
    model = _model(instance, FINE)
    length_only = replace(model, spare=False)  # without a price for each vehicle
    found = _under_limit(instance, length_only, limit, seconds, seed, clock, first=False)
    if found is None and model.spare:  # too many vehicles
        found = _under_limit(instance, model, limit, seconds, seed, clock, first=False)
    return found


def _under_limit(
    instance: Instance, model: _Model, limit: float, seconds: float, seed: int, clock: ReadClock, first: bool
) -> Solution | None:
    """PyVRP's answer with routes up to `limit`: the first feasible one, or the best one in `seconds`."""
    import pyvrp

    # round up by what the rounding of a route's legs can add up to: the true length is checked below
    longest = int(np.ceil(limit * model.scale)) + (instance.num_customers if first else LONE_LEGS)
    fixed = instance.num_vehicles * longest + 1 if model.spare else 0
    kinds = [kind.replace(max_distance=longest, fixed_cost=fixed) for kind in model.data.vehicle_types()]
    data = model.data.replace(vehicle_types=kinds)
    enough = (instance.num_vehicles + 1) * fixed if model.spare else np.iinfo(np.int64).max
    ends = clock() + seconds

    def stop(best_cost: int) -> bool:
        return clock() >= ends or (first and best_cost < enough)

    with warnings.catch_warnings():
        # A limit that no plan keeps is an answer for us, and a sign of a faulty model for PyVRP.
        warnings.simplefilter("ignore", pyvrp.exceptions.PenaltyBoundWarning)
        result = pyvrp.solve(data, stop, seed=seed, collect_stats=False, display=False)
    if not result.is_feasible() or result.best.num_routes() > instance.num_vehicles:
        return None
    found = _solution(instance, model, result.best)
    most = limit * (1 + (1e-9 if first else 1e-6))
    return found if makespan(instance, found) <= most else None


def _model(instance: Instance, resolution: int = RESOLUTION) -> _Model:
    refuse_fleet(instance, "PyVRP")
    """Vehicles with fixed depots, as PyVRP knows no free choice.

    Where a route must return to its start, there are M vehicles at every depot, each with a fixed cost
    above the total length of M routes, so that few are used; a plan with more than M does not count. Where
    it may end anywhere, one location stands for all depots, as far from a customer as the nearest of them.
    """
    pyvrp = _library(instance)
    limit = instance.vehicles_per_depot
    room = np.full(instance.num_depots, instance.num_vehicles) if limit is None else limit
    merged = instance.num_depots == 1 or (instance.return_to == "any" and limit is None)
    if instance.return_to == "any" and not merged:
        raise InputError("PyVRP: free ends with a limit of vehicles per depot, expected one of the two only")
    depots = np.zeros(1, dtype=np.int64) if merged else np.flatnonzero(room)
    legs = _legs(instance, depots, merged)
    longest = float(legs.max())
    scale = resolution / longest if longest > 0 else 1.0
    weights = np.rint(legs * scale).astype(np.int64)
    count = [instance.num_vehicles if merged else min(int(room[d]), instance.num_vehicles) for d in depots]
    kinds = [pyvrp.VehicleType(num_available=c, start_depot=k, end_depot=k) for k, c in enumerate(count)]
    place = {int(node): len(depots) + k for k, node in enumerate(instance.customers)}
    single = np.setdiff1d(np.array(instance.customers), instance.pairs.ravel())
    points = [*instance.plane[depots], *instance.plane[instance.num_depots :]]
    pairs = {}
    if len(instance.pairs):
        pairs = {"shipments": [pyvrp.Shipment(place[int(p)], place[int(d)]) for p, d in instance.pairs]}
    data = pyvrp.ProblemData(
        locations=[pyvrp.Location(float(x), float(y)) for x, y in points],
        clients=[pyvrp.Client(place[int(node)]) for node in single],
        depots=[pyvrp.Depot(k) for k in range(len(depots))],
        vehicle_types=kinds,
        distance_matrices=[weights],
        duration_matrices=[np.zeros_like(weights)],
        **pairs,
    )
    starts = tuple(None if merged and instance.num_depots > 1 else int(d) for d in depots)
    return _Model(data, scale, starts, single, sum(count) > instance.num_vehicles)


def _library(instance: Instance) -> Any:
    try:
        import pyvrp
    except ImportError:
        raise InputError("PyVRP is not installed, expected pip install 'minmaxvrp[baselines]'") from None
    if not hasattr(pyvrp, "Location") or (len(instance.pairs) and not hasattr(pyvrp, "Shipment")):
        raise InputError(f"PyVRP {getattr(pyvrp, '__version__', '')} is too old, expected 0.14 or newer")
    return pyvrp


def _legs(instance: Instance, depots: NDArray[np.int64], merged: bool) -> NDArray[np.float64]:
    """[L, L] legs between locations: depots, then customers; the service at a leg's start included."""
    nodes = np.concatenate([depots, np.array(instance.customers)])
    legs = instance.distance(nodes[:, None], nodes[None, :]) + instance.node_service[nodes][:, None]
    if merged:
        every = np.arange(instance.num_depots)
        customers = nodes[1:]
        legs[0, 1:] = instance.distance(every[:, None], customers[None, :]).min(axis=0)
        back = instance.distance(customers[:, None], every[None, :]).min(axis=1)
        legs[1:, 0] = back + instance.node_service[customers]
    np.fill_diagonal(legs, 0.0)
    return np.asarray(legs)


def _solution(instance: Instance, model: _Model, best: Any) -> Solution:
    routes = []
    for route in best.routes():
        customers = []
        for visit in route:
            if visit.is_client():
                customers.append(int(model.single[visit.idx]))
            elif visit.is_shipment():
                customers.append(int(instance.pairs[visit.idx][0 if visit.is_pickup() else 1]))
        if customers:
            routes.append(with_depots(instance, customers, model.starts[route.vehicle_type()]))
    return Solution(tuple(routes))
