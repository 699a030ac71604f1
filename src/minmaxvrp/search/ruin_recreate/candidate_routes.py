"""Candidate routes for a pair with many routes: those of its neighbours, cheapest estimate first."""

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.routes import Routes
from .price import insertion_price

REACH = 20
"""How many neighbours of the pickup, and of the delivery, are looked at."""


@kernel
def estimate_routes(problem: Problem, routes: Routes, pickup: int) -> int:
    """List the candidate routes for a pair, each with an estimate of its insertion price; returns how many.

    Candidates are the routes of the nearest neighbours of pickup and delivery, not touched by the step yet.
    The estimate adds the least detour of the pickup next to a neighbour on the route and that of the
    delivery, regardless of their order and direction. Where one of the two has no neighbour on the route, its
    detour is estimated as twice the distance to the farthest neighbour looked at.
    """
    near, estimate = problem.neighbours, routes.estimate
    reach, delivery, count = min(REACH, near.shape[1]), problem.partner[pickup], 0
    far_pickup = 2.0 * distance(problem, pickup, near[pickup, reach - 1])
    far_delivery = 2.0 * distance(problem, delivery, near[delivery, reach - 1])
    routes.state.num_estimates += 1
    for side in range(2):
        node = pickup if side == 0 else delivery
        for k in range(reach):
            other = near[node, k]
            vehicle = routes.vehicle[other]
            if vehicle == problem.num_vehicles or routes.touched_step[vehicle] == routes.state.step:
                continue
            if routes.estimate_call[vehicle] != routes.state.num_estimates:
                routes.estimate_call[vehicle] = routes.state.num_estimates
                routes.candidates[count] = vehicle
                count += 1
                estimate[0, vehicle], estimate[1, vehicle] = far_pickup, far_delivery
            spot, follower = routes.before[other], routes.after[other]
            before = distance(problem, node, routes.node[spot]) - routes.leg[spot]
            behind = distance(problem, node, routes.node[follower]) - routes.leg[other]
            detour = distance(problem, node, other) + min(before, behind)
            estimate[side, vehicle] = min(estimate[side, vehicle], detour)
    service = problem.service[pickup] + problem.service[delivery]
    for k in range(count):
        vehicle = routes.candidates[k]
        added = estimate[0, vehicle] + estimate[1, vehicle] + service
        estimate[0, vehicle] = insertion_price(routes, routes.length[vehicle], added)
    return count


@kernel
def cheapest_candidate(routes: Routes, count: int, limit: float) -> int:
    """Take the candidate of least estimate below `limit` from the list of `count`; -1 if there is none."""
    estimate, which = routes.estimate, -1
    for k in range(count):
        if estimate[0, routes.candidates[k]] < limit:
            limit, which = estimate[0, routes.candidates[k]], k
    if which < 0:
        return -1
    vehicle = routes.candidates[which]
    routes.candidates[which] = routes.candidates[count - 1]
    return int(vehicle)
