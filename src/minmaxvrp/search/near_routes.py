"""Which routes a pair is tried on where there are many: those that look cheap beside its near neighbours."""

from .compiled import kernel
from .layout import AFTER, BEFORE, CALLS, CLOCK, MARK, PLACE, SEEN, STAMP, VEHICLE, Routes
from .metric import PARTNER, SERVICE, Problem, distance
from .price import priced

REACH = 20
"""How many neighbours of the pickup, and of the delivery, are looked at."""


@kernel
def guess_routes(problem: Problem, routes: Routes, pickup: int) -> int:
    """List the routes of near neighbours that the step has not touched, each with a guess of its price.

    Returns how many; `next_route` takes them from the list. The guess adds the cheapest detours beside the
    neighbours, for pickup and delivery apart, in any order and as if ways back were as long; for the one of
    them that has no neighbour on the route, as far there and back as its last neighbour.
    """
    near, fleet, guess = problem.neighbours, routes.fleet, routes.guess
    reach, delivery, count = min(REACH, near.shape[1]), problem.info[PARTNER, pickup], 0
    far_pickup = 2.0 * distance(problem, pickup, near[pickup, reach - 1])
    far_delivery = 2.0 * distance(problem, delivery, near[delivery, reach - 1])
    routes.num[CALLS] += 1
    for side in range(2):
        node = pickup if side == 0 else delivery
        for k in range(reach):
            other = near[node, k]
            vehicle = routes.link[VEHICLE, other]
            if vehicle == problem.num_vehicles or fleet[STAMP, vehicle] == routes.num[CLOCK]:
                continue
            if fleet[MARK, vehicle] != routes.num[CALLS]:
                fleet[MARK, vehicle] = routes.num[CALLS]
                fleet[SEEN, count] = vehicle
                count += 1
                guess[0, vehicle], guess[1, vehicle] = far_pickup, far_delivery
            spot, follower = routes.link[BEFORE, other], routes.link[AFTER, other]
            before = distance(problem, node, routes.link[PLACE, spot]) - routes.leg[spot]
            behind = distance(problem, node, routes.link[PLACE, follower]) - routes.leg[other]
            detour = distance(problem, node, other) + min(before, behind)
            guess[side, vehicle] = min(guess[side, vehicle], detour)
    service = problem.point[SERVICE, pickup] + problem.point[SERVICE, delivery]
    for k in range(count):
        vehicle = fleet[SEEN, k]
        added = guess[0, vehicle] + guess[1, vehicle] + service
        guess[0, vehicle] = priced(routes, routes.length[vehicle], added)
    return count


@kernel
def next_route(routes: Routes, count: int, limit: float) -> int:
    """Take the route of the least guess below `limit` from the `count` listed; -1 if there is none."""
    fleet, guess, which = routes.fleet, routes.guess, -1
    for k in range(count):
        if guess[0, fleet[SEEN, k]] < limit:
            limit, which = guess[0, fleet[SEEN, k]], k
    if which < 0:
        return -1
    vehicle = fleet[SEEN, which]
    fleet[SEEN, which] = fleet[SEEN, count - 1]
    return int(vehicle)
