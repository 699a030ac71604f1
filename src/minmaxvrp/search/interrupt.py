"""Ctrl-C and SIGTERM end a search with its best solution so far instead of losing it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupt:
    """Whether a signal has asked the search to end."""

    raised: bool = False


@contextmanager
def catch_signals() -> Iterator[Interrupt]:
    """While active, the first SIGINT or SIGTERM sets the flag; a second one acts as it did before.

    Only the main thread can receive signals: elsewhere nothing is changed.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        interrupt.raised = True
        _restore(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, note)
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            _restore(number, handler)


def _restore(number: int, handler: object) -> None:
    # None: the handler was not installed from Python and cannot be put back
    signal.signal(number, handler if handler is not None else signal.SIG_DFL)  # type: ignore[arg-type]
