"""Rollouts without gradient, compiled: B instances × K vehicle orders, greedy, sampled or replayed.

Comes after `fold`; `construct` and training call it. Each group of up to sixteen rollouts of one instance
is one task of a thread pool; a group's result depends on its own input alone, so the number of threads
does not change it.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiled import njit
from ..errors import InternalError
from .kernels import (
    BLOCK,
    GREEDY,
    NOTHING,
    REPLAY,
    SAMPLE,
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
from .moves import CLOSED, CURRENT, LONGEST, Rules, State, begin, features, move


@dataclass(frozen=True, eq=False)
class Decoded:
    """What B × K rollouts chose."""

    actions: NDArray[np.int32]
    """[B, K, T] tokens, see `batch`."""
    makespan: NDArray[np.float32]
    """[B, K] on the batch's coordinates."""
    log_probability: NDArray[np.float32] | None
    """[B, K, T] of each chosen token, where asked for."""


def decode(
    tables: Tables,
    rules: Rules,
    permutations: NDArray[np.int64],
    *,
    sample_seed: int | np.random.Generator | None = None,
    replay: NDArray[np.int32] | None = None,
    log_probability: bool = False,
    threads: int | None = None,
) -> Decoded:
    """Rollouts of folded instances, one per vehicle order.

    `permutations`: int64 [K, M] shared by all instances, or [B, K, M]. Greedy by default; with
    `sample_seed` (a generator is advanced) every token is drawn from the policy; with `replay` [B, K, T]
    the given tokens are followed. `threads`: by default one per core. Raises `ValueError` for a replayed
    token that is not allowed and `InternalError` when the network's output is not a number.
    """
    size, num_tokens = rules.x.shape
    orders = np.broadcast_to(permutations, (size, *permutations.shape[-2:])).astype(np.int64)
    num_rollouts = orders.shape[1]
    num_vehicles = rules.num_vehicles * (2 if rules.chooses_start else 1)
    shape = (size, num_rollouts, num_tokens - rules.num_depot_tokens + num_vehicles)
    mode, actions, chances = GREEDY, np.zeros(shape, dtype=np.int32), np.zeros((1, 1, 0), dtype=np.float32)
    if sample_seed is not None:
        mode, chances = SAMPLE, np.random.default_rng(sample_seed).random(shape, dtype=np.float32)
    if replay is not None:
        mode, actions = REPLAY, np.array(replay, dtype=np.int32).reshape(shape)
    makespan = np.zeros(shape[:2], dtype=np.float32)
    found = np.zeros(shape if log_probability else (1, 1, 0), dtype=np.float32)

    def run(group: tuple[int, int]) -> int:
        b, k = group
        return decode_group(tables, rules, b, k, orders, mode, chances, actions, makespan, found)

    groups = [(b, k) for b in range(size) for k in range(0, num_rollouts, WIDTH)]
    for (b, k), step in zip(groups, _each(run, groups, threads), strict=True):
        if step >= 0 and mode == REPLAY:
            raise ValueError(f"a token of step {step} of instance {b}, rollouts {k} and on, is not allowed")
        if step >= 0:
            raise InternalError(f"policy: no token has a finite logit at step {step} of instance {b}")
    return Decoded(actions, makespan, found if log_probability else None)


def _each(run: Any, groups: list[tuple[int, int]], threads: int | None) -> Iterator[int]:
    """`run` of every group, in order, on `threads` threads."""
    count = min(threads or os.cpu_count() or 1, len(groups))
    if count <= 1:
        yield from map(run, groups)
        return
    with ThreadPoolExecutor(count) as pool:
        yield from pool.map(run, groups)


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
            if not _is_allowed(rules, state, lane, token):
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


@njit
def _is_allowed(rules: Rules, state: State, lane: int, token: int) -> bool:
    if token < 0 or token >= rules.x.shape[1]:
        return False
    allowed = state.mask[token * WIDTH + lane]
    if token >= rules.num_depot_tokens:
        allowed += state.customers[lane]
    return allowed > NOTHING  # type: ignore[no-any-return]
