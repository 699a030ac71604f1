"""What `solve` returns: the best solution, how good it provably is, and how it was found."""

from dataclasses import dataclass, field
from typing import Literal

from .problem.check import gap
from .problem.instance import Instance
from .problem.route_limit import OverLimit, over_limit
from .problem.solution import Solution

Then = Literal["balance", "total", "none"]
"""What counts after the makespan: the second longest route and so on; the total length; nothing."""


@dataclass(frozen=True, slots=True)
class TracePoint:
    """The best makespan known at a moment of the search."""

    seconds: float
    iterations: int
    makespan: float


@dataclass(frozen=True, slots=True)
class Result:
    """A checked solution with its proof of quality."""

    instance: Instance
    solution: Solution
    lengths: tuple[float, ...]
    """Length of each route, service included, in the instance's unit."""
    lower_bound: float
    """No solution of the instance can be shorter than this."""
    seed: int
    iterations: int
    seconds: float
    method: str
    """Where the answer comes from, such as `greedy`, `search` or `policy + search`."""
    then: Then = "none"
    """What counted after the makespan."""
    trace: tuple[TracePoint, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds spent in each step of the walk."""
    interrupted: bool = False
    """Whether Ctrl-C or SIGTERM ended the search before its limit."""
    moved: int | None = None
    """Stops of the plan to start from that are on another vehicle now; None without `keep`."""

    @property
    def makespan(self) -> float:
        """Length of the longest route."""
        return max(self.lengths, default=0.0)

    @property
    def total(self) -> float:
        """Length of all routes together."""
        return sum(self.lengths)

    @property
    def balance(self) -> float:
        """Mean over all vehicles of their routes' lengths, as a share of the longest: 1 if all are equal."""
        return self.total / (self.instance.num_vehicles * self.makespan) if self.makespan > 0 else 1.0

    @property
    def over_limit(self) -> OverLimit | None:
        """Why the solution does not keep `Instance.max_length`; None if it does or there is none."""
        return over_limit(self.instance, self.solution, self.lower_bound)

    @property
    def gap(self) -> float:
        """How far the makespan can be above the optimum, see `problem.check.gap`."""
        return gap(self.makespan, self.lower_bound)
