"""What a stop criterion means for the annealing: how much is left, and whether the clock matters."""

import math
from dataclasses import dataclass, replace

from ..stop import (
    FirstOf,
    MaxCpuTime,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    Progress,
    Stop,
    TargetReached,
)

RATE = 100_000
"""Iterations of a second, roughly, where a budget of time says how hot to begin."""
MAKESPAN_SHARE = 0.8
"""Of a budget that is for the other routes as well; what the makespan leaves of it goes to them, too."""
FIRST_CYCLE = 100_000
"""Iterations of the first annealing cycle where a criterion has no budget; each next one doubles."""


def parts(stop: Stop) -> list[Stop]:
    """The single criteria that a criterion consists of."""
    if isinstance(stop, FirstOf):
        return [part for criterion in stop.criteria for part in parts(criterion)]
    return [stop]


def is_timeless(stop: Stop) -> bool:
    """Whether the clock plays no part, so that a seed must give the same answer anywhere."""
    return all(isinstance(part, MaxIterations | NoImprovement | TargetReached) for part in parts(stop))


def target(stop: Stop) -> float:
    """The largest makespan that ends the search, or minus infinity."""
    reached = [part.makespan for part in parts(stop) if isinstance(part, TargetReached)]
    return max(reached, default=float("-inf"))


def left(stop: Stop, progress: Progress) -> int:
    """How many iterations may pass before a criterion that counts them must be asked again."""
    ends = [part.iterations for part in parts(stop) if isinstance(part, MaxIterations)]
    ends += [
        part.iterations + progress.last_improvement for part in parts(stop) if isinstance(part, NoImprovement)
    ]
    return max(1, min(ends, default=1 << 62) - progress.iterations)


def expected_iterations(stop: Stop) -> float:
    """About how many iterations a budget is; infinity where there is none."""
    found = [float(part.iterations) for part in parts(stop) if isinstance(part, MaxIterations)]
    found += [RATE * part.seconds for part in parts(stop) if isinstance(part, MaxRuntime)]
    found += [
        RATE * max(0.0, part.seconds - part.spent) for part in parts(stop) if isinstance(part, MaxCpuTime)
    ]
    return min(found, default=math.inf)


def portion(stop: Stop, share: float) -> Stop:
    """A share of a budget of time or iterations; other criteria stay as they are."""
    if isinstance(stop, FirstOf):
        return FirstOf(tuple(portion(criterion, share) for criterion in stop.criteria))
    if isinstance(stop, MaxRuntime):
        return MaxRuntime(max(0.0, share * stop.seconds))
    if isinstance(stop, MaxCpuTime):
        return MaxCpuTime(max(0.0, share * (stop.seconds - stop.spent)))
    if isinstance(stop, MaxIterations):
        return MaxIterations(max(0, int(share * stop.iterations)))
    return stop


def rest(stop: Stop, spent: Progress) -> Stop:
    """What a criterion leaves for a later part of a search, whose own progress begins at 0.

    A target is for the makespan, which is settled then; patience begins anew.
    """
    left_over: list[Stop] = []
    for criterion in parts(stop):
        if isinstance(criterion, MaxRuntime):
            left_over.append(MaxRuntime(max(0.0, criterion.seconds - spent.seconds)))
        elif isinstance(criterion, MaxCpuTime):
            left_over.append(portion(criterion, 1.0))
        elif isinstance(criterion, MaxIterations):
            left_over.append(MaxIterations(max(0, criterion.iterations - spent.iterations)))
        elif isinstance(criterion, NoImprovement):
            left_over.append(criterion)
        elif not isinstance(criterion, TargetReached):
            left_over.append(Later(criterion, spent))
    return FirstOf(tuple(left_over)) if left_over else MaxIterations(0)


@dataclass(frozen=True)
class Later:
    """A criterion of the user's for a later part of a search: it sees the progress of all parts together."""

    stop: Stop
    spent: Progress

    def __call__(self, progress: Progress) -> bool:
        """Whether the criterion is met."""
        return self.stop(self._together(progress))

    def fraction(self, progress: Progress) -> float:
        """Share of its budget used."""
        return self.stop.fraction(self._together(progress))

    def _together(self, progress: Progress) -> Progress:
        return replace(
            progress,
            seconds=self.spent.seconds + progress.seconds,
            iterations=self.spent.iterations + progress.iterations,
            last_improvement=self.spent.iterations + progress.last_improvement,
        )


@dataclass(frozen=True)
class Cooling:
    """Maps progress to the share of an annealing cycle, 0 hot to 1 cold.

    A budget of time or iterations is one cycle, or several of equal length. Without one, or where patience
    may end the search, cycles follow each other: otherwise the search would give up while it is still hot.
    """

    stop: Stop
    reheat: float = 1.0
    """Share at which the second and later cycles of a budget begin; 1 for a single cycle."""
    cycles: int = 2
    """Of a budget, if `reheat` is below 1."""

    def fraction(self, progress: Progress) -> float:
        """Where in its cycle the search is."""
        patience = [part.iterations for part in parts(self.stop) if isinstance(part, NoImprovement)]
        if patience:
            length = max(1, min(patience) // 2)
            return (progress.iterations % length) / length
        spent = self.stop.fraction(progress)
        if spent > 0.0 or self._has_budget(progress):
            return self._within_budget(spent)
        done, length = progress.iterations, FIRST_CYCLE
        while done >= length:
            done, length = done - length, 2 * length
        return done / length

    def _has_budget(self, progress: Progress) -> bool:
        """Whether time or iterations are limited."""
        return self.stop.fraction(replace(progress, seconds=1e18, iterations=1 << 60)) > 0.0

    def _within_budget(self, spent: float) -> float:
        if self.reheat == 1.0:
            return spent
        cycle = min(int(self.cycles * spent), self.cycles - 1)
        share = self.cycles * spent - cycle
        return share if cycle == 0 else self.reheat + (1.0 - self.reheat) * share

    def cycle(self, progress: Progress) -> int:
        """Which cycle of a budget this is, from 0 on."""
        if self.reheat == 1.0:
            return 0
        return min(int(self.cycles * self.stop.fraction(progress)), self.cycles - 1)
