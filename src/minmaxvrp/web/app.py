"""The routes of the server, described by OpenAPI; docs/api-http.md says the same in words.

A request comes through `guard`, is checked by a desk process (`tasks`), and becomes a job (`jobs`).
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from .. import __version__
from ..problem.files.source import shown
from . import examples, exports, reference
from .guard import Guard
from .jobs import Job
from .models import CheckRequest, Created, Error, JobDocument, JobRequest, ReadAnswer, Verdict
from .server_settings import ServerSettings
from .services import ApiError, Services

STATIC = Path(__file__).parent / "static"
PING_SECONDS = 15.0
"""Between two signs of life on a quiet stream of events, so that nothing between closes it."""

ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"model": Error, "description": "A token is needed."},
    413: {"model": Error, "description": "The body is too long."},
    422: {"model": Error, "description": "The input cannot be used; the message says why."},
    429: {"model": Error, "description": "The queue is full; `Retry-After` says when to try again."},
}
MISSING: dict[int | str, dict[str, Any]] = {
    404: {"model": Error, "description": "No such thing, or no more."}
}

router = APIRouter(responses=ERRORS)


def create_app(settings: ServerSettings) -> FastAPI:
    """The application; its processes start and end with it."""
    services = Services(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await services.start()
        yield
        await services.close()

    app = FastAPI(title="minmaxvrp", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.services = services
    app.add_middleware(Guard, settings=settings, metrics=services.metrics)
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(Exception, _fault)
    return app


def _services(request: Request) -> Services:
    return request.app.state.services  # type: ignore[no-any-return]


Hub = Annotated[Services, Depends(_services)]


def _job(id: str, hub: Hub) -> Job:
    job = hub.jobs.jobs.get(id)
    if job is None:
        raise ApiError(404, f"no job {id!r}: unknown, or its result is no longer kept")
    return job


TheJob = Annotated[Job, Depends(_job)]


@router.get("/", include_in_schema=False)
def page() -> FileResponse:
    """The page."""
    return FileResponse(STATIC / "index.html")


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """The description of this API for people."""
    return HTMLResponse(reference.page(request.app.openapi()))


@router.get("/api/health")
async def health(hub: Hub) -> dict[str, Any]:
    """Whether the server works, its version and limits, and the page's background map if there is one."""
    settings = hub.settings
    return {
        "status": "stopping" if hub.jobs.closing else "ok",
        "version": __version__,
        "workers": hub.search.size,
        "ready": hub.search.ready,
        "busy": hub.search.busy,
        "queued": len(hub.search.waiting),
        "limits": hub.limits,
        "tiles": {"url": settings.tiles, "attribution": settings.tiles_credit} if settings.tiles else None,
    }


@router.get("/api/examples")
async def list_examples() -> list[dict[str, Any]]:
    """Instances to try, by name."""
    return examples.titles()


@router.get("/api/examples/{name}", responses=MISSING)
async def get_example(name: str, hub: Hub) -> ReadAnswer:
    """One of the examples as instance document."""
    if name not in examples.EXAMPLES:
        raise ApiError(404, f"no example {name!r}, expected one of {', '.join(examples.EXAMPLES)}")
    return ReadAnswer(**await hub.ask("example", name=name))


@router.post(
    "/api/read",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def read_file(
    request: Request,
    hub: Hub,
    name: Annotated[str, Query(description="Name of the file; its ending says the format.")],
    vehicles: Annotated[
        int | None, Query(ge=1, description="Where the file does not say how many there are.")
    ] = None,
    speed: Annotated[
        float | None, Query(gt=0.0, description="km (or units) per hour: routes become durations.")
    ] = None,
) -> ReadAnswer:
    """The instance in a file (the body): CSV, JSON, GeoJSON, TSPLIB …; notices name what was not used."""
    data = base64.b64encode(await request.body()).decode()
    return ReadAnswer(**await hub.ask("read", name=name, data=data, vehicles=vehicles, speed=speed))


@router.post("/api/jobs", status_code=201)
async def create_job(body: JobRequest, hub: Hub) -> Created:
    """Start to solve an instance."""
    job = await hub.create(body.model_dump())
    return Created(id=job.id, **job.facts)


@router.get("/api/jobs/{id}", responses=MISSING, response_model=JobDocument)
async def get_job(job: TheJob) -> JSONResponse:
    """State, best plan so far, bound."""
    job.touch()
    return JSONResponse(job.document())


@router.get("/api/jobs/{id}/events", responses={**MISSING, 200: {"content": {"text/event-stream": {}}}})
async def get_events(job: TheJob) -> StreamingResponse:
    """Server-sent events: `status`, `progress` (with routes when they are new), then `result` or `failed`."""
    return StreamingResponse(_event_stream(job), media_type="text/event-stream")


@router.delete("/api/jobs/{id}", responses=MISSING, response_model=JobDocument)
async def end_job(job: TheJob) -> JSONResponse:
    """End the search early; the answer has the best plan."""
    job.task.stop()
    await job.ended.wait()
    return JSONResponse(job.document())


@router.post("/api/solve", response_model=JobDocument)
async def solve(body: JobRequest, request: Request, hub: Hub) -> JSONResponse:
    """Solve an instance in one call; the search ends when the client goes away."""
    job = await solved(body.model_dump(), request, hub)
    return JSONResponse(job.document(), 500 if job.error else 200)


@router.post("/vroom", responses={400: {"description": "`code` 2 and `error`: what cannot be honoured."}})
async def vroom(
    request: Request,
    hub: Hub,
    body: Annotated[dict[str, Any], Body(description="A request of VROOM's API.")],
    seconds: Annotated[float, Query(ge=0, description="Time limit, unless `options.l` says it.")] = 2.0,
    speed: Annotated[
        float, Query(gt=0, le=1e6, description="km/h between positions without matrices.")
    ] = 50.0,
    seed: Annotated[int, Query(ge=0, lt=2**32)] = 0,
) -> JSONResponse:
    """VROOM's request answered in VROOM's response format, the longest route as short as possible."""
    options = {"seconds": seconds, "seed": seed, "workers": 1}
    try:
        job = await solved({"vroom": body, "speed": speed, "options": options}, request, hub, "vroom")
    except ApiError as error:
        wrong = error.status == 422
        fields = {"code": 2 if wrong else 1, "error": str(error)}
        return JSONResponse(fields, 400 if wrong else error.status, error.headers)
    if job.error:
        return JSONResponse({"code": 1, "error": job.error}, 500)
    return JSONResponse(job.known["answer"])


@router.post("/api/check")
async def check(body: CheckRequest, hub: Hub) -> Verdict:
    """What the checker says about a plan: broken rules, lengths, gap."""
    return Verdict(**await hub.ask("judge", request=body.model_dump()))


@router.get("/api/formats")
async def list_formats() -> list[dict[str, str]]:
    """What a plan can be exported to: name, ending and media type."""
    return exports.formats()


@router.post("/api/export/{format}", responses=MISSING, response_class=Response)
async def export(format: str, body: CheckRequest, hub: Hub) -> Response:
    """A plan as a file, with a name to save it under."""
    return await _exported(format, body.model_dump(), hub)


@router.get("/api/jobs/{id}/export/{format}", responses=MISSING, response_class=Response)
async def export_job(format: str, job: TheJob, hub: Hub) -> Response:
    """The plan of a job that is done as a file; for links, such as the one to sheets for drivers."""
    if "plan" not in job.known:
        raise ApiError(404, f"job {job.id!r} has no plan yet")
    return await _exported(format, {"instance": json.loads(job.instance), "plan": job.known["plan"]}, hub)


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(hub: Hub) -> str:
    """Figures for Prometheus."""
    return hub.metrics.text(hub.gauges())


async def _exported(format: str, request: dict[str, Any], hub: Services) -> Response:
    names = {entry["name"]: entry for entry in exports.formats()}
    if format not in names:
        raise ApiError(404, f"no format {format!r}, expected one of {', '.join(names)}")
    made = await hub.ask("export", ending=names[format]["ending"], request=request)
    shown = "inline" if format in exports.SHOWN else "attachment"
    headers = {
        "content-disposition": f'{shown}; filename="{made["name"]}"',
        "content-security-policy": exports.POLICY,
    }
    return Response(base64.b64decode(made["data"]), 200, headers, names[format]["media_type"])


async def solved(body: dict[str, Any], request: Request, hub: Services, do: str = "solve") -> Job:
    """The ended job of a request; ended early when the client goes away."""
    job = await hub.create(body, do)
    with job.listening():
        while not job.ended.is_set():
            try:
                await asyncio.wait_for(job.ended.wait(), 0.5)
            except TimeoutError:
                if await request.is_disconnected():
                    job.task.stop()
    return job


async def _event_stream(job: Job) -> AsyncIterator[str]:
    """The events of a job as text, with a comment now and then when nothing happens."""
    events = aiter(job.events())
    upcoming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({upcoming}, timeout=PING_SECONDS)
            if not done:
                yield ": still here\n\n"
                continue
            event = upcoming.result()
            if event is None:
                return
            yield f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n"
            upcoming = asyncio.ensure_future(anext(events, None))
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)


def _api_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)
    return _error(error.status, str(error), error.headers)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, str(error.detail), dict(error.headers or {}))


def _validation_error(request: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong with the shape of a request, in one line."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body") or "the request"
    got = first.get("input")
    value = f" = {shown(got)}" if isinstance(got, str | int | float) else ""
    return _error(422, f"{place}{value}: {first['msg']}")


def _fault(request: Request, error: Exception) -> JSONResponse:
    return _error(500, "a fault of the server; its log says more")


def _error(status: int, text: str, headers: dict[str, str] | None = None) -> JSONResponse:
    readable = text.encode("utf-8", "backslashreplace").decode()  # clients may send half characters
    return JSONResponse({"error": readable}, status, headers)
