"""The engine of one machine: worker processes with one thread each.

Every worker is a pool of one process, so that a process that dies takes its own task with it and no other:
that one is known and repeated, by a new process.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic

from ..errors import InputError, InternalError
from .engine import RETRIES, FinishedTask, TaskSource, Value, Work, attempt, lost

ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
NOT_STARTED = (
    "a worker process did not start; a script must begin its work below `if __name__ == '__main__':`, "
    "for every worker loads it once more"
)


class WorkerProcess:
    """One process, and the task that it has in work."""

    def __init__(self) -> None:
        with one_thread_each():
            self.pool = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), initializer=_start_worker
            )
            self.pid = self.pool.submit(os.getpid)  # starts the process

    def submit(self, function: Callable[[Any], Any], task: object) -> "Future[Any]":
        """Begin a task."""
        return self.pool.submit(attempt, function, task)

    @property
    def has_started(self) -> bool:
        """Whether the process, dead or alive, ever got as far as to take tasks."""
        return self.pid.exception() is None

    def close(self) -> None:
        """End the process, and those that it has started, whatever they are doing."""
        with contextlib.suppress(BrokenProcessPool, ProcessLookupError):
            pid = self.pid.result()  # until it has started it has no process group of its own
            if hasattr(os, "killpg"):
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGTERM)
        self.pool.shutdown(cancel_futures=True)


@dataclass
class TaskInWork(Generic[Work]):
    """A task, who has it, and how often it was lost."""

    task: Work
    worker: WorkerProcess
    losses: int = 0


class ProcessEngine:
    """Runs tasks in `workers` processes; see `engine.Engine`."""

    def __init__(self, workers: int, retries: int = RETRIES) -> None:
        self.workers, self.retries = workers, retries

    def run(
        self, function: Callable[[Work], Value], tasks: Iterable[Work]
    ) -> Generator[FinishedTask[Work, Value], None, None]:
        """The tasks in the order in which they finish; each worker holds one.

        Processes are started as there are tasks for them. Raises `InternalError` when one cannot be started.
        """
        run = ProcessRun(function, TaskSource(tasks), self.retries)
        try:
            for _ in range(self.workers):
                run.hire()
            while run.in_work:
                done, _ = wait(run.in_work, return_when=FIRST_COMPLETED)
                # all free workers get a task before anybody looks at the results, which may take long
                yield from [result for future in done for result in run.settle(future)]
            run.source.check()
        finally:
            for worker in run.workers:
                worker.close()


class ProcessRun(Generic[Work, Value]):
    """The workers of one run and what they have in work."""

    def __init__(self, function: Callable[[Work], Value], source: TaskSource[Work], retries: int) -> None:
        self.function, self.source, self.retries = function, source, retries
        self.workers: list[WorkerProcess] = []
        self.in_work: dict[Future[Any], TaskInWork[Work]] = {}

    def hire(self) -> None:
        """Start another worker, if there is a task for it."""
        for task in self.source.take():
            self._begin(TaskInWork(task, self._start()))

    def settle(self, future: "Future[Any]") -> list[FinishedTask[Work, Value]]:
        """What a task that ended has come to, its worker with the next one; nothing if it is repeated."""
        job = self.in_work.pop(future)
        error = future.exception()
        if not isinstance(error, BrokenProcessPool):
            for task in self.source.take():
                self._begin(TaskInWork(task, job.worker))
            if error is None:
                return [FinishedTask(job.task, *future.result())]
            return [FinishedTask(job.task, None, InputError(f"cannot be sent to another process: {error}"))]
        if not job.worker.has_started:
            raise InternalError(NOT_STARTED)
        self._dismiss(job.worker)
        if job.losses < self.retries:
            self._begin(TaskInWork(job.task, self._start(), job.losses + 1))
            return []
        self.hire()
        return [FinishedTask(job.task, None, lost(job.losses + 1))]

    def _begin(self, job: TaskInWork[Work]) -> None:
        try:
            future = job.worker.submit(self.function, job.task)
        except BrokenProcessPool:  # it died between two tasks, for which this one is not to blame
            self._dismiss(job.worker)
            job.worker = self._start()
            future = job.worker.submit(self.function, job.task)
        self.in_work[future] = job

    def _start(self) -> WorkerProcess:
        self.workers.append(WorkerProcess())
        return self.workers[-1]

    def _dismiss(self, worker: WorkerProcess) -> None:
        self.workers.remove(worker)
        worker.close()


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let processes that are started meanwhile use one thread each."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _start_worker() -> None:
    """A worker leaves Ctrl-C to its parent, and ends when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):  # else a search in work would hear Ctrl-C itself and return half-done
        os.setpgid(0, 0)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
