"""Functions that the workers of the tests run."""

import os
import signal
import time
from pathlib import Path

from minmaxvrp.errors import InputError


def square(number: int) -> int:
    """A task that is done at once."""
    return number * number


def complain(number: int) -> int:
    """A task that fails for odd numbers: 1 bad input, 3 a fault of its own."""
    if number == 1:
        raise InputError(f"number = {number}, expected an even one")
    if number % 2:
        raise ZeroDivisionError("odd")
    return number


def thread_limit(number: int) -> str:
    """How many threads libraries may use in the worker."""
    return os.environ["OMP_NUM_THREADS"]


def wait_for_file(task: tuple[int, Path]) -> int:
    """The task's number, as soon as a file is there."""
    number, file = task
    while not file.exists():
        time.sleep(0.01)
    return number


def die_once(folder: Path) -> int:
    """Kill the worker, unless the task is tried again; the number of the process that survived."""
    mark = folder / "died"
    if not mark.exists():
        mark.write_text(str(os.getpid()), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def die_of_three(number: int) -> int:
    """Kill the worker at task 3, however often."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def report_and_hang(folder: Path) -> None:
    """Tell the process's number, then work for ever."""
    (folder / f"{os.getpid()}.working").touch()
    while True:
        time.sleep(0.01)


def hang_on_node(task: tuple[int, Path, str]) -> int:
    """On one node of a Ray cluster work for ever; on others wait until that one has a task."""
    import ray

    number, folder, hanging = task
    node = ray.get_runtime_context().get_node_id()
    (folder / f"{number}.{node}").touch()
    while node == hanging or not list(folder.glob(f"*.{hanging}")):
        time.sleep(0.01)
    return number
