"""What whoever starts the server may set: address, token, number of workers, limits of a request."""

import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..errors import InputError

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one request may ask for."""

    bytes: int = 16 * MEBIBYTE
    """Of a request body."""
    customers: int = 10_000
    vehicles: int = 1_000
    seconds: float = 300.0
    """Of search."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the server runs. Raises `InputError` for values it cannot run with."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes any free port."""
    token: str = ""
    """What clients must show; empty for none."""
    insecure: bool = False
    """Listen on other addresses than loopback although there is no token."""
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Processes that search, one job each."""
    waiting: int = 32
    """Jobs in the queue; with more the answer is 429."""
    limits: Limits = field(default_factory=Limits)
    keep_seconds: float = 600.0
    """How long results are kept."""
    keep_bytes: int = 64 * MEBIBYTE
    """Of all results that are kept; the oldest go first."""
    unheard_seconds: float = 60.0
    """A job that nobody asks about ends after this time."""
    deserted_seconds: float = 5.0
    """A job whose last listener left ends after this time, which is enough to connect again."""
    tiles: str = ""
    """Address of the page's background map with {z}, {x} and {y}; empty for none."""
    tiles_credit: str = ""
    """Whom the background map is from; shown on it."""

    def __post_init__(self) -> None:
        for what in ("workers", "waiting"):
            if getattr(self, what) < 1:
                raise InputError(f"{what} = {getattr(self, what)}, expected 1 or more")
        if not 0 <= self.port <= 65535:
            raise InputError(f"port = {self.port}, expected 0 to 65535")
        if not (self.is_local or self.token or self.insecure):
            raise InputError(
                f"host = {self.host!r} can be reached from other machines: give a --token, or --insecure"
            )

        if self.tiles:
            _check_tiles(self.tiles)

    @property
    def tile_server(self) -> str:
        """Scheme and host of the background map, for the content security policy; empty without one."""
        parts = urlsplit(self.tiles)
        return f"{parts.scheme}://{parts.netloc}" if self.tiles else ""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def _check_tiles(address: str) -> None:
    """Raise `InputError` unless an address is one of tiles and its host nothing but a name."""
    parts = urlsplit(address)
    host = re.fullmatch(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9A-Fa-f:]+\](:\d+)?", parts.netloc)
    if parts.scheme not in ("http", "https") or not host:
        raise InputError(f"tiles = {address!r}, expected http:// or https:// and a host")
    missing = [part for part in ("{z}", "{x}", "{y}") if part not in address]
    if missing:
        raise InputError(
            f"tiles = {address!r} lacks {', '.join(missing)}, expected such as …/{{z}}/{{x}}/{{y}}.png"
        )
