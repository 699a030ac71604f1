"""Worker processes and the bounded queue in front of them.

A `Pool` keeps its processes running and gives each one task at a time. A process that dies loses the
task that it had, which hears so, and is replaced.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from .worker import HEADER

log = logging.getLogger("minmaxvrp.web")

Fields = dict[str, Any]
Process = asyncio.subprocess.Process

QUEUE_BYTES = 2**27
"""Of all requests that wait."""
RESTART_SECONDS = 1.0
"""Before a process that could not even start is started again."""


class Busy(Exception):
    """The queue is full."""


class WorkerTask:
    """One thing to do, and what has been heard of it."""

    def __init__(self, do: str, fields: Fields, seconds: float) -> None:
        self.message = encode({"do": do, **fields})
        self.seconds = seconds
        """After which the process is ended by force."""
        self.hear: Callable[[Fields], None] = lambda message: None
        """Called with each message before the last."""
        self.begun = asyncio.Event()
        self.end: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        """The last message: `result`, `refused`, `failed`, or `crashed`."""
        self.losses = 0
        """How many processes died before they began with it."""
        self.best: Fields | None = None
        """The last message, should it end before it has begun."""
        self.on_stop: Callable[[], None] = lambda: None
        """Tells the process."""

    def stop(self) -> None:
        """Ask for the end: the best so far, or nothing where none is known."""
        if self.begun.is_set():
            self.on_stop()
        elif self.best is not None:
            self.finish(self.best)
        else:
            self.fail("failed", "ended before it began")

    def begin(self) -> None:
        """Note that a process has it."""
        self.message = b""  # may be large
        self.best = None
        self.begun.set()

    def finish(self, message: Fields) -> None:
        """Set the last message, once."""
        if not self.end.done():
            self.end.set_result(message)
        self.begun.set()

    def fail(self, kind: str, error: str) -> None:
        """Let an error be the last message."""
        self.finish({"kind": kind, "error": error})


class Pool:
    """`size` processes of a role (`desk` or `search`); at most `limit` tasks wait."""

    def __init__(self, role: str, size: int, limit: int) -> None:
        self.role, self.size, self.limit = role, size, limit
        self.ready = self.busy = self.crashes = 0
        self.queue: asyncio.Queue[WorkerTask] = asyncio.Queue()
        self.waiting: set[WorkerTask] = set()
        self.runners: list[asyncio.Task[None]] = []
        self.first = asyncio.Event()

    def start(self) -> None:
        """Start the processes: first one, which compiles if need be, then the others."""
        self.runners = [asyncio.create_task(self._run(number)) for number in range(self.size)]

    async def close(self) -> None:
        """End all processes."""
        for runner in self.runners:
            runner.cancel()
        await asyncio.gather(*self.runners, return_exceptions=True)

    def submit(self, task: WorkerTask) -> None:
        """Put a task into the queue; raises `Busy` when it is full."""
        size = sum(len(other.message) for other in self.waiting)
        if len(self.waiting) >= self.limit + (self.size - self.busy) or size > QUEUE_BYTES:
            raise Busy
        self.waiting.add(task)
        task.end.add_done_callback(lambda _: self.waiting.discard(task))
        self.queue.put_nowait(task)

    async def do(self, do: str, fields: Fields, seconds: float = 60.0) -> Fields:
        """Submit a task and wait for its last message."""
        task = WorkerTask(do, fields, seconds)
        self.submit(task)
        return await task.end

    async def _run(self, number: int) -> None:
        """Keep one process alive and feed it."""
        if number:
            await self.first.wait()
        while True:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "minmaxvrp.web.worker", self.role),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={"OMP_NUM_THREADS": "1", **os.environ},
            )
            try:
                await self._feed(process)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
            self.crashes += 1
            log.warning("a %s process ended with code %s; starting another", self.role, process.returncode)

    async def _feed(self, process: Process) -> None:
        """Give tasks to a process until it dies."""
        if await _receive(process) is None:
            await asyncio.sleep(RESTART_SECONDS)
            return
        self.first.set()
        self.ready += 1
        died = asyncio.ensure_future(process.wait())
        try:
            while (task := await self._next(died)) is not None:
                self.waiting.discard(task)
                self.busy += 1
                try:
                    if not await self._attend(process, task):
                        return
                finally:
                    self.busy -= 1
        finally:
            died.cancel()
            self.ready -= 1

    async def _next(self, died: "asyncio.Future[int]") -> WorkerTask | None:
        """The next task that is still wanted; None if the process has died meanwhile."""
        while True:
            getting = asyncio.ensure_future(self.queue.get())
            either: set[asyncio.Future[Any]] = {getting, died}
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                getting.cancel()  # does nothing to one that is done
            if died.done():
                if getting.done():
                    self.queue.put_nowait(getting.result())
                return None
            if not getting.result().end.done():
                return getting.result()

    async def _attend(self, process: Process, task: WorkerTask) -> bool:
        """Let a process do a task, ended by force when it takes too long; whether the process still lives."""
        task.on_stop = lambda: _send(process, encode({"do": "stop"}))
        _send(process, task.message)
        deadline = time.monotonic() + task.seconds
        try:
            while True:
                message = await asyncio.wait_for(_receive(process), deadline - time.monotonic())
                if message is None:
                    self._lose(task)
                    return False
                if message["kind"] == "begun":
                    task.begin()
                elif message["kind"] == "progress":
                    task.hear(message)
                else:
                    task.finish(message)
                    return True
        except TimeoutError:
            task.fail("crashed", f"took longer than {task.seconds:g} s and was ended by force")
            return False
        except asyncio.CancelledError:
            task.fail("failed", "the server shut down")
            raise

    def _lose(self, task: WorkerTask) -> None:
        """A process has died: a task that had not begun goes to another, which may be dead already, too."""
        task.losses += 1
        if task.begun.is_set() or task.losses > self.size:
            task.fail("crashed", "the process that worked on this request died; the request is lost")
        else:
            self.queue.put_nowait(task)


def encode(message: Fields) -> bytes:
    """A message as a worker reads it."""
    body = json.dumps(message).encode()
    return HEADER.pack(len(body)) + body


def _send(process: Process, message: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(message)  # a dead process is noticed when it does not answer


async def _receive(process: Process) -> Fields | None:
    """The next message of a process; None when it has died."""
    assert process.stdout is not None
    try:
        size = HEADER.unpack(await process.stdout.readexactly(HEADER.size))[0]
        return dict(json.loads(await process.stdout.readexactly(size)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
