"""From a `Solution` to the search's arrays and back."""

import numpy as np
from numpy.typing import NDArray

from ...problem.solution import Route, Solution
from .distances import Problem
from .edits import clear_routes, fill_route, keep_start
from .routes import Routes, blank


def load(problem: Problem, solution: Solution, rng: NDArray[np.uint64]) -> Routes:
    """A feasible solution as arrays, itself the best so far; vehicles without a route stay free."""
    routes = blank(problem.num_nodes, problem.num_depots, problem.num_vehicles, rng)
    clear_routes(problem, routes)
    for vehicle, route in enumerate(r for r in solution.routes if r.customers):
        fill_route(
            problem, routes, vehicle, route.start, route.end, np.array(route.customers, dtype=np.int64)
        )
    keep_start(problem, routes)
    routes.state.best = routes.length.max()
    return routes


def unload_best(problem: Problem, routes: Routes) -> Solution:
    """The best solution in the arrays, without empty routes."""
    return _read(problem, routes.best_after[:], routes.best_node[:])


def unload(problem: Problem, routes: Routes) -> Solution:
    """The current solution in the arrays, without empty routes."""
    return _read(problem, routes.after[:], routes.node[:])


def _read(problem: Problem, after: NDArray[np.int64], place: NDArray[np.int64]) -> Solution:
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    follower = after.tolist()
    found = []
    for vehicle in range(vehicles):
        customers = []
        entry = follower[nodes + vehicle]
        while entry < nodes:
            customers.append(entry)
            entry = follower[entry]
        if customers:
            found.append(
                Route.of(customers, int(place[nodes + vehicle]), int(place[nodes + vehicles + vehicle]))
            )
    return Solution(tuple(found))
