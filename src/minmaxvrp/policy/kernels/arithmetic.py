"""The decoder's arithmetic for sixteen rollouts of one instance at once, compiled.

`tables` precomputes what it multiplies by, `arrays` holds masks and features, `group` goes through the
steps. All rollouts of a group read the same tables, so one pass over a table serves sixteen rollouts: each
SIMD vector holds one number of each rollout. The published glimpse sees all tokens at every step, visited
or not.
"""

from typing import Any, NamedTuple

import numpy as np

from ...jit import njit
from ..lanes import (
    WIDTH,
    add_product,
    choose,
    larger,
    load,
    power_of_two,
    splat,
    square_root,
    store,
    transpose,
)
from .arrays import FORBIDDEN, BatchArrays, StateArrays

BLOCK = 8
"""Tokens whose products are formed together: eight independent sums hide the latency of an addition."""

LOG2_E = np.float32(1.4426950408889634)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
NOTHING = np.float32(-1e29)
"""Below every finite logit and above FORBIDDEN."""


class Tables(NamedTuple):
    """Everything the decoder multiplies by, per instance; float32, in the order the kernels read.

    B instances, S tokens seen by the glimpse, in blocks of eight (the last one filled with its last
    token), M vehicles, H heads of k = E / H, F features.
    """

    keys: Any
    """[B, H, blocks, k, 8] glimpse keys, scaled so that 2^(q · key) is the attention weight."""
    values: Any
    """[B, H, S, k] glimpse values."""
    logits: Any
    """[B, blocks, E, 8] output projection times logit key, scaled."""
    current: Any
    """[B, S, E] the query's part that depends on the current token, and the fixed part."""
    vehicles: Any
    """[B, M, E] the query's part that depends on the vehicle now driving.

    Where it depends on the start depot too, [B, M + D + 1, E]: then the depots' part, and zeros for none yet.
    """
    features: Any
    """[F, E] the query's part per unit of each feature."""
    head_in: Any
    """[U / 8, E, 8] first matrix of the context head, U hidden units; U = 0 without one."""
    head_out: Any
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
def products(table: Any, start: int, num_blocks: int, depth: int, lanes: Any, first: int, out: Any) -> Any:
    """out[token] = sum over c of table[token, c] · lanes[first + c]; returns the maximum over all tokens."""
    peak = splat(FORBIDDEN)
    for block in range(num_blocks):
        base = start + block * depth * BLOCK
        s0 = splat(ZERO)
        s1, s2, s3, s4, s5, s6, s7 = s0, s0, s0, s0, s0, s0, s0
        for c in range(depth):
            lane = load(lanes, (first + c) * WIDTH)
            p = base + c * BLOCK
            s0 = add_product(s0, table[p], lane)
            s1 = add_product(s1, table[p + 1], lane)
            s2 = add_product(s2, table[p + 2], lane)
            s3 = add_product(s3, table[p + 3], lane)
            s4 = add_product(s4, table[p + 4], lane)
            s5 = add_product(s5, table[p + 5], lane)
            s6 = add_product(s6, table[p + 6], lane)
            s7 = add_product(s7, table[p + 7], lane)
        o = block * BLOCK * WIDTH
        store(out, o, s0)
        store(out, o + WIDTH, s1)
        store(out, o + 2 * WIDTH, s2)
        store(out, o + 3 * WIDTH, s3)
        store(out, o + 4 * WIDTH, s4)
        store(out, o + 5 * WIDTH, s5)
        store(out, o + 6 * WIDTH, s6)
        store(out, o + 7 * WIDTH, s7)
        low = larger(larger(s0, s1), larger(s2, s3))
        peak = larger(peak, larger(low, larger(larger(s4, s5), larger(s6, s7))))
    return peak


@njit
def soften(scores: Any, num_tokens: int, peak: Any) -> Any:
    """Replace scores by 2^(score - peak); returns their sum."""
    total = splat(ZERO)
    for j in range(num_tokens):
        weight = power_of_two(load(scores, j * WIDTH) - peak)
        store(scores, j * WIDTH, weight)
        total = total + weight
    return total


@njit
def average(
    values: Any, start: int, num_tokens: int, depth: int, weights: Any, total: Any, out: Any, first: int
) -> None:
    """out[first + c] = weighted mean over tokens of values[token, c]."""
    scale = splat(ONE) / total
    whole = depth // BLOCK * BLOCK
    for c in range(0, whole, BLOCK):
        s0 = splat(ZERO)
        s1, s2, s3, s4, s5, s6, s7 = s0, s0, s0, s0, s0, s0, s0
        for j in range(num_tokens):
            lane = load(weights, j * WIDTH)
            p = start + j * depth + c
            s0 = add_product(s0, values[p], lane)
            s1 = add_product(s1, values[p + 1], lane)
            s2 = add_product(s2, values[p + 2], lane)
            s3 = add_product(s3, values[p + 3], lane)
            s4 = add_product(s4, values[p + 4], lane)
            s5 = add_product(s5, values[p + 5], lane)
            s6 = add_product(s6, values[p + 6], lane)
            s7 = add_product(s7, values[p + 7], lane)
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
            s0 = add_product(s0, values[start + j * depth + c], load(weights, j * WIDTH))
        store(out, (first + c) * WIDTH, s0 * scale)


@njit
def form_query(
    tables: Tables, b: int, rows: Any, drivers: Any, starts: Any, numbers: Any, straight: Any, query: Any
) -> None:
    """Fill `query` [E, 16]: the tables' rows of each rollout plus its features `numbers` [F, 16].

    `straight` is scratch for sixteen by sixteen numbers.
    """
    embed, weights = tables.features.shape[1], tables.features.reshape(-1)
    current, vehicles = tables.current[b].reshape(-1), tables.vehicles[b].reshape(-1)
    for c in range(0, embed, WIDTH):
        for lane in range(WIDTH):
            q = load(current, rows[lane] * embed + c) + load(vehicles, drivers[lane] * embed + c)
            if tables.reads_start:
                q = q + load(vehicles, starts[lane] * embed + c)
            for f in range(numbers.shape[0]):
                q = add_product(q, numbers[f, lane], load(weights, f * embed + c))
            store(straight, lane * WIDTH, q)
        transpose(straight, 0, WIDTH, query, c * WIDTH)


@njit
def apply_head(tables: Tables, query: Any, hidden: Any, change: Any) -> None:
    """The fine-tuned context head: query += W2 · ReLU(W1 · query).

    `hidden` [U, 16] and `change` [E, 16] are scratch.
    """
    blocks, embed = tables.head_in.shape[0], tables.head_in.shape[1]
    products(tables.head_in.reshape(-1), 0, blocks, embed, query, 0, hidden)
    for unit in range(blocks * BLOCK):
        store(hidden, unit * WIDTH, larger(load(hidden, unit * WIDTH), splat(ZERO)))
    products(tables.head_out.reshape(-1), 0, embed // BLOCK, blocks * BLOCK, hidden, 0, change)
    for c in range(embed):
        store(query, c * WIDTH, load(query, c * WIDTH) + load(change, c * WIDTH))


@njit
def hide(mask: Any, first: int, num_tokens: int, after: int, scores: Any) -> Any:
    """Add the mask to the scores of the customers, tokens `first` to `num_tokens`; returns the new maximum.

    `after` counts all tokens of the glimpse: depots and the extra token stay as they are.
    """
    peak = splat(FORBIDDEN)
    for j in range(after):
        score = load(scores, j * WIDTH)
        if first <= j < num_tokens:
            score = score + load(mask, j * WIDTH)
            store(scores, j * WIDTH, score)
        peak = larger(peak, score)
    return peak


@njit
def glimpse(
    tables: Tables, batch: BatchArrays, b: int, state: StateArrays, query: Any, scores: Any, out: Any
) -> None:
    """Multi-head attention of `query` [E, 16] over the tokens that it sees; fills `out` [E, 16]."""
    num_heads, num_tokens, depth = tables.values.shape[1:]
    num_blocks = tables.keys.shape[2]
    keys, values = tables.keys[b].reshape(-1), tables.values[b].reshape(-1)
    for head in range(num_heads):
        first = head * depth
        peak = products(keys, head * num_blocks * depth * BLOCK, num_blocks, depth, query, first, scores)
        if tables.hides_visited:
            peak = hide(state.mask, batch.num_depot_tokens, batch.x.shape[1], num_tokens, scores)
        total = soften(scores, num_tokens, peak)
        average(values, first * num_tokens, num_tokens, depth, scores, total, out, first)


@njit
def distance_bias(batch: BatchArrays, b: int, here: Any, scores: Any) -> None:
    """Subtract scale · distance / largest distance; `here` float32 [3, 16]: x, y of current tokens, scale."""
    num_tokens = batch.x.shape[1]
    xs, ys, places = batch.x[b], batch.y[b], here.reshape(-1)
    x, y = load(places, 0), load(places, WIDTH)
    zero = splat(ZERO)
    farthest = zero
    for j in range(num_tokens):
        dx, dy = x - splat(xs[j]), y - splat(ys[j])
        farthest = larger(farthest, dx * dx + dy * dy)
    slope = choose(farthest, zero, load(places, 2 * WIDTH) / square_root(farthest), zero)
    for j in range(num_tokens):
        dx, dy = x - splat(xs[j]), y - splat(ys[j])
        distance = square_root(dx * dx + dy * dy)
        store(scores, j * WIDTH, load(scores, j * WIDTH) - slope * distance)


@njit
def best_token(batch: BatchArrays, state: StateArrays, scores: Any, out: Any) -> None:
    """Fill `out` float32 [16] with the allowed token of highest score, -1 where none is a number.

    The tanh that clips logits is monotone, so it is left out. Where it would round two scores to the same
    float (both beyond about 9), this takes the higher one; a rounded comparison would take the first.
    """
    best, token = splat(NOTHING), splat(-ONE)
    customers = load(state.customers, 0)
    for j in range(batch.x.shape[1]):
        score = load(scores, j * WIDTH) + load(state.mask, j * WIDTH)
        if j >= batch.num_depot_tokens:
            score = score + customers
        token = choose(score, best, splat(np.float32(j)), token)
        best = larger(score, best)
    store(out, 0, token)


@njit
def clip_logits(batch: BatchArrays, state: StateArrays, clip: float, scores: Any) -> Any:
    """Replace scores by clip · tanh(score), forbidden ones by FORBIDDEN; returns the maximum."""
    one, two, peak = splat(ONE), splat(TWO), splat(FORBIDDEN)
    double, most, height = splat(TWO * LOG2_E), splat(np.float32(-60.0)), splat(np.float32(clip))
    customers = load(state.customers, 0)
    for j in range(batch.x.shape[1]):
        score = load(scores, j * WIDTH)
        exponent = larger(splat(ZERO) - score * double, most)
        exponent = splat(ZERO) - larger(splat(ZERO) - exponent, most)
        logit = height * (two / (one + power_of_two(exponent)) - one)
        allowed = load(state.mask, j * WIDTH)
        if j >= batch.num_depot_tokens:
            allowed = allowed + customers
        logit = choose(allowed, splat(NOTHING), logit, splat(FORBIDDEN))
        logit = choose(score, splat(NOTHING), logit, splat(FORBIDDEN))  # not a number: never chosen
        store(scores, j * WIDTH, logit)
        peak = larger(peak, logit)
    return peak


@njit
def total_weight(scores: Any, num_tokens: int, peak: Any) -> Any:
    """Sum over allowed tokens of e^(logit - peak)."""
    total, zero = splat(ZERO), splat(ZERO)
    for j in range(num_tokens):
        logit = load(scores, j * WIDTH)
        weight = power_of_two((logit - peak) * splat(LOG2_E))
        total = total + choose(logit, splat(NOTHING), weight, zero)
    return total


@njit
def draw_token(scores: Any, num_tokens: int, peak: Any, target: Any, out: Any) -> None:
    """Fill `out` float32 [16] with the first allowed token at which the running sum exceeds `target`."""
    total, zero = splat(ZERO), splat(ZERO)
    token, last = splat(ZERO), splat(-ONE)
    for j in range(num_tokens):
        logit = load(scores, j * WIDTH)
        weight = power_of_two((logit - peak) * splat(LOG2_E))
        weight = choose(logit, splat(NOTHING), weight, zero)
        total = total + weight
        last = choose(weight, zero, splat(np.float32(j)), last)
        token = token + choose(total, target, zero, splat(ONE))
    store(out, 0, choose(token, last, last, token))  # rounding can put the target at the very end
