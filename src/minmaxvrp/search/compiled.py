"""How kernels are compiled: one decorator, cached in the user's cache directory.

The cache folder carries a fingerprint of this room's sources, because numba notices a change of a
kernel's own file only, not of the kernels it calls. numba writes cache files to a temporary name and
renames them, so concurrent processes are safe.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.core.config

from ..compiled import njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

config: Any = numba.core.config

_attempted = False
"""Whether this process has let another one compile, or is that one."""


@cache
def kernel_folder() -> Path:
    """Where the compiled kernels of exactly these sources are kept, below the package's cache folder."""
    room = Path(__file__).resolve().parent  # numba keeps what it compiled by the place of the source
    digest = hashlib.sha256(f"{room} {numba.__version__} {config.BOUNDSCHECK}".encode())
    for source in sorted(room.rglob("*.py")):
        digest.update(source.read_bytes())
    return Path(config.CACHE_DIR) / f"search-{digest.hexdigest()[:16]}"


def kernel(function: Kernel) -> Kernel:
    """Compile a function that other kernels call; Python itself cannot call it.

    Kernels allocate nothing, so numba's reference counts (`_nrt`) are switched off: they would cost
    two thirds of the running time. Wrappers for Python would cost half of the compile time.
    """
    return _once(njit(cache=False, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def _once(compiled: Kernel) -> Kernel:
    """Let a constant as an argument be like any other number: numba would compile anew for each value."""
    dispatcher: Any = compiled
    types: Any = numba.types
    template = dispatcher.get_call_template

    def any_value(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return template(tuple(types.unliteral(argument) for argument in arguments), named)

    dispatcher.get_call_template = any_value
    return compiled


def inlined(function: Kernel) -> Kernel:
    """Compile as `kernel` does, into every place that calls it: for the innermost steps.

    A call that is not inlined passes some forty arrays, which takes longer than such a step.
    """
    inside = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    return _once(njit(cache=False, _nrt=False, **inside)(function))


def entry(function: Kernel) -> Kernel:
    """Compile a function that Python calls, with all kernels that it calls; keep the result on disk.

    It runs without the interpreter lock, so several threads can each run one. Kernels cannot call it: what
    is kept may take its arguments in another way (see `thrift`) than what is compiled later.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(kernel_folder())
    try:  # numba reads the setting here, once; other users of numba keep theirs
        compiled = njit(_nrt=False)(function)
    finally:
        config.CACHE_DIR = before

    def refused(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        raise TypeError(f"{function.__name__} is for Python to call; a kernel calls kernels")

    dispatcher: Any = compiled
    dispatcher.get_call_template = refused
    return compiled


def compile_aside() -> "subprocess.Popen[bytes]":
    """Compile the kernels in a process of its own, so that this one can do something else meanwhile.

    There LLVM optimises at its first level and each program as a whole (see `whole`): the code is about as
    fast as the third level's, and made sooner. Hand the process to `compiled_aside` in the end.
    """
    compile_here()
    program = [sys.executable, "-c", "from minmaxvrp.search.warm import fill_cache; fill_cache()"]
    level = {"NUMBA_OPT": "1"} | os.environ
    return subprocess.Popen(program, env=level, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def compile_here() -> None:
    """From now on, let this process compile by itself what is not in the cache."""
    global _attempted
    _attempted = True


def ensure_compiled() -> None:
    """On first use, let another process compile, unless that was tried: code compiled here is slower."""
    if not (_attempted or kernels_cached()):
        compiled_aside(compile_aside())


def compiled_aside(process: "subprocess.Popen[bytes]") -> None:
    """Wait for `compile_aside`. If it failed, keep nothing of it: the first call compiles as usual."""
    if process.wait() != 0:
        shutil.rmtree(kernel_folder(), ignore_errors=True)


def kernels_cached() -> bool:
    """Whether the kernels have been compiled before, so that the first call starts at once."""
    return kernel_folder().is_dir() and any(kernel_folder().rglob("engine.anneal*.nbi"))
