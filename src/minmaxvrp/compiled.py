"""Compiled functions: numba's `njit` with the settings of this package, and where the machine code is kept.

A leaf that imports no sibling. The kernels of `policy` and `search` are decorated with `njit` from here,
so that a program compiles once per machine and later starts load the result from the cache.
"""

import importlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def cache_folder() -> Path:
    """Where compiled code is kept: MINMAXVRP_CACHE_DIR, else the user's cache folder (XDG)."""
    chosen = os.environ.get("MINMAXVRP_CACHE_DIR")
    if chosen:
        return Path(chosen) / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minmaxvrp" / "numba"


def use_cache() -> None:
    """Let numba keep machine code in `cache_folder()`, unless NUMBA_CACHE_DIR names another place.

    Where that folder cannot be written (a read-only home), a folder for temporary files takes its place.
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
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]


def load_array_functions() -> None:
    """Let numba load its array functions without scipy's linear algebra, which takes a quarter of a second.

    numba imports it there only to see whether it is installed, and this package depends on scipy. Whatever
    uses it imports it when it is compiled.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


@overload
def njit(function: Function) -> Function: ...


@overload
def njit(**options: Any) -> Callable[[Function], Function]: ...


def njit(function: Any = None, **options: Any) -> Any:
    """`numba.njit`, cached, without the interpreter lock, dividing as numpy does; `options` override.

    Use as `@njit` or `@njit(fastmath=True)`. The result keeps the type of the function.
    """
    settings: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"} | options
    return numba.njit(**settings) if function is None else numba.njit(**settings)(function)


use_cache()
load_array_functions()
