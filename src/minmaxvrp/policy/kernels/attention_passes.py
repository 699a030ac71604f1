"""Attention of a few hundred rows in heads of sixteen, forward and backward: what the encoder trains with.

The twin of torch's attention and of `HeterogeneousAttention`, to which tests compare it. Sixteen queries of
one head are the sixteen numbers of a vector. Nothing but the inputs is kept for the backward pass.
`fused_attention` calls it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit
from ...jit.simd import WIDTH, Vector, fma, fma_vectors, load, splat, store, transpose
from .arithmetic import BLOCK, ZERO
from .products import add_outer, combine, dots, fill_up, padded_length, softmax, softmax_gradient
from .rollout_arrays import FORBIDDEN, Floats, Indices

COMMON, OWN, PICKUPS, DELIVERIES = range(4)
"""Kinds of queries; without pairs there is the common one alone."""


class AttentionInputs(NamedTuple):
    """Projected rows, or their gradients; float32."""

    query: Floats
    """[B, n, E]."""
    key_value: Floats
    """[B, m, 2E] keys, then values."""
    special: Floats
    """[B, n, 3E] queries for the own partner, all pickups, all deliveries; [B, n, 0] without pairs."""


class AttentionWorkspace(NamedTuple):
    """Scratch; C = m in whole blocks, with pairs twice that and a few more; float32 unless said otherwise."""

    rows: Indices
    """int64 [m in whole blocks] where the rows of `key_value` begin."""
    weights: Floats
    """[C, 16]."""
    slopes: Floats
    """[C, 16]."""
    values: Floats
    """[m in whole blocks, 16] weights of the values, all kinds of queries together."""
    along: Floats
    """[4, 16 · 16] queries by kind, a row each."""
    across: Floats
    """[4, 16 · 16] queries by kind, a vector per component."""
    result_across: Floats
    """[16 · 16] attention, or its gradient, a vector per component."""
    result_along: Floats
    """[16 · 16] the same, a row per query."""
    partner_keys: Floats
    """[16 · 16] of the partners, a vector per component."""
    partner_values: Floats
    """[16 · 16] likewise."""
    spare: Floats
    """[16 · 16]."""


def new_attention_workspace(num_keys: int, paired: bool) -> AttentionWorkspace:
    """Scratch for instances with so many rows of keys."""
    room = -(-num_keys // BLOCK) * BLOCK
    vectors = (2 * room + 2 * BLOCK if paired else room) * WIDTH

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    square = WIDTH * WIDTH
    return AttentionWorkspace(
        rows=np.zeros(room + BLOCK, dtype=np.int64),
        weights=floats(vectors),
        slopes=floats(vectors),
        values=floats(room * WIDTH),
        along=floats(4, square),
        across=floats(4, square),
        result_across=floats(square),
        result_along=floats(square),
        partner_keys=floats(square),
        partner_values=floats(square),
        spare=floats(square),
    )


@njit
def attend(given: AttentionInputs, scale: float, work: AttentionWorkspace, b: int, out: Floats) -> None:
    """Fill row b of `out` [B, n, E]."""
    num_rows, embed = given.query.shape[1:]
    num_keys, pairs = given.key_value.shape[1], given.special.shape[2] > 0
    _list_rows(work, num_keys, embed)
    table = given.key_value[b].reshape(-1)
    result, rows = work.result_across, work.rows
    for first in range(0, embed, WIDTH):
        for i in range(0, num_rows, WIDTH):
            _weigh(given, scale, work, b, i, first)
            for c in range(WIDTH):
                store(result, c * WIDTH, splat(ZERO))
            combine(table, rows, num_keys, embed + first, work.values, result, 0)
            combine(table, rows, num_keys, embed + first + BLOCK, work.values, result, BLOCK)
            if pairs:
                own = load(work.weights, _own_place(num_keys) * WIDTH)
                _gather_partners(
                    given.key_value, b, i, num_rows, embed + first, work.spare, work.partner_values
                )
                for c in range(WIDTH):
                    total = fma_vectors(load(result, c * WIDTH), own, load(work.partner_values, c * WIDTH))
                    store(result, c * WIDTH, total)
            transpose(result, 0, WIDTH, work.result_along, 0)
            rest, flat = min(WIDTH, num_rows - i), out[b].reshape(-1)
            for q in range(rest):
                store(flat, (i + q) * embed + first, load(work.result_along, q * WIDTH))


@njit
def attend_back(
    given: AttentionInputs,
    scale: float,
    work: AttentionWorkspace,
    b: int,
    slope: Floats,
    grad: AttentionInputs,
) -> None:
    """Add the gradient of instance b to `grad`, given that along the attention, `slope` [B, n, E]."""
    num_rows, embed = given.query.shape[1:]
    num_keys, pairs = given.key_value.shape[1], given.special.shape[2] > 0
    _list_rows(work, num_keys, embed)
    table, grad_rows, rows = given.key_value[b].reshape(-1), grad.key_value[b].reshape(-1), work.rows
    padded = padded_length(num_keys)
    for first in range(0, embed, WIDTH):
        for i in range(0, num_rows, WIDTH):
            _weigh(given, scale, work, b, i, first)
            _gather(slope, b, i, num_rows, first, 1.0, work.result_along, work.result_across)
            slopes, weights = work.slopes, work.weights
            dots(table[embed + first :], rows, padded, WIDTH, work.result_across, 0, slopes)
            mean = splat(ZERO)
            for j in range(num_keys):
                mean = fma_vectors(mean, load(work.values, j * WIDTH), load(slopes, j * WIDTH))
            if pairs:
                mean = mean + _spread_slopes(given, work, b, i, first, num_keys)
                softmax_gradient(weights, _own_place(num_keys) + 1, 0, mean, slopes)
            else:
                softmax_gradient(weights, num_keys, padded, mean, slopes)
            add_outer(work.values, rows, num_keys, work.result_along, 0, WIDTH, grad_rows, embed + first)
            add_outer(slopes, rows, num_keys, work.along[COMMON], 0, WIDTH, grad_rows, first)
            _write_query_gradient(
                grad.query, table, rows, num_keys, slopes, scale, work, b, i, num_rows, first, first
            )
            if pairs:
                _add_special_gradient(given, grad, scale, work, b, i, first)


@njit
def _list_rows(work: AttentionWorkspace, num_keys: int, embed: int) -> None:
    for j in range(num_keys):
        work.rows[j] = j * 2 * embed
    padded = fill_up(work.rows, num_keys)
    for j in range(padded, len(work.rows)):
        work.rows[j] = 0


@njit
def _own_place(num_keys: int) -> int:
    """Where the weights of the partners are: behind the common ones and those of pickups and deliveries."""
    padded, half = padded_length(num_keys), padded_length(num_keys // 2)
    return padded + 2 * half


@njit
def _gather(
    source: Floats,
    b: int,
    i: int,
    num_rows: int,
    column: int,
    factor: float,
    along: Floats,
    across: Floats,
) -> None:
    """Sixteen columns of rows i to i + 15, times `factor`, as rows and across; 0 beyond the last row."""
    stride, flat, zero = source.shape[2], source[b].reshape(-1), splat(ZERO)
    times = splat(np.float32(factor))
    for q in range(WIDTH):
        row = load(flat, (i + q) * stride + column) * times if i + q < num_rows else zero
        store(along, q * WIDTH, row)
    transpose(along, 0, WIDTH, across, 0)


@njit
def _gather_partners(
    source: Floats, b: int, i: int, num_rows: int, column: int, along: Floats, across: Floats
) -> None:
    """The same of the partners of rows i to i + 15: a pickup's delivery, a delivery's pickup."""
    stride, flat, half = source.shape[2], source[b].reshape(-1), num_rows // 2
    for q in range(WIDTH):
        row = splat(ZERO)
        if i + q < num_rows:
            partner = i + q + half if i + q < half else i + q - half
            row = load(flat, partner * stride + column)
        store(along, q * WIDTH, row)
    transpose(along, 0, WIDTH, across, 0)


@njit
def _forbid(scores: Floats, start: int, stop: int) -> None:
    for j in range(start, stop):
        store(scores, j * WIDTH, splat(FORBIDDEN))


@njit
def _weigh(
    given: AttentionInputs, scale: float, work: AttentionWorkspace, b: int, i: int, first: int
) -> None:
    """Fill queries, weights and the values' weights: rows i to i + 15, the head from column `first` on."""
    num_rows, embed = given.query.shape[1:]
    num_keys, table = given.key_value.shape[1], given.key_value[b].reshape(-1)[first:]
    weights, rows, padded = work.weights, work.rows, padded_length(num_keys)
    _gather(given.query, b, i, num_rows, first, scale, work.along[COMMON], work.across[COMMON])
    dots(table, rows, padded, WIDTH, work.across[COMMON], 0, weights)
    if given.special.shape[2] == 0:
        softmax(weights, num_keys, padded)
        for j in range(padded):
            store(work.values, j * WIDTH, load(weights, j * WIDTH))
        return
    half = num_keys // 2
    part = padded_length(half)
    own = padded + 2 * part
    for kind in range(OWN, DELIVERIES + 1):
        column = (kind - 1) * embed + first
        _gather(given.special, b, i, num_rows, column, scale, work.along[kind], work.across[kind])
    dots(table, rows, part, WIDTH, work.across[PICKUPS], 0, weights[padded * WIDTH :])
    dots(table, rows[half:], part, WIDTH, work.across[DELIVERIES], 0, weights[(padded + part) * WIDTH :])
    _gather_partners(given.key_value, b, i, num_rows, first, work.spare, work.partner_keys)
    total = splat(ZERO)
    for c in range(WIDTH):
        total = fma_vectors(total, load(work.across[OWN], c * WIDTH), load(work.partner_keys, c * WIDTH))
    store(weights, own * WIDTH, total)
    _forbid(weights, num_keys, padded)
    _forbid(weights, padded + half, padded + part)
    _forbid(weights, padded + part + half, own)
    softmax(weights, own + 1, own + 1)
    for j in range(half):
        store(work.values, j * WIDTH, load(weights, j * WIDTH) + load(weights, (padded + j) * WIDTH))
        other = load(weights, (half + j) * WIDTH) + load(weights, (padded + part + j) * WIDTH)
        store(work.values, (half + j) * WIDTH, other)
    for j in range(num_keys, padded):
        store(work.values, j * WIDTH, splat(ZERO))


@njit
def _spread_slopes(
    given: AttentionInputs, work: AttentionWorkspace, b: int, i: int, first: int, num_keys: int
) -> Vector:
    """Copy the slopes of the values to all kinds of queries; returns weight · slope of the partners."""
    slopes, half, own = work.slopes, num_keys // 2, _own_place(num_keys)
    padded = padded_length(num_keys)
    part = padded_length(half)
    for j in range(part):
        store(slopes, (padded + j) * WIDTH, load(slopes, j * WIDTH))
        place = min(half + j, padded - 1)
        store(slopes, (padded + part + j) * WIDTH, load(slopes, place * WIDTH))
    embed, num_rows = given.query.shape[2], given.query.shape[1]
    _gather_partners(given.key_value, b, i, num_rows, embed + first, work.spare, work.partner_values)
    total = splat(ZERO)
    for c in range(WIDTH):
        total = fma_vectors(total, load(work.result_across, c * WIDTH), load(work.partner_values, c * WIDTH))
    store(slopes, own * WIDTH, total)
    return total * load(work.weights, own * WIDTH)


@njit
def _write_query_gradient(
    grad: Floats,
    table: Floats,
    rows: Indices,
    num: int,
    slopes: Floats,
    scale: float,
    work: AttentionWorkspace,
    b: int,
    i: int,
    num_rows: int,
    key: int,
    column: int,
) -> None:
    """Write the gradient of one kind of queries: the keys, from column `key` on, weighted by the slopes."""
    for c in range(WIDTH):
        store(work.result_across, c * WIDTH, splat(ZERO))
    combine(table, rows, num, key, slopes, work.result_across, 0)
    combine(table, rows, num, key + BLOCK, slopes, work.result_across, BLOCK)
    _write_rows(grad, work, scale, b, i, num_rows, column)


@njit
def _write_rows(
    grad: Floats, work: AttentionWorkspace, scale: float, b: int, i: int, num_rows: int, column: int
) -> None:
    """Write the result, times `scale`, to sixteen columns of rows i to i + 15."""
    transpose(work.result_across, 0, WIDTH, work.spare, 0)
    stride, flat, times = grad.shape[2], grad[b].reshape(-1), splat(np.float32(scale))
    for q in range(min(WIDTH, num_rows - i)):
        store(flat, (i + q) * stride + column, load(work.spare, q * WIDTH) * times)


@njit
def _add_special_gradient(
    given: AttentionInputs,
    grad: AttentionInputs,
    scale: float,
    work: AttentionWorkspace,
    b: int,
    i: int,
    first: int,
) -> None:
    """The gradient along the special queries, and along keys and values through them."""
    num_rows, embed = given.query.shape[1:]
    half, own, rows = num_rows // 2, _own_place(num_rows), work.rows
    padded, part = padded_length(num_rows), padded_length(half)
    table, grad_rows = given.key_value[b].reshape(-1), grad.key_value[b].reshape(-1)
    slopes, weights, grad_result = work.slopes, work.weights, work.result_along
    for kind in range(PICKUPS, DELIVERIES + 1):
        begin, listed = (padded, rows) if kind == PICKUPS else (padded + part, rows[half:])
        some = slopes[begin * WIDTH :]
        add_outer(some, listed, half, work.along[kind], 0, WIDTH, grad_rows, first)
        column = (kind - 1) * embed + first
        _write_query_gradient(
            grad.special, table, listed, half, some, scale, work, b, i, num_rows, first, column
        )
    slope = load(slopes, own * WIDTH)
    for c in range(WIDTH):
        store(work.result_across, c * WIDTH, slope * load(work.partner_keys, c * WIDTH))
    _write_rows(grad.special, work, scale, b, i, num_rows, (OWN - 1) * embed + first)
    for q in range(min(WIDTH, num_rows - i)):
        partner = i + q + half if i + q < half else i + q - half
        place = partner * 2 * embed + first
        row = fma(load(grad_rows, place), slopes[own * WIDTH + q], load(work.along[OWN], q * WIDTH))
        store(grad_rows, place, row)
        place += embed
        store(
            grad_rows,
            place,
            fma(load(grad_rows, place), weights[own * WIDTH + q], load(grad_result, q * WIDTH)),
        )
