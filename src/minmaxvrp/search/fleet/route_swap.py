"""Two vehicles exchange their routes: one may be faster, nearer, or less far into its day."""

from ...jit import inlined, kernel
from ..arrays.distances import Problem
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, Routes
from .changes import longest_vehicle, recount, set_depot
from .round_trips import best_depot
from .vehicles import Fleet
from .ways import way


@kernel
def choose_pair(fleet: Fleet, routes: Routes) -> tuple[int, int]:
    """Two vehicles that differ, often one with the longest route; (-1, -1) if the draw finds none."""
    vehicles = len(routes.size)
    one = longest_vehicle(fleet, routes) if uniform(routes.rng) < 0.5 else random_index(routes.rng, vehicles)
    two = random_index(routes.rng, vehicles)
    if fleet.kind[one] == fleet.kind[two] or not fleet.active[one] or not fleet.active[two]:
        return -1, -1
    if routes.size[one] + routes.size[two] == 0:
        return -1, -1
    return one, two


@kernel
def length_on(problem: Problem, fleet: Fleet, routes: Routes, vehicle: int, other: int) -> float:
    """Length of the route of `vehicle` if `other` drove it; infinite where it may not."""
    if routes.size[vehicle] == 0:
        return float(fleet.done[other])
    first = routes.after[problem.num_nodes + vehicle]
    customer, travel, service = first, 0.0, 0.0
    while True:
        if fleet.fixed[customer] or not fleet.allowed[fleet.row[customer], other]:
            return INFINITE
        service += problem.service[customer]
        follower = routes.after[customer]
        if follower >= problem.num_nodes:
            break
        travel += routes.leg[customer]
        customer = follower
    if fleet.round_trip[other]:
        travel += best_depot(problem, customer, first)[1]
    else:
        travel += way(problem, fleet.start[other], first) + way(problem, customer, fleet.end[other])
    return float(fleet.done[other] + fleet.slowness[other] * travel + service)


@kernel
def swap_routes(problem: Problem, fleet: Fleet, routes: Routes, one: int, two: int) -> None:
    """Let two vehicles exchange their customers; both may serve them all."""
    nodes, vehicles = problem.num_nodes, problem.num_vehicles
    first, last = routes.after[nodes + one], routes.before[nodes + vehicles + one]
    other_first, other_last = routes.after[nodes + two], routes.before[nodes + vehicles + two]
    size, other_size = routes.size[one], routes.size[two]
    _give(problem, fleet, routes, two, first, last, size)
    _give(problem, fleet, routes, one, other_first, other_last, other_size)


@inlined
def _give(
    problem: Problem, fleet: Fleet, routes: Routes, vehicle: int, first: int, last: int, size: int
) -> None:
    """Make the customers `first` .. `last` the whole route of a vehicle."""
    start, end = problem.num_nodes + vehicle, problem.num_nodes + problem.num_vehicles + vehicle
    recount(routes, vehicle, size)
    routes.changed[vehicle] = 1
    routes.length[vehicle] = fleet.done[vehicle]
    if size == 0:
        routes.after[start], routes.before[end], routes.leg[start] = end, start, 0.0
        return
    routes.after[start], routes.before[first] = first, start
    routes.after[last], routes.before[end] = end, last
    inner, service, customer = 0.0, 0.0, first
    while True:
        routes.vehicle[customer] = vehicle
        service += problem.service[customer]
        if customer == last:
            break
        inner += routes.leg[customer]
        customer = routes.after[customer]
    routes.leg[start] = way(problem, routes.node[start], first)
    routes.leg[last] = way(problem, last, routes.node[end])
    travel = routes.leg[start] + inner + routes.leg[last]
    routes.length[vehicle] += fleet.slowness[vehicle] * travel + service
    if fleet.round_trip[vehicle]:
        set_depot(problem, fleet, routes, vehicle, best_depot(problem, last, first)[0])
