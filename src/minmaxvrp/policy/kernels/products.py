"""Matrix products of sixteen queries with a list of rows, forward and backward: what attention is made of.

`replay` and `attention_passes` call them. An array [n, 16] has one vector per row, with one number of each
query; `rows` are the places of the rows in a flat table, filled up to whole blocks of eight by `fill_up`.
"""

import numpy as np

from ...jit import njit
from ...jit.simd import WIDTH, Vector, exp2, fma_at, load, maximum, select_greater, splat, store
from .arithmetic import BLOCK, LOG2_E, ONE, ZERO
from .rollout_arrays import FORBIDDEN, Floats, Indices

SMALLEST = np.float32(-50.0)


@njit
def padded_length(num: int) -> int:
    """How many rows there are with those that fill the last block up."""
    return (num + BLOCK - 1) // BLOCK * BLOCK


@njit
def fill_up(rows: Indices, num: int) -> int:
    """Fill the list up to whole blocks, with its first rows; returns the new length.

    Eight rows or more stay different within each block, so that `add_outer` may write them together.
    """
    padded = padded_length(num)
    for i in range(num, padded):
        rows[i] = rows[i - num] if num >= BLOCK else rows[0]
    return padded


@njit
def dots(table: Floats, rows: Indices, padded: int, depth: int, x: Floats, first: int, out: Floats) -> None:
    """out[i] = sum over c of table[rows[i] + c] · x[first + c], for i < padded."""
    for i in range(0, padded, BLOCK):
        p0, p1, p2, p3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        p4, p5, p6, p7 = rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7]
        s0 = splat(ZERO)
        s1, s2, s3, s4, s5, s6, s7 = s0, s0, s0, s0, s0, s0, s0
        for c in range(depth):
            value = load(x, (first + c) * WIDTH)
            s0 = fma_at(s0, table, p0 + c, value)
            s1 = fma_at(s1, table, p1 + c, value)
            s2 = fma_at(s2, table, p2 + c, value)
            s3 = fma_at(s3, table, p3 + c, value)
            s4 = fma_at(s4, table, p4 + c, value)
            s5 = fma_at(s5, table, p5 + c, value)
            s6 = fma_at(s6, table, p6 + c, value)
            s7 = fma_at(s7, table, p7 + c, value)
        o = i * WIDTH
        store(out, o, s0)
        store(out, o + WIDTH, s1)
        store(out, o + 2 * WIDTH, s2)
        store(out, o + 3 * WIDTH, s3)
        store(out, o + 4 * WIDTH, s4)
        store(out, o + 5 * WIDTH, s5)
        store(out, o + 6 * WIDTH, s6)
        store(out, o + 7 * WIDTH, s7)


@njit
def combine(
    table: Floats, rows: Indices, num: int, column: int, weights: Floats, out: Floats, place: int
) -> None:
    """out[place + c] += sum over i < num of table[rows[i] + column + c] · weights[i], for eight c."""
    o = place * WIDTH
    s0, s1, s2, s3 = (load(out, o), load(out, o + WIDTH), load(out, o + 2 * WIDTH), load(out, o + 3 * WIDTH))
    o += 4 * WIDTH
    s4, s5, s6, s7 = (load(out, o), load(out, o + WIDTH), load(out, o + 2 * WIDTH), load(out, o + 3 * WIDTH))
    for i in range(num):
        weight = load(weights, i * WIDTH)
        p = rows[i] + column
        s0 = fma_at(s0, table, p, weight)
        s1 = fma_at(s1, table, p + 1, weight)
        s2 = fma_at(s2, table, p + 2, weight)
        s3 = fma_at(s3, table, p + 3, weight)
        s4 = fma_at(s4, table, p + 4, weight)
        s5 = fma_at(s5, table, p + 5, weight)
        s6 = fma_at(s6, table, p + 6, weight)
        s7 = fma_at(s7, table, p + 7, weight)
    store(out, o, s4)
    store(out, o + WIDTH, s5)
    store(out, o + 2 * WIDTH, s6)
    store(out, o + 3 * WIDTH, s7)
    o -= 4 * WIDTH
    store(out, o, s0)
    store(out, o + WIDTH, s1)
    store(out, o + 2 * WIDTH, s2)
    store(out, o + 3 * WIDTH, s3)


@njit
def add_outer(
    weights: Floats, rows: Indices, num: int, x: Floats, start: int, stride: int, table: Floats, column: int
) -> None:
    """table[rows[i] + column ...] += sum over the queries q of weights[i][q] · x[start + q · stride ...].

    Sixteen columns. Weights beyond `num`, up to a whole block, are 0.
    """
    if num < BLOCK:
        for i in range(num):
            total = load(table, rows[i] + column)
            for q in range(WIDTH):
                total = fma_at(total, weights, i * WIDTH + q, load(x, start + q * stride))
            store(table, rows[i] + column, total)
        return
    for i in range(0, num, BLOCK):
        p0, p1, p2, p3 = rows[i] + column, rows[i + 1] + column, rows[i + 2] + column, rows[i + 3] + column
        p4, p5, p6, p7 = (
            rows[i + 4] + column,
            rows[i + 5] + column,
            rows[i + 6] + column,
            rows[i + 7] + column,
        )
        s0, s1, s2, s3 = load(table, p0), load(table, p1), load(table, p2), load(table, p3)
        s4, s5, s6, s7 = load(table, p4), load(table, p5), load(table, p6), load(table, p7)
        w = i * WIDTH
        for q in range(WIDTH):
            row = load(x, start + q * stride)
            s0 = fma_at(s0, weights, w + q, row)
            s1 = fma_at(s1, weights, w + WIDTH + q, row)
            s2 = fma_at(s2, weights, w + 2 * WIDTH + q, row)
            s3 = fma_at(s3, weights, w + 3 * WIDTH + q, row)
            s4 = fma_at(s4, weights, w + 4 * WIDTH + q, row)
            s5 = fma_at(s5, weights, w + 5 * WIDTH + q, row)
            s6 = fma_at(s6, weights, w + 6 * WIDTH + q, row)
            s7 = fma_at(s7, weights, w + 7 * WIDTH + q, row)
        store(table, p0, s0)
        store(table, p1, s1)
        store(table, p2, s2)
        store(table, p3, s3)
        store(table, p4, s4)
        store(table, p5, s5)
        store(table, p6, s6)
        store(table, p7, s7)


@njit
def small_exp2(x: Vector) -> Vector:
    """2^x for x <= 0, but 0 below 2^-50: products with so little are subnormal numbers, which are slow."""
    return select_greater(x, splat(SMALLEST), exp2(x), splat(ZERO))


@njit
def softmax(scores: Floats, num: int, padded: int) -> None:
    """Replace the scores of each query by their softmax; those beyond `num`, up to a whole block, by 0."""
    peak = splat(FORBIDDEN)
    for i in range(num):
        peak = maximum(peak, load(scores, i * WIDTH))
    total, scale = splat(ZERO), splat(LOG2_E)
    for i in range(num):
        weight = small_exp2((load(scores, i * WIDTH) - peak) * scale)
        store(scores, i * WIDTH, weight)
        total = total + weight
    share = splat(ONE) / total
    for i in range(num):
        store(scores, i * WIDTH, load(scores, i * WIDTH) * share)
    for i in range(num, padded):
        store(scores, i * WIDTH, splat(ZERO))


@njit
def softmax_gradient(weights: Floats, num: int, padded: int, mean: Vector, slopes: Floats) -> None:
    """Replace the slopes along the weights of a softmax by those along its scores.

    `mean`: the sum over the rows of weight · slope.
    """
    for i in range(num):
        w = load(weights, i * WIDTH)
        store(slopes, i * WIDTH, w * (load(slopes, i * WIDTH) - mean))
    for i in range(num, padded):
        store(slopes, i * WIDTH, splat(ZERO))
