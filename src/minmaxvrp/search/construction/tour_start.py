"""Good starts where routes are long: short tours through all customers, cut into routes, and wedges.

`makespan` begins at the best of them where routes are long. Where customers stand in clusters the start
decides which route serves which cluster: annealing hardly ever changes it later. Tours of about the same
length, cut at their best places, may differ by percents, so a few are tried.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ...interrupt import Interrupt
from ...problem.check import makespan
from ...problem.distance import Distance
from ...problem.instance import Instance
from ...problem.solution import Solution
from ...stop import FirstOf, MaxCpuTime, MaxIterations, MaxRuntime, Progress, Stop
from ..arrays.distances import Problem
from ..arrays.prepare import prepare
from ..arrays.random_numbers import random_stream
from ..budget import expected_iterations, is_timeless, parts, portion
from ..moves.local_search import empty_workspace
from ..one_search import Goal, Search, leg_unit
from ..settings import has_long_routes, settings_for
from ..tours.depot_polish import shorten_depot_routes
from ..tours.giant_tour import giant_tour, kick, shorten
from ..tours.route_polish import empty_lists, list_near, shorten_routes
from .coarse import coarsen, expand
from .construct import construct, places_along_curve
from .depot_start import from_best_depots
from .split import split
from .sweep_start import sweep_starts

Ints = NDArray[np.int64]
Over = Callable[[], bool]
"""Whether time is up."""

KICKS = 3
"""Per customer of a tour: another tour is worth more than a shorter one."""
PORTIONS = 10
"""Of the kicks of a tour: between them it looks at the clock."""
ROUTE_KICKS = 6.0
"""Per customer of each route, once the tour is cut."""
MOST_TOURS, TOUR_EFFORT = 8, 250.0
"""Tours that are tried, and iterations for each customer of a budget that one more is worth."""
LEAST_COARSE, MOST_COARSE = 600, 4
"""Customers from which on coarse instances are searched, and how many of them, each made of another tour."""
COARSE_SIZE, COARSE_SHARE = 0.25, 0.04
"""Customers of a coarse instance as a share of those of the instance, and the share of a budget for it."""
COARSE_EFFORT = 300
"""Iterations for each coarse customer where there is no budget."""
SHARE = 0.25
"""Of a budget of time that the starts may take."""
STREAM = 1 << 20
"""Number of the first stream of random numbers: no worker has it."""


def tour_start(
    instance: Instance,
    problem: Problem,
    stop: Stop,
    seed: int,
    interrupt: Interrupt | None = None,
    enough: float = 0.0,
    lane: int = 0,
    lanes: int = 1,
) -> Solution:
    """The best of several plans, each route shortened by kicks; `problem` is the kernels' view.

    A tour cut into routes, wedges around one depot, or groups around several, the plan of a coarse instance
    made of the tour, then more tours, with coarse instances of their own if that of the first was best.
    Takes at most a share of a budget of time, and ends early when a signal asks to end or a plan is no longer
    than `enough`; where the clock plays no part, always the same steps. Of several `lanes` with a core each,
    one tries its share of the tours, and the first the wedges or groups.
    """
    began, timeless = time.perf_counter(), is_timeless(stop)
    signals = interrupt or Interrupt()

    def over() -> bool:
        late = not timeless and stop.fraction(Progress(time.perf_counter() - began, 0, 0.0, 0)) > SHARE
        return late or signals.raised or best.shortest <= enough

    effort = expected_iterations(stop) / instance.num_customers
    count = 1 + int(min(MOST_TOURS - 1, effort / TOUR_EFFORT))
    order = np.array(instance.customers)
    order = order[np.argsort(places_along_curve(instance)[order], kind="stable")]
    near = empty_lists(problem)
    list_near(problem, order, near)
    best = Best(instance, problem, over, random_stream(seed, STREAM + MOST_TOURS + lane))
    coarse = count > 1 and instance.num_depots == 1 and instance.num_customers >= LEAST_COARSE
    for number in range(lane, max(count, lane + 1), lanes):
        if number > lane and over():
            break
        tour = _tour(problem, order, near, random_stream(seed, STREAM + number), over)
        best.offer(from_best_depots(instance, split(problem, tour)))
        if number == 0:
            for plan in _other_plans(instance, problem, seed, count, over):
                best.offer(plan)
        if coarse and number < MOST_COARSE and not over():
            better = best.offer(search_coarsely(instance, tour, stop, seed + number, signals))
            coarse = better or number > lane
    return best.plan


class Best:
    """The best of the plans offered."""

    def __init__(self, instance: Instance, problem: Problem, over: Over, rng: NDArray[np.uint64]) -> None:
        self.instance, self.problem, self.over, self.rng = instance, problem, over, rng
        self.plan, self.shortest = Solution(()), np.inf

    def offer(self, plan: Solution) -> bool:
        """Shorten the routes of a plan, unless time is up; whether it is the best so far."""
        plan = plan if self.over() else _shorten(self.problem, plan, self.rng)
        longest = makespan(self.instance, plan)
        if longest >= self.shortest:
            return False
        self.plan, self.shortest = plan, longest
        return True


def _shorten(problem: Problem, plan: Solution, rng: NDArray[np.uint64]) -> Solution:
    """The plan with each of its routes shortened by kicks."""
    if problem.num_depots == 1:
        return shorten_routes(problem, plan, ROUTE_KICKS, rng)
    return shorten_depot_routes(problem, plan, ROUTE_KICKS, rng, empty_workspace(problem.num_nodes))


def _other_plans(
    instance: Instance, problem: Problem, seed: int, count: int, over: Over
) -> Iterator[Solution]:
    """Plans that are not tours cut into routes: wedges around one depot, or groups around several."""
    if count > 1 and instance.num_depots == 1 and instance.kind is not Distance.MATRIX and not over():
        wedges = list(sweep_starts(instance, problem, seed, over))
        yield min(wedges, key=lambda plan: makespan(instance, plan))
    if instance.num_depots > 1 and not over():
        yield construct(instance, seed)


def _tour(problem: Problem, order: Ints, near: Ints, rng: NDArray[np.uint64], over: Over) -> Ints:
    """A short tour through the customers."""
    tour = giant_tour(order, near, rng)
    shorten(problem, tour)
    for _ in range(PORTIONS * KICKS):
        if over():
            break
        kick(problem, tour, max(1, len(order) // PORTIONS))
    return tour.order


def tour_starts(
    instance: Instance,
    problem: Problem,
    stop: Stop,
    seed: int,
    interrupt: Interrupt,
    lanes: int,
    enough: float = 0.0,
) -> list[Solution]:
    """`tour_start` by so many threads, the best plan of each."""

    def start(lane: int) -> Solution:
        return tour_start(instance, problem, stop, seed, interrupt, enough, lane, lanes)

    if lanes == 1:
        return [start(0)]
    with ThreadPoolExecutor(lanes) as pool:
        return list(pool.map(start, range(lanes)))


def search_coarsely(instance: Instance, tour: Ints, stop: Stop, seed: int, signals: Interrupt) -> Solution:
    """The plan of a coarse instance made of a tour, found within a share of a budget and expanded."""
    coarse = coarsen(instance, tour, int(COARSE_SIZE * instance.num_customers))
    budget = _coarse_budget(stop, coarse.instance.num_customers)
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


def _coarse_budget(stop: Stop, customers: int) -> Stop:
    """A share of the time and of the iterations; targets and patience are for the whole instance."""
    limits = [part for part in parts(stop) if isinstance(part, MaxRuntime | MaxCpuTime | MaxIterations)]
    if not limits:
        return MaxIterations(COARSE_EFFORT * customers)
    return FirstOf(*(portion(part, COARSE_SHARE) for part in limits))
