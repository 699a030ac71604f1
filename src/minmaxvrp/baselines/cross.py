"""CROSS exchange (Taillard et al. 1997) to a local optimum from a greedy start, again and again: the CE of
the tables.

A baseline for `bench`, compiled. Customers are inserted one by one in random order where the route then is
shortest; pairs of routes exchange stretches as long as the longer of the two becomes shorter, each route is
kept two-optimal and Or-optimal; with time left it begins anew with another order.
"""

import time
from collections.abc import Callable

import numpy as np

from ..jit import njit
from ..problem.instance import Instance
from ..problem.solution import Solution
from .compiled_moves import (
    Floats,
    Integers,
    Plan,
    copied,
    descend,
    empty_plan,
    improve_route,
    orders,
    scaled_legs,
)
from .legs import require_plain, routes_of

LONGEST_STRETCH = 10
"""Customers that may change places at a time; all of a route would cost the fourth power of its number."""
BETWEEN_LOOKS = 8
"""Exchanges between two looks at the clock."""


def solve(
    instance: Instance, seconds: float, seed: int = 0, clock: Callable[[], float] = time.perf_counter
) -> Solution:
    """The best local optimum found in `seconds` of `clock`.

    Raises `InputError` for pairs, limits of vehicles per depot and distances that are not symmetric.
    """
    require_plain(instance, "CROSS exchange")
    ends = clock() + seconds
    leg, close = scaled_legs(instance)
    rng = np.random.default_rng(seed)
    best: Plan | None = None
    while best is None or clock() < ends:
        plan = empty_plan(instance.num_vehicles, instance.num_customers)
        insert_greedily(plan, rng.permutation(instance.num_customers), leg, close)
        clean = np.zeros((instance.num_vehicles, instance.num_vehicles), dtype=np.bool_)
        while not descend(plan, clean, LONGEST_STRETCH, BETWEEN_LOOKS, leg, close) and clock() < ends:
            pass
        if best is None or plan.length.max() < best.length.max():
            best = copied(plan)
    return routes_of(instance, orders(best))


@njit
def insert_greedily(plan: Plan, sequence: Integers, leg: Floats, close: Floats) -> None:
    """Insert the customers one by one at the position after which the route is shortest."""
    for customer in sequence:
        least, to, gap = np.inf, 0, 0
        for r in range(len(plan.size)):
            row, count = plan.order[r], plan.size[r]
            for g in range(count + 1):
                length = _with(row, count, plan.length[r], g, customer, leg, close)
                if length < least:
                    least, to, gap = length, r, g
        count = plan.size[to]
        for k in range(count, gap, -1):
            plan.order[to, k] = plan.order[to, k - 1]
        plan.order[to, gap] = customer
        plan.size[to] = count + 1
        plan.length[to] = least
    for r in range(len(plan.size)):
        plan.length[r] = improve_route(plan.order[r], plan.size[r], leg, close)


@njit
def _with(
    row: Integers, count: int, length: float, gap: int, customer: int, leg: Floats, close: Floats
) -> float:
    """Length of a route with one customer more, before position `gap`."""
    if count == 0:
        return float(close[customer, customer])
    if 0 < gap < count:
        before, after = row[gap - 1], row[gap]
        return float(length + leg[before, customer] + leg[customer, after] - leg[before, after])
    first, last = row[0], row[count - 1]
    if gap == 0:
        return float(length + leg[customer, first] + close[customer, last] - close[first, last])
    return float(length + leg[last, customer] + close[first, customer] - close[first, last])
