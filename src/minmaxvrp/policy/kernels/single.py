"""One rollout from the first step to the last, compiled.

For few rollouts of an instance, and for instances so large that one rollout is all there is time for: a
step is one pass over the tables, as fast as memory delivers them (docs/method.md says what it gains). Puts
`single_arithmetic` and `rollout_arrays` together; `rollouts` chooses between it and `group`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit
from ...jit.simd import WIDTH
from .arithmetic import BLOCK, Tables
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
from .single_arithmetic import (
    PAIR,
    argmax_single,
    clip_single,
    distance_bias_single,
    dot_products_single,
    glimpse_single,
    head_single,
    query_single,
    sample_single,
    softmax_single,
    widen,
)


class SingleWorkspace(NamedTuple):
    """Scratch of one rollout; float32, n' tokens filled up to a multiple of sixteen."""

    x: Floats
    """[n']."""
    y: Floats
    """[n']."""
    scores: Floats
    """[n']."""
    weights: Floats
    """[n']."""
    query: Floats
    """[E]."""
    change: Floats
    """[E] for the context head."""
    hidden: Floats
    """[U] for the context head."""
    wide_hidden: Floats
    """[8 U] for the context head."""
    wide: Floats
    """[8 E]."""
    numbers: Floats
    """[F, 1] features."""
    scratch: Floats
    """[16]."""
    iota: Floats
    """[16] 0 to 15."""


def new_single_workspace(tables: Tables) -> SingleWorkspace:
    """Scratch for one rollout after the other."""
    num_features, embed = tables.features.shape
    filled = -(-tables.logits.shape[1] // 2) * PAIR
    num_units = tables.head_out.shape[1]

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    return SingleWorkspace(
        x=floats(filled),
        y=floats(filled),
        scores=floats(filled),
        weights=floats(filled),
        query=floats(embed),
        change=floats(embed),
        hidden=floats(num_units),
        wide_hidden=floats(num_units * BLOCK),
        wide=floats(embed * BLOCK),
        numbers=floats(num_features, 1),
        scratch=floats(WIDTH),
        iota=np.arange(WIDTH, dtype=np.float32),
    )


@njit
def roll_out_single(
    tables: Tables,
    batch: BatchArrays,
    task: RolloutTask,
    state: StateArrays,
    work: SingleWorkspace,
    vehicles: Indices,
    b: int,
    k: int,
) -> int:
    """Rollout k of instance b alone, written to the task; returns -1, or the step that failed.

    `vehicles` int64 [1, M] is scratch.
    """
    num_tokens = batch.x.shape[1]
    for turn in range(batch.num_vehicles):
        vehicles[0, turn] = task.orders[b, k, turn]
    for j in range(len(work.x)):
        work.x[j] = batch.x[b, min(j, num_tokens - 1)]
        work.y[j] = batch.y[b, min(j, num_tokens - 1)]
    reset(batch, b, state, vehicles)
    asks_probability, peak, total, token = task.log_probability.shape[2] > 0, 0.0, 0.0, -1
    for step in range(task.actions.shape[2]):
        _score_single(tables, batch, b, state, step, vehicles, work)
        if task.mode == GREEDY:
            token = argmax_single(
                batch, state.mask, state.start_mask[0], work.scores, work.iota, work.scratch, work.change
            )
        elif task.mode == GIVEN:
            token = int(task.actions[b, k, step])
        if task.mode == SAMPLE or asks_probability:
            peak = clip_single(
                batch, state.mask, state.start_mask[0], tables.clip, work.scores, work.iota, work.scratch
            )
            total = softmax_single(work.scores, num_tokens, peak, work.weights)
        if task.mode == SAMPLE:
            token = sample_single(work.weights, num_tokens, task.chances[b, k, step] * total)
        if not is_allowed(batch, state, 0, token):
            return step
        task.actions[b, k, step] = token
        if asks_probability:
            task.log_probability[b, k, step] = work.scores[token] - peak - np.log(total)
        advance(batch, b, state, 0, token, vehicles)
    task.makespan[b, k] = state.routes[0].longest
    return -1


@njit(inline="always")
def _score_single(
    tables: Tables,
    batch: BatchArrays,
    b: int,
    state: StateArrays,
    step: int,
    vehicles: Indices,
    work: SingleWorkspace,
) -> None:
    """Fill the scores with what the tanh clips."""
    current, driver = state.routes[0].current, vehicles[0, state.routes[0].closed]
    row = tables.first_token if step == 0 and tables.first_token >= 0 else current
    features(batch, b, state, step, work.numbers)
    query_single(tables, b, row, driver, start_row(batch, state, 0), work.numbers, work.query)
    if len(work.hidden) > 0:
        head_single(tables, work.query, work.wide, work.hidden, work.wide_hidden, work.change)
    widen(work.query, work.wide)
    glimpse_single(tables, batch, b, state.mask, work.wide, work.scores, work.scratch, work.query)
    widen(work.query, work.wide)
    num_blocks, embed = tables.logits.shape[1], tables.logits.shape[2]
    dot_products_single(tables.logits[b].reshape(-1), 0, num_blocks, embed, work.wide, 0, work.scores)
    if tables.reads_start and state.routes[0].choosing == 1:
        share = fair_share(batch, state, 0)
        start_bias(batch, b, state.visited, 0, share, tables.distance_scale, work.scores)
    elif tables.distance_scale != 0.0:
        distance_bias_single(work.x, work.y, current, tables.distance_scale, work.scores, work.scratch)
