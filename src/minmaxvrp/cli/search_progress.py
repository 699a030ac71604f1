"""A line on the terminal while the search runs: time, best makespan, gap, balance, total length.

Shown on stderr, only to people (a terminal) and only when the search takes longer than a moment.
"""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from ..problem.check import route_lengths
from ..problem.instance import Instance
from ..stop import Progress, Stop

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE = 2.0  # seconds before the line appears
EVERY = 0.1  # seconds between changes of it


class SearchLine:
    """Give its `update` to `solve` as `on_progress`, inside a `with` block."""

    def __init__(self, instance: Instance, stop: Stop) -> None:
        self.instance, self.stop = instance, stop
        self.status: Status | None = None
        self.began = self.shown = time.monotonic()

    def __enter__(self) -> "SearchLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def update(self, progress: Progress) -> None:
        """Show how far the search is."""
        now = time.monotonic()
        if now - self.began < PATIENCE or now - self.shown < EVERY or not sys.stderr.isatty():
            return
        self.shown = now
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True).status("")
            self.status.start()
        self.status.update(self.text(progress))

    def text(self, progress: Progress) -> str:
        """Such as `12.0 s (40 %)  longest route 12.30 km  gap at most 1.2 %  balance 97 %  total 71.6 km`."""
        share = self.stop.fraction(progress)
        parts = [
            f"{progress.seconds:.1f} s" + (f" ({100 * share:.0f} %)" if share > 0 else ""),
            f"longest route {self.instance.units.text(progress.makespan)}",
            f"{progress.iterations:,} iterations, Ctrl-C ends",
        ]
        if progress.lower_bound > 0:
            parts.insert(2, f"gap at most {100 * progress.gap:.2f} %")
        parts[-1:-1] = self._others(progress)
        return "  ".join(parts)

    def _others(self, progress: Progress) -> list[str]:
        """Balance and total length of the best plan so far, where it can be seen."""
        plan = progress.solution
        lengths = [] if plan is None else route_lengths(self.instance, plan).tolist()
        if not lengths or max(lengths) == 0:
            return []
        balance = sum(lengths) / (self.instance.num_vehicles * max(lengths))
        return [f"balance {100 * balance:.0f} %", f"total {self.instance.units.text(sum(lengths))}"]
