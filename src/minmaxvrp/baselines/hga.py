"""The hybrid genetic algorithm of Mahmoudinazlou and Kwon (2024) for the min-max mTSP, from its description.

A baseline for `bench`, compiled. An individual is one sequence of all customers; dynamic programming cuts
it into the routes whose longest is shortest. Offspring come from the similar-tour crossover (a route of one
parent is combined with the route of the other that shares most customers) or order crossover; some have
crossings between routes removed; all go through a random local search whose moves are drawn by their
success so far, then through all relocations and swaps; a new best individual is searched with longer
stretches. With several depots each route takes its best ones, which the authors did not have.
"""

import time
from collections.abc import Callable

import numpy as np

from ..problem.instance import Instance
from ..problem.solution import Solution
from .compiled_moves import Integers, Plan, copied, descend, empty_plan, orders, scaled_legs
from .hga_kernels import NUM_MOVES, cut, flatten, intersections, offspring, random_search
from .legs import Floats, require_plain, routes_of

KEPT = 10
"""Individuals that survive a selection."""
BORN = 20
"""Offspring between two selections."""
PATIENCE = 500
"""Offspring without a new best before all but the best individual are drawn anew."""
TRIES_PER_CUSTOMER = 3
"""Moves that the random local search tries, per customer."""
NEAR = 10
"""Neighbours beside which the random local search puts a customer."""
INTERSECTIONS = 0.3
"""Share of the offspring whose routes are freed of crossings."""
THOROUGH_STRETCH = 3
"""Customers that change places at a time when a new best individual is searched."""


def solve(
    instance: Instance, seconds: float, seed: int = 0, clock: Callable[[], float] = time.perf_counter
) -> Solution:
    """The best individual after `seconds` of `clock`.

    Raises `InputError` for pairs, limits of vehicles per depot and distances that are not symmetric.
    """
    require_plain(instance, "HGA")
    ends = clock() + seconds
    population = _Population(instance, np.random.default_rng(seed))
    population.fill(lambda: clock() >= ends)
    population.breed()  # once at least, so that a first short call compiles everything
    while clock() < ends:
        population.breed()
    return routes_of(instance, orders(population.best))


class _Population:
    """Individuals as plans, in order of their makespan after each selection."""

    def __init__(self, instance: Instance, rng: np.random.Generator) -> None:
        self.rng = rng
        self.vehicles, self.customers = instance.num_vehicles, instance.num_customers
        self.leg, self.close = scaled_legs(instance)
        self.near: Integers = np.argsort(self.leg + np.diag(np.full(self.customers, np.inf)), axis=1)[
            :, :NEAR
        ]
        if self.customers == 1:
            self.near = self.near[:, :0]
        self.scores: Floats = np.ones(NUM_MOVES)
        self.plans: list[Plan] = []
        self.best = empty_plan(self.vehicles, self.customers)
        self.best.length[:] = np.inf
        self.unimproved = 0

    def fill(self, late: Callable[[], bool]) -> None:
        """Draw individuals until there are enough (or it is late), by nearest neighbour and at random."""
        while len(self.plans) < KEPT + BORN and not (self.plans and late()):
            sequence = self.rng.permutation(self.customers)
            if len(self.plans) % 2 == 0:
                sequence = _nearest_tour(self.leg, int(sequence[0]))
            self._add(sequence)
        self._select()

    def breed(self) -> None:
        """One offspring of two parents; a selection or a new population where it is time."""
        first, second = self._parent(), self._parent()
        seed = int(self.rng.integers(1 << 31))
        self._add(offspring(first, second, self.rng.random() < 0.5, self.leg, seed))
        if len(self.plans) >= KEPT + BORN:
            self._select()
        if self.unimproved >= PATIENCE:
            self.plans, self.unimproved = [copied(self.best)], 0
            self.fill(lambda: False)

    def _add(self, sequence: Integers) -> None:
        plan = empty_plan(self.vehicles, self.customers)
        cut(sequence, plan, self.leg, self.close)
        if self.rng.random() < INTERSECTIONS:
            intersections(plan, self.leg, self.close)
        tries = TRIES_PER_CUSTOMER * self.customers
        seed = int(self.rng.integers(1 << 31))
        random_search(plan, self.scores, tries, self.near, self.leg, self.close, seed)
        self._descend(plan, 1)
        recut = empty_plan(self.vehicles, self.customers)
        cut(flatten(plan), recut, self.leg, self.close)
        if recut.length.max() < plan.length.max():
            plan = recut
        self.unimproved += 1
        if plan.length.max() < self.best.length.max():
            self._descend(plan, THOROUGH_STRETCH)
            self.best, self.unimproved = copied(plan), 0
        self.plans.append(plan)

    def _descend(self, plan: Plan, stretch: int) -> None:
        """Every exchange of up to so many customers that helps, all pairs of routes: the thorough search."""
        clean = np.zeros((self.vehicles, self.vehicles), dtype=np.bool_)
        descend(plan, clean, stretch, self.customers, self.leg, self.close)

    def _parent(self) -> Plan:
        """The better of two individuals drawn at random."""
        one, other = (self.plans[int(k)] for k in self.rng.integers(len(self.plans), size=2))
        return one if one.length.max() <= other.length.max() else other

    def _select(self) -> None:
        """Keep the best individuals, of those with the same longest route one only, or soon all have it."""
        kept: dict[float, Plan] = {}
        for plan in sorted(self.plans, key=lambda p: float(p.length.sum())):
            kept.setdefault(round(float(plan.length.max()), 9), plan)
        self.plans = [kept[makespan] for makespan in sorted(kept)[:KEPT]]


def _nearest_tour(leg: Floats, first: int) -> Integers:
    """All customers, each the nearest to the one before."""
    left = np.ones(len(leg), dtype=bool)
    tour = np.empty(len(leg), dtype=np.int64)
    at = first
    for k in range(len(leg)):
        tour[k], left[at] = at, False
        if k + 1 < len(leg):
            at = int(np.argmin(np.where(left, leg[at], np.inf)))
    return tour
