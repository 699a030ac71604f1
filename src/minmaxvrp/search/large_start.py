"""Plans to begin with on very large instances: the first steps of `decompose`.

The plan given, then for one depot a tour cut into routes (`split`) and wedges around the depot
(`sweep_start`), and the best of these with each of its routes shortened further.
"""

import itertools
import time
from collections.abc import Iterator

import numpy as np

from ..problem.check import makespan
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..stop import Progress, Stop
from .arrays.distances import Problem
from .arrays.prepare import prepare
from .arrays.quadrants import MIXED
from .arrays.random_numbers import random_stream
from .budget import is_timeless
from .construction.construct import construct, places_along_curve
from .construction.split import split
from .construction.sweep_start import STREAM, Map, shorten_trips, sweep_starts
from .one_search import leg_unit
from .settings import has_long_routes
from .tours.giant_tour import giant_tour, shorten

SWEEP_SHARE, KICK_SHARE = 0.2, 0.25
"""Of a budget of time that may be spent when the wedges are done, and when the kicks are."""
KICKS = 3
"""Per customer of each route, at most."""


def large_start(
    instance: Instance, given: Solution, stop: Stop, seed: int, run: Map = map
) -> Iterator[tuple[Solution, Problem]]:
    """Plans, and the kernels' view of the instance; `given` may have no routes.

    Takes at most a share of a budget of time; where the clock plays no part, always the same steps.
    """
    began, timeless = time.perf_counter(), is_timeless(stop)

    def spent(share: float) -> bool:
        passed = Progress(time.perf_counter() - began, 0, np.inf, 0)
        return not timeless and stop.fraction(passed) > share

    plan = given if given.routes else construct(instance, seed)
    problem = prepare(instance, leg_unit(instance, plan), MIXED)
    yield plan, problem
    if instance.num_depots > 1 or not has_long_routes(problem):
        return
    shortest = makespan(instance, plan)
    for other in itertools.chain(
        [_cut_tour(instance, problem, seed)],
        sweep_starts(instance, problem, seed, lambda: spent(SWEEP_SHARE), run),
    ):
        yield other, problem
        if makespan(instance, other) < shortest:
            plan, shortest = other, makespan(instance, other)
    for number in range(KICKS):
        if spent(KICK_SHARE):
            return
        parts = [np.array(route.customers, dtype=np.int64) for route in plan.routes]
        plan = shorten_trips(instance, problem, parts, 1, seed + number, run)
        yield plan, problem


def _cut_tour(instance: Instance, problem: Problem, seed: int) -> Solution:
    """A tour through all customers, shortened by local search and cut where the longest route is shortest."""
    order = np.array(instance.customers)
    order = order[np.argsort(places_along_curve(instance)[order], kind="stable")]
    tour = giant_tour(order, problem.neighbours, random_stream(seed, STREAM - 1))
    shorten(problem, tour)
    return Solution(tuple(Route.of(part.tolist()) for part in split(problem, tour.order)))
