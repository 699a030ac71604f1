"""What stands before every route: token, origin, size of the body, headers of the answer, counts.

An ASGI middleware, so that bodies are counted as they stream in and answers are not held back.
"""

import hmac
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics
from .server_settings import ServerSettings

COOKIE = "minmaxvrp_token"
OPEN = ("/api/health",)
"""Routes that need no token."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:{tiles}; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy. Only the tile server that the settings name may send pictures besides us."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Lets requests through that may come in."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        tiles = f" {settings.tile_server}" if settings.tiles else ""
        self.headers = {"content-security-policy": POLICY.format(tiles=tiles), **HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    answer.setdefault(name, value)
                route = getattr(scope.get("route"), "path", "other")
                self.metrics.answered(scope["method"], route, message["status"])
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
        else:
            await self.app(scope, self._counted(receive), send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """The answer to a request that may not come in; None for one that may."""
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return _error(403, f"origin {origin!r} is another site")
        if self.settings.is_local and not self.settings.token and not _is_local(headers.get("host", "")):
            return _error(403, f"host {headers.get('host', '')!r} is not this machine")  # DNS rebinding
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.settings.limits.bytes:
            return _error(413, self._too_long())
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        if not self.settings.token or scope["path"] in OPEN:
            return None
        if scope["path"] == "/" and self._is_token(QueryParams(scope["query_string"]).get("token")):
            answer = RedirectResponse("/", 303)  # the page keeps the token as a cookie, out of the address
            answer.set_cookie(COOKIE, self.settings.token, httponly=True, samesite="strict")
            return answer
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if self._is_token(bearer) or (cookie is not None and self._is_token(cookie.value)):
            return None
        return _error(
            401, "a token is needed: header `Authorization: Bearer …`, or open the page with ?token=…"
        )

    def _is_token(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), self.settings.token.encode())

    def _counted(self, receive: Receive) -> Receive:
        """`receive`, which fails as soon as the body has become too long."""
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.settings.limits.bytes:
                raise HTTPException(413, self._too_long())
            return message

        return counted

    def _too_long(self) -> str:
        return f"request body too long, expected at most {self.settings.limits.bytes:,} bytes"


def _error(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status)


def _is_local(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")
