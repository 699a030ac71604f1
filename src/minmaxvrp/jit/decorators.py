"""The decorators of compiled functions: `njit` alone; `entry`, `kernel`, `inlined` for whole programs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

from .cache import config, program_folder
from .versions import PLAIN

Function = TypeVar("Function", bound=Callable[..., Any])


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


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; Python itself cannot call it.

    Kernels allocate nothing, so numba's reference counts (`_nrt`) are switched off: they would cost
    two thirds of the running time. Wrappers for Python would cost half of the compile time.
    """
    if PLAIN:
        return njit(cache=False)(function)
    return _once(njit(cache=False, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def inlined(function: Function) -> Function:
    """Compile as `kernel` does, into every place that calls it: for the innermost steps.

    A call takes longer than such a step.
    """
    if PLAIN:
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
    before = config.CACHE_DIR
    config.CACHE_DIR = str(program_folder(Path(function.__code__.co_filename).resolve().parent))
    try:  # numba reads the setting here, once; other users of numba keep theirs
        compiled = njit(function) if PLAIN else njit(_nrt=False)(function)
    finally:
        config.CACHE_DIR = before

    def refused(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        raise TypeError(f"{function.__name__} is for Python to call; a kernel calls kernels")

    dispatcher: Any = compiled
    dispatcher.get_call_template = refused
    return compiled
