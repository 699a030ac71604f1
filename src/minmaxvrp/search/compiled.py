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
import numba.core.config

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

config: Any = numba.core.config

CACHE_VARIABLE = "MINMAXVRP_CACHE_DIR"
"""Environment variable: where compiled kernels are kept instead of the user's cache directory."""


@cache
def cache_folder() -> Path:
    """Where the compiled kernels of exactly these sources and this numba are kept."""
    chosen = os.environ.get(CACHE_VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = Path(chosen) if chosen else Path(home) / "minmaxvrp" / "numba"
    digest = hashlib.sha256(f"{numba.__version__} {config.BOUNDSCHECK}".encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return root / digest.hexdigest()[:16]


def _njit(**options: bool) -> Any:
    compile_: Any = numba.njit  # its stubs do not know all of its options
    return compile_(error_model="numpy", _nrt=False, **options)


def kernel(function: Kernel) -> Kernel:
    """Compile a function that other kernels call; Python itself cannot call it.

    Kernels allocate nothing, so numba's reference counts (`_nrt`) are switched off: they would cost
    two thirds of the running time. Wrappers for Python would cost half of the compile time.
    """
    return cast(Kernel, _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def inlined(function: Kernel) -> Kernel:
    """Compile as `kernel` does, into every place that calls it: for the innermost steps.

    A call that is not inlined passes some forty arrays, which takes longer than such a step.
    """
    return cast(Kernel, _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)(function))


def entry(function: Kernel) -> Kernel:
    """Compile a function that Python calls, with all kernels that it calls; keep the result on disk.

    It runs without the interpreter lock, so several threads can each run one.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:  # numba reads the setting here, once; other users of numba keep theirs
        compiled = _njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
    return cast(Kernel, compiled)


def kernels_cached() -> bool:
    """Whether the kernels have been compiled before, so that the first call starts at once."""
    return any(cache_folder().rglob("anneal*.nbi")) if cache_folder().is_dir() else False
