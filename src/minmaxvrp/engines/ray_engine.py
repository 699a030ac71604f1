"""The engine of many machines: every task is a Ray task of one core.

Ray starts the workers, sends the tasks, keeps to the cores that there are and repeats a task whose worker or
machine was lost; here is only the way in and out. The package `ray` is the extra of that name.
"""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputError, InternalError
from .engine import (
    RETRIES,
    FinishedTask,
    Notice,
    TaskSource,
    Value,
    Work,
    attempt,
    lost,
    num_cores,
    tell_if_crowded,
)
from .process_engine import one_thread_each

PATIENCE = 5.0
"""Seconds until an address must have answered; Ray by itself waits for minutes."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent to anybody
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # tasks need no GPU: Ray warns unless told so
}


class RayEngine:
    """Runs tasks on a Ray cluster, or on a Ray of its own on this machine; see `engine.Engine`."""

    def __init__(self, workers: int | None, address: str | None, notice: Notice) -> None:
        """Find the package and the cluster; raises `InputError` that says which is missing."""
        self.workers, self.address, self.notice = workers, address, notice
        self.ray = _load()
        if address is not None and address != "auto":
            _knock(address)

    def run(
        self, function: Callable[[Work], Value], tasks: Iterable[Work]
    ) -> Generator[FinishedTask[Work, Value], None, None]:
        """The tasks in the order in which they finish.

        With a number of workers so many are in work at a time; else twice as many as the cluster has cores at
        the moment, so that a machine that joins finds work.
        """
        ray, source = self.ray, TaskSource(tasks)
        in_work: dict[Any, Work] = {}
        with self._connected():
            remote = ray.remote(num_cpus=1, max_retries=RETRIES)(attempt)
            try:
                while True:
                    for _ in range(self._room() - len(in_work)):
                        for task in source.take():
                            in_work[remote.remote(function, task)] = task
                    if not in_work:
                        break
                    (done, *_), _ = ray.wait(list(in_work), num_returns=1)
                    yield self._finished(done, in_work.pop(done))
                source.check()
            finally:
                for reference in in_work:
                    ray.cancel(reference, force=True)

    def _finished(self, reference: Any, task: Work) -> FinishedTask[Work, Any]:
        try:
            return FinishedTask(task, *self.ray.get(reference))
        except self.ray.exceptions.RayTaskError as error:  # before the function began: it was not found there
            return FinishedTask(task, None, InternalError(f"on its machine: {error.cause}"))
        except self.ray.exceptions.RayError:
            return FinishedTask(task, None, lost(1 + RETRIES))

    def _room(self) -> int:
        """How many tasks may be in work now."""
        return self.workers or 2 * self._cores()

    def _cores(self) -> int:
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """A connection of our own, ended with the run, unless the caller has one."""
        if self.ray.is_initialized():
            yield
            return
        try:
            self._connect()
        except (ConnectionError, RuntimeError, ValueError, self.ray.exceptions.RayError) as error:
            where = f"address = {self.address!r}: no Ray cluster that can be used"
            reason = str(error).partition(". ")[0]  # Ray goes on with advice about its own functions
            raise InputError(f"{where}: {reason} (if it wants a token, set RAY_AUTH_TOKEN_PATH)") from None
        try:
            if self.workers is not None and self.workers > self._cores():
                self.notice(f"{self.workers} workers on {self._cores()} cores of the cluster: some will wait")
            yield
        finally:
            self.ray.shutdown()

    def _connect(self) -> None:
        options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        if self.address is not None:
            options |= {"address": self.address}
        else:
            if self.workers is not None:
                tell_if_crowded(self.workers, self.notice)
            options |= {"num_cpus": self.workers or num_cores(), "include_dashboard": False}
        main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGTERM)
        with (
            one_thread_each()
        ):  # the workers of a Ray of its own inherit it; a cluster's have a thread per core
            self.ray.init(**options)
        if main:  # Ray leaves at SIGTERM, past those who wanted to hear of it
            signal.signal(signal.SIGTERM, before)


def _load() -> Any:
    """The package `ray`; raises `InputError` that names the extra."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        message = "engine = 'ray': ray is not installed, expected pip install 'minmaxvrp[ray]'"
        raise InputError(message) from None
    return ray


def _knock(address: str) -> None:
    """Raise `InputError` unless somebody listens at an address."""
    expected = "expected that of `ray start --head`, such as 10.0.0.1:6379, or auto"
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"address = {address!r}, {expected}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"address = {address!r}: no Ray cluster there ({reason}), {expected}") from None
