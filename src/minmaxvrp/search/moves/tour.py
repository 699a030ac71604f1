"""One route laid out as an array with running lengths, the form in which moves are evaluated.

Positions: 0 is the start depot, 1 to `count` the customers, `count` + 1 the end depot.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from ..arrays.distances import Problem, distance
from ..arrays.edits import update_longest
from ..arrays.routes import Routes, record


class TourInfo:
    """Single numbers of a tour: a numpy record."""

    count: int
    """Customers."""
    vehicle: int


class Tour(NamedTuple):
    """A route as an array; made once per search and read anew for each route looked at."""

    node: NDArray[np.int64]
    """[count + 2] nodes in driving order, depots included."""
    length_to: NDArray[np.float64]
    """[count + 2] length from the start to each position, service there included."""
    length_back: NDArray[np.float64]
    """[count + 2] the same with every leg driven the other way round."""
    info: TourInfo


def empty_tour(num_nodes: int) -> Tour:
    """Room for a route through all nodes."""
    size = num_nodes + 2
    return Tour(np.zeros(size, dtype=np.int64), np.zeros(size), np.zeros(size), record(TourInfo))


@kernel
def read_tour(problem: Problem, routes: Routes, vehicle: int, tour: Tour) -> None:
    """Lay the route of a vehicle out."""
    entry = problem.num_nodes + vehicle
    count = routes.size[vehicle]
    tour.info.count, tour.info.vehicle = count, vehicle
    for position in range(count + 2):
        tour.node[position] = routes.node[entry]
        entry = routes.after[entry]
    measure(problem, tour)


@kernel
def measure(problem: Problem, tour: Tour) -> None:
    """Fill the running lengths from the nodes."""
    node = tour.node
    tour.length_to[0] = tour.length_back[0] = 0.0
    for position in range(1, tour.info.count + 2):
        before, here = node[position - 1], node[position]
        service = problem.service[here]
        tour.length_to[position] = tour.length_to[position - 1] + distance(problem, before, here) + service
        tour.length_back[position] = (
            tour.length_back[position - 1] + distance(problem, here, before) + service
        )


@kernel
def length(tour: Tour) -> float:
    """Length of the whole route; 0 without customers."""
    count = tour.info.count
    return tour.length_to[count + 1] if count > 0 else 0.0


@kernel
def keeps_pairs(problem: Problem, tour: Tour, place: NDArray[np.int64]) -> bool:
    """Whether both ends of every pair on the route are on it, pickup first. `place` is scratch [n]."""
    if not problem.has_pairs:
        return True
    count, node = tour.info.count, tour.node
    for position in range(1, count + 1):
        place[node[position]] = position
    for position in range(1, count + 1):
        partner = problem.partner[node[position]]
        if partner < 0:
            continue
        other = place[partner]  # may be stale: then another node stands there
        if other < 1 or other > count or node[other] != partner:
            return False
        if (other < position) == (problem.is_pickup[node[position]]):
            return False
    return True


@kernel
def write_tour(problem: Problem, routes: Routes, tour: Tour) -> None:
    """Make the route of the tour's vehicle what the tour says."""
    vehicle, count = tour.info.vehicle, tour.info.count
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    _recount(routes, vehicle, routes.node[first], tour.node[0], count)
    routes.node[first], routes.node[last] = tour.node[0], tour.node[count + 1]
    entry = first
    for position in range(1, count + 2):
        follower = tour.node[position] if position <= count else last
        routes.after[entry], routes.before[follower] = follower, entry
        routes.leg[entry] = (
            distance(problem, tour.node[position - 1], tour.node[position]) if count > 0 else 0.0
        )
        routes.vehicle[follower] = vehicle
        entry = follower
    routes.length[vehicle] = length(tour)
    routes.changed[vehicle] = 1
    update_longest(routes, vehicle)


@kernel
def _recount(routes: Routes, vehicle: int, old_start: int, new_start: int, count: int) -> None:
    """Keep the stack of free vehicles and the depots' use in step with a new number of customers."""
    if routes.size[vehicle] > 0:
        routes.used[old_start] -= 1
    if count > 0:
        routes.used[new_start] += 1
    if routes.size[vehicle] == 0 and count > 0:
        routes.state.num_free -= 1
        other, where = routes.free_vehicles[routes.state.num_free], routes.free_position[vehicle]
        routes.free_vehicles[where], routes.free_position[other] = other, where
    if routes.size[vehicle] > 0 and count == 0:
        routes.free_vehicles[routes.state.num_free], routes.free_position[vehicle] = (
            vehicle,
            routes.state.num_free,
        )
        routes.state.num_free += 1
    routes.size[vehicle] = count


@kernel
def put(tour: Tour, at: int, source: Tour, first: int, last: int) -> int:
    """Copy positions first .. last of another tour (backwards if first > last) to `at`; the next place."""
    step = 1 if first <= last else -1
    for position in range(first, last + step, step):
        tour.node[at] = source.node[position]
        at += 1
    return at


@kernel
def close(problem: Problem, tour: Tour, size: int, vehicle: int) -> None:
    """Finish a tour of `size` entries, depots included, that `put` has written, for a vehicle."""
    tour.info.count, tour.info.vehicle = size - 2, vehicle
    measure(problem, tour)
