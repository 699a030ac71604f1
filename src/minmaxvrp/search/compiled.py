"""How kernels are compiled: one decorator, cached in the user's cache directory.

The cache folder carries a fingerprint of this room's sources, because numba notices a change of a
kernel's own file only, not of the kernels it calls. numba writes cache files to a temporary name and
renames them, so concurrent processes are safe.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

CACHE_VARIABLE = "MINMAXVRP_CACHE_DIR"
"""Environment variable: where compiled kernels are kept instead of the user's cache directory."""


@cache
def cache_folder() -> Path:
    """Where the compiled kernels of exactly these sources and this numba are kept."""
    chosen = os.environ.get(CACHE_VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(chosen) if chosen else Path(home) / "minmaxvrp" / "numba"
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return root / digest.hexdigest()[:16]


def kernel(function: Kernel) -> Kernel:
    """Compile a function that other kernels call; Python itself cannot call it.

    Kernels allocate nothing, so numba's reference counts (`_nrt`) are switched off: they would cost
    two thirds of the running time. Wrappers for Python would cost half of the compile time.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Kernel, numba.njit(error_model="numpy", _nrt=False, **options)(function))


def entry(function: Kernel) -> Kernel:
    """Compile a function that Python calls, with all kernels that it calls; keep the result on disk.

    It runs without the interpreter lock, so several threads can each run one.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:  # numba reads the setting here, once; other users of numba keep theirs
        compiled = numba.njit(cache=True, error_model="numpy", nogil=True, _nrt=False)(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Kernel, compiled)


def kernels_cached() -> bool:
    """Whether the kernels have been compiled before, so that the first call starts at once."""
    return any(cache_folder().rglob("anneal*.nbi")) if cache_folder().is_dir() else False
