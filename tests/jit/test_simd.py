"""Sixteen numbers at once compute what numpy computes one by one."""

import numpy as np
from numpy.typing import NDArray

from minmaxvrp.jit import njit
from minmaxvrp.jit.simd import (
    WIDTH,
    exp2,
    fma,
    load,
    maximum,
    select_greater,
    splat,
    sqrt,
    store,
    transpose,
)

Floats = NDArray[np.float32]


@njit
def _powers(x: Floats, out: Floats) -> None:
    for start in range(0, len(x), WIDTH):
        store(out, start, exp2(load(x, start)))


@njit
def _mixed(x: Floats, y: Floats, out: Floats) -> None:
    a, b = load(x, 0), load(y, 0)
    store(out, 0, a + b)
    store(out, WIDTH, a - b)
    store(out, 2 * WIDTH, a * b)
    store(out, 3 * WIDTH, a / b)
    store(out, 4 * WIDTH, sqrt(a))
    store(out, 5 * WIDTH, maximum(a, b))
    store(out, 6 * WIDTH, select_greater(a, b, splat(np.float32(2.0)), b))
    store(out, 7 * WIDTH, fma(a, np.float32(3.0), b))


@njit
def _turn(source: Floats, stride: int, out: Floats) -> None:
    transpose(source, 3, stride, out, 0)


def test_powers_of_two_are_right_to_seven_digits() -> None:
    """2^x over the range that a softmax needs has a relative error below 2.5e-7, and vanishes below it."""
    x = np.linspace(-125.5, 20.0, WIDTH * 4000, dtype=np.float32)
    out = np.zeros_like(x)
    _powers(x, out)
    np.testing.assert_allclose(out, np.exp2(x.astype(np.float64)), rtol=2.5e-7)
    low = np.full(WIDTH, -1e30, dtype=np.float32)
    _powers(low, low)
    assert (low < 2e-38).all()


def test_operations_equal_numpys() -> None:
    """Sums, products, roots and choices agree with numpy element by element."""
    rng = np.random.default_rng(1)
    x, y = rng.random((2, WIDTH), dtype=np.float32)
    out = np.zeros((8, WIDTH), dtype=np.float32)
    _mixed(x, y, out.reshape(-1))
    expected = [x + y, x - y, x * y, x / y, np.sqrt(x), np.maximum(x, y), np.where(x > y, 2.0, y), x + 3 * y]
    np.testing.assert_allclose(out, np.stack(expected), rtol=1e-6)


def test_transpose_turns_rows_into_columns() -> None:
    """Sixteen rows with a stride become sixteen columns."""
    source = np.arange(17 * 23, dtype=np.float32)
    out = np.zeros(WIDTH * WIDTH, dtype=np.float32)
    _turn(source, 21, out)
    rows = np.stack([source[3 + 21 * r : 3 + 21 * r + WIDTH] for r in range(WIDTH)])
    np.testing.assert_array_equal(out.reshape(WIDTH, WIDTH), rows.T)
