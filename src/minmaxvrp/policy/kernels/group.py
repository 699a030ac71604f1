"""Sixteen rollouts of one instance from the first step to the last, compiled.

Puts `arithmetic` and `arrays` together; `rollouts` calls it for each group.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit
from ..lanes import WIDTH, load, store
from .arithmetic import (
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


class Workspace(NamedTuple):
    """Scratch of a group; float32 unless said otherwise."""

    scores: Any
    """[S filled up to whole blocks · 16]."""
    query: Any
    """[E · 16]."""
    seen: Any
    """[E · 16] the glimpse."""
    hidden: Any
    """[U · 16] of the context head."""
    numbers: Any
    """[F, 16] features."""
    square: Any
    """[16 · 16] for turning rows into lanes."""
    here: Any
    """[3, 16] coordinates of the current tokens, scale of the distance bias."""
    results: Any
    """[3, 16]: rows CHOSEN, PEAK, TOTAL."""
    places: Any
    """int64 [3, 16]: rows of the tables for current token, driving vehicle and start depot."""


CHOSEN, PEAK, TOTAL = range(3)


def new_workspace(tables: Tables) -> Workspace:
    """Scratch for one group after the other."""
    num_features, embed = tables.features.shape

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    return Workspace(
        scores=floats(tables.logits.shape[1] * BLOCK * WIDTH),
        query=floats(embed * WIDTH),
        seen=floats(embed * WIDTH),
        hidden=floats(tables.head_out.shape[1] * WIDTH),
        numbers=floats(num_features, WIDTH),
        square=floats(WIDTH * WIDTH),
        here=floats(3, WIDTH),
        results=floats(3, WIDTH),
        places=np.empty((3, WIDTH), dtype=np.int64),
    )


@njit
def roll_out_group(
    tables: Tables,
    batch: BatchArrays,
    task: Task,
    state: StateArrays,
    room: Workspace,
    vehicles: Any,
    b: int,
    k: int,
) -> int:
    """Rollouts k to k + 15 of instance b, written to the task; returns -1, or the step that failed.

    `vehicles` int64 [16, M] is scratch. Lanes beyond the last rollout repeat it and are dropped.
    """
    used = min(WIDTH, task.actions.shape[1] - k)
    for lane in range(WIDTH):
        for turn in range(batch.num_vehicles):
            vehicles[lane, turn] = task.orders[b, k + min(lane, used - 1), turn]
    reset(batch, b, state, vehicles)
    for step in range(task.actions.shape[2]):
        _score(tables, batch, b, state, step, vehicles, room)
        _choose(tables, batch, task, state, room, b, k, step)
        for lane in range(WIDTH):
            token = int(room.results[CHOSEN, lane])
            if not is_allowed(batch, state, lane, token):
                return step
            if lane < used:
                task.actions[b, k + lane, step] = token
                if task.log_probability.shape[2] > 0:
                    gap = room.scores[token * WIDTH + lane] - room.results[PEAK, lane]
                    task.log_probability[b, k + lane, step] = gap - np.log(room.results[TOTAL, lane])
            move(batch, b, state, lane, token, vehicles)
    for lane in range(used):
        task.makespan[b, k + lane] = state.sums[LONGEST, lane]
    return -1


@njit
def _score(
    tables: Tables, batch: BatchArrays, b: int, state: StateArrays, step: int, vehicles: Any, room: Workspace
) -> None:
    """Fill the scores with what the tanh clips."""
    features(batch, b, state, step, room.numbers)
    rows, drivers, starts = room.places[0], room.places[1], room.places[2]
    for lane in range(WIDTH):
        current = state.counts[CURRENT, lane]
        rows[lane] = tables.first_token if step == 0 and tables.first_token >= 0 else current
        drivers[lane] = vehicles[lane, state.counts[CLOSED, lane]]
        starts[lane] = start_row(batch, state, lane)
        room.here[0, lane] = batch.x[b, current]
        room.here[1, lane] = batch.y[b, current]
        free = tables.reads_start and state.counts[CHOOSING, lane] == 1
        room.here[2, lane] = 0.0 if free else tables.distance_scale
    form_query(tables, b, rows, drivers, starts, room.numbers, room.square, room.query)
    if len(room.hidden) > 0:
        apply_head(tables, room.query, room.hidden, room.seen)
    glimpse(tables, batch, b, state, room.query, room.scores, room.seen)
    num_blocks, embed = tables.logits.shape[1], tables.logits.shape[2]
    products(tables.logits[b].reshape(-1), 0, num_blocks, embed, room.seen, 0, room.scores)
    if tables.distance_scale != 0.0:
        distance_bias(batch, b, room.here, room.scores)
        for lane in range(WIDTH):
            if tables.reads_start and state.counts[CHOOSING, lane] == 1:
                start_bias(batch, b, state, lane, tables.distance_scale, room.scores)


@njit
def _choose(
    tables: Tables,
    batch: BatchArrays,
    task: Task,
    state: StateArrays,
    room: Workspace,
    b: int,
    k: int,
    step: int,
) -> None:
    """Fill row CHOSEN, and where they are needed PEAK and TOTAL, which make logits probabilities."""
    results, scores, num_tokens = room.results.reshape(-1), room.scores, batch.x.shape[1]
    last = task.actions.shape[1] - 1
    if task.mode == GREEDY:
        best_token(batch, state, scores, results)
    if task.mode == SAMPLE or task.log_probability.shape[2] > 0:
        peak = clip_logits(batch, state, tables.clip, scores)
        store(results, PEAK * WIDTH, peak)
        store(results, TOTAL * WIDTH, total_weight(scores, num_tokens, peak))
    if task.mode == SAMPLE:
        for lane in range(WIDTH):
            chance = task.chances[b, min(k + lane, last), step]
            room.results[CHOSEN, lane] = chance * room.results[TOTAL, lane]
        draw_token(scores, num_tokens, load(results, PEAK * WIDTH), load(results, 0), results)
    elif task.mode == REPLAY:
        for lane in range(WIDTH):
            room.results[CHOSEN, lane] = task.actions[b, min(k + lane, last), step]
