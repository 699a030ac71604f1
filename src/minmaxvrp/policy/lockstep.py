"""Sixteen rollouts of one instance from the first step to the last, compiled.

Puts the arithmetic of `kernels.py` and the rules of `moves.py` together; `decode.py` calls it for each group.
"""

from typing import Any

import numpy as np

from ..compiled import njit
from .kernels import (
    BLOCK,
    Tables,
    apply_head,
    best_token,
    clip_logits,
    distance_bias,
    draw_token,
    form_query,
    glimpse,
    products,
    total_weight,
)
from .lanes import WIDTH, load, store
from .moves import (
    CLOSED,
    CURRENT,
    GREEDY,
    LONGEST,
    REPLAY,
    SAMPLE,
    Rules,
    State,
    begin,
    features,
    is_allowed,
    move,
)


@njit
def decode_group(
    tables: Tables,
    rules: Rules,
    b: int,
    k: int,
    orders: Any,
    mode: int,
    chances: Any,
    actions: Any,
    makespan: Any,
    log_probability: Any,
) -> int:
    """Rollouts k to k + 15 of instance b, written to the arrays; returns -1, or the step that failed.

    Lanes beyond the last rollout repeat it and are dropped.
    """
    num_rollouts, num_steps = actions.shape[1], actions.shape[2]
    used = min(WIDTH, num_rollouts - k)
    vehicles = np.empty((WIDTH, rules.num_vehicles), dtype=np.int64)
    for lane in range(WIDTH):
        vehicles[lane] = orders[b, k + min(lane, used - 1)]
    state = begin(rules, b, vehicles)
    num_tokens, seen = rules.x.shape[1], tables.logits.shape[1] * BLOCK
    scores = np.empty(seen * WIDTH, dtype=np.float32)
    chosen = np.empty(WIDTH, dtype=np.float32)
    peak, total = np.empty(WIDTH, dtype=np.float32), np.empty(WIDTH, dtype=np.float32)
    query = np.empty(tables.features.shape[1] * WIDTH, dtype=np.float32)
    seen_values = np.empty_like(query)
    numbers = np.empty((tables.features.shape[0], WIDTH), dtype=np.float32)
    needs_logits = mode == SAMPLE or log_probability.shape[2] > 0
    for step in range(num_steps):
        _score(tables, rules, b, state, step, vehicles, numbers, query, seen_values, scores)
        if mode == GREEDY:
            best_token(rules, state, scores, chosen)
        if needs_logits:
            _normalise(tables, rules, state, scores, peak, total)
        if mode == SAMPLE:
            for lane in range(WIDTH):
                target_lane = k + min(lane, used - 1)
                chosen[lane] = chances[b, target_lane, step] * total[lane]
            draw_token(scores, num_tokens, load(peak, 0), load(chosen, 0), chosen)
        elif mode == REPLAY:
            for lane in range(WIDTH):
                chosen[lane] = actions[b, k + min(lane, used - 1), step]
        for lane in range(WIDTH):
            token = int(chosen[lane])
            if not is_allowed(rules, state, lane, token):
                return step
            if lane < used:
                actions[b, k + lane, step] = token
                if log_probability.shape[2] > 0:
                    gap = scores[token * WIDTH + lane] - peak[lane]
                    log_probability[b, k + lane, step] = gap - np.log(total[lane])
            move(rules, b, state, lane, token, vehicles)
    for lane in range(used):
        makespan[b, k + lane] = state.sums[LONGEST, lane]
    return -1


@njit
def _score(
    tables: Tables,
    rules: Rules,
    b: int,
    state: State,
    step: int,
    vehicles: Any,
    numbers: Any,
    query: Any,
    seen_values: Any,
    scores: Any,
) -> None:
    """Fill `scores` [S, 16] with what the tanh clips."""
    features(rules, state, step, numbers)
    rows, drivers = state.counts[CURRENT].copy(), np.empty(WIDTH, dtype=np.int64)
    here = np.empty((2, WIDTH), dtype=np.float32)
    for lane in range(WIDTH):
        drivers[lane] = vehicles[lane, state.counts[CLOSED, lane]]
        here[0, lane] = rules.x[b, rows[lane]]
        here[1, lane] = rules.y[b, rows[lane]]
    if step == 0 and tables.first_token >= 0:
        rows[:] = tables.first_token
    form_query(tables, b, rows, drivers, numbers, query)
    if tables.head.shape[1] > 0:
        apply_head(tables, query, seen_values)
    glimpse(tables, b, query, scores, seen_values)
    num_blocks, embed = tables.logits.shape[1], tables.logits.shape[2]
    products(tables.logits[b].reshape(-1), 0, num_blocks, embed, seen_values, 0, scores)
    if tables.distance_scale != 0.0:
        distance_bias(rules, b, tables.distance_scale, here, scores)


@njit
def _normalise(tables: Tables, rules: Rules, state: State, scores: Any, peak: Any, total: Any) -> None:
    """Turn scores into logits and keep the maximum and the sum that make them log-probabilities."""
    highest = clip_logits(rules, state, tables.clip, scores)
    store(peak, 0, highest)
    store(total, 0, total_weight(scores, rules.x.shape[1], highest))
