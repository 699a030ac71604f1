"""What a stop criterion means for the annealing: how much is left, and whether the clock matters."""

from dataclasses import dataclass, replace

from ..stop import FirstOf, MaxIterations, NoImprovement, Progress, Stop, TargetReached

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


def left(stop: Stop, progress: Progress, tries: int = 1) -> int:
    """How many iterations may pass before a criterion that counts them must be asked, or a try ends."""
    ends = []
    for part in parts(stop):
        if isinstance(part, MaxIterations):
            now = tries * progress.iterations // max(1, part.iterations)
            ends.append(-(-part.iterations * min(now + 1, tries) // tries))
        elif isinstance(part, NoImprovement):
            ends.append(part.iterations + progress.last_improvement)
    return max(1, min(ends, default=1 << 62) - progress.iterations)


@dataclass(frozen=True)
class Cooling:
    """Maps progress to the number of the try, and to the share of its cooling, 0 hot to 1 cold.

    A budget of time or iterations is one try or several of equal length. Without one, or where patience may
    end the search, coolings follow each other: otherwise the search would give up while it is still hot.
    """

    stop: Stop
    tries: int = 1
    """How many the budget is divided into."""

    def at(self, progress: Progress) -> tuple[int, float]:
        """Which try it is, from 0, and where in its cooling the search is."""
        patience = [part.iterations for part in parts(self.stop) if isinstance(part, NoImprovement)]
        if patience:
            length = max(1, min(patience) // 2)
            return 0, (progress.iterations % length) / length
        forever = replace(progress, seconds=1e18, iterations=1 << 60)
        if self.stop.fraction(forever) > 0.0:
            spent = self.tries * self.stop.fraction(progress)
            number = min(int(spent), self.tries - 1)
            return number, spent - number
        done, length = progress.iterations, FIRST_CYCLE
        while done >= length:
            done, length = done - length, 2 * length
        return 0, done / length
