"""Good starts where routes are long: short tours through all customers, cut into routes, and wedges.

`makespan` begins at the best of them where routes are long. Where customers stand in clusters the start
decides which route serves which cluster: annealing hardly ever changes it later. Tours of about the same
length, cut at their best places, may differ by percents, so a few are tried.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..problem.check import makespan
from ..problem.distance import Distance
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..stop import Progress, Stop
from .budget import expected_iterations, is_timeless
from .construct import construct, places_along_curve
from .depot_polish import shorten_depot_routes
from .depot_start import from_best_depots
from .distances import Problem
from .giant_tour import giant_tour, kick, shorten
from .local_search import empty_workspace
from .random_numbers import random_stream
from .route_polish import empty_lists, list_near, shorten_routes
from .split import split
from .sweep_start import sweep_starts

Ints = NDArray[np.int64]
Over = Callable[[], bool]
"""Whether time is up."""

KICKS = 3
"""Per customer of a tour: another tour is worth more than a shorter one."""
ROUTE_KICKS = 6.0
"""Per customer of each route, once the tour is cut."""
MOST_TOURS, TOUR_EFFORT = 8, 250.0
"""Tours that are tried, and iterations for each customer of a budget that one more is worth."""
SHARE = 0.2
"""Of a budget of time that the starts may take."""
STREAM = 1 << 20
"""Number of the first stream of random numbers: no worker has it."""


def tour_start(instance: Instance, problem: Problem, stop: Stop, seed: int) -> Solution:
    """The best of several plans, each route shortened by kicks; `problem` is the kernels' view.

    Takes at most a share of a budget of time; where the clock plays no part, always the same steps.
    """
    began, timeless = time.perf_counter(), is_timeless(stop)

    def over() -> bool:
        return not timeless and stop.fraction(Progress(time.perf_counter() - began, 0, 0.0, 0)) > SHARE

    effort = expected_iterations(stop) / instance.num_customers
    count = 1 + int(min(MOST_TOURS - 1, effort / TOUR_EFFORT))
    rng = random_stream(seed, STREAM + MOST_TOURS)
    best, shortest = Solution(()), np.inf
    for plan in _plans(instance, problem, seed, count, over):
        shorter = plan if over() else _shorten(problem, plan, rng)
        if makespan(instance, shorter) < shortest:
            best, shortest = shorter, makespan(instance, shorter)
        if over():
            break
    return best


def _shorten(problem: Problem, plan: Solution, rng: NDArray[np.uint64]) -> Solution:
    """The plan with each of its routes shortened by kicks."""
    if problem.num_depots == 1:
        return shorten_routes(problem, plan, ROUTE_KICKS, rng)
    return shorten_depot_routes(problem, plan, ROUTE_KICKS, rng, empty_workspace(problem.num_nodes))


def _plans(instance: Instance, problem: Problem, seed: int, count: int, over: Over) -> Iterator[Solution]:
    """A tour cut into routes, then wedges around one depot, or groups around several, then more tours."""
    order = np.array(instance.customers)
    order = order[np.argsort(places_along_curve(instance)[order], kind="stable")]
    near = empty_lists(problem)
    list_near(problem, order, near)
    sweeps = count > 1 and instance.num_depots == 1 and instance.kind is not Distance.MATRIX
    for number in range(count):
        yield _cut_tour(instance, problem, order, near, random_stream(seed, STREAM + number), over)
        if number == 0 and sweeps:
            wedges = list(sweep_starts(instance, problem, seed, over))
            yield min(wedges, key=lambda plan: makespan(instance, plan))
        if number == 0 and instance.num_depots > 1:
            yield construct(instance, seed)


def _cut_tour(
    instance: Instance, problem: Problem, order: Ints, near: Ints, rng: NDArray[np.uint64], over: Over
) -> Solution:
    """Routes along a short tour, cut where the longest is shortest."""
    tour = giant_tour(order, near, rng)
    shorten(problem, tour)
    for _ in range(10 * KICKS):
        if over():
            break
        kick(problem, tour, max(1, len(order) // 10))
    return from_best_depots(instance, split(problem, tour.order))
