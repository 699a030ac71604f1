"""The decorators of compiled functions: `njit` alone; `entry`, `kernel`, `inlined` for whole programs."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

from .cache import config, program_folder, program_of
from .versions import PLAIN

Function = TypeVar("Function", bound=Callable[..., Any])

if config.DISABLE_JIT:  # plain numpy warns where a random number wraps around, as it must
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning, r"minmaxvrp\.")

_entries: dict[Path, list[Any]] = {}


@overload
def njit(function: Function) -> Function: ...


@overload
def njit(**options: Any) -> Callable[[Function], Function]: ...


def njit(function: Any = None, **options: Any) -> Any:
    """`numba.njit`, cached, without the interpreter lock, dividing as numpy does; `options` override.

    Use as `@njit` or `@njit(fastmath=True)`. The result keeps the type of the function.
    """
    if function is None:
        return lambda given: njit(given, **options)
    settings: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"} | options
    before = config.CACHE_DIR
    settings["cache"] &= bool(before)
    try:  # numba reads the folder here, once; other users of numba keep theirs
        if settings["cache"] and not config.DISABLE_JIT:
            config.CACHE_DIR = str(program_folder(_program(function)))
        return _kept_if_possible(numba.njit(**settings)(function))
    finally:
        config.CACHE_DIR = before


def _program(function: Function) -> Path:
    """The folder of the program that a function belongs to."""
    return program_of(Path(function.__code__.co_filename).resolve())


def _kept_if_possible(compiled: Any) -> Any:
    """Let a full disk or a damaged file not be an error: what cannot be loaded or kept is compiled."""
    kept = getattr(compiled, "_cache", None)
    if kept is None:  # NUMBA_DISABLE_JIT
        return compiled
    load, save = kept.load_overload, kept.save_overload

    def load_if_possible(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # a file cut off
            Path(kept._cache_file._index_path).unlink(missing_ok=True)
            return None

    def save_if_possible(signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError:
            kept.disable()
            Path(kept._cache_file._index_path).unlink(missing_ok=True)

    kept.load_overload, kept.save_overload = load_if_possible, save_if_possible
    return compiled


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; Python itself cannot call it.

    Kernels allocate nothing, so numba's reference counts (`_nrt`) are switched off: they would cost
    two thirds of the running time. Wrappers for Python would cost half of the compile time. LLVM decides
    whether a kernel is inlined; without `forceinline` being False here, numba would inline it wherever its
    first caller happens to be `inlined` itself.
    """
    if PLAIN or config.DISABLE_JIT:
        return njit(cache=False)(function)
    alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": False}
    return _once(njit(cache=False, _nrt=False, **alone)(function))


def inlined(function: Function) -> Function:
    """Compile as `kernel` does, into every place that calls it: for the innermost steps.

    A call takes longer than such a step.
    """
    if PLAIN or config.DISABLE_JIT:
        return njit(cache=False)(function)
    inside = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    return _once(njit(cache=False, _nrt=False, **inside)(function))


def _once(compiled: Function) -> Function:
    """Let a constant as an argument be like any other number: numba would compile anew for each value."""
    dispatcher: Any = compiled
    types: Any = numba.types
    template = dispatcher.get_call_template

    def any_value(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return template(tuple(types.unliteral(argument) for argument in arguments), named)

    dispatcher.get_call_template = any_value
    return compiled


def entry(function: Function) -> Function:
    """Compile a function that Python calls, with all kernels that it calls; keep the result on disk.

    It runs without the interpreter lock, so several threads can each run one. Kernels cannot call it: what
    is kept may take its arguments in another way (see `by_address`) than what is compiled later.
    """
    if config.DISABLE_JIT:
        return function
    compiled = njit(function) if PLAIN else njit(_nrt=False)(function)
    _entries.setdefault(_program(function), []).append(compiled)

    def refused(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        raise TypeError(f"{function.__name__} is for Python to call; a kernel calls kernels")

    dispatcher: Any = compiled
    dispatcher.get_call_template = refused
    return compiled


def entries_of(program: Path) -> list[Any]:
    """The entries of a program's modules that have been imported."""
    return _entries.get(program, [])
