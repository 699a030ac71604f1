"""Vehicles that choose their depot and return to it: the best one depends on both ends of the route."""

from ...jit import inlined, kernel
from ..arrays.distances import Problem, distance
from ..arrays.routes import INFINITE, Routes
from ..ruin_recreate.depots import EPSILON
from .changes import set_depot
from .vehicles import Fleet


@kernel
def best_depot(problem: Problem, last: int, first: int) -> tuple[int, float]:
    """The depot with the shortest way from `last` to it and on to `first`, and that length."""
    depot, best = 0, INFINITE
    for other in range(problem.num_depots):
        length = distance(problem, last, other) + distance(problem, other, first)
        if length < best:
            depot, best = other, length
    return depot, best


@inlined
def _via_best_depot(problem: Problem, last: int, first: int) -> float:
    if len(problem.via_depot) > 1:
        return float(problem.via_depot[last, first])
    return best_depot(problem, last, first)[1]


@inlined
def end_delta(problem: Problem, routes: Routes, customer: int, vehicle: int, front: bool) -> float:
    """What a customer adds to a round trip's length as its new first or last one, from the best depot."""
    start = problem.num_nodes + vehicle
    first, last = routes.after[start], routes.before[start + problem.num_vehicles]
    gone = routes.leg[start] + routes.leg[last]
    if front:
        beside, first = distance(problem, customer, first), customer
    else:
        beside, last = distance(problem, last, customer), customer
    return float(beside + _via_best_depot(problem, last, first) - gone)


@kernel
def choose_depot(problem: Problem, fleet: Fleet, routes: Routes, vehicle: int) -> None:
    """Give a round trip its best depot."""
    if routes.size[vehicle] == 0:
        return
    start = problem.num_nodes + vehicle
    first, last = routes.after[start], routes.before[start + problem.num_vehicles]
    depot, length = best_depot(problem, last, first)
    if length < routes.leg[start] + routes.leg[last] - EPSILON:
        set_depot(problem, fleet, routes, vehicle, depot)


@kernel
def choose_depots(problem: Problem, fleet: Fleet, routes: Routes) -> None:
    """Give every round trip that the step has touched its best depot."""
    if fleet.has_round_trips:
        for k in range(routes.state.num_touched):
            vehicle = routes.touched_vehicles[k]
            if fleet.round_trip[vehicle]:
                choose_depot(problem, fleet, routes, vehicle)
