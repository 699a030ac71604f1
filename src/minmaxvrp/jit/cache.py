"""Where machine code is kept, so that a program is compiled once per machine and loaded later."""

import atexit
import hashlib
import importlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numba.core.config

from .versions import PLAIN

config: Any = numba.core.config
ENOUGH_BYTES = 32 << 20
"""Free space that a folder must have; all kernels together take a fifth of it."""
PACKAGE = Path(__file__).resolve().parents[1]
OWN_PROGRAMS = {"elimination", "fleet", "kernels"}
"""Folders within a room whose entries are loaded when they are needed, without those of the room."""

_problem: str | None = None
"""Why machine code is not kept for later."""


def cache_folder() -> Path:
    """Where compiled code is kept: MINMAXVRP_CACHE_DIR, else the user's cache folder (XDG).

    Where there is no home, a folder that cannot be made.
    """
    chosen = os.environ.get("MINMAXVRP_CACHE_DIR")
    if chosen:
        return Path(chosen) / "numba"
    chosen = os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else _home() / ".cache") / "minmaxvrp" / "numba"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # HOME is not set and the system does not know the user
        return Path(os.devnull)


def use_cache() -> None:
    """Let numba keep machine code in `cache_folder()`, or where NUMBA_CACHE_DIR says.

    Where that folder cannot be written (a read-only home) or the disk is full, a folder for temporary files
    takes its place until the process ends. numba writes to a temporary name and renames, so concurrent
    processes are safe.
    """
    global _problem
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(chosen) if chosen else cache_folder()
    reason = None if config.DISABLE_JIT else _why_not(folder)  # without machine code no folder is made
    config.CACHE_DIR = str(folder) if reason is None else ""
    if reason is None:
        return
    _problem = f"{folder}: {reason}"
    for parent in (None, "/dev/shm"):  # a file system in memory, where there is one
        try:
            temporary = tempfile.mkdtemp(prefix="minmaxvrp-numba-", dir=parent)
        except OSError:
            continue
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        if _why_not(Path(temporary)) is None:
            config.CACHE_DIR = temporary
            return


def _why_not(folder: Path) -> str | None:
    """Why nothing can be kept in a folder, which is made if need be, but not the home around it."""
    if folder.is_relative_to(_home()) and not _home().is_dir():
        return "there is no home folder"
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 16))
            file.flush()
        if shutil.disk_usage(folder).free >= ENOUGH_BYTES:
            return None
        reason = "no space left"
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
    if new:
        shutil.rmtree(folder, ignore_errors=True)
    return reason


def cache_problem() -> str | None:
    """Why machine code is not kept for later, with the folder; None where it is."""
    return _problem


def program_of(source: Path) -> Path:
    """The folder of the program that a source belongs to: its room, or one in it that is a program itself."""
    folder = source.parent
    if PACKAGE in folder.parents:
        while folder.parent != PACKAGE and folder.name not in OWN_PROGRAMS:
            folder = folder.parent
    return folder


@cache
def program_folder(program: Path) -> Path:
    """Where the entries of exactly these sources, those of a program's folder and of `jit`, are kept.

    Those of the folder around it count as well if it is a package within a room: kernels there are called.
    """
    here = Path(__file__).resolve().parent
    around = program.parent if program.parent.parent == PACKAGE else program
    # numba keeps what it compiled by the place of the source
    digest = hashlib.sha256(f"{program} {numba.__version__} {config.BOUNDSCHECK} {PLAIN}".encode())
    for source in sorted([*around.rglob("*.py"), *here.glob("*.py")]):
        digest.update(source.read_bytes())
    return Path(config.CACHE_DIR) / f"{program.name}-{digest.hexdigest()[:16]}"


def is_kept(dispatchers: Iterable[Any]) -> bool:
    """Whether machine code of all these functions is on disk that this process can use.

    numba uses none that was compiled for another processor, by another version, from a file of another date,
    or from other bytecode (`python -O`), but compiles again without a word.
    """
    return all(_is_kept(dispatcher) for dispatcher in dispatchers)


def _is_kept(dispatcher: Any) -> bool:
    if config.DISABLE_JIT:
        return True  # there is nothing to compile
    kept = dispatcher._cache
    try:
        file = kept._cache_file
        for_this_process = kept._index_key((), dispatcher.targetctx.codegen())[1:]
        names = [name for key, name in file._load_index().items() if key[1:] == for_this_process]
        return any(os.path.exists(file._data_path(name)) for name in names)
    except Exception:  # no cache, a file that was cut off, or another numba
        return False


def load_array_functions() -> None:
    """Let numba load its array functions without scipy's linear algebra, which takes a quarter of a second.

    numba imports it there only to see whether it is installed, and this package depends on scipy. Whatever
    uses it imports it when it is compiled.
    """
    if PLAIN:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
