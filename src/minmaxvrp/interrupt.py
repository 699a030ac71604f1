"""Ctrl-C and SIGTERM end a search or a training run with what it has so far. A leaf."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType


@dataclass
class Interrupt:
    """Whether a signal has asked to end."""

    signals: list[int] = field(default_factory=list)
    """Their numbers, in the order they came."""

    @property
    def raised(self) -> bool:
        """Whether there was one."""
        return bool(self.signals)


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
        interrupt.signals.append(number)
        _restore(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, note)
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            _restore(number, handler)


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """While active, SIGTERM raises `KeyboardInterrupt` as Ctrl-C does; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        _restore(signal.SIGTERM, before)


def _restore(number: int, handler: object) -> None:
    # None: the handler was not installed from Python and cannot be put back
    signal.signal(number, handler if handler is not None else signal.SIG_DFL)  # type: ignore[arg-type]
