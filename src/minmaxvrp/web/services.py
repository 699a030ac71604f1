"""What the routes need of the server: the processes, the jobs, the metrics. `app` has one of these."""

import asyncio
from dataclasses import asdict
from typing import Any

from .jobs import Job, Jobs
from .metrics import Metrics
from .pool import Busy, Pool
from .server_settings import ServerSettings

Fields = dict[str, Any]

DESKS = 2
"""Processes for short tasks: reading, checking, exports."""
DESK_QUEUE = 64


class ApiError(Exception):
    """An answer with an error in one line."""

    def __init__(self, status: int, text: str, retry_after: int | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.headers = {} if retry_after is None else {"retry-after": str(retry_after)}


class Services:
    """Starts and ends with the server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings, self.metrics = settings, Metrics()
        self.limits: Fields = {**asdict(settings.limits), "workers": settings.workers}

    async def start(self) -> None:
        """Start all processes."""
        self.loop = asyncio.get_running_loop()
        self.desk = Pool("desk", DESKS, DESK_QUEUE)
        self.search = Pool("search", self.settings.workers, self.settings.waiting)
        self.jobs = Jobs(self.settings, self.search, self.metrics)
        for part in (self.desk, self.search, self.jobs):
            part.start()

    async def close(self) -> None:
        """End all processes."""
        for part in (self.jobs, self.search, self.desk):
            await part.close()

    def finish(self) -> None:
        """Let all jobs end with their best plans; may be called from a signal handler."""
        if hasattr(self, "loop"):
            self.loop.call_soon_threadsafe(self.jobs.finish)

    async def ask(self, do: str, **fields: Any) -> Fields:
        """Let a desk do a short task; raises `ApiError` if it cannot."""
        try:
            message = await self.desk.do(do, {**fields, "limits": self.limits})
        except Busy:
            raise ApiError(429, "too many requests at a time, try again later", 1) from None
        kind = message.pop("kind")
        if kind != "result":
            raise ApiError(422 if kind == "refused" else 500, message["error"])
        return message

    async def create(self, request: Fields, do: str = "solve") -> Job:
        """A job for a request; raises `ApiError` if it cannot be solved or the queue is full."""
        facts = await self.ask("accept" if do == "solve" else f"accept {do}", request=request)
        if "options" in facts:  # a VROOM request may bring its own
            request["options"] = facts.pop("options")
        if self.jobs.closing:
            raise ApiError(503, "the server is shutting down")
        try:
            return self.jobs.create(do, request, self.limits, facts)
        except Busy:
            wait = self.jobs.wait_seconds()
            raise ApiError(
                429, f"all workers are busy and the queue is full, try in {wait} s", wait
            ) from None

    def gauges(self) -> dict[str, tuple[str, float]]:
        """The present state in figures, for `/metrics`."""
        states = [job.status for job in self.jobs.jobs.values()]
        return {
            "minmaxvrp_workers_ready": ("Search processes that are ready", self.search.ready),
            "minmaxvrp_workers_busy": ("Search processes with a job", self.search.busy),
            "minmaxvrp_jobs_queued": ("Jobs in the queue", states.count("queued")),
            "minmaxvrp_jobs_running": ("Jobs being solved", states.count("running")),
            "minmaxvrp_jobs_kept": ("Jobs that can be asked for", len(states)),
            "minmaxvrp_worker_crashes_total": (
                "Processes that died",
                self.search.crashes + self.desk.crashes,
            ),
        }
