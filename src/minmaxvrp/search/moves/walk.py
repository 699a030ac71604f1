"""One route laid out as an array with running lengths, the form in which moves are evaluated.

Positions: 0 is the start depot, 1 to `count` the customers, `count` + 1 the end depot.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import kernel
from ..layout import AFTER, BEFORE, DIRTY, FREE, FREE_AT, FREE_LIST, PLACE, SIZE, VEHICLE, Routes
from ..links import rank
from ..metric import PARTNER, PICKUP, SERVICE, Problem, distance

COUNT, OWNER = range(2)
REACH, BACK = range(2)


class Walk(NamedTuple):
    """A route as an array; made once per search and read anew for each route looked at."""

    node: NDArray[np.int64]
    """[count + 2] nodes in driving order, depots included."""
    run: NDArray[np.float64]
    """[2, count + 2] length from the start to each position, service there included (REACH), and the
    same with every leg driven the other way round (BACK)."""
    num: NDArray[np.int64]
    """Entries COUNT and OWNER."""


def empty_walk(num_nodes: int) -> Walk:
    """Room for a route through all nodes."""
    size = num_nodes + 2
    return Walk(np.zeros(size, dtype=np.int64), np.zeros((2, size)), np.zeros(2, dtype=np.int64))


@kernel
def read_walk(problem: Problem, routes: Routes, vehicle: int, walk: Walk) -> None:
    """Lay the route of a vehicle out."""
    entry = problem.num_nodes + vehicle
    count = routes.fleet[SIZE, vehicle]
    walk.num[COUNT], walk.num[OWNER] = count, vehicle
    for position in range(count + 2):
        walk.node[position] = routes.link[PLACE, entry]
        entry = routes.link[AFTER, entry]
    measure(problem, walk)


@kernel
def measure(problem: Problem, walk: Walk) -> None:
    """Fill the running lengths from the nodes."""
    node, run = walk.node, walk.run
    run[REACH, 0] = run[BACK, 0] = 0.0
    for position in range(1, walk.num[COUNT] + 2):
        before, here = node[position - 1], node[position]
        service = problem.point[SERVICE, here]
        run[REACH, position] = run[REACH, position - 1] + distance(problem, before, here) + service
        run[BACK, position] = run[BACK, position - 1] + distance(problem, here, before) + service


@kernel
def length(walk: Walk) -> float:
    """Length of the whole route; 0 without customers."""
    count = walk.num[COUNT]
    return walk.run[REACH, count + 1] if count > 0 else 0.0


@kernel
def keeps_pairs(problem: Problem, walk: Walk, place: NDArray[np.int64]) -> bool:
    """Whether both ends of every pair on the route are on it, pickup first. `place` is scratch [n]."""
    if not problem.has_pairs:
        return True
    count, node = walk.num[COUNT], walk.node
    for position in range(1, count + 1):
        place[node[position]] = position
    for position in range(1, count + 1):
        partner = problem.info[PARTNER, node[position]]
        if partner < 0:
            continue
        other = place[partner]  # may be stale: then another node stands there
        if other < 1 or other > count or node[other] != partner:
            return False
        if (other < position) == (problem.info[PICKUP, node[position]] == 1):
            return False
    return True


@kernel
def write_walk(problem: Problem, routes: Routes, walk: Walk) -> None:
    """Make the route of the walk's vehicle what the walk says."""
    vehicle, count = walk.num[OWNER], walk.num[COUNT]
    first = problem.num_nodes + vehicle
    last = first + problem.num_vehicles
    _recount(routes, vehicle, routes.link[PLACE, first], walk.node[0], count)
    routes.link[PLACE, first], routes.link[PLACE, last] = walk.node[0], walk.node[count + 1]
    entry = first
    for position in range(1, count + 2):
        follower = walk.node[position] if position <= count else last
        routes.link[AFTER, entry], routes.link[BEFORE, follower] = follower, entry
        routes.leg[entry] = (
            distance(problem, walk.node[position - 1], walk.node[position]) if count > 0 else 0.0
        )
        routes.link[VEHICLE, follower] = vehicle
        entry = follower
    routes.length[vehicle] = length(walk)
    routes.fleet[DIRTY, vehicle] = 1
    rank(routes, vehicle)


@kernel
def _recount(routes: Routes, vehicle: int, old_start: int, new_start: int, count: int) -> None:
    """Keep the stack of free vehicles and the depots' use in step with a new number of customers."""
    if routes.fleet[SIZE, vehicle] > 0:
        routes.used[old_start] -= 1
    if count > 0:
        routes.used[new_start] += 1
    if routes.fleet[SIZE, vehicle] == 0 and count > 0:
        routes.num[FREE] -= 1
        other, where = routes.fleet[FREE_LIST, routes.num[FREE]], routes.fleet[FREE_AT, vehicle]
        routes.fleet[FREE_LIST, where], routes.fleet[FREE_AT, other] = other, where
    if routes.fleet[SIZE, vehicle] > 0 and count == 0:
        routes.fleet[FREE_LIST, routes.num[FREE]], routes.fleet[FREE_AT, vehicle] = vehicle, routes.num[FREE]
        routes.num[FREE] += 1
    routes.fleet[SIZE, vehicle] = count


@kernel
def put(walk: Walk, at: int, source: Walk, first: int, last: int) -> int:
    """Copy positions first .. last of another walk (backwards if first > last) to `at`; the next place."""
    step = 1 if first <= last else -1
    for position in range(first, last + step, step):
        walk.node[at] = source.node[position]
        at += 1
    return at


@kernel
def close(problem: Problem, walk: Walk, size: int, vehicle: int) -> None:
    """Finish a walk of `size` entries, depots included, that `put` has written, for a vehicle."""
    walk.num[COUNT], walk.num[OWNER] = size - 2, vehicle
    measure(problem, walk)
