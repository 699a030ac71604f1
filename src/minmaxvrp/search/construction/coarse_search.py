"""Searches a coarse instance for a start: `tour_start` asks for it, `coarse` makes the instance."""

import time

import numpy as np
from numpy.typing import NDArray

from ...interrupt import Interrupt
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...stop import FirstOf, MaxCpuTime, MaxIterations, MaxRuntime, Stop
from ..arrays.prepare import prepare
from ..budget import expected_iterations, parts, portion
from ..settings import has_long_routes, settings_for
from .coarse import coarsen, expand
from .construct import construct

Ints = NDArray[np.int64]

SIZE = 0.25
"""Customers of the coarse instance, as a share of those of the instance."""
SHARE = 0.04
"""Of a budget that one such search takes."""
EFFORT = 300
"""Iterations for each coarse customer where there is no budget."""


def search_coarsely(instance: Instance, tour: Ints, stop: Stop, seed: int, signals: Interrupt) -> Solution:
    """The plan of a coarse instance made of a tour, found within a share of a budget and expanded."""
    from ..makespan import Goal, Search, leg_unit  # which begins with the starts made here
    from .tour_start import tour_start

    coarse = coarsen(instance, tour, int(SIZE * instance.num_customers))
    budget = _budget(stop, coarse.instance.num_customers)
    start = construct(coarse.instance, seed)
    unit = leg_unit(coarse.instance, start)
    problem = prepare(coarse.instance, unit)
    began = time.perf_counter()
    if has_long_routes(problem):
        start = tour_start(coarse.instance, problem, budget, seed, signals)
    goal = Goal(budget, 0.0, unit, began, signals)
    search = Search(problem, goal, settings_for(problem, expected_iterations(budget)), start, seed, 0)
    search.run()
    return expand(instance, coarse, search.polished())


def _budget(stop: Stop, customers: int) -> Stop:
    """A share of the time and of the iterations; targets and patience are for the whole instance."""
    limits = [part for part in parts(stop) if isinstance(part, MaxRuntime | MaxCpuTime | MaxIterations)]
    if not limits:
        return MaxIterations(EFFORT * customers)
    return FirstOf(*(portion(part, SHARE) for part in limits))
