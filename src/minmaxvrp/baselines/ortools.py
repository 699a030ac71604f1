"""OR-Tools' routing library on the min-max problems, modelled as well as it allows.

A baseline for `bench`. The makespan is the global span of a length dimension, weighted so that total length
only breaks ties; guided local search starts from its cheapest insertion by cost, which (unlike
its other constructions) knows the span. Measured on instances of other seeds than the published: with
200 customers and 20 s the other constructions end two to seven times longer; with 50 customers 10 to
45 % longer for pairs, else the same. Span weights of 100 to 10,000, tabu search and annealing do not
differ beyond noise; a weight of 10 is worse.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InternalError
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from .legs import refuse_fleet

RESOLUTION = 1_000_000
"""The longest distance in OR-Tools' whole numbers."""
SPAN_WEIGHT = 1_000
"""Cost of the makespan relative to total length."""
OTHER_CLOCK = 20
"""With another clock than the wall's: seconds on the wall per second of it, after which it ends anyway."""
SECONDS_BY_COST = 3e-7
"""Time of insertion by cost divided by customers³: measured 1.4 s for 200 customers, minutes for 1,000."""


@dataclass(frozen=True)
class _Fleet:
    """Vehicles as OR-Tools wants them: each with a fixed start and a fixed end location."""

    transit: NDArray[np.int64]
    """[L, L] length of a leg, the service at its start included; locations 0..L-1."""
    starts: list[int]
    ends: list[int]
    num_active: int
    """So many vehicles may be used."""
    start_depots: list[int | None]
    """Per vehicle; None: the nearest depot of its first customer."""
    node: NDArray[np.int64]
    """[L] the instance's node at each location; -1 for a location that stands for any depot."""


def solve(
    instance: Instance, seconds: float, seed: int = 0, clock: Callable[[], float] = time.perf_counter
) -> Solution:
    """The best solution found in `seconds` of `clock`; `seed` shuffles the customers, which seldom matters.

    Raises `InputError` for a fleet and where OR-Tools is not installed, `InternalError` when no solution is
    found.
    """
    refuse_fleet(instance, "OR-Tools")
    routing, enums = _library()
    ends = clock() + seconds
    fleet = _fleet(instance, seed)
    manager = routing.RoutingIndexManager(len(fleet.transit), len(fleet.starts), fleet.starts, fleet.ends)
    model = routing.RoutingModel(manager)
    transit = model.RegisterTransitMatrix(fleet.transit.tolist())
    model.SetArcCostEvaluatorOfAllVehicles(transit)
    endless = int(fleet.transit.max(initial=1)) * (len(fleet.transit) + 1)
    model.AddDimension(transit, 0, endless, True, "length")
    dimension = model.GetDimensionOrDie("length")
    dimension.SetGlobalSpanCostCoefficient(SPAN_WEIGHT)
    if fleet.num_active < len(fleet.starts):
        model.SetMaximumNumberOfActiveVehicles(fleet.num_active)
    place = {int(node): k for k, node in enumerate(fleet.node)}
    for pair in instance.pairs:
        pickup, delivery = (manager.NodeToIndex(place[int(node)]) for node in pair)
        model.AddPickupAndDelivery(pickup, delivery)
        model.solver().Add(model.VehicleVar(pickup) == model.VehicleVar(delivery))
        model.solver().Add(dimension.CumulVar(pickup) <= dimension.CumulVar(delivery))
    parameters = _parameters(routing, enums, instance, seconds)
    if clock is not time.perf_counter:  # OR-Tools' own limit is on the wall clock
        parameters.time_limit.FromMilliseconds(int(1000 * OTHER_CLOCK * seconds))
        model.AddSearchMonitor(model.solver().CustomLimit(lambda: clock() >= ends))
    plan = model.SolveWithParameters(parameters)
    if plan is None:
        raise InternalError(f"OR-Tools found no solution in {seconds:g} s")
    return _solution(instance, fleet, manager, model, plan)


def _library() -> tuple[Any, Any]:
    try:
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2
    except ImportError:
        raise InputError("OR-Tools is not installed, expected pip install 'minmaxvrp[baselines]'") from None
    return pywrapcp, routing_enums_pb2


def _parameters(routing: Any, enums: Any, instance: Instance, seconds: float) -> Any:
    """Insertion by cost where it ends in time, as it does not heed the limit; else by distance."""
    strategies = enums.FirstSolutionStrategy
    by_cost = SECONDS_BY_COST * instance.num_customers**3 * (3 if len(instance.pairs) else 1)
    parameters = routing.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = (
        strategies.LOCAL_CHEAPEST_COST_INSERTION
        if by_cost < seconds / 2
        else strategies.LOCAL_CHEAPEST_INSERTION
    )
    parameters.local_search_metaheuristic = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(max(1, int(1000 * seconds)))
    return parameters


def _fleet(instance: Instance, seed: int) -> _Fleet:
    """Which locations and vehicles to give to OR-Tools.

    It knows no free choice of depots. Where a route must return to its start, there is a copy of
    every vehicle at every depot, of which only M may be used. Where it may end anywhere, one
    location stands for all depots, as far from a customer as the nearest of them.
    """
    limit = instance.vehicles_per_depot
    room = np.full(instance.num_depots, instance.num_vehicles) if limit is None else limit
    free_end = instance.return_to == "any"
    # Every location that is no start or end must be visited, so depots without vehicles are left out.
    depots = np.zeros(0, dtype=np.int64) if free_end and limit is None else np.flatnonzero(room)
    customers = np.random.default_rng(seed).permutation(np.array(instance.customers))
    node = np.concatenate([depots, customers, np.full(int(free_end), -1)])
    any_depot = len(node) - 1
    if len(depots):
        starts = [k for k, d in enumerate(depots) for _ in range(min(int(room[d]), instance.num_vehicles))]
        start_depots: list[int | None] = [int(depots[k]) for k in starts]
    else:
        starts = [any_depot] * instance.num_vehicles
        start_depots = [None] * instance.num_vehicles
    ends = [any_depot] * len(starts) if free_end else starts
    lengths = _lengths(instance, node)
    longest = float(lengths.max(initial=0.0))
    transit = np.rint(lengths * (RESOLUTION / longest if longest > 0 else 1.0)).astype(np.int64)
    return _Fleet(transit, starts, ends, instance.num_vehicles, start_depots, node)


def _lengths(instance: Instance, node: NDArray[np.int64]) -> NDArray[np.float64]:
    """[L, L] legs between locations, the service at their start included; node -1 is any depot."""
    real = np.where(node < 0, 0, node)
    lengths = (
        np.asarray(instance.distance(real[:, None], real[None, :])) + instance.node_service[real][:, None]
    )
    if (node < 0).any():
        nearest = instance.distance(np.arange(instance.num_depots)[:, None], real[None, :]).min(axis=0)
        back = instance.distance(real[:, None], np.arange(instance.num_depots)[None, :]).min(axis=1)
        lengths[node < 0, :] = nearest
        lengths[:, node < 0] = (back + instance.node_service[real])[:, None]
    return lengths


def _solution(instance: Instance, fleet: _Fleet, manager: Any, model: Any, plan: Any) -> Solution:
    routes = []
    for vehicle, start in enumerate(fleet.start_depots):
        customers: list[int] = []
        index = plan.Value(model.NextVar(model.Start(vehicle)))
        while not model.IsEnd(index):
            customers.append(int(fleet.node[manager.IndexToNode(index)]))
            index = plan.Value(model.NextVar(index))
        if not customers:
            continue
        depots = np.arange(instance.num_depots)
        if start is None:
            start = int(instance.distance(depots, customers[0]).argmin())
        end = (
            start if instance.return_to == "start" else int(instance.distance(customers[-1], depots).argmin())
        )
        routes.append(Route(start, tuple(customers), end))
    return Solution(tuple(routes))
