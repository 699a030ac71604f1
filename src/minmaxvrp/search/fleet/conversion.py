"""From the plan of a fleet to the search's arrays and back; vehicles keep their numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...problem.instance import Instance
from ...problem.solution import Route, Solution
from ..arrays.distances import Problem
from ..arrays.routes import Routes, blank
from .annealing import fill_plan
from .vehicles import Fleet
from .ways import ANY


def load_plan(
    problem: Problem,
    fleet: Fleet,
    solution: Solution,
    rng: NDArray[np.uint64],
    missing: Sequence[int] = (),
) -> Routes:
    """A plan as arrays, itself the best so far; route k is that of vehicle k.

    Customers in `missing` are on no route: the first iteration inserts them in this order. Pairs are named by
    their pickup.
    """
    routes = blank(problem.num_nodes, problem.num_depots, problem.num_vehicles, rng)
    customers = np.array([node for route in solution.routes for node in route.customers], dtype=np.int64)
    sizes = np.zeros(problem.num_vehicles, dtype=np.int64)
    sizes[: len(solution.routes)] = [len(route) for route in solution.routes]
    fill_plan(problem, fleet, routes, customers, np.cumsum(sizes))
    routes.requests[: len(missing)] = missing
    routes.state.num_requests = len(missing)
    return routes


def read_plan(instance: Instance, after: NDArray[np.int64], node: NDArray[np.int64]) -> Solution:
    """The plan in arrays such as `Routes.best_after` and `Routes.best_node`: one route for every vehicle."""
    nodes, vehicles, follower = instance.num_nodes, instance.num_vehicles, after.tolist()
    found = []
    for vehicle in range(vehicles):
        customers = []
        entry = follower[nodes + vehicle]
        while entry < nodes:
            customers.append(entry)
            entry = follower[entry]
        if customers:
            start, end = int(node[nodes + vehicle]), int(node[nodes + vehicles + vehicle])
            found.append(_route(instance, customers, start, end))
        else:
            found.append(Route.idle(instance.vehicles[vehicle]))
    return Solution(tuple(found))


def _route(instance: Instance, customers: list[int], start: int, end: int) -> Route:
    """A route between nodes or pseudo nodes: `ANY` is the nearest depot."""
    depots = np.arange(instance.num_depots)
    if start == ANY:
        start = int(np.argmin(instance.distance(depots, customers[0])))
    if end == ANY:
        end = int(np.argmin(instance.distance(customers[-1], depots)))
    return Route(start, tuple(customers), end)
