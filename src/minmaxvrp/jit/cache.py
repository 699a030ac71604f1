"""Where machine code is kept, so that a program is compiled once per machine and loaded later."""

import hashlib
import importlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numba.core.config

from .versions import PLAIN

config: Any = numba.core.config


def cache_folder() -> Path:
    """Where compiled code is kept: MINMAXVRP_CACHE_DIR, else the user's cache folder (XDG)."""
    chosen = os.environ.get("MINMAXVRP_CACHE_DIR")
    if chosen:
        return Path(chosen) / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minmaxvrp" / "numba"


def use_cache() -> None:
    """Let numba keep machine code in `cache_folder()`, unless NUMBA_CACHE_DIR names another place.

    Where that folder cannot be written (a read-only home), a folder for temporary files takes its place.
    numba writes to a temporary name and renames, so concurrent processes are safe.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        folder = Path(tempfile.mkdtemp(prefix="minmaxvrp-numba-"))
    config.CACHE_DIR = str(folder)


@cache
def program_folder(room: Path) -> Path:
    """Where the entries of exactly these sources, those of a folder and of `jit`, are kept.

    Those of the folder around it count as well if it is a package within a room: kernels there are called.
    """
    here = Path(__file__).resolve().parent
    around = room.parent if room.parent.parent == here.parent else room
    # numba keeps what it compiled by the place of the source
    digest = hashlib.sha256(f"{room} {numba.__version__} {config.BOUNDSCHECK} {PLAIN}".encode())
    for source in sorted([*around.rglob("*.py"), *here.glob("*.py")]):
        digest.update(source.read_bytes())
    return Path(config.CACHE_DIR) / f"{room.name}-{digest.hexdigest()[:16]}"


def is_cached(room: Path, entry: str) -> bool:
    """Whether an entry, named `module.function`, of the sources in a folder has been compiled before."""
    folder = program_folder(room)
    return folder.is_dir() and any(folder.rglob(f"{entry}*.nbi"))


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
