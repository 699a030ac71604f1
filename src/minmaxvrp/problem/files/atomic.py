"""Writing a file whole or not at all: a temporary name in the same folder, fsync, rename.

Every writer of this package ends here, so a crash or a full disk never leaves half a file.
"""

import contextlib
import os
import secrets
from pathlib import Path

from ...errors import InputError


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`; raises `InputError` and leaves nothing when it cannot."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{path}: a name has characters that are not valid Unicode") from None
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write `data` to `path`; raises `InputError` and leaves nothing when it cannot."""
    try:
        target = Path(os.path.realpath(path))  # a link keeps pointing to the file it points to
        if target.is_dir():
            raise InputError(f"{path}: a folder, expected a file name")
        if target.exists() and not target.is_file():  # a pipe or a terminal has no half-written state
            target.write_bytes(data)
            return
        _replace(target, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    except ValueError as error:  # a path with a zero byte
        raise InputError(f"{str(path)!r}: cannot be written: {error}") from None


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}.tmp")
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    with contextlib.suppress(OSError):  # the rename survives a power cut; not every system can do this
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
