"""`minmaxvrp serve`: the page and the HTTP API."""

import os
from typing import Annotated

import typer

from ..errors import InputError
from .messages import say


def run(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.")] = 8000,
    workers: Annotated[int | None, typer.Option(help="Processes that search.  [one per core]")] = None,
    waiting: Annotated[int, typer.Option(help="Most jobs in the queue.")] = 32,
    max_seconds: Annotated[float, typer.Option(help="Longest search of one job.")] = 300.0,
    max_customers: Annotated[int, typer.Option(help="Most customers of one job.")] = 10_000,
    max_vehicles: Annotated[int, typer.Option(help="Most vehicles of one job.")] = 1_000,
    max_megabytes: Annotated[int, typer.Option(help="Longest request.")] = 16,
    token: Annotated[
        str, typer.Option(envvar="MINMAXVRP_TOKEN", help="What clients must show; better as variable.")
    ] = "",
    tiles: Annotated[
        str, typer.Option(help="Background map of the page: address with {z}, {x}, {y}.  [none]")
    ] = "",
    tiles_credit: Annotated[str, typer.Option(help="Whom the background map is from, shown on it.")] = "",
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen on other addresses than loopback without a token.")
    ] = False,
) -> None:
    """Show the page and answer the HTTP API until Ctrl-C."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"serve needs the package {error.name!r}, not installed: pip install 'minmaxvrp[web]'"
        ) from None
    from ..web.server import serve
    from ..web.server_settings import MEBIBYTE, Limits, ServerSettings

    limits = Limits(max_megabytes * MEBIBYTE, max_customers, max_vehicles, max_seconds)
    num_workers = workers if workers is not None else os.cpu_count() or 1
    settings = ServerSettings(
        *(host, port, token, insecure, num_workers, waiting, limits), tiles=tiles, tiles_credit=tiles_credit
    )
    serve(settings, lambda address: say(f"minmaxvrp is at {address} (Ctrl-C ends it)"))
