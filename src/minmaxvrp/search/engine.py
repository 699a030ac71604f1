"""The loop: ruin, recreate, accept by annealing, keep the best."""

from math import exp, log

from .compiled import entry, kernel
from .draw import uniform
from .intensify import Desk, shorten_longest
from .layout import BEST, DIRTY, IMPROVED, THRESHOLD, TOUCHED, TOUCHED_LIST, Routes
from .links import begin, keep_best, rank, undo
from .metric import Problem
from .recreate import recreate
from .ruin import ruin
from .settings import Settings


@kernel
def f_cost(problem: Problem, settings: Settings, T: float, L: float) -> float:
    """Cost of one route."""
    lam = settings.total / problem.num_vehicles
    if settings.mode == 1:  # excess
        c = lam * L
        if L > T:
            c += L - T
        return c
    # power
    return lam * L + T * (L / T) ** settings.power


@entry
def anneal(
    problem: Problem,
    routes: Routes,
    settings: Settings,
    desk: Desk,
    iterations: int,
    begin_frac: float,
    end_frac: float,
    floor: float,
) -> int:
    """Run iterations while the temperature falls; returns how many, fewer when `floor` is reached."""
    step = (end_frac - begin_frac) / iterations
    ratio = log(settings.cold / settings.hot)
    lam = settings.total / problem.num_vehicles
    v = routes.value
    length = routes.length
    T = v[BEST] * (1.0 - settings.margin)
    for it in range(iterations):
        temperature = settings.hot * exp(ratio * (begin_frac + step * it))
        old_max = length[routes.top[1]]
        v[THRESHOLD] = v[BEST] if settings.ins == 0 else old_max
        begin(routes)
        ruin(problem, routes, settings)
        recreate(problem, routes, settings)
        delta = 0.0
        if settings.mode == 0:
            tot = 0.0
            for k in range(routes.num[TOUCHED]):
                r = routes.fleet[TOUCHED_LIST, k]
                tot += length[r] - routes.was[r]
                rank(routes, r)
            delta = length[routes.top[1]] - old_max + lam * tot
        else:
            for k in range(routes.num[TOUCHED]):
                r = routes.fleet[TOUCHED_LIST, k]
                delta += f_cost(problem, settings, T, length[r]) - f_cost(problem, settings, T, routes.was[r])
        if delta <= 0.0 or uniform(routes.rng) < exp(-delta / temperature):
            for k in range(routes.num[TOUCHED]):
                r = routes.fleet[TOUCHED_LIST, k]
                routes.fleet[DIRTY, r] = 1
                if settings.mode != 0:
                    rank(routes, r)
            new = length[routes.top[1]]
            if new < v[BEST] - 1e-9:
                if settings.polish > 0 and shorten_longest(problem, routes, desk):
                    new = length[routes.top[1]]
                keep_best(problem, routes)
                v[BEST] = new
                routes.num[IMPROVED] = it + 1
                T = v[BEST] * (1.0 - settings.margin)
                if new <= floor:
                    return it + 1
        else:
            undo(problem, routes)
            if settings.mode == 0:
                for k in range(routes.num[TOUCHED]):
                    rank(routes, routes.fleet[TOUCHED_LIST, k])
    return iterations
