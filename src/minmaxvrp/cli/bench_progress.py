"""How far a bench is, on stderr: a bar on a terminal, else a line every few seconds.

`bench` and `evaluate` hand its `step` to the runner; Ctrl-C leaves with exit code 130.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from .messages import say

if TYPE_CHECKING:
    from ..bench.store import Measurement

INTERRUPTED = 130
QUIET = 10.0
"""Seconds between progress lines where stderr is not a terminal."""


@contextmanager
def bench_bar(title: str, total: int, hint: str = "") -> "Iterator[Callable[[Measurement], None]]":
    """While active, what to call with each measurement; `hint` is said after Ctrl-C."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    show = sys.stderr.isatty()
    bar = Progress(*columns, console=Console(stderr=True), disable=not show, transient=True)
    task = bar.add_task(title, total=total)
    done, said = 0, time.monotonic()

    def step(measurement: "Measurement") -> None:
        nonlocal done, said
        done += 1
        bar.update(task, completed=done)
        if not show and time.monotonic() - said > QUIET:
            said = time.monotonic()
            say(f"{measurement.suite}: {done} of {total} instances")

    try:
        with bar:
            yield step
    except KeyboardInterrupt:
        say(f"interrupted after {done} of {total} instances{hint}")
        raise typer.Exit(INTERRUPTED) from None
