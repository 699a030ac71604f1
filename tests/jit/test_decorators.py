"""What loading the compiled functions loads along with them."""

import subprocess
import sys

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
