"""The search as a step of `solve`: its kernels are on their way while the start is made, then it runs.

Comes after `starts`; the checker comes after it. Importing this module loads neither numba nor the search.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .arguments import Notice, ignore_notice
from .clock import Clock
from .problem.keep import KeptPlan
from .problem.solution import Solution
from .propose import Proposer
from .result import Then
from .stop import Progress, Stop, remaining, time_limit

if TYPE_CHECKING:
    from .search.compilation import Compilation
    from .search.one_search import SearchOutcome

LOAD_SHARE = 0.5
"""Of a time limit that loading may count for: the first search of a process has the other half at least."""


@dataclass(frozen=True)
class SearchRequest:
    """What `solve` was asked that the search needs; see there."""

    stop: Stop
    seed: int
    workers: int
    bound: float
    then: Then
    settings: Mapping[str, float] | None
    on_progress: Callable[[Progress], None] | None


@dataclass
class Improvement:
    """One search: made before its starts, so that kernels are loaded or compiled meanwhile."""

    kept: KeptPlan
    then: Then
    notice: Notice
    kernels: "list[Compilation]" = field(default_factory=list)
    ready: bool = True
    """False once Ctrl-C came while kernels were loaded."""

    def __post_init__(self) -> None:
        """Load the kernels; on first use they are compiled in another process."""
        from .search.compilation import Compilation  # loads numba, which takes a second
        from .search.programs import programs_for

        for program in programs_for(self.kept.instance, self.then):
            notice = ignore_notice if self._compiles else self.notice  # once is enough
            self.kernels.append(Compilation(notice, program))

    @property
    def _compiles(self) -> bool:
        """Whether some kernels are compiled, which takes none of a time limit."""
        return any(kernels.needed for kernels in self.kernels)

    def _wait(self) -> bool:
        """Return when the kernels can be called; False if Ctrl-C came meanwhile."""
        return all(kernels.wait() for kernels in self.kernels)

    def can_start(self) -> bool:
        """Whether a start can be made: that of a fleet needs the kernels; False if Ctrl-C came meanwhile."""
        if self.kept.instance.has_fleet:
            self.ready = self._wait()
        return self.ready

    def run(
        self, request: SearchRequest, starts: list[Solution], network: Proposer | None, clock: Clock
    ) -> "SearchOutcome | None":
        """What the search makes of the starts in the time left; None if Ctrl-C came before it began."""
        from .search.improve import improve

        self.ready = self.ready and self._wait()
        clock.lap("load")
        left = remaining(request.stop, self._spent(time_limit(request.stop), network, clock))
        with suppress(KeyboardInterrupt):
            if self.ready:
                return improve(
                    self.kept.instance,
                    left,
                    request.seed,
                    starts,
                    request.workers,
                    request.bound,
                    request.on_progress,
                    request.then,
                    request.settings,
                    self.kept.fixed,
                )
        return None

    def _spent(self, limit: float, network: Proposer | None, clock: Clock) -> float:
        """How much of a time limit has gone by before the search."""
        if self._compiles:
            return clock.laps["bound"]  # the rest passes while another process compiles
        loading = clock.laps["load"] - (network.compiling if network else 0.0)
        return clock.laps["bound"] + clock.laps["start"] + min(loading, LOAD_SHARE * limit)
