"""What runs in a worker process: take one task after the other, answer in messages.

`pool` starts it as `python -m minmaxvrp.web.worker desk|search`. A message is a JSON object after its
length in four bytes; tasks come on stdin, answers go to stdout. While a task runs, anything on stdin asks
it to end early. When the server goes away, stdin ends, and so does the worker.
"""

import contextlib
import json
import os
import select
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any

from ..errors import InputError
from . import exports, tasks, vroom_answer

HEADER = struct.Struct(">I")
DESK_MEMORY = 4 * 2**30
"""Bytes of address space of a process that reads the files of clients."""

SEARCH_NICENESS = 5
"""Where cores are short, searches step back: new requests get their answers and first plans at once."""

DESK_TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "read": tasks.read,
    "example": tasks.example,
    "accept": tasks.accept,
    "judge": tasks.judge,
    "export": exports.export,
    "accept vroom": vroom_answer.accept,
}
SEARCH_TASKS: dict[str, Callable[..., dict[str, Any]]] = {"solve": tasks.solve, "vroom": vroom_answer.solve}


class Channel:
    """Messages to and from the server."""

    def __init__(self) -> None:
        self.inward = sys.stdin.fileno()
        self.outward = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print must not look like answers

    def receive(self) -> dict[str, Any] | None:
        """The next message; None when the server has gone."""
        header = self._read(HEADER.size)
        if header is None:
            return None
        body = self._read(HEADER.unpack(header)[0])
        return None if body is None else dict(json.loads(body))

    def send(self, kind: str, fields: dict[str, Any]) -> None:
        """Send one message."""
        body = json.dumps({"kind": kind, **fields}, allow_nan=False).encode()
        rest = memoryview(HEADER.pack(len(body)) + body)
        while rest:
            rest = rest[os.write(self.outward, rest) :]

    def is_waiting(self) -> bool:
        """Whether something has come in, or the server has gone."""
        return bool(select.select([self.inward], [], [], 0.0)[0])

    def _read(self, size: int) -> bytes | None:
        parts = []
        while size:
            part = os.read(self.inward, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def main(role: str) -> None:
    """Serve tasks until the server goes away."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server decides when a job ends
        signal.signal(number, signal.SIG_IGN)
    channel = Channel()
    if role == "search":
        os.nice(SEARCH_NICENESS)
        _load_kernels()
    else:
        _limit_memory()
    channel.send("ready", {})
    with contextlib.suppress(BrokenPipeError):  # the server has gone: so does the worker
        while (message := channel.receive()) is not None:
            if message["do"] != "stop":  # one that came too late for its task
                _serve(channel, message)


def _serve(channel: Channel, message: dict[str, Any]) -> None:
    """Do one task; its result or its error is the last message."""
    do, fields = message.pop("do"), message
    channel.send("begun", {})
    try:
        if do in SEARCH_TASKS:
            result = SEARCH_TASKS[do](**fields, send=channel.send, asked=channel.is_waiting)
        else:
            result = DESK_TASKS[do](**fields)
        channel.send("result", result)
    except InputError as error:
        channel.send("refused", {"error": str(error)})
    except MemoryError:
        channel.send("failed", {"error": "not enough memory for this request"})
    except BrokenPipeError:
        raise
    except Exception:
        traceback.print_exc()
        channel.send("failed", {"error": "a fault of the server; its log says more"})


def _load_kernels() -> None:
    """Load the kernels of both programs, on first use compile them, with a small instance each.

    The bound of 0 makes it search although its first plan is the best.
    """
    import numpy as np

    from .. import Instance, MaxIterations, solve
    from ..problem.bounds import lower_bound

    corners = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    say = lambda text: print(f"note: {text}", file=sys.stderr)  # noqa: E731
    for return_to in ("start", "nowhere"):  # the kernels for open routes are those for fleets
        small = Instance.mtsp(np.zeros(2), corners, 2, return_to=return_to)
        lower_bound(small)
        solve(small, MaxIterations(1), policy=None, bound=0.0, notice=say)


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (DESK_MEMORY, DESK_MEMORY))


if __name__ == "__main__":
    main(sys.argv[1])
