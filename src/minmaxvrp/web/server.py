"""Starts the server and ends it well: on Ctrl-C or SIGTERM every job ends with its best plan so far."""

import contextlib
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from ..errors import InputError
from .app import create_app
from .server_settings import ServerSettings

GOODBYE_SECONDS = 10
"""For clients to fetch their last plans when the server ends."""


MOST_CONNECTIONS = 1_000


class Server(uvicorn.Server):
    """uvicorn, which lets the jobs end before it waits for its connections."""

    def __init__(self, config: uvicorn.Config, finish: Callable[[], None]) -> None:
        super().__init__(config)
        self.finish = finish

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End every job with its best plan; then close."""
        self.finish()
        super().handle_exit(sig, frame)


def serve(settings: ServerSettings, started: Callable[[str], None]) -> None:
    """Run the server until it is told to end; `started` hears the address. Raises `InputError`."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        raise InputError(f"cannot listen on {settings.host} port {settings.port}: {error.strerror}") from None
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        lifespan="on",
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
    )
    server = Server(config, app.state.services.finish)
    host = f"[{settings.host}]" if family == socket.AF_INET6 else settings.host
    started(f"http://{host}:{listener.getsockname()[1]}/")
    with contextlib.suppress(KeyboardInterrupt):  # raised again by uvicorn when all is done
        server.run(sockets=[listener])
