"""Choice of the start and end depot of a route, within the vehicles that a depot has."""

from .compiled import kernel
from .metric import Problem, distance
from .routes import FREE, THRESHOLD, Routes, set_depots, touch
from .settings import Settings


@kernel
def open_route(
    problem: Problem, routes: Routes, settings: Settings, first: int, last: int, at: int, price: float
) -> int:
    """The start sentinel of an unused vehicle if a route for `first` .. `last` alone costs less than
    `price`, else `at`. The vehicle gets the best depots with room; there is always one.
    """
    start, end, length = best_depots(problem, routes, first, last, -1)
    if first != last:
        length += distance(problem, first, last) + problem.service[last]
    length += problem.service[first]
    over = length - routes.value[THRESHOLD]
    if over > 0.0:
        length += settings.weight * min(over, length)
    if length >= price and at >= 0:
        return at
    vehicle = routes.free[routes.num[FREE] - 1]
    touch(problem, routes, vehicle)
    set_depots(problem, routes, vehicle, start, end)
    return problem.num_nodes + vehicle


@kernel
def best_depots(problem: Problem, routes: Routes, first: int, last: int, own: int) -> tuple[int, int, float]:
    """Start and end depot with the shortest way to `first` and from `last`; `own` has room in any case."""
    best, start, end = 1e300, 0, 0
    if problem.num_depots == 1:
        return 0, 0, distance(problem, 0, first) + distance(problem, last, 0)
    home, back = problem.home[last], 0.0
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


@kernel
def choose_depots(problem: Problem, routes: Routes, vehicle: int) -> None:
    """Give a route its best start and end depot, if better than those it has."""
    if routes.size[vehicle] == 0:
        return
    entry = problem.num_nodes + vehicle
    exit_ = entry + problem.num_vehicles
    first, last = routes.after[entry], routes.before[exit_]
    start, end, way = best_depots(problem, routes, first, last, routes.place[entry])
    if way < routes.leg[entry] + routes.leg[last] - 1e-12:
        set_depots(problem, routes, vehicle, start, end)
