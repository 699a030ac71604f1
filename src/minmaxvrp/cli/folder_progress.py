"""How far `minmaxvrp solve FOLDER` is, on stderr: a bar on a terminal, else a line every few seconds."""

import sys
import time
from types import TracebackType

from .bench_progress import QUIET
from .messages import say


class FolderProgress:
    """Counts instances in a `with` block; the total grows when a file turns out to be a set."""

    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.title, self.total, self.done = title, total, 0
        self.shown, self.said = sys.stderr.isatty(), time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        self.bar = Progress(*columns, console=console, disable=not self.shown, transient=True)
        self.task = self.bar.add_task(title, total=total)

    def __enter__(self) -> "FolderProgress":
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def grow(self, more: int) -> None:
        """Count more instances than before."""
        self.total += more
        self.bar.update(self.task, total=self.total)

    def step(self) -> None:
        """One instance is done."""
        self.done += 1
        self.bar.update(self.task, completed=self.done)
        if not self.shown and time.monotonic() - self.said > QUIET:
            self.said = time.monotonic()
            say(f"{self.title}: {self.done} of {self.total} instances")
