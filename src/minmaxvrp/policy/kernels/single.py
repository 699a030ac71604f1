"""One rollout from the first step to the last, compiled.

For few rollouts of an instance, and for instances so large that one rollout is all there is time for: a
step is one pass over the tables, as fast as memory delivers them (docs/method.md says what it gains). Puts
`single_arithmetic` and `arrays` together; `rollouts` chooses between it and `group`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit
from ..lanes import WIDTH
from .arithmetic import BLOCK, Tables
from .arrays import (
    CHOOSING,
    CLOSED,
    CURRENT,
    GREEDY,
    LONGEST,
    REPLAY,
    SAMPLE,
    BatchArrays,
    StateArrays,
    Task,
    features,
    is_allowed,
    move,
    reset,
    start_bias,
    start_row,
)
from .single_arithmetic import (
    PAIR,
    best_single,
    clip_single,
    distance_bias_single,
    draw_single,
    glimpse_single,
    head_single,
    products_single,
    query_single,
    weigh_single,
    widen,
)


class SingleWorkspace(NamedTuple):
    """Scratch of one rollout; float32, n' tokens filled up to a multiple of sixteen."""

    x: Any
    """[n']."""
    y: Any
    """[n']."""
    scores: Any
    """[n']."""
    weights: Any
    """[n']."""
    query: Any
    """[E]."""
    change: Any
    """[E] for the context head."""
    hidden: Any
    """[U] for the context head."""
    wide_hidden: Any
    """[8 U] for the context head."""
    wide: Any
    """[8 E]."""
    numbers: Any
    """[F, 1] features."""
    room: Any
    """[16]."""
    count: Any
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
        room=floats(WIDTH),
        count=np.arange(WIDTH, dtype=np.float32),
    )


@njit
def roll_out_single(
    tables: Tables,
    batch: BatchArrays,
    task: Task,
    state: StateArrays,
    room: SingleWorkspace,
    vehicles: Any,
    b: int,
    k: int,
) -> int:
    """Rollout k of instance b alone, written to the task; returns -1, or the step that failed.

    `vehicles` int64 [1, M] is scratch.
    """
    num_tokens = batch.x.shape[1]
    for turn in range(batch.num_vehicles):
        vehicles[0, turn] = task.orders[b, k, turn]
    for j in range(len(room.x)):
        room.x[j] = batch.x[b, min(j, num_tokens - 1)]
        room.y[j] = batch.y[b, min(j, num_tokens - 1)]
    reset(batch, b, state, vehicles)
    asks_probability, peak, total, token = task.log_probability.shape[2] > 0, 0.0, 0.0, -1
    for step in range(task.actions.shape[2]):
        _score_single(tables, batch, b, state, step, vehicles, room)
        if task.mode == GREEDY:
            token = best_single(batch, state, room.scores, room.count, room.room, room.change)
        elif task.mode == REPLAY:
            token = int(task.actions[b, k, step])
        if task.mode == SAMPLE or asks_probability:
            peak = clip_single(batch, state, tables.clip, room.scores, room.count, room.room)
            total = weigh_single(room.scores, num_tokens, peak, room.weights)
        if task.mode == SAMPLE:
            token = draw_single(room.weights, num_tokens, task.chances[b, k, step] * total)
        if not is_allowed(batch, state, 0, token):
            return step
        task.actions[b, k, step] = token
        if asks_probability:
            task.log_probability[b, k, step] = room.scores[token] - peak - np.log(total)
        move(batch, b, state, 0, token, vehicles)
    task.makespan[b, k] = state.sums[LONGEST, 0]
    return -1


@njit
def _score_single(
    tables: Tables,
    batch: BatchArrays,
    b: int,
    state: StateArrays,
    step: int,
    vehicles: Any,
    room: SingleWorkspace,
) -> None:
    """Fill the scores with what the tanh clips."""
    current, driver = state.counts[CURRENT, 0], vehicles[0, state.counts[CLOSED, 0]]
    row = tables.first_token if step == 0 and tables.first_token >= 0 else current
    features(batch, b, state, step, room.numbers)
    query_single(tables, b, row, driver, start_row(batch, state, 0), room.numbers, room.query)
    if len(room.hidden) > 0:
        head_single(tables, room.query, room.wide, room.hidden, room.wide_hidden, room.change)
    widen(room.query, room.wide)
    glimpse_single(tables, batch, b, state, room.wide, room.scores, room.room, room.query)
    widen(room.query, room.wide)
    num_blocks, embed = tables.logits.shape[1], tables.logits.shape[2]
    products_single(tables.logits[b].reshape(-1), 0, num_blocks, embed, room.wide, 0, room.scores)
    if tables.reads_start and state.counts[CHOOSING, 0] == 1:
        start_bias(batch, b, state, 0, tables.distance_scale, room.scores)
    elif tables.distance_scale != 0.0:
        distance_bias_single(room.x, room.y, current, tables.distance_scale, room.scores, room.room)
