"""The loop: ruin, recreate, accept by annealing, keep the best; long routes also join and exchange stretches.

The objective of acceptance is the makespan plus a small multiple of the mean route length: on the
plateau where the longest route does not change, shorter routes make room for what comes next.
"""

from math import exp, log

from .compiled import entry, kernel
from .draw import uniform
from .exchange import exchange
from .intensify import Desk, shorten_longest
from .layout import BEST, DIRTY, IMPROVED, THRESHOLD, TOUCHED, TOUCHED_LIST, WEIGHT, Routes
from .links import begin, keep_best, rank, undo
from .metric import Problem
from .price import objective
from .reconnect import reconnect
from .recreate import recreate
from .ruin import ruin
from .settings import Settings

EPSILON = 1e-9
"""A makespan is better only by more than this many mean legs: sums of lengths drift by rounding."""


@entry
def anneal(
    problem: Problem,
    routes: Routes,
    settings: Settings,
    desk: Desk,
    iterations: int,
    share: float,
    last_share: float,
    floor: float,
) -> int:
    """Run iterations while the temperature falls from `share` to `last_share` of the cooling.

    Returns how many were run: fewer when the best makespan has come down to `floor`.
    """
    ratio = log(settings.cold / settings.hot)
    step = (last_share - share) / iterations
    for iteration in range(iterations):
        temperature = settings.hot * exp(ratio * (share + step * iteration))
        for _ in range(settings.joins):
            limit = -temperature * log(1.0 - uniform(routes.rng))
            reconnect(problem, routes, settings, desk, limit)
        for _ in range(settings.swaps):
            limit = -temperature * log(1.0 - uniform(routes.rng))
            exchange(problem, routes, settings, desk, limit)
        _record(problem, routes, desk, iteration)
        _aim(routes, settings)
        limit = routes.length[routes.top[1]] - temperature * log(1.0 - uniform(routes.rng))
        if _ruin_and_recreate(problem, routes, settings, limit):
            _record(problem, routes, desk, iteration)
        if routes.value[BEST] <= floor:
            return iteration + 1
    return iterations


@kernel
def _ruin_and_recreate(problem: Problem, routes: Routes, settings: Settings, limit: float) -> bool:
    """One step; undone, and False, if the objective would rise above `limit`."""
    begin(routes)
    ruin(problem, routes, settings)
    complete = recreate(problem, routes, settings, limit)
    if complete:
        _rank_touched(routes)
        if objective(problem, routes, settings, routes.top[1]) <= limit:
            for k in range(routes.num[TOUCHED]):
                routes.fleet[DIRTY, routes.fleet[TOUCHED_LIST, k]] = 1
            return True
    undo(problem, routes)
    if complete:
        _rank_touched(routes)
    return False


@kernel
def _record(problem: Problem, routes: Routes, desk: Desk, iteration: int) -> None:
    """If the solution is the best so far: shorten its longest route by local search, and keep it."""
    if routes.length[routes.top[1]] < routes.value[BEST] - EPSILON:
        shorten_longest(problem, routes, desk)
        keep_best(problem, routes)
        routes.value[BEST] = routes.length[routes.top[1]]
        routes.num[IMPROVED] = iteration + 1


@kernel
def _aim(routes: Routes, settings: Settings) -> None:
    """How long routes may become at no extra price in this step: mostly as long as the best makespan.

    Now and then less, and then the length of the route counts above all. Otherwise a vehicle far away
    could stay unused for ever, because filling up the others adds less.
    """
    routes.value[THRESHOLD], routes.value[WEIGHT] = routes.value[BEST], settings.weight
    if uniform(routes.rng) < settings.aside:
        routes.value[THRESHOLD] *= 0.5 + 0.5 * uniform(routes.rng)
        routes.value[WEIGHT] = 1000.0


@kernel
def _rank_touched(routes: Routes) -> None:
    """Bring the tournament up to date."""
    for k in range(routes.num[TOUCHED]):
        rank(routes, routes.fleet[TOUCHED_LIST, k])
