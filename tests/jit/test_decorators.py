"""What loading the compiled functions loads along with them, and which of them are inlined."""

import subprocess
import sys
from typing import Any

import pytest

from minmaxvrp.jit import entry, inlined, kernel
from minmaxvrp.jit.cache import config
from minmaxvrp.jit.versions import PLAIN

PROGRAM = """
import sys
import numpy as np
from minmaxvrp.jit import njit

@njit(cache=False)
def total(values):
    return values.sum()

assert total(np.ones(3)) == 3.0
assert "scipy.linalg" not in sys.modules, "scipy.linalg was imported"

@njit(cache=False)
def product(a, b):
    return np.dot(a, b)

assert product(np.ones(3), np.ones(3)) == 3.0
assert "scipy.linalg" in sys.modules, "numba no longer asks for scipy.linalg"
"""


def test_linear_algebra_is_loaded_only_where_it_is_used() -> None:
    """A function with arrays does without scipy's, one with a scalar product still gets it."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.skipif(PLAIN or config.DISABLE_JIT, reason="LLVM alone decides")
@pytest.mark.parametrize("inlined_first", [True, False])
def test_who_calls_a_kernel_first_does_not_decide_whether_it_is_inlined(inlined_first: bool) -> None:
    """By itself numba compiles a kernel as `inlined` if the first caller that needs it is."""

    @kernel
    def below(a: int) -> int:
        return a * 3

    @inlined
    def forced(a: int) -> int:
        return below(a) + 1

    @kernel
    def plain(a: int) -> int:
        return below(a) + 2

    first, second = (forced, plain) if inlined_first else (plain, forced)

    @entry
    def total(a: int) -> int:
        return first(a) + second(a)

    assert total(5) == 33
    assert [_is_forced(function) for function in (below, plain, forced)] == [False, False, True]


def _is_forced(dispatcher: Any) -> bool:
    (compiled,) = dispatcher.overloads.values()
    return bool(compiled.fndesc.inline)
