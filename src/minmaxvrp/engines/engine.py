"""What an engine is: tasks in, finished tasks out, in the order in which they finish.

The two engines are `process_engine` (this machine) and `ray_engine` (many). Both take tasks from an iterable
only when a worker is free, give every task one thread, and repeat a task whose worker was lost.
"""

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar, get_args

from ..errors import InternalError, MinmaxvrpError

Work = TypeVar("Work")
Value = TypeVar("Value")
Notice = Callable[[str], None]

EngineName = Literal["processes", "ray"]
ENGINES: tuple[str, ...] = get_args(EngineName)
RETRIES = 2
"""How often a task is repeated when its worker was lost."""


class WorkerLost(InternalError):
    """The workers of a task died, each time that it was tried."""


@dataclass(frozen=True, slots=True)
class FinishedTask(Generic[Work, Value]):
    """A task with its value, or with the error that it ended with."""

    task: Work
    value: Value | None
    error: Exception | None = None


class Engine(Protocol):
    """Runs a function of a module on tasks; what is sent to and fro must be picklable."""

    def run(
        self, function: Callable[[Work], Value], tasks: Iterable[Work]
    ) -> Generator[FinishedTask[Work, Value], None, None]:
        """The tasks in the order in which they finish; closing the iterator ends those in work."""


def tell_if_crowded(workers: int, notice: Notice) -> None:
    """Give notice of more workers than cores."""
    cores = num_cores()
    if workers > cores:
        notice(f"{workers} workers on {cores} cores: each gets less than a core")


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def attempt(function: Callable[[Work], Value], task: Work) -> tuple[Value | None, Exception | None]:
    """The value of a task, or its error in a form that can be sent: the work of a worker."""
    try:
        return function(task), None
    except (MinmaxvrpError, ModuleNotFoundError) as error:
        return None, error
    except MemoryError:
        return None, InternalError("not enough memory")
    except Exception as error:  # one broken task must not end the others
        return None, InternalError(f"{type(error).__name__}: {error}")


def lost(times: int, reason: str = "perhaps for want of memory") -> WorkerLost:
    """The error of a task that was tried so many times."""
    return WorkerLost(f"its worker died, {reason}; tried {times} times")


class TaskSource(Generic[Work]):
    """Tasks from an iterable, one at a time, as workers become free.

    What the iterable raises is kept until the tasks in work are done: `check` raises it then.
    """

    def __init__(self, tasks: Iterable[Work]) -> None:
        self.tasks = iter(tasks)
        self.error: Exception | None = None

    def take(self) -> list[Work]:
        """The next task, or an empty list when there is none."""
        if self.error is None:
            try:
                return [next(self.tasks)]
            except StopIteration:
                pass
            except Exception as error:
                self.error = error
        return []

    def check(self) -> None:
        """Raise what the iterable raised."""
        if self.error is not None:
            raise self.error
