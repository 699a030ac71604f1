"""Very large instances: groups of neighbouring routes, each searched as a small instance of its own.

`improve` calls `minimise_by_groups` instead of `minimise_makespan` where `is_large` says so. A start comes
first, then rounds: groups around the longest routes (`groups`), each cut out (`subproblem`), annealed
briefly and put back if its lengths, longest first, are better. The cost of an iteration then hardly depends
on the number of customers, and the groups of a round are disjoint, so that several workers search them side
by side.
"""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..interrupt import Interrupt, catch_signals
from ..problem.check import route_lengths
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from ..result import TracePoint
from ..stop import FirstOf, MaxIterations, Progress, Stop
from .arrays.distances import GEO, GREAT_CIRCLE, Problem
from .arrays.prepare import prepare
from .budget import is_timeless, left, target
from .construction.construct import construct
from .construction.tour_start import tour_starts
from .groups import LARGE, choose_groups, find_borders, most_customers, share_out
from .large_start import large_start
from .one_search import TOLERANCE, Goal, ProgressHook, Search, SearchOutcome, leg_unit
from .others import comes_before
from .phases import AROUND, FIRST_TEMPERATURE, SHARE, Phase, choose_phase
from .programs import ensure_compiled
from .settings import change_settings, has_long_routes, settings_for
from .subproblem import Part, Subproblem, part_of, restrict

LONGEST_ROUND = 0.12
"""Of a budget of time, at most, where all routes are shared out: slow machines get through few rounds."""
LAST, LAST_ROUND = 0.97, 1.6
"""Of the iterations that are left, what a last round has, and how many rounds they must be for another."""
NEIGHBOURS = 40
"""Length of the neighbour lists of a group: with the usual 100 they took twice the time."""
POLL_SECONDS = 0.1
"""Between two looks at the threads."""


def minimise_by_groups(
    instance: Instance,
    stop: Stop,
    seed: int = 0,
    start: Sequence[Solution] = (),
    workers: int = 1,
    lower_bound: float = 0.0,
    on_progress: ProgressHook | None = None,
    settings: Mapping[str, float] | None = None,
) -> SearchOutcome:
    """The best solution found before `stop`; never worse than the best of `start`.

    Arguments, ends and signals as in `minimise_makespan`, but `workers` share the work: the same seed,
    number of workers and criteria that do not look at the clock give the same answer.
    """
    if workers < 1:
        raise InputError(f"workers = {workers}, expected 1 or more")
    ensure_compiled()
    with catch_signals() as interrupt, ThreadPoolExecutor(workers) as pool:
        goal = Goal(stop, lower_bound, 1.0, time.perf_counter(), interrupt)
        search = GroupSearch(instance, goal, seed, workers, pool, on_progress, settings or {})
        try:
            search.begin(start)
            search.run()
            search.polish()
        finally:  # an error or a second Ctrl-C: let no thread go on
            search.cancelled = True
    return search.outcome()


@dataclass
class GroupTask:
    """One group on its way."""

    chosen: list[int]
    """Its routes in the plan."""
    part: Subproblem | Part
    iterations: int
    number: int
    """Of all groups of the search, which is that of its random numbers."""
    done: int = 0
    """Iterations so far; other threads may read it."""
    ended: bool = False
    """Whether its search is over, with or without all iterations."""
    routes: tuple[Route, ...] = ()
    """What was found, as routes of the whole."""


@dataclass(frozen=True)
class WithinSearch:
    """The criterion of the whole search, asked while a group is searched."""

    search: "GroupSearch"

    def __call__(self, progress: Progress) -> bool:
        """Whether the whole search is over."""
        return self.search.cancelled or self.search.goal.stop(self.search.progress())

    def fraction(self, progress: Progress) -> float:
        """Always 0: the number of iterations is the budget of a group."""
        return 0.0


@dataclass(frozen=True)
class WholeRound(WithinSearch):
    """A round whose groups hold all routes, one for each worker: who is done goes on, cold, until all are."""

    iterations: int
    """Of each group, by which it cools."""

    def __call__(self, progress: Progress) -> bool:
        """Whether all groups of the round are done, or the whole search is over."""
        done = all(task.ended or task.done >= task.iterations for task in self.search.tasks)
        return done or WithinSearch.__call__(self, progress)

    def fraction(self, progress: Progress) -> float:
        """Share of the group's iterations done."""
        return min(1.0, progress.iterations / self.iterations)


class GroupSearch:
    """The plan of a very large instance and how far its search has come."""

    def __init__(
        self,
        instance: Instance,
        goal: Goal,
        seed: int,
        workers: int,
        pool: ThreadPoolExecutor,
        on_progress: ProgressHook | None,
        settings: Mapping[str, float],
    ) -> None:
        self.instance, self.goal, self.seed, self.workers, self.pool = instance, goal, seed, workers, pool
        self.on_progress, self.settings = on_progress, settings
        self.timeless, self.rng = is_timeless(goal.stop), np.random.default_rng(seed)
        self.goal_makespan = max(goal.lower_bound * (1.0 + TOLERANCE), target(goal.stop))
        self.plan, self.lengths = Solution(()), np.full(1, np.inf)
        self.iterations = self.last_improvement = self.num_groups = 0
        self.tasks: list[GroupTask] = []
        self.phase, self.first_temperature = AROUND, FIRST_TEMPERATURE
        self.searched: Counter[Phase] = Counter()
        """Customers of all groups so far."""
        self.covered = False
        """Whether the groups of the round hold all routes and end by the clock."""
        self.pace = math.inf
        """Iterations that the whole budget would be, by the last round."""
        self.trace: list[TracePoint] = []
        self.cancelled = False

    @property
    def interrupt(self) -> Interrupt:
        """Whether a signal has asked to end."""
        return self.goal.interrupt

    def progress(self) -> Progress:
        """How far the whole search has come, groups on their way included."""
        plan, seconds = self.plan, time.perf_counter() - self.goal.began
        iterations = self.iterations + sum(task.done for task in self.tasks)
        longest = float(self.lengths.max())
        return Progress(
            seconds, iterations, longest, self.last_improvement, self.goal.lower_bound, lambda: plan
        )

    def is_over(self) -> bool:
        """Whether the bound is met, or a criterion or a signal ends the search."""
        reached = bool(self.lengths.max() <= self.goal_makespan)
        return reached or self.interrupt.raised or self.goal.stop(self.progress())

    def begin(self, start: Sequence[Solution]) -> None:
        """Find a start; the best of those given is one."""
        for plan in start:
            self.offer(plan.without_empty())
        if self.instance.num_customers < LARGE and not self.is_over():
            self._offer_tours()  # clustered customers need them
        run = map if self.workers == 1 else self.pool.map
        for plan, problem in large_start(self.instance, self.plan, self.goal.stop, self.seed, run):
            self.problem, self.unit = problem, 1.0 / problem.scale
            self.offer(plan)
            if self.is_over():
                return

    def _offer_tours(self) -> None:
        """The start of long routes that the search of a whole plan has."""
        plan = self.plan if self.plan.routes else construct(self.instance, self.seed)
        problem = prepare(self.instance, leg_unit(self.instance, plan))
        if has_long_routes(problem):
            for found in tour_starts(
                self.instance, problem, self.goal.stop, self.seed, self.interrupt, self.workers
            ):
                self.offer(found)

    def offer(self, plan: Solution) -> None:
        """Keep a plan if its lengths, longest first, are better than those of the present one."""
        lengths = route_lengths(self.instance, plan)
        if not self.plan.routes or comes_before(_ranked(lengths), _ranked(self.lengths)):
            if lengths.max() < self.lengths.max():
                self.last_improvement = self.iterations
            self.plan, self.lengths = plan, lengths
            self._tell()

    def _tell(self) -> None:
        """Add to the trace and report."""
        now = self.progress()
        if not self.trace or now.makespan < self.trace[-1].makespan:
            self.trace.append(TracePoint(now.seconds, now.iterations, now.makespan))
        if self.on_progress is not None:
            self.on_progress(now)

    def run(self) -> None:
        """Rounds of groups until it is over."""
        while not self.is_over():
            began, before = self._spent(), self.iterations
            self._choose()
            if self.workers == 1:
                for task in self.tasks:
                    self._search(task)
            else:
                pending = {self.pool.submit(self._search_one, task) for task in self.tasks}
                while pending:
                    done, pending = wait(pending, timeout=POLL_SECONDS)
                    for future in done:
                        future.result()
                    self._tell()
            self._merge()
            passed = self._spent() - began
            self.pace = (self.iterations - before) / passed if passed > 0.0 else math.inf

    def polish(self) -> None:
        """Bring each route to a local optimum; groups of the first way are brought there one by one."""
        if self.phase is not AROUND:
            goal = replace(self.goal, unit=self.unit)
            search = Search(self.problem, goal, settings_for(self.problem), self.plan, self.seed, 0)
            self.offer(search.polished())

    def _spent(self) -> float:
        """Share of the budget used."""
        return self.goal.stop.fraction(self.progress())

    def _choose(self) -> None:
        """The groups of the next round, with their share of what is left."""
        plan = self.plan
        sizes = np.array([len(route) for route in plan.routes])
        self.phase, self.first_temperature = choose_phase(sizes, self.lengths, self.workers, self._spent())
        groups = self._groups(sizes)
        rounds = self.searched[self.phase] // self.instance.num_customers
        effort = self.phase.effort << int(math.log2(1 + rounds))
        share = left(self.goal.stop, self.progress()) // len(groups)
        spare, self.tasks = self.instance.num_vehicles - len(plan.routes), []
        covered = sum(len(chosen) for chosen in groups) == len(sizes)
        self.covered = covered and self.phase is SHARE and not self.timeless
        for chosen in groups:
            part = self._cut_out(chosen, spare, chosen is groups[0])
            spare = 0
            customers = int(sizes[chosen].sum())
            # where each worker has one group, all end at a time
            mean = len(self.instance.customers) // len(groups) if covered else customers
            iterations = max(1, min(effort * mean, share))
            if self.covered:
                iterations = self._fitted(iterations, len(groups))
            self.tasks.append(GroupTask(chosen, part, iterations, self.num_groups))
            self.num_groups += 1
            self.searched[self.phase] += customers

    def _fitted(self, iterations: int, count: int) -> int:
        """Iterations of a group in a round of so many that ends by the clock: a small share of the budget,
        and all that is left where that is not enough for two rounds, so that the last one cools down."""
        if self.pace < math.inf:
            iterations = min(iterations, int(LONGEST_ROUND * self.pace / count))
        rest = (1.0 - self._spent()) * self.pace / count
        return max(1, int(LAST * rest) if rest < LAST_ROUND * iterations else iterations)

    def _cut_out(self, chosen: list[int], spare: int, first: bool) -> Subproblem | Part:
        """A group as an instance, with `spare` vehicles more than routes; the first of a round has all unused
        vehicles of depots.

        For several workers it is cut out of the kernels' view: to prepare it anew takes a tenth of their
        time. Distances with trigonometry are worth a table for each group.
        """
        plan, count = self.plan, len(chosen) + spare
        if self.phase is AROUND or self.problem.formula in (GEO, GREAT_CIRCLE):
            return restrict(self.instance, plan, chosen, count, first)
        routes, limit = [plan.routes[k] for k in chosen], self.problem.depot_limit
        if self.instance.vehicles_per_depot is not None:
            used, own = (
                np.bincount([route.start for route in some], minlength=len(limit))
                for some in (plan.routes, routes)
            )
            limit = own + (limit - used if first else 0)
            count = min(count, int(limit.sum()))
        return part_of(self.problem, routes, count, limit)

    def _groups(self, sizes: "np.typing.NDArray[np.int64]") -> list[list[int]]:
        """Disjoint groups of routes: all routes if there are few, else some around the longest."""
        borders = find_borders(self.problem.neighbours, self.plan)
        most = left(self.goal.stop, self.progress())
        if self.phase is SHARE and self.workers <= most:
            return share_out(borders, sizes, self.workers, self.rng, self.lengths)
        count = min(self.phase.groups * self.workers, most)
        customers = most_customers(self.instance.num_customers, self.workers)
        return choose_groups(borders, self.lengths, sizes, customers, count, self.rng)

    def _search_one(self, task: GroupTask) -> None:
        """Anneal one group in a thread of its own."""
        try:
            self._search(task)
        finally:
            task.ended = True

    def _search(self, task: GroupTask) -> None:
        """Anneal one group."""
        if self.interrupt.raised or (not self.timeless and self.goal.stop(self.progress())):
            return
        began = time.perf_counter()
        problem, unit = self._view(task.part)
        defaults = settings_for(problem)._replace(
            first_temperature=self.first_temperature, shorten_incumbents=0
        )
        settings = change_settings(defaults, self.settings)
        budget = MaxIterations(task.iterations)
        stop: Stop = FirstOf(budget, WithinSearch(self))
        if self.timeless:
            stop = budget
        elif self.covered:
            stop = WholeRound(self, task.iterations)
        goal = Goal(stop, self.goal.lower_bound, unit, began, self.interrupt)
        search = Search(problem, goal, settings, task.part.start, self.seed, task.number)

        def note(progress: Progress) -> None:
            task.done = progress.iterations
            if self.workers == 1 and self.on_progress is not None:
                self.on_progress(self.progress())

        search.run(note)
        found = search.polished() if self.phase is AROUND else search.solution()
        task.routes = task.part.lift(found)

    def _view(self, part: Subproblem | Part) -> tuple[Problem, float]:
        """The kernels' view of a group, and its unit of length."""
        if isinstance(part, Part):
            return part.problem, self.unit
        unit = leg_unit(part.instance, part.start)
        return prepare(part.instance, unit, NEIGHBOURS), unit

    def _merge(self) -> None:
        """Put the groups back, in their order; those that are no better stay as they were."""
        slots = list(self.plan.routes)
        more: list[Route] = []
        for task in self.tasks:
            self.iterations += task.done
            new = route_lengths(self.instance, Solution(task.routes))
            if not task.routes or not comes_before(_ranked(new), _ranked(self.lengths[task.chosen])):
                continue
            for slot in task.chosen:
                slots[slot] = Route(0, (), 0)
            for slot, route in zip(task.chosen, task.routes, strict=False):
                slots[slot] = route
            more += task.routes[len(task.chosen) :]
        self.tasks = []
        self.offer(Solution((*slots, *more)).without_empty())

    def outcome(self) -> SearchOutcome:
        """What was found and how the search went."""
        return SearchOutcome(
            self.plan,
            float(self.lengths.max()),
            self.iterations,
            time.perf_counter() - self.goal.began,
            tuple(self.trace),
            self.interrupt.raised,
        )


def _ranked(lengths: "np.typing.NDArray[np.float64]") -> tuple[float, ...]:
    """Lengths, longest first: what plans are compared by."""
    return tuple(np.sort(lengths)[::-1].tolist())
