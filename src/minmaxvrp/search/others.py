"""After the longest route, the others: what `improve` does once the makespan is settled.

`balance` makes the second longest route as short as possible, then the third, and so on (lexicographic
min-max). `total` looks for the least total length among plans with that makespan. Both begin with `refine`
on the whole plan. Balance then takes the longest route out, solves the rest as an instance of its own with
one vehicle less, and so on. A plan is kept only if it is better in the order of `rank_of`.
"""

import time
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from ..interrupt import Interrupt
from ..problem.bounds import lower_bound
from ..problem.check import makespan, route_lengths
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import Then
from ..stop import Progress, Stop, time_limit
from .arrays.distances import Problem
from .arrays.prepare import prepare
from .budget import Cooling, expected_iterations, portion, rest
from .elimination.fewer_routes import Elimination
from .makespan import minimise_makespan
from .one_search import Goal, ProgressHook, Search, SearchOutcome, leg_unit
from .route_cost import RouteCost
from .settings import SearchSettings, change_settings, settings_for
from .subproblem import restrict

REFINE_SHARE = 0.4
"""Of the budget for balance: the whole plan at once. The rest goes to the routes one after another."""
TEMPERATURES = (0.3, 0.01)
"""First and last, in mean legs of the plan that the makespan left."""
PACKING = 1.0
"""First `RouteCost.packing` of the total length: the last unit of a full route costs nothing then. It falls
to 0. Without it plans end with slack on many routes, and a route more than needed."""
PACKING_SHARE = 0.8
"""Of the cooling, until it is 0."""
MOST_SAVED, SAVE_COOLING, SAVE_SHARE = 5, 0.06, 0.15
"""Most routes that are saved at first, and the shares of what is left of the budget: the cooling before each,
and the search for room."""
SAVE_TEMPERATURE, FEWER_TEMPERATURE = 0.5, 1.0
"""Of that search, and where a cooling with no more routes begins."""
HOPELESS = 1.03
"""No route is taken out while the total length is this many times what the others may have at most: a route
less makes it one to three percent shorter."""
TRIALS, TRIAL_SHARE, CHANGE_SHARE = 6, 0.1, 0.04
"""Coolings with as many routes as are left then, each with this share of what is left, and what it takes to
change the routes between two of them. The rest of the budget goes to the best of them."""
TRIALS_EFFORT = 600.0
"""Iterations for each customer that the budget must have for all this; with less there is one cooling."""
LATER_TEMPERATURE, LATER_PACKING = 0.1, 0.3
"""Where the last cooling begins: the best plan changes, but is not lost."""
TOTAL_NEIGHBOURS = 25
"""Beside how many neighbours insertion looks: with few, long routes slack is near."""
TWO_OPT_PROPOSALS = 4
"""2-opt and 2-opt* moves proposed in each iteration of `refine`."""
NEXT_SHARE = 0.5
"""Of what is left then: the plan without its longest route, and so on."""
POWER = 8.0
"""Of the lengths whose sum steers balance; the largest length would be an infinite power."""
LINEAR = 0.1
"""Weight of the length itself beside its power, so that short routes become shorter as well."""
TOLERANCE = 1e-9
"""Lengths that differ by less than this share are equal: sums of lengths drift by rounding."""
BOUND_EFFORT = 0.2
"""The `effort` of `lower_bound` for a part of the plan: there are many, and it only ends a search early."""
BOUND_SHARE = 0.1
"""Share of the time that is left which the bound of one part may take."""


def rank_of(instance: Instance, solution: Solution, then: Then) -> tuple[float, ...]:
    """What plans are compared by, number by number: the makespan, then the other lengths, or the total."""
    lengths = np.sort(route_lengths(instance, solution))[::-1]
    if then == "balance":
        return tuple(lengths.tolist())
    return (float(lengths.max(initial=0.0)), *([float(lengths.sum())] if then == "total" else []))


def comes_before(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    """Whether the first plan is the better one, by more than rounding."""
    margin = TOLERANCE * max((*one[:1], *two[:1]), default=0.0)
    for a, b in zip(one, two, strict=False):
        if abs(a - b) > margin:
            return a < b
    return len(one) < len(two)


class Others:
    """The second part of one search: the plan so far and what it has cost."""

    def __init__(
        self,
        instance: Instance,
        outcome: SearchOutcome,
        then: Then,
        stop: Stop,
        seed: int,
        began: float,
        bound: float,
        interrupt: Interrupt,
        on_progress: ProgressHook | None,
        settings: Mapping[str, float],
    ) -> None:
        self.instance, self.solution, self.then = instance, outcome.solution.without_empty(), then
        self.settings = settings
        self.longest, self.interrupted = makespan(instance, outcome.solution), False
        self.iterations, self.seed, self.began = outcome.iterations, seed, began
        self.bound, self.stop, self.interrupt, self.on_progress = bound, stop, interrupt, on_progress
        self.unit = leg_unit(instance, self.solution)

    def progress(self, more: int = 0) -> Progress:
        """How far the whole search has come, `more` iterations of the present part included.

        Patience is for each part, so the last improvement counts as just found.
        """
        iterations = self.iterations + more
        seconds, solution = time.perf_counter() - self.began, self.solution
        return Progress(seconds, iterations, self.longest, iterations, self.bound, lambda: solution)

    def run(self) -> Solution:
        """The plan, improved in its order until the criterion or an interrupt ends it."""
        if self.longest == 0.0 or self._is_over():
            return self.solution
        if self.then == "total":
            self._shorten_total()
        else:
            self._refine(REFINE_SHARE)
            self._one_after_another()
        return self.solution

    def _offer(self, candidate: Solution) -> bool:
        """Keep a plan if it comes before the present one."""
        ranks = (rank_of(self.instance, plan, self.then) for plan in (candidate, self.solution))
        better = comes_before(*ranks)
        if better:
            self.solution, self.longest = candidate, makespan(self.instance, candidate)
        return better

    def _left(self, share: float) -> Stop:
        """A share of what is left of the budget."""
        return portion(rest(self.stop, self.progress()), share)

    def _bound_seconds(self) -> float:
        """How long a lower bound may take."""
        return BOUND_SHARE * time_limit(self._left(1.0))

    def _is_over(self) -> bool:
        nothing = Progress(0.0, 0, self.longest, 0)
        return self.interrupt.raised or self.stop(self.progress()) or self._left(1.0)(nothing)

    def _report(self, part: Progress) -> None:
        """Say how far the whole search is; `part` is the progress of its present part."""
        if self.on_progress is not None:
            self.on_progress(self.progress(part.iterations))

    def _shorten_total(self) -> None:
        """Save routes, then some coolings with as many as are left, then one from the best plan found."""
        if expected_iterations(self._left(1.0)) < TRIALS_EFFORT * self.instance.num_customers:
            self._refine(1.0, PACKING)
            return
        start, fewer = self.solution, self._save_routes()
        for number in range(TRIALS):
            if self._is_over():
                return
            cooled = self._refine_within(fewer, start, TRIAL_SHARE, number)
            if number < TRIALS - 1 and not self._is_over() and (fewer or self._has_room(cooled)):
                fewer = self._with_other_routes(cooled, number)
        if not self._is_over():
            self._refine(1.0, LATER_PACKING, LATER_TEMPERATURE, number=TRIALS)

    def _refine_within(self, fewer: Solution | None, start: Solution, share: float, number: int) -> Solution:
        """Cool down from a plan with fewer routes, with no more than it has, or else from the start."""
        if fewer is None:
            return self._refine(share, PACKING, start=start, number=number)
        most_routes = len(fewer.routes)
        return self._refine(share, PACKING, FEWER_TEMPERATURE, fewer, number, most_routes)

    def _has_room(self, plan: Solution) -> bool:
        """Whether the customers of one route may find room on the others."""
        total = float(route_lengths(self.instance, plan).sum())
        return total <= HOPELESS * self.longest * (len(plan.routes) - 1)

    def _save_routes(self) -> Solution | None:
        """A plan with as few routes as room for all is found on; None where not one is saved.

        In turn a short cooling and a route taken out.
        """
        fewer = None
        for number in range(100, 100 + MOST_SAVED):
            cooled = self._refine_within(fewer, self.solution, SAVE_COOLING, number)
            if self._is_over() or not self._has_room(cooled):
                break
            kept = self._without_shortest(cooled)
            search = self._eliminate(kept, len(kept.routes), SAVE_SHARE, number)
            if not search.reached:
                break
            fewer = search.solution()
        return fewer

    def _with_other_routes(self, plan: Solution, number: int) -> Solution:
        """A plan with one route less, or, what is likelier, as many, but other ones: from where an attempt to
        save one ends, with a route for those who have no room."""
        if len(plan.routes) == 1:
            return plan
        kept, share = self._without_shortest(plan), SAVE_SHARE if self._has_room(plan) else CHANGE_SHARE
        for num_routes in (len(plan.routes) - 1, len(plan.routes)):
            search = self._eliminate(kept, num_routes, share, 200 + number)
            kept = search.solution()
            if search.reached:
                return kept
        return plan

    def _without_shortest(self, plan: Solution) -> Solution:
        """The plan without its shortest route."""
        shortest = int(np.argmin(route_lengths(self.instance, plan)))
        return Solution(plan.routes[:shortest] + plan.routes[shortest + 1 :])

    def _eliminate(self, plan: Solution, num_routes: int, share: float, number: int) -> Elimination:
        """An attempt to serve all with so many routes, from a plan that lacks some."""
        problem, settings = self._prepared(SAVE_TEMPERATURE)
        settings = settings._replace(last_temperature=SAVE_TEMPERATURE)
        goal = Goal(self._left(share), 0.0, self.unit, time.perf_counter(), self.interrupt)
        rule = self._rule()._replace(packing=PACKING)
        search = Elimination(problem, goal, settings, plan, num_routes, self.seed, number, rule)
        search.run(self._report)
        self.iterations += search.iterations
        self.interrupted = self.interrupt.raised
        return search

    def _refine(
        self,
        share: float,
        packing: float = 0.0,
        temperature: float = TEMPERATURES[0],
        start: Solution | None = None,
        number: int = 0,
        most_routes: int | None = None,
    ) -> Solution:
        """Anneal the whole plan, or `start`, with the makespan as limit, and with at most so many routes.

        It begins at a temperature, and with `packing`, which falls to 0; `number` is of the random numbers.
        Returns what it ends with, which is kept if it comes before the present plan.
        """
        problem, settings = self._prepared(temperature)
        if most_routes is not None:
            problem = problem._replace(num_vehicles=min(problem.num_vehicles, most_routes))
        rule = self._rule()
        goal = Goal(self._left(share), 0.0, self.unit, time.perf_counter(), self.interrupt)
        search = Search(problem, goal, settings, start or self.solution, self.seed, number, rule)
        search.routes.state.best = np.inf
        cooling, packed = Cooling(goal.stop), packing > 0.0

        def on_progress(part: Progress) -> None:
            nonlocal packed
            now = packing * max(0.0, 1.0 - cooling.fraction(part) / PACKING_SHARE)
            search.rule = rule._replace(packing=now)
            if packed and now == 0.0:  # until now plans were compared by another cost
                packed, search.routes.state.best = False, np.inf
            self._report(part)

        search.run(on_progress)
        self.iterations += search.iterations
        self.interrupted = self.interrupt.raised
        found = search.polished()
        self._offer(found)
        return found

    @cached_property
    def _problem(self) -> Problem:
        """The instance for the kernels."""
        return prepare(self.instance, self.unit)

    def _rule(self) -> RouteCost:
        """The makespan as limit, and what is minimised."""
        limit = self.longest / self.unit * (1.0 + TOLERANCE)
        return RouteCost(limit, 1.0, 0.0) if self.then == "total" else RouteCost(limit, POWER, LINEAR)

    def _prepared(self, temperature: float) -> tuple[Problem, SearchSettings]:
        """The instance, and settings that begin at a temperature."""
        problem = self._problem
        settings = change_settings(settings_for(problem), self.settings)
        joins = TWO_OPT_PROPOSALS if problem.symmetric and not problem.has_pairs else 0
        near = TOTAL_NEIGHBOURS if self.then == "total" else settings.num_neighbours
        settings = refine_settings(settings, joins)
        return problem, settings._replace(num_neighbours=near, first_temperature=temperature)

    def _one_after_another(self) -> None:
        """Take the longest route out and shorten the longest of the others; then two, and so on."""
        for settled in range(1, self.instance.num_vehicles):
            lengths = route_lengths(self.instance, self.solution)
            longest_first = np.argsort(-lengths, kind="stable").tolist()
            others = longest_first[settled:]
            if not others or self._is_over():
                return
            part = restrict(self.instance, self.solution, others, self.instance.num_vehicles - settled)
            bound = lower_bound(part.instance, BOUND_EFFORT, self._bound_seconds())
            outcome = minimise_makespan(
                part.instance,
                self._left(NEXT_SHARE if len(others) > 1 else 1.0),
                seed=self.seed + settled,
                start=[part.start],
                lower_bound=bound,
                on_progress=self._report,
                settings=self.settings,
                own_start=False,
            )
            self.iterations += outcome.iterations
            kept = tuple(self.solution.routes[k] for k in longest_first[:settled])
            self._offer(Solution(kept + part.lift(outcome.solution)))
            if outcome.interrupted:
                self.interrupted = True
                return


def refine_settings(settings: SearchSettings, two_opt_proposals: int = 0) -> SearchSettings:
    """The settings for `refine`: no focus on the longest route, larger ruins, one cooling."""
    return settings._replace(
        first_temperature=TEMPERATURES[0],
        last_temperature=TEMPERATURES[1],
        reheat=1.0,
        longest_route_share=0.0,
        mean_length_weight=0.0,
        mean_removed=10.0,
        two_opt_proposals=two_opt_proposals,
    )
