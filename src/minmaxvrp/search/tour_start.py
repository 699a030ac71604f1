"""Good starts where routes are long: short tours through all customers, cut into routes, and wedges.

`makespan` begins at the best of them where routes are long. Where customers stand in clusters the start
decides which route serves which cluster: annealing hardly ever changes it later. Tours of about the same
length, cut at their best places, may differ by percents, so a few are tried.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..interrupt import Interrupt
from ..problem.check import makespan
from ..problem.distance import Distance
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..stop import Progress, Stop
from .budget import expected_iterations, is_timeless
from .coarse_search import search_coarsely
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
LEAST_COARSE, MOST_COARSE = 600, 4
"""Customers from which on coarse instances are searched, and how many of them, each made of another tour."""
SHARE = 0.25
"""Of a budget of time that the starts may take."""
STREAM = 1 << 20
"""Number of the first stream of random numbers: no worker has it."""


def tour_start(
    instance: Instance, problem: Problem, stop: Stop, seed: int, interrupt: Interrupt | None = None
) -> Solution:
    """The best of several plans, each route shortened by kicks; `problem` is the kernels' view.

    Takes at most a share of a budget of time, and ends early when a signal asks to end; where the clock plays
    no part, always the same steps.
    """
    began, timeless = time.perf_counter(), is_timeless(stop)
    signals = interrupt or Interrupt()

    def over() -> bool:
        late = not timeless and stop.fraction(Progress(time.perf_counter() - began, 0, 0.0, 0)) > SHARE
        return late or signals.raised

    effort = expected_iterations(stop) / instance.num_customers
    count = 1 + int(min(MOST_TOURS - 1, effort / TOUR_EFFORT))
    rng = random_stream(seed, STREAM + MOST_TOURS)
    best, shortest = Solution(()), np.inf
    for plan in _plans(instance, problem, Effort(stop, count, over, signals), seed):
        shorter = plan if over() else _shorten(problem, plan, rng)
        if makespan(instance, shorter) < shortest:
            best, shortest = shorter, makespan(instance, shorter)
        if over():
            break
    return best


class Effort(NamedTuple):
    """How much a start may cost."""

    stop: Stop
    """Of the whole search."""
    tours: int
    over: Over
    signals: Interrupt


def _shorten(problem: Problem, plan: Solution, rng: NDArray[np.uint64]) -> Solution:
    """The plan with each of its routes shortened by kicks."""
    if problem.num_depots == 1:
        return shorten_routes(problem, plan, ROUTE_KICKS, rng)
    return shorten_depot_routes(problem, plan, ROUTE_KICKS, rng, empty_workspace(problem.num_nodes))


def _plans(instance: Instance, problem: Problem, effort: Effort, seed: int) -> Iterator[Solution]:
    """A tour cut into routes, the plan of a coarse instance made of it, then wedges around one depot, or
    groups around several, then more tours."""
    order = np.array(instance.customers)
    order = order[np.argsort(places_along_curve(instance)[order], kind="stable")]
    near = empty_lists(problem)
    list_near(problem, order, near)
    several = effort.tours > 1
    sweeps = several and instance.num_depots == 1 and instance.kind is not Distance.MATRIX
    coarse = several and instance.num_depots == 1 and instance.num_customers >= LEAST_COARSE
    for number in range(effort.tours):
        tour = _tour(problem, order, near, random_stream(seed, STREAM + number), effort.over)
        if coarse and number < MOST_COARSE:
            yield search_coarsely(instance, tour, effort.stop, seed + number, effort.signals)
        yield from_best_depots(instance, split(problem, tour))
        if number == 0 and sweeps:
            wedges = list(sweep_starts(instance, problem, seed, effort.over))
            yield min(wedges, key=lambda plan: makespan(instance, plan))
        if number == 0 and instance.num_depots > 1:
            yield construct(instance, seed)


def _tour(problem: Problem, order: Ints, near: Ints, rng: NDArray[np.uint64], over: Over) -> Ints:
    """A short tour through the customers."""
    tour = giant_tour(order, near, rng)
    shorten(problem, tour)
    for _ in range(10 * KICKS):
        if over():
            break
        kick(problem, tour, max(1, len(order) // 10))
    return tour.order
