"""Methods against the search with the same budget, instance by instance: what `speed` and `summary` tell.

Both have had the same CPU seconds on the same instance, so the mean of the differences is known better than
the difference of two means.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from ..store import Measurement
from .catalogue import TIMELESS

REFERENCE = "search"


@dataclass(frozen=True)
class Paired:
    """A method against the search, with one budget on one suite."""

    method: str
    suite: str
    vehicles: int
    budget: float
    """CPU seconds per instance."""
    apart: tuple[float, ...]
    """Of each instance: how much longer than the search's makespan, in percent."""

    @property
    def mean(self) -> float:
        """Percent."""
        return fmean(self.apart)

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 for a single instance."""
        return stdev(self.apart) / len(self.apart) ** 0.5 if len(self.apart) > 1 else 0.0


def paired(measurements: Iterable[Measurement]) -> list[Paired]:
    """Every method with a budget on every suite where the search had the same; failures are left out."""
    found: dict[tuple[str, int, float], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for m in measurements:
        if not m.failure and m.method not in TIMELESS:
            found[m.suite, m.vehicles, m.time][m.method][m.index] = m.objective
    pairs = []
    for (suite, vehicles, budget), methods in sorted(found.items()):
        search = methods.get(REFERENCE, {})
        for method, values in methods.items():
            both = [k for k in values if k in search]
            if method != REFERENCE and both:
                apart = tuple(100.0 * (values[k] / search[k] - 1.0) for k in both)
                pairs.append(Paired(method, suite, vehicles, budget, apart))
    return pairs


def mean_over_suites(pairs: Sequence[Paired]) -> float:
    """Percent; every suite and budget counts the same."""
    return fmean(pair.mean for pair in pairs)


def better(pairs: Iterable[Paired], errors: float = 2.0) -> list[Paired]:
    """Those in which the method is better than the search by more than so many standard errors."""
    return [p for p in pairs if len(p.apart) > 1 and p.mean < -errors * p.error]


def worse(pairs: Iterable[Paired], errors: float = 2.0) -> list[Paired]:
    """Those in which the method is worse than the search by more than so many standard errors."""
    return [p for p in pairs if len(p.apart) > 1 and p.mean > errors * p.error]
