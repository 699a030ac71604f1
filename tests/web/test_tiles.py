"""The background map of the page: none unless it is named, and then from nowhere else."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from minmaxvrp.errors import InputError
from minmaxvrp.web.guard import Guard
from minmaxvrp.web.metrics import Metrics
from minmaxvrp.web.server_settings import ServerSettings


def policy(settings: ServerSettings) -> str:
    """The content security policy of an answer."""
    app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("page"))])
    guard = Guard(app, settings, Metrics())

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=guard)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get("/")

    return asyncio.run(ask()).headers["content-security-policy"]


def test_pictures_come_from_the_named_tile_server_alone() -> None:
    """The policy lists the scheme and host of the tiles; without tiles, no other host at all."""
    tiles = ServerSettings(tiles="https://tiles.example:8443/map/{z}/{x}/{y}.png?key=1")
    assert "img-src 'self' data: blob: https://tiles.example:8443;" in policy(tiles)
    assert "http" not in policy(ServerSettings())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://tiles.example/{z}/{x}/{y}.png", "expected http:// or https://"),
        ("https://tiles.example/{z}/{x}.png", "lacks {y}"),
        ("https://tiles.example;script-src *//{z}/{x}/{y}", "and a host"),
        ("https://user@tiles.example/{z}/{x}/{y}", "and a host"),
    ],
)
def test_an_address_that_is_not_one_of_tiles_is_refused(address: str, message: str) -> None:
    """With what is wrong; nothing of it gets into the policy."""
    with pytest.raises(InputError, match="tiles = ") as caught:
        ServerSettings(tiles=address)
    assert message in str(caught.value)
