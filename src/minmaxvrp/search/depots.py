"""Choice of the start and end depot of a route, within the vehicles that a depot has."""

from ..jit import inlined, kernel
from .arrays import Routes
from .distances import Problem, distance
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
        length += distance(problem, first, last) + problem.service[last]
    length += problem.service[first]
    if insertion_price(routes, 0.0, length) >= price and at >= 0:
        return at
    vehicle = routes.free_vehicles[routes.state.num_free - 1]
    touch(problem, routes, vehicle)
    set_depots(problem, routes, vehicle, start, end)
    return int(problem.num_nodes + vehicle)


@kernel
def best_depots(problem: Problem, routes: Routes, first: int, last: int, own: int) -> tuple[int, int, float]:
    """Start and end depot with the shortest way to `first` and from `last`; `own` has room in any case."""
    best, start, end = 1e300, 0, 0
    if problem.num_depots == 1:
        return start, end, distance(problem, start, first) + distance(problem, last, start)
    home, back = problem.end_depot[last], 0.0
    if problem.return_any:
        back = distance(problem, last, home)
    for depot in range(problem.num_depots):
        if depot != own and routes.used[depot] >= problem.depot_limit[depot]:
            continue
        way = distance(problem, depot, first)
        way += back if problem.return_any else distance(problem, last, depot)
        if way < best:
            best, start, end = way, depot, home if problem.return_any else depot
    return start, end, best


@inlined
def _via_best_depot(problem: Problem, last: int, first: int) -> float:
    """Length from a route's last customer to the best depot and from there to its first one."""
    if len(problem.via_depot) > 1:
        return float(problem.via_depot[last, first])
    best = 1e300
    for depot in range(problem.num_depots):
        best = min(best, distance(problem, last, depot) + distance(problem, depot, first))
    return best


@inlined
def end_price(
    problem: Problem, routes: Routes, customer: int, vehicle: int, front: bool, limit: float
) -> float:
    """Delta of the route's length, service apart, with a customer as its new first or last one.

    The route gets its best depots for it, so it is for `unlimited_depots` only. If a lower bound of the delta
    is `limit` or more, that bound is returned: the position will not be chosen anyway.
    """
    start = problem.num_nodes + vehicle
    first, last = routes.after[start], routes.before[start + problem.num_vehicles]
    gone = routes.leg[start] + routes.leg[last]
    if front:
        beside, first = distance(problem, customer, first), customer
    else:
        beside, last = distance(problem, last, customer), customer
    least = float(beside + problem.to_depot[last] + problem.from_depot[first] - gone)
    if problem.return_any or least >= limit:
        return least
    return float(beside + _via_best_depot(problem, last, first) - gone)


@kernel
def choose_depots(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Give a route its best start and end depot, if better than those it has."""
    if routes.size[vehicle] == 0:
        return
    entry = problem.num_nodes + vehicle
    exit_ = entry + problem.num_vehicles
    first, last = routes.after[entry], routes.before[exit_]
    start, end, way = best_depots(problem, routes, first, last, routes.node[entry])
    if way < routes.leg[entry] + routes.leg[last] - 1e-12:
        set_depots(problem, routes, vehicle, start, end)
