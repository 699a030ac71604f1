"""Jobs: instances that are being solved, what is known of them, and who listens.

`app` creates them and asks; `pool` does the work. Everything here runs in the event loop of the server.
"""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from .metrics import Metrics
from .pool import Pool, WorkerTask
from .server_settings import ServerSettings

Fields = dict[str, Any]
Event = tuple[str, Fields]

GRACE_SECONDS = 60.0
"""What a search may need beyond its time limit, for bounds and checks, before it is ended by force."""
SWEEP_SECONDS = 1.0
PLAN_FIELDS = ("routes", "lengths", "travel", "service")


class Job:
    """One instance being solved."""

    def __init__(self, task: WorkerTask, seconds: float, facts: Fields) -> None:
        self.id = secrets.token_urlsafe(12)
        self.task, self.seconds, self.facts = task, seconds, facts
        self.created = self.asked = time.monotonic()
        """`asked`: when somebody last showed interest."""
        self.finished = 0.0
        self.listeners = 0
        self.was_heard = False
        self.known: Fields = {}
        """Figures and best plan so far; in the end the whole result."""
        self.error = ""
        self.instance = b""
        """Its JSON document, kept for exports."""
        self.bytes = 0
        self.num_plans = self.num_ticks = 0
        self.changed = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the result is known here."""

    @property
    def status(self) -> str:
        """`queued`, `running`, `done` or `failed`."""
        if self.ended.is_set():
            return "failed" if self.error else "done"
        return "running" if self.task.begun.is_set() else "queued"

    def document(self) -> Fields:
        """What clients get to see."""
        fields = {"id": self.id, "status": self.status, **self.facts, **self.known}
        return {**fields, "error": self.error} if self.error else fields

    def touch(self) -> None:
        """Note that somebody is interested."""
        self.asked = time.monotonic()

    def hear(self, message: Fields) -> None:
        """Note the progress that a worker reports."""
        message.pop("kind")
        self.known |= message
        if "routes" in message:
            self.num_plans += 1
        self.num_ticks += 1
        self.notify()

    def notify(self) -> None:
        """Wake whoever waits for news."""
        self.changed.set()
        self.changed = asyncio.Event()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Count a listener while it is there."""
        self.listeners += 1
        self.was_heard = True
        try:
            yield
        finally:
            self.listeners -= 1
            self.touch()

    async def events(self) -> AsyncIterator[Event]:
        """News as it comes, the latest only for listeners who are slow, and the result in the end."""
        plans = ticks = 0
        status = ""
        with self.listening():
            while True:
                changed = self.changed
                if self.status != status:
                    status = self.status
                    if status in ("queued", "running"):
                        yield "status", {"id": self.id, "status": status}
                if status in ("done", "failed"):
                    yield ("failed" if self.error else "result"), self.document()
                    return
                if self.num_plans > plans:
                    plans, ticks = self.num_plans, self.num_ticks
                    yield "progress", self.known
                elif self.num_ticks > ticks:
                    ticks = self.num_ticks
                    yield "progress", {k: v for k, v in self.known.items() if k not in PLAN_FIELDS}
                await changed.wait()


class Jobs:
    """All jobs of the server."""

    def __init__(self, settings: ServerSettings, pool: Pool, metrics: Metrics) -> None:
        self.settings, self.pool, self.metrics = settings, pool, metrics
        self.jobs: dict[str, Job] = {}
        self.closing = False
        self.background: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to look after the jobs."""
        self._spawn(self._sweep())

    def create(self, do: str, request: Fields, limits: Fields, facts: Fields) -> Job:
        """Queue a job, `do` its task; `Busy` when the queue is full. `facts` may hold a `first` plan."""
        first = facts.pop("first", None)
        seconds = request["options"]["seconds"]
        task = WorkerTask(do, {"request": request, "limits": limits}, seconds + GRACE_SECONDS)
        job = Job(task, seconds, facts)
        job.instance = json.dumps(request.get("instance", {})).encode()
        task.hear = lambda message: self._hear(job, message)
        self.pool.submit(task)
        if first is not None:
            task.best = {"kind": "result", **first}
            self._hear(job, {"kind": "progress", **{k: v for k, v in first.items() if k != "plan"}})
        self.jobs[job.id] = job
        self._spawn(self._follow(job))
        return job

    def wait_seconds(self) -> int:
        """About how long until the queue has a place: for Retry-After."""
        ahead = sum(job.seconds for job in self.jobs.values() if not job.task.end.done())
        return max(1, round(ahead / self.pool.size / max(1, len(self.pool.waiting))))

    def finish(self) -> None:
        """Let every job end with its best plan so far, and take no new ones."""
        self.closing = True
        for job in self.jobs.values():
            job.task.stop()

    async def close(self) -> None:
        """Stop looking after jobs."""
        for task in self.background:
            task.cancel()
        await asyncio.gather(*self.background, return_exceptions=True)

    def _hear(self, job: Job, message: Fields) -> None:
        if not job.num_plans and "routes" in message:
            self.metrics.first_plan.observe(time.monotonic() - job.created)
        job.hear(message)

    async def _follow(self, job: Job) -> None:
        """Tell the listeners of a job when it begins and when it ends."""
        await job.task.begun.wait()
        job.notify()
        message = dict(await asyncio.shield(job.task.end))
        if message.pop("kind") == "result":
            job.known |= message
        else:
            job.error = message["error"]
        job.finished = job.asked = time.monotonic()
        job.bytes = len(job.instance) + len(json.dumps(job.known))
        job.ended.set()
        self.metrics.ended(job.status, job.finished - job.created)
        job.notify()

    async def _sweep(self) -> None:
        """End jobs that nobody wants any more, forget old results."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = time.monotonic()
            for job in self.jobs.values():
                patience = self.settings.deserted_seconds if job.was_heard else self.settings.unheard_seconds
                if not job.finished and not job.listeners and now - job.asked > patience:
                    job.task.stop()
            kept = [job for job in self.jobs.values() if job.finished]
            kept.sort(key=lambda job: job.finished)
            size = sum(job.bytes for job in kept)
            for job in kept:
                if size <= self.settings.keep_bytes and now - job.finished <= self.settings.keep_seconds:
                    break
                size -= job.bytes
                del self.jobs[job.id]

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)
