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

RESTART_SECONDS = 1.0
"""Before a process that could not even start is started again."""


class Busy(Exception):
    """The queue is full."""


class Task:
    """One thing to do, and what has been heard of it."""

    def __init__(self, do: str, fields: Fields, seconds: float) -> None:
        self.message: Fields = {"do": do, **fields}
        self.seconds = seconds
        """After which the process is ended by force."""
        self.hear: Callable[[Fields], None] = lambda message: None
        """Called with each message before the last."""
        self.begun = asyncio.Event()
        self.end: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        """The last message: `result`, `refused`, `failed`, or `crashed`."""
        self.stopped = False
        self._stop: Callable[[], None] = lambda: None

    def stop(self) -> None:
        """Ask for the end: the best so far if it has begun, nothing otherwise."""
        self.stopped = True
        if self.begun.is_set():
            self._stop()
        else:
            self.finish({"kind": "failed", "error": "ended before it began"})

    def finish(self, message: Fields) -> None:
        """Set the last message, once."""
        if not self.end.done():
            self.end.set_result(message)
        self.begun.set()


class Pool:
    """`size` processes of a role (`desk` or `search`); at most `limit` tasks wait."""

    def __init__(self, role: str, size: int, limit: int) -> None:
        self.role, self.size, self.limit = role, size, limit
        self.ready = self.busy = self.crashes = 0
        self.queue: asyncio.Queue[Task] = asyncio.Queue()
        self.waiting: set[Task] = set()
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

    def submit(self, task: Task) -> None:
        """Put a task into the queue; raises `Busy` when it is full."""
        if len(self.waiting) >= self.limit + (self.size - self.busy):
            raise Busy
        self.waiting.add(task)
        task.end.add_done_callback(lambda _: self.waiting.discard(task))
        self.queue.put_nowait(task)

    async def do(self, do: str, fields: Fields, seconds: float = 60.0) -> Fields:
        """Submit a task and wait for its last message."""
        task = Task(do, fields, seconds)
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

    async def _feed(self, process: asyncio.subprocess.Process) -> None:
        """Give tasks to a process until it dies."""
        if await _receive(process) is None:
            await asyncio.sleep(RESTART_SECONDS)
            return
        self.first.set()
        self.ready += 1
        try:
            while process.returncode is None:
                task = await self.queue.get()
                if task.end.done():
                    continue
                if process.returncode is not None:  # it died while it had nothing to do
                    self.queue.put_nowait(task)
                    return
                self.waiting.discard(task)
                self.busy += 1
                try:
                    await self._attend(process, task)
                finally:
                    self.busy -= 1
        finally:
            self.ready -= 1

    async def _attend(self, process: asyncio.subprocess.Process, task: Task) -> None:
        """Let a process do a task; ends it by force when it takes too long."""
        task._stop = lambda: _send(process, {"do": "stop"})
        task.begun.set()
        _send(process, task.message)
        task.message = {}  # may be large
        deadline = time.monotonic() + task.seconds
        try:
            while True:
                message = await asyncio.wait_for(_receive(process), deadline - time.monotonic())
                if message is None:
                    error = "the process that worked on this request died; the request is lost"
                    return task.finish({"kind": "crashed", "error": error})
                if message["kind"] != "progress":
                    return task.finish(message)
                task.hear(message)
        except TimeoutError:
            process.kill()
            error = f"took longer than {task.seconds:g} s and was ended by force"
            task.finish({"kind": "crashed", "error": error})
        finally:
            task.finish({"kind": "failed", "error": "the server shut down"})


def _send(process: asyncio.subprocess.Process, message: Fields) -> None:
    assert process.stdin is not None
    body = json.dumps(message).encode()
    process.stdin.write(HEADER.pack(len(body)) + body)  # a dead process is noticed when it does not answer


async def _receive(process: asyncio.subprocess.Process) -> Fields | None:
    """The next message of a process; None when it has died."""
    assert process.stdout is not None
    try:
        size = HEADER.unpack(await process.stdout.readexactly(HEADER.size))[0]
        return dict(json.loads(await process.stdout.readexactly(size)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
