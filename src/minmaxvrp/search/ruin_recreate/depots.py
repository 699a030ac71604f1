"""Choice of the start and end depot of a route, within the vehicles that a depot has."""

from ...jit import inlined, kernel
from ..arrays.distances import Problem, distance
from ..arrays.edits import set_depots, touch
from ..arrays.random_numbers import random_index, uniform
from ..arrays.routes import INFINITE, Routes
from ..settings import SearchSettings
from .price import insertion_price

EPSILON, EXCHANGE_EPSILON = 1e-12, 1e-9
"""By how much other depots, or those of another route, must be better: sums of lengths are rounded."""


@kernel
def open_route(
    problem: Problem, routes: Routes, first: int, last: int, inner: float, at: int, price: float
) -> int:
    """The start sentinel of an unused vehicle if a route for `first` .. `last` alone costs less than
    `price`, else `at`. `inner` is the length from `first` to `last`, service included. The vehicle gets the
    best depots with room; there is always one.
    """
    start, end, way = best_depots(problem, routes, first, last, -1)
    if insertion_price(routes, 0.0, way + inner) >= price and at >= 0:
        return at
    vehicle = routes.free_vehicles[routes.state.num_free - 1]
    touch(problem, routes, vehicle)
    set_depots(problem, routes, vehicle, start, end)
    return int(problem.num_nodes + vehicle)


@kernel
def best_depots(problem: Problem, routes: Routes, first: int, last: int, own: int) -> tuple[int, int, float]:
    """Start and end depot with the shortest way to `first` and from `last`; `own` has room in any case."""
    best, start, end = INFINITE, 0, 0
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
    best = INFINITE
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


@inlined
def least_closing(problem: Problem, last: int, first: int) -> float:
    """The shortest way from a route's last customer to a depot, and from there, or from another one, to its
    first: whether there is room or not."""
    if problem.return_any:
        return float(problem.to_depot[last] + problem.from_depot[first])
    return _via_best_depot(problem, last, first)


@kernel
def choose_depots(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Give a route its best start and end depot, if better than those it has."""
    if routes.size[vehicle] == 0:
        return
    entry = problem.num_nodes + vehicle
    last = routes.before[entry + problem.num_vehicles]
    start, end, way = _best_depots_of(problem, routes, vehicle, routes.node[entry])
    if way < routes.leg[entry] + routes.leg[last] - EPSILON:
        set_depots(problem, routes, vehicle, start, end)


@kernel
def exchange_depots(problem: Problem, routes: Routes, settings: SearchSettings) -> None:
    """Let a touched route take the start depot of another one, which gets the best that is left.

    Where depots have limits, no other move gives a route a depot that is full. The other route is the one
    with the best delta of length and excess, now and then a random one. The caller accepts or undoes it.
    """
    one = routes.touched_vehicles[random_index(routes.rng, routes.state.num_touched)]
    if routes.size[one] == 0:
        return
    start, blink = routes.node[problem.num_nodes + one], uniform(routes.rng) < settings.blink
    best, other = INFINITE if blink else -EXCHANGE_EPSILON, -1
    for vehicle in range(problem.num_vehicles):
        if routes.size[vehicle] == 0 or routes.node[problem.num_nodes + vehicle] == start:
            continue
        price = uniform(routes.rng) if blink else _exchange_price(problem, routes, one, vehicle)
        if price < best:
            best, other = price, vehicle
    if other >= 0:
        touch(problem, routes, other)
        wanted = routes.node[problem.num_nodes + other]
        left, end, _ = _best_depots_of(problem, routes, other, start)
        home = routes.node[problem.num_nodes + problem.num_vehicles + one]
        set_depots(problem, routes, other, left, end)
        set_depots(problem, routes, one, wanted, home if problem.return_any else wanted)


@kernel
def _exchange_price(problem: Problem, routes: Routes, one: int, other: int) -> float:
    """What both lengths change by, and the excess with them, if a route takes the start depot of another."""
    entry, depot = problem.num_nodes + one, routes.node[problem.num_nodes + other]
    last = routes.before[entry + problem.num_vehicles]
    change = distance(problem, depot, routes.after[entry]) - routes.leg[entry]
    if not problem.return_any:
        change += distance(problem, last, depot) - routes.leg[last]
    _, _, way = _best_depots_of(problem, routes, other, routes.node[entry])
    entry = problem.num_nodes + other
    back = way - routes.leg[entry] - routes.leg[routes.before[entry + problem.num_vehicles]]
    price = insertion_price(routes, routes.length[one], change) - insertion_price(
        routes, routes.length[one], 0.0
    )
    price += insertion_price(routes, routes.length[other], back)
    return float(price - insertion_price(routes, routes.length[other], 0.0))


@inlined
def _best_depots_of(problem: Problem, routes: Routes, vehicle: int, own: int) -> tuple[int, int, float]:
    """The best depots of a route as it is; `own` has room in any case."""
    entry = problem.num_nodes + vehicle
    first, last = routes.after[entry], routes.before[entry + problem.num_vehicles]
    return best_depots(problem, routes, first, last, own)
