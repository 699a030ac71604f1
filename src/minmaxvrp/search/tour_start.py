"""A good start where routes are long: a short tour through all customers, cut into routes.

`makespan` begins there where routes are long, with starts of other kinds beside it. Where customers stand in
clusters the start decides which route serves which cluster: annealing hardly ever changes it later.
"""

import time

import numpy as np

from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..stop import Progress, Stop
from .budget import is_timeless
from .construct import places_along_curve
from .distances import Problem
from .giant_tour import giant_tour, kick, shorten
from .quadrants import MIXED
from .random_numbers import random_stream
from .split import split

KICKS = 5
"""Per customer: more hardly shorten the tour."""
SHARE = 0.1
"""Of a budget of time that the kicks may take."""
STREAM = 1 << 20
"""Number of the stream of random numbers: no worker has it."""


def tour_start(instance: Instance, problem: Problem, stop: Stop, seed: int) -> Solution:
    """Routes along a short tour, cut where the longest is shortest; `problem` is the kernels' view.

    Takes at most a share of a budget of time; where the clock plays no part, always the same steps.
    """
    began, timeless = time.perf_counter(), is_timeless(stop)
    place = places_along_curve(instance)
    order = np.array(instance.customers)
    order = order[np.argsort(place[order], kind="stable")]
    near = np.ascontiguousarray(problem.neighbours[:, :MIXED])
    tour = giant_tour(order, near, random_stream(seed, STREAM))
    shorten(problem, tour)
    chunk = max(1, len(order) // 10)
    for _ in range(10 * KICKS):
        spent = Progress(time.perf_counter() - began, 0, 0.0, 0)
        if not timeless and stop.fraction(spent) > SHARE:
            break
        kick(problem, tour, chunk)
    return Solution(tuple(Route.of(part.tolist()) for part in split(problem, tour.order)))
