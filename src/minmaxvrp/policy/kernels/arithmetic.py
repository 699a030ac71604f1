"""The decoder's arithmetic for sixteen rollouts of one instance at once, compiled.

`tables` precomputes what it multiplies by, `rollout_arrays` holds masks and features, `group` takes the
steps. All rollouts of a group read the same tables, so one pass over a table serves sixteen rollouts: each
SIMD vector holds one number of each rollout. The published glimpse sees all tokens at every step, visited
or not.
"""

from typing import NamedTuple

import numpy as np

from ...jit import njit
from ...jit.simd import (
    WIDTH,
    Vector,
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
from .rollout_arrays import FORBIDDEN, BatchArrays, Floats, Indices

BLOCK = 8
"""Tokens whose products are formed together: eight independent sums hide the latency of an addition."""

LOG2_E = np.float32(1.4426950408889634)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
MOST_EXPONENT = np.float32(60.0)
"""Of 2 inside tanh: beyond, tanh is 1 or -1 in float32, and `exp2` would leave its range."""
NOTHING = np.float32(-1e29)
"""Below every finite logit and above FORBIDDEN."""


class Tables(NamedTuple):
    """Everything the decoder multiplies by, per instance; float32, in the order the kernels read.

    B instances, S tokens seen by the glimpse, in blocks of eight (the last one filled with its last
    token), M vehicles, H heads of k = E / H, F features.
    """

    keys: Floats
    """[B, H, blocks, k, 8] glimpse keys, scaled so that 2^(q · key) is the attention weight."""
    values: Floats
    """[B, H, S, k] glimpse values."""
    logits: Floats
    """[B, blocks, E, 8] output projection times logit key, scaled."""
    current: Floats
    """[B, S, E] the query's part that depends on the current token, and the fixed part."""
    vehicles: Floats
    """[B, M, E] the query's part that depends on the vehicle now driving.

    Where it depends on the start depot too, [B, M + D + 1, E]: then the depots' part, and zeros for none yet.
    """
    features: Floats
    """[F, E] the query's part per unit of each feature."""
    head_in: Floats
    """[U / 8, E, 8] first matrix of the context head, U hidden units; U = 0 without one."""
    head_out: Floats
    """[E / 8, U, 8] its second matrix."""
    distance_scale: float
    """Lambda of the distance bias; 0 without one."""
    clip: float
    """Logits lie distance -clip and clip."""
    reads_start: bool
    """Whether the query depends on the depot where the open route started."""
    hides_visited: bool
    """Whether the glimpse sees only the customers left."""
    first_token: int
    """The token whose row of `current` counts at the first step, -1 for the first vehicle's own."""


@njit
def dot_products(
    table: Floats, start: int, num_blocks: int, depth: int, x: Floats, first: int, out: Floats
) -> Vector:
    """out[token] = sum over c of table[token, c] · x[first + c]; returns the maximum over all tokens."""
    peak = splat(FORBIDDEN)
    for block in range(num_blocks):
        base = start + block * depth * BLOCK
        s0 = splat(ZERO)
        s1, s2, s3, s4, s5, s6, s7 = s0, s0, s0, s0, s0, s0, s0
        for c in range(depth):
            value = load(x, (first + c) * WIDTH)
            p = base + c * BLOCK
            s0 = fma(s0, table[p], value)
            s1 = fma(s1, table[p + 1], value)
            s2 = fma(s2, table[p + 2], value)
            s3 = fma(s3, table[p + 3], value)
            s4 = fma(s4, table[p + 4], value)
            s5 = fma(s5, table[p + 5], value)
            s6 = fma(s6, table[p + 6], value)
            s7 = fma(s7, table[p + 7], value)
        o = block * BLOCK * WIDTH
        store(out, o, s0)
        store(out, o + WIDTH, s1)
        store(out, o + 2 * WIDTH, s2)
        store(out, o + 3 * WIDTH, s3)
        store(out, o + 4 * WIDTH, s4)
        store(out, o + 5 * WIDTH, s5)
        store(out, o + 6 * WIDTH, s6)
        store(out, o + 7 * WIDTH, s7)
        low = maximum(maximum(s0, s1), maximum(s2, s3))
        peak = maximum(peak, maximum(low, maximum(maximum(s4, s5), maximum(s6, s7))))
    return peak


@njit
def exponentiate(scores: Floats, num_tokens: int, peak: Vector) -> Vector:
    """Replace scores by 2^(score - peak); returns their sum."""
    total = splat(ZERO)
    for j in range(num_tokens):
        weight = exp2(load(scores, j * WIDTH) - peak)
        store(scores, j * WIDTH, weight)
        total = total + weight
    return total


@njit
def weighted_mean(
    values: Floats,
    start: int,
    num_tokens: int,
    depth: int,
    weights: Floats,
    total: Vector,
    out: Floats,
    first: int,
) -> None:
    """out[first + c] = weighted mean over tokens of values[token, c]."""
    scale = splat(ONE) / total
    whole = depth // BLOCK * BLOCK
    for c in range(0, whole, BLOCK):
        s0 = splat(ZERO)
        s1, s2, s3, s4, s5, s6, s7 = s0, s0, s0, s0, s0, s0, s0
        for j in range(num_tokens):
            weight = load(weights, j * WIDTH)
            p = start + j * depth + c
            s0 = fma(s0, values[p], weight)
            s1 = fma(s1, values[p + 1], weight)
            s2 = fma(s2, values[p + 2], weight)
            s3 = fma(s3, values[p + 3], weight)
            s4 = fma(s4, values[p + 4], weight)
            s5 = fma(s5, values[p + 5], weight)
            s6 = fma(s6, values[p + 6], weight)
            s7 = fma(s7, values[p + 7], weight)
        o = (first + c) * WIDTH
        store(out, o, s0 * scale)
        store(out, o + WIDTH, s1 * scale)
        store(out, o + 2 * WIDTH, s2 * scale)
        store(out, o + 3 * WIDTH, s3 * scale)
        store(out, o + 4 * WIDTH, s4 * scale)
        store(out, o + 5 * WIDTH, s5 * scale)
        store(out, o + 6 * WIDTH, s6 * scale)
        store(out, o + 7 * WIDTH, s7 * scale)
    for c in range(whole, depth):
        s0 = splat(ZERO)
        for j in range(num_tokens):
            s0 = fma(s0, values[start + j * depth + c], load(weights, j * WIDTH))
        store(out, (first + c) * WIDTH, s0 * scale)


@njit
def form_query(
    tables: Tables,
    b: int,
    current: Indices,
    driver: Indices,
    start: Indices,
    numbers: Floats,
    square: Floats,
    query: Floats,
) -> None:
    """Fill `query` [E, 16]: the tables' rows of each rollout plus its features `numbers` [F, 16].

    `square` is scratch for sixteen by sixteen numbers.
    """
    embed, weights = tables.features.shape[1], tables.features.reshape(-1)
    tokens, vehicles = tables.current[b].reshape(-1), tables.vehicles[b].reshape(-1)
    for c in range(0, embed, WIDTH):
        for rollout in range(WIDTH):
            q = load(tokens, current[rollout] * embed + c) + load(vehicles, driver[rollout] * embed + c)
            if tables.reads_start:
                q = q + load(vehicles, start[rollout] * embed + c)
            for f in range(numbers.shape[0]):
                q = fma(q, numbers[f, rollout], load(weights, f * embed + c))
            store(square, rollout * WIDTH, q)
        transpose(square, 0, WIDTH, query, c * WIDTH)


@njit
def apply_head(tables: Tables, query: Floats, hidden: Floats, change: Floats) -> None:
    """The fine-tuned context head: query += W2 · ReLU(W1 · query).

    `hidden` [U, 16] and `change` [E, 16] are scratch.
    """
    blocks, embed = tables.head_in.shape[0], tables.head_in.shape[1]
    dot_products(tables.head_in.reshape(-1), 0, blocks, embed, query, 0, hidden)
    for unit in range(blocks * BLOCK):
        store(hidden, unit * WIDTH, maximum(load(hidden, unit * WIDTH), splat(ZERO)))
    dot_products(tables.head_out.reshape(-1), 0, embed // BLOCK, blocks * BLOCK, hidden, 0, change)
    for c in range(embed):
        store(query, c * WIDTH, load(query, c * WIDTH) + load(change, c * WIDTH))


@njit
def mask_customers(mask: Floats, first: int, num_tokens: int, after: int, scores: Floats) -> Vector:
    """Add the mask to the scores of the customers, tokens `first` to `num_tokens`; returns the new maximum.

    `after` counts all tokens of the glimpse: depots and the extra token stay as they are.
    """
    peak = splat(FORBIDDEN)
    for j in range(after):
        score = load(scores, j * WIDTH)
        if first <= j < num_tokens:
            score = score + load(mask, j * WIDTH)
            store(scores, j * WIDTH, score)
        peak = maximum(peak, score)
    return peak


@njit
def glimpse(
    tables: Tables, batch: BatchArrays, b: int, mask: Floats, query: Floats, scores: Floats, out: Floats
) -> None:
    """Multi-head attention of `query` [E, 16] over the tokens that it sees; fills `out` [E, 16]."""
    num_heads, num_tokens, depth = tables.values.shape[1:]
    num_blocks = tables.keys.shape[2]
    keys, values = tables.keys[b].reshape(-1), tables.values[b].reshape(-1)
    for head in range(num_heads):
        first = head * depth
        peak = dot_products(keys, head * num_blocks * depth * BLOCK, num_blocks, depth, query, first, scores)
        if tables.hides_visited:
            peak = mask_customers(mask, batch.num_depot_tokens, batch.x.shape[1], num_tokens, scores)
        total = exponentiate(scores, num_tokens, peak)
        weighted_mean(values, first * num_tokens, num_tokens, depth, scores, total, out, first)


@njit
def distance_bias(
    batch: BatchArrays, b: int, current_x: Floats, current_y: Floats, scale: Floats, scores: Floats
) -> None:
    """Subtract scale [16] · distance to the current tokens [16] / largest distance."""
    num_tokens = batch.x.shape[1]
    xs, ys = batch.x[b], batch.y[b]
    x, y = load(current_x, 0), load(current_y, 0)
    zero = splat(ZERO)
    farthest = zero
    for j in range(num_tokens):
        dx, dy = x - splat(xs[j]), y - splat(ys[j])
        farthest = maximum(farthest, dx * dx + dy * dy)
    slope = select_greater(farthest, zero, load(scale, 0) / sqrt(farthest), zero)
    for j in range(num_tokens):
        dx, dy = x - splat(xs[j]), y - splat(ys[j])
        distance = sqrt(dx * dx + dy * dy)
        store(scores, j * WIDTH, load(scores, j * WIDTH) - slope * distance)


@njit
def argmax_token(batch: BatchArrays, mask: Floats, start_mask: Floats, scores: Floats, out: Floats) -> None:
    """Fill `out` float32 [16] with the allowed token of highest score, -1 where none is a number.

    The tanh that clips logits is monotone, so it is left out. Where it would round two scores to the same
    float (both beyond about 9), this takes the higher one; a rounded comparison would take the first.
    """
    best, token = splat(NOTHING), splat(-ONE)
    customers = load(start_mask, 0)
    for j in range(batch.x.shape[1]):
        score = load(scores, j * WIDTH) + load(mask, j * WIDTH)
        if j >= batch.num_depot_tokens:
            score = score + customers
        token = select_greater(score, best, splat(np.float32(j)), token)
        best = maximum(score, best)
    store(out, 0, token)


@njit
def clip_logits(batch: BatchArrays, mask: Floats, start_mask: Floats, clip: float, scores: Floats) -> Vector:
    """Replace scores by clip · tanh(score), forbidden ones by FORBIDDEN; returns the maximum."""
    one, two, peak = splat(ONE), splat(TWO), splat(FORBIDDEN)
    double, most, height = splat(TWO * LOG2_E), splat(-MOST_EXPONENT), splat(np.float32(clip))
    customers = load(start_mask, 0)
    for j in range(batch.x.shape[1]):
        score = load(scores, j * WIDTH)
        exponent = maximum(splat(ZERO) - score * double, most)
        exponent = splat(ZERO) - maximum(splat(ZERO) - exponent, most)
        logit = height * (two / (one + exp2(exponent)) - one)
        allowed = load(mask, j * WIDTH)
        if j >= batch.num_depot_tokens:
            allowed = allowed + customers
        logit = select_greater(allowed, splat(NOTHING), logit, splat(FORBIDDEN))
        logit = select_greater(score, splat(NOTHING), logit, splat(FORBIDDEN))  # not a number: never chosen
        store(scores, j * WIDTH, logit)
        peak = maximum(peak, logit)
    return peak


@njit
def softmax_total(scores: Floats, num_tokens: int, peak: Vector) -> Vector:
    """Sum over allowed tokens of e^(logit - peak)."""
    total, zero = splat(ZERO), splat(ZERO)
    for j in range(num_tokens):
        logit = load(scores, j * WIDTH)
        weight = exp2((logit - peak) * splat(LOG2_E))
        total = total + select_greater(logit, splat(NOTHING), weight, zero)
    return total


@njit
def sample_token(scores: Floats, num_tokens: int, peak: Vector, target: Vector, out: Floats) -> None:
    """Fill `out` float32 [16] with the first allowed token at which the running sum exceeds `target`."""
    total, zero = splat(ZERO), splat(ZERO)
    token, last = splat(ZERO), splat(-ONE)
    for j in range(num_tokens):
        logit = load(scores, j * WIDTH)
        weight = exp2((logit - peak) * splat(LOG2_E))
        weight = select_greater(logit, splat(NOTHING), weight, zero)
        total = total + weight
        last = select_greater(weight, zero, splat(np.float32(j)), last)
        token = token + select_greater(total, target, zero, splat(ONE))
    store(out, 0, select_greater(token, last, last, token))  # rounding can put the target at the very end
