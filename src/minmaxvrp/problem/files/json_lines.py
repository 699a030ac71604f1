"""A file of JSON lines that grows as results come, safe against kill -9: those of `bench` and `solve FOLDER`.

A line is on the disk before the next one is made; what a killed process left of a line is cut.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ...errors import InputError

T = TypeVar("T")


class JsonLines:
    """A file open for appending; use it in a `with` block.

    Raises `InputError` for a file that cannot be written, or that another process is writing.
    """

    def __init__(self, path: Path, writer: str) -> None:
        """`writer` is what to call the other process in the message."""
        self.path, self.writer = path, writer
        self.stream: BufferedRandom | None = None
        self.made: list[Path] = []
        """Folders that were made for the file, and the file itself, the innermost last."""

    def __enter__(self) -> "JsonLines":
        places = (*reversed(self.path.parents), self.path)
        self.made = [place for place in places if not place.exists()]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.stream = self.path.open("a+b")
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            self._lock()
        except BaseException:
            self.stream.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.stream is not None:
            if self.made and self.stream.seek(0, os.SEEK_END) == 0:
                self._remove()
            self.stream.close()

    def _remove(self) -> None:
        """A file that was made and got no line leaves nothing behind, nor do the folders made for it."""
        with suppress(OSError):
            self.path.unlink()
            for folder in reversed(self.made[:-1]):
                folder.rmdir()

    def append(self, values: Mapping[str, Any]) -> None:
        """Write one line; when this returns it is on the disk."""
        assert self.stream is not None
        line = json.dumps(values, separators=(",", ":"), allow_nan=False)
        self.stream.write(line.encode() + b"\n")
        self.stream.flush()
        os.fsync(self.stream.fileno())

    def resume(self, parse: Callable[[str, bytes], T]) -> list[T]:
        """Open the file; what its lines hold, read by `parse(place, line)`. Closed again if that raises."""
        with ExitStack() as undo:
            undo.enter_context(self)
            found = [parse(where, line) for where, line in read_lines(self.path)]
            self._cut_torn_line()
            undo.pop_all()
        return found

    def _cut_torn_line(self) -> None:
        """Drop what a killed process left behind its last whole line; comes after the others were read."""
        assert self.stream is not None
        self.stream.seek(0)
        whole = self.stream.read().rfind(b"\n") + 1
        self.stream.truncate(whole)
        self.stream.seek(0, os.SEEK_END)

    def _lock(self) -> None:
        """Two processes must not write to one file; the lock ends with the process, whatever ends it."""
        if sys.platform == "win32":
            return
        import fcntl

        assert self.stream is not None
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.path}: another {self.writer} is writing to it") from None


def read_lines(path: Path) -> list[tuple[str, bytes]]:
    """Every whole line of a file with its place, such as `results.jsonl line 3`; raises `InputError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    lines = content.split(b"\n")[:-1]  # behind the last newline: nothing, or an unfinished line
    return [(f"{path} line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]
