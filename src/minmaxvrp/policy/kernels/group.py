"""Sixteen rollouts of one instance from the first step to the last, compiled.

Puts `arithmetic` and `rollout_arrays` together; `rollouts` calls it for each group.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit
from ...jit.simd import WIDTH, load, store
from .arithmetic import (
    BLOCK,
    Tables,
    apply_head,
    argmax_token,
    clip_logits,
    distance_bias,
    dot_products,
    form_query,
    glimpse,
    sample_token,
    softmax_total,
)
from .rollout_arrays import (
    GIVEN,
    GREEDY,
    SAMPLE,
    BatchArrays,
    Floats,
    Indices,
    RolloutTask,
    StateArrays,
    advance,
    fair_share,
    features,
    is_allowed,
    reset,
    start_bias,
    start_row,
)


class GroupWorkspace(NamedTuple):
    """Scratch of a group; float32 unless said otherwise."""

    scores: Floats
    """[S filled up to whole blocks · 16]."""
    query: Floats
    """[E · 16]."""
    seen: Floats
    """[E · 16] the glimpse."""
    hidden: Floats
    """[U · 16] of the context head."""
    numbers: Floats
    """[F, 16] features."""
    square: Floats
    """[16 · 16] for transposing rows."""
    x: Floats
    """[16] coordinates of the current tokens."""
    y: Floats
    """[16]."""
    bias: Floats
    """[16] scale of the distance bias."""
    chosen: Floats
    """[16] the tokens chosen; with SAMPLE at first the share of `total` at which each is to be found."""
    peak: Floats
    """[16] the largest logit."""
    total: Floats
    """[16] sum of e^(logit - peak)."""
    current: Indices
    """int64 [16] row of `Tables.current`."""
    driver: Indices
    """int64 [16] row of `Tables.vehicles`."""
    start: Indices
    """int64 [16] row of `Tables.vehicles` for the start depot."""


def new_workspace(tables: Tables) -> GroupWorkspace:
    """Scratch for one group after the other."""
    num_features, embed = tables.features.shape

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    return GroupWorkspace(
        scores=floats(tables.logits.shape[1] * BLOCK * WIDTH),
        query=floats(embed * WIDTH),
        seen=floats(embed * WIDTH),
        hidden=floats(tables.head_out.shape[1] * WIDTH),
        numbers=floats(num_features, WIDTH),
        square=floats(WIDTH * WIDTH),
        x=floats(WIDTH),
        y=floats(WIDTH),
        bias=floats(WIDTH),
        chosen=floats(WIDTH),
        peak=floats(WIDTH),
        total=floats(WIDTH),
        current=np.empty(WIDTH, dtype=np.int64),
        driver=np.empty(WIDTH, dtype=np.int64),
        start=np.empty(WIDTH, dtype=np.int64),
    )


@njit
def roll_out_group(
    tables: Tables,
    batch: BatchArrays,
    task: RolloutTask,
    state: StateArrays,
    work: GroupWorkspace,
    vehicles: Indices,
    b: int,
    k: int,
) -> int:
    """Rollouts k to k + 15 of instance b, written to the task; returns -1, or the step that failed.

    `vehicles` int64 [16, M] is scratch. Where fewer are left, the last rollout is repeated,
    and the copies are dropped.
    """
    used = min(WIDTH, task.actions.shape[1] - k)
    for rollout in range(WIDTH):
        for turn in range(batch.num_vehicles):
            vehicles[rollout, turn] = task.orders[b, k + min(rollout, used - 1), turn]
    reset(batch, b, state, vehicles)
    for step in range(task.actions.shape[2]):
        _score(tables, batch, b, state, step, vehicles, work)
        _choose(tables, batch, task, state, work, b, k, step)
        for rollout in range(WIDTH):
            token = int(work.chosen[rollout])
            if not is_allowed(batch, state, rollout, token):
                return step
            if rollout < used:
                task.actions[b, k + rollout, step] = token
                if task.log_probability.shape[2] > 0:
                    gap = work.scores[token * WIDTH + rollout] - work.peak[rollout]
                    task.log_probability[b, k + rollout, step] = gap - np.log(work.total[rollout])
            advance(batch, b, state, rollout, token, vehicles)
    for rollout in range(used):
        task.makespan[b, k + rollout] = state.routes[rollout].longest
    return -1


@njit(inline="always")
def _score(
    tables: Tables,
    batch: BatchArrays,
    b: int,
    state: StateArrays,
    step: int,
    vehicles: Indices,
    work: GroupWorkspace,
) -> None:
    """Fill the scores with what the tanh clips."""
    features(batch, b, state, step, work.numbers)
    for rollout in range(WIDTH):
        current = state.routes[rollout].current
        work.current[rollout] = tables.first_token if step == 0 and tables.first_token >= 0 else current
        work.driver[rollout] = vehicles[rollout, state.routes[rollout].closed]
        work.start[rollout] = start_row(batch, state, rollout)
        work.x[rollout], work.y[rollout] = batch.x[b, current], batch.y[b, current]
        free = tables.reads_start and state.routes[rollout].choosing == 1
        work.bias[rollout] = 0.0 if free else tables.distance_scale
    form_query(tables, b, work.current, work.driver, work.start, work.numbers, work.square, work.query)
    if len(work.hidden) > 0:
        apply_head(tables, work.query, work.hidden, work.seen)
    glimpse(tables, batch, b, state.mask, work.query, work.scores, work.seen)
    num_blocks, embed = tables.logits.shape[1], tables.logits.shape[2]
    dot_products(tables.logits[b].reshape(-1), 0, num_blocks, embed, work.seen, 0, work.scores)
    if tables.distance_scale != 0.0:
        distance_bias(batch, b, work.x, work.y, work.bias, work.scores)
        for rollout in range(WIDTH):
            if tables.reads_start and state.routes[rollout].choosing == 1:
                share = fair_share(batch, state, rollout)
                start_bias(batch, b, state.visited, rollout, share, tables.distance_scale, work.scores)


@njit(inline="always")
def _choose(
    tables: Tables,
    batch: BatchArrays,
    task: RolloutTask,
    state: StateArrays,
    work: GroupWorkspace,
    b: int,
    k: int,
    step: int,
) -> None:
    """Fill `chosen`, and where they are needed `peak` and `total`, which make logits probabilities."""
    scores, num_tokens = work.scores, batch.x.shape[1]
    last = task.actions.shape[1] - 1
    if task.mode == GREEDY:
        argmax_token(batch, state.mask, state.start_mask, scores, work.chosen)
    if task.mode == SAMPLE or task.log_probability.shape[2] > 0:
        peak = clip_logits(batch, state.mask, state.start_mask, tables.clip, scores)
        store(work.peak, 0, peak)
        store(work.total, 0, softmax_total(scores, num_tokens, peak))
    if task.mode == SAMPLE:
        for rollout in range(WIDTH):
            chance = task.chances[b, min(k + rollout, last), step]
            work.chosen[rollout] = chance * work.total[rollout]
        sample_token(scores, num_tokens, load(work.peak, 0), load(work.chosen, 0), work.chosen)
    elif task.mode == GIVEN:
        for rollout in range(WIDTH):
            work.chosen[rollout] = task.actions[b, min(k + rollout, last), step]
