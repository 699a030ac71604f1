"""Choice of the start and end depot of a route, within the vehicles that a depot has."""

from ..jit import inlined, kernel
from .arrays import AFTER, BEFORE, FREE, FREE_LIST, PLACE, SIZE, Routes
from .distances import AWAY_WAY, HOME, HOME_WAY, SERVICE, Problem, distance
from .edits import set_depots, touch
from .price import insertion_price
from .settings import SearchSettings


@kernel
def open_route(
    problem: Problem, routes: Routes, settings: SearchSettings, first: int, last: int, at: int, price: float
) -> int:
    """The start sentinel of an unused vehicle if a route for `first` .. `last` alone costs less than
    `price`, else `at`. The vehicle gets the best depots with room; there is always one.
    """
    start, end, length = best_depots(problem, routes, first, last, -1)
    if first != last:
        length += distance(problem, first, last) + problem.point[SERVICE, last]
    length += problem.point[SERVICE, first]
    if insertion_price(routes, 0.0, length) >= price and at >= 0:
        return at
    vehicle = routes.fleet[FREE_LIST, routes.num[FREE] - 1]
    touch(problem, routes, vehicle)
    set_depots(problem, routes, vehicle, start, end)
    return int(problem.num_nodes + vehicle)


@kernel
def best_depots(problem: Problem, routes: Routes, first: int, last: int, own: int) -> tuple[int, int, float]:
    """Start and end depot with the shortest way to `first` and from `last`; `own` has room in any case."""
    best, start, end = 1e300, 0, 0
    if problem.num_depots == 1:
        return start, end, distance(problem, start, first) + distance(problem, last, start)
    home, back = problem.info[HOME, last], 0.0
    if problem.return_any:
        back = distance(problem, last, home)
    for depot in range(problem.num_depots):
        if depot != own and routes.used[depot] >= problem.room[depot]:
            continue
        way = distance(problem, depot, first)
        way += back if problem.return_any else distance(problem, last, depot)
        if way < best:
            best, start, end = way, depot, home if problem.return_any else depot
    return start, end, best


@inlined
def _via_best_depot(problem: Problem, last: int, first: int) -> float:
    """Length from a route's last customer to the best depot and from there to its first one."""
    if len(problem.between) > 1:
        return float(problem.between[last, first])
    best = 1e300
    for depot in range(problem.num_depots):
        best = min(best, distance(problem, last, depot) + distance(problem, depot, first))
    return best


@inlined
def end_price(
    problem: Problem, routes: Routes, customer: int, vehicle: int, front: bool, limit: float
) -> float:
    """Distance that a customer adds as a route's new first or last one, its depots chosen anew.

    Only where every depot has vehicles enough (`free_depots`). Where that is at least `limit`, the answer
    may be less, but also at least `limit`.
    """
    start = problem.num_nodes + vehicle
    first, last = routes.link[AFTER, start], routes.link[BEFORE, start + problem.num_vehicles]
    gone = routes.leg[start] + routes.leg[last]
    if front:
        beside, first = distance(problem, customer, first), customer
    else:
        beside, last = distance(problem, last, customer), customer
    least = float(beside + problem.point[HOME_WAY, last] + problem.point[AWAY_WAY, first] - gone)
    if problem.return_any or least >= limit:
        return least
    return float(beside + _via_best_depot(problem, last, first) - gone)


@kernel
def choose_depots(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Give a route its best start and end depot, if better than those it has."""
    if routes.fleet[SIZE, vehicle] == 0:
        return
    entry = problem.num_nodes + vehicle
    exit_ = entry + problem.num_vehicles
    first, last = routes.link[AFTER, entry], routes.link[BEFORE, exit_]
    start, end, way = best_depots(problem, routes, first, last, routes.link[PLACE, entry])
    if way < routes.leg[entry] + routes.leg[last] - 1e-12:
        set_depots(problem, routes, vehicle, start, end)
