"""The decoder's arithmetic for one rollout, compiled: a SIMD vector holds sixteen tokens instead of rollouts.

The twin of `arithmetic` over the same tables, for `single`. Every function works on float32 arrays with one
entry per token, padded to a multiple of sixteen.
"""

import numpy as np

from ...jit import njit
from ...jit.simd import (
    WIDTH,
    add_halves,
    exp2,
    fma,
    fma_vectors,
    load,
    maximum,
    select_greater,
    splat,
    sqrt,
    store,
)
from .arithmetic import BLOCK, LOG2_E, MOST_EXPONENT, NOTHING, ONE, TWO, ZERO, Tables
from .rollout_arrays import FORBIDDEN, BatchArrays, Floats

PAIR = 2 * BLOCK
"""Tokens scored together: two blocks, one vector of results."""


@njit
def widen(numbers: Floats, out: Floats) -> None:
    """Repeat each number eight times: a vector then holds two features for one block of tokens."""
    for c in range(len(numbers)):
        for i in range(BLOCK):
            out[c * BLOCK + i] = numbers[c]


@njit
def dot_products_single(
    table: Floats, start: int, num_blocks: int, depth: int, wide: Floats, first: int, out: Floats
) -> None:
    """out[token] = sum over c of table[token, c] · query[first + c], the query widened; depth is even."""
    size, query = depth * BLOCK, first * BLOCK
    for block in range(0, num_blocks, 2):
        base = start + block * size
        other = base + size if block + 1 < num_blocks else base
        a, b = splat(ZERO), splat(ZERO)
        for c in range(0, size, WIDTH):
            query_part = load(wide, query + c)
            a = fma_vectors(a, load(table, base + c), query_part)
            b = fma_vectors(b, load(table, other + c), query_part)
        store(out, block * BLOCK, add_halves(a, b))


@njit
def exponentiate_single(scores: Floats, num_tokens: int, work: Floats) -> float:
    """Replace scores by 2^(score - maximum); returns their sum. `work` float32 [16] is scratch."""
    for j in range(num_tokens, len(scores)):
        scores[j] = FORBIDDEN
    peak = splat(FORBIDDEN)
    for j in range(0, num_tokens, WIDTH):
        peak = maximum(peak, load(scores, j))
    store(work, 0, peak)
    peak, total = splat(work.max()), splat(ZERO)
    for j in range(0, num_tokens, WIDTH):
        weight = exp2(load(scores, j) - peak)
        store(scores, j, weight)
        total = total + weight
    store(work, 0, total)
    return work.sum()  # type: ignore[no-any-return]


@njit
def weighted_mean_single(
    values: Floats, start: int, num_tokens: int, depth: int, weights: Floats, out: Floats, first: int
) -> None:
    """out[first + c] = sum over tokens of weight · values[token, c]; depth is a multiple of sixteen."""
    whole = num_tokens // 4 * 4
    for c in range(0, depth, WIDTH):
        s0 = splat(ZERO)
        s1, s2, s3 = s0, s0, s0
        place = start + c
        for j in range(0, whole, 4):
            s0 = fma(s0, weights[j], load(values, place))
            s1 = fma(s1, weights[j + 1], load(values, place + depth))
            s2 = fma(s2, weights[j + 2], load(values, place + 2 * depth))
            s3 = fma(s3, weights[j + 3], load(values, place + 3 * depth))
            place += 4 * depth
        for j in range(whole, num_tokens):
            s0 = fma(s0, weights[j], load(values, place))
            place += depth
        store(out, first + c, (s0 + s1) + (s2 + s3))


@njit
def query_single(
    tables: Tables, b: int, row: int, driver: int, start: int, numbers: Floats, query: Floats
) -> None:
    """Fill `query` [E] for one rollout with features `numbers` [F, 1]."""
    embed = tables.features.shape[1]
    for c in range(embed):
        query[c] = tables.current[b, row, c] + tables.vehicles[b, driver, c]
        if tables.reads_start:
            query[c] += tables.vehicles[b, start, c]
    for f in range(len(numbers)):
        for c in range(embed):
            query[c] += numbers[f, 0] * tables.features[f, c]


@njit
def head_single(
    tables: Tables, query: Floats, wide: Floats, hidden: Floats, wide_hidden: Floats, change: Floats
) -> None:
    """The fine-tuned context head: query += W2 · ReLU(W1 · query); the other arrays are scratch."""
    num_units, embed = len(hidden), len(query)
    widen(query, wide)
    dot_products_single(tables.head_in.reshape(-1), 0, num_units // BLOCK, embed, wide, 0, hidden)
    for unit in range(num_units):
        hidden[unit] = max(hidden[unit], ZERO)
    widen(hidden, wide_hidden)
    dot_products_single(tables.head_out.reshape(-1), 0, embed // BLOCK, num_units, wide_hidden, 0, change)
    for c in range(embed):
        query[c] += change[c]


@njit
def glimpse_single(
    tables: Tables,
    batch: BatchArrays,
    b: int,
    mask: Floats,
    wide: Floats,
    scores: Floats,
    work: Floats,
    out: Floats,
) -> None:
    """Multi-head attention of a widened query over the tokens that it sees; fills `out` [E]."""
    num_heads, num_tokens, depth = tables.values.shape[1:]
    num_blocks = tables.keys.shape[2]
    keys, values = tables.keys[b].reshape(-1), tables.values[b].reshape(-1)
    for head in range(num_heads):
        first = head * depth
        dot_products_single(keys, first * num_blocks * BLOCK, num_blocks, depth, wide, first, scores)
        if tables.hides_visited:
            for j in range(batch.num_depot_tokens, batch.x.shape[1]):
                scores[j] += mask[j]
        total = exponentiate_single(scores, num_tokens, work)
        weighted_mean_single(values, first * num_tokens, num_tokens, depth, scores, out, first)
        for c in range(first, first + depth):
            out[c] /= total


@njit
def distance_bias_single(x: Floats, y: Floats, here: int, scale: float, scores: Floats, work: Floats) -> None:
    """Subtract scale · distance / largest distance from token `here`."""
    near_x, near_y, farthest = splat(x[here]), splat(y[here]), splat(ZERO)
    for j in range(0, len(x), WIDTH):
        dx, dy = near_x - load(x, j), near_y - load(y, j)
        farthest = maximum(farthest, dx * dx + dy * dy)
    store(work, 0, farthest)
    largest = np.sqrt(work.max())
    if largest == ZERO:
        return
    slope = splat(np.float32(scale / largest))
    for j in range(0, len(x), WIDTH):
        dx, dy = near_x - load(x, j), near_y - load(y, j)
        store(scores, j, load(scores, j) - slope * sqrt(dx * dx + dy * dy))


@njit
def argmax_single(
    batch: BatchArrays,
    mask: Floats,
    start_mask: float,
    scores: Floats,
    iota: Floats,
    work: Floats,
    tokens: Floats,
) -> int:
    """The allowed token of highest score, the first of equals; -1 when none is a number.

    `iota` float32 [16] holds 0 to 15, `work` and `tokens` are scratch. About the tanh see
    `arithmetic.argmax_token`.
    """
    first, customers = batch.num_depot_tokens, splat(start_mask)
    best, token, place = splat(NOTHING), splat(-ONE), load(iota, 0)
    for j in range(0, batch.x.shape[1], WIDTH):
        index = place + splat(np.float32(j))
        score = load(scores, j) + load(mask, j)
        score = score + select_greater(index, splat(np.float32(first - 0.5)), customers, splat(ZERO))
        token = select_greater(score, best, index, token)
        best = maximum(score, best)
    store(work, 0, best)
    store(tokens, 0, token)
    winner = -1
    for i in range(WIDTH):
        if tokens[i] >= ZERO:
            better = winner < 0 or work[i] > work[winner]
            if better or (work[i] == work[winner] and tokens[i] < tokens[winner]):
                winner = i
    return int(tokens[winner]) if winner >= 0 else -1


@njit
def clip_single(
    batch: BatchArrays,
    mask: Floats,
    start_mask: float,
    clip: float,
    scores: Floats,
    iota: Floats,
    work: Floats,
) -> float:
    """Replace scores by clip · tanh(score), forbidden ones by FORBIDDEN; returns the maximum."""
    first, customers, place = batch.num_depot_tokens, splat(start_mask), load(iota, 0)
    zero, one, two, peak = splat(ZERO), splat(ONE), splat(TWO), splat(FORBIDDEN)
    double, most, height = splat(TWO * LOG2_E), splat(-MOST_EXPONENT), splat(np.float32(clip))
    for j in range(0, batch.x.shape[1], WIDTH):
        score = load(scores, j)
        exponent = maximum(zero - score * double, most)
        exponent = zero - maximum(zero - exponent, most)
        logit = height * (two / (one + exp2(exponent)) - one)
        index = place + splat(np.float32(j))
        allowed = load(mask, j) + select_greater(index, splat(np.float32(first - 0.5)), customers, zero)
        logit = select_greater(allowed, splat(NOTHING), logit, splat(FORBIDDEN))
        logit = select_greater(score, splat(NOTHING), logit, splat(FORBIDDEN))
        store(scores, j, logit)
        peak = maximum(peak, logit)
    store(work, 0, peak)
    return work.max()  # type: ignore[no-any-return]


@njit
def softmax_single(scores: Floats, num_tokens: int, peak: float, weights: Floats) -> float:
    """Fill `weights` with e^(logit - peak), 0 where forbidden; returns their sum."""
    highest, zero = splat(np.float32(peak)), splat(ZERO)
    for j in range(0, num_tokens, WIDTH):
        logit = load(scores, j)
        weight = exp2((logit - highest) * splat(LOG2_E))
        store(weights, j, select_greater(logit, splat(NOTHING), weight, zero))
    total = 0.0
    for j in range(num_tokens):
        total += weights[j]
    return total


@njit
def sample_single(weights: Floats, num_tokens: int, target: float) -> int:
    """The first token at which the running sum exceeds `target`; the last possible one at the very end."""
    total, last = 0.0, -1
    for j in range(num_tokens):
        if weights[j] > ZERO:
            total += weights[j]
            last = j
            if total > target:
                break
    return last
