"""Rollouts without gradient, compiled: B instances × K vehicle orders, greedy, sampled or given.

Comes after `tables`; `policy.rollout` calls it. Each group of up to sixteen rollouts of one instance is one
task of a thread pool; a group's result depends on its own input alone, so the number of threads does not
change it.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InternalError
from ...jit.simd import WIDTH
from .arithmetic import Tables
from .group import new_workspace, roll_out_group
from .rollout_arrays import GIVEN, GREEDY, SAMPLE, BatchArrays, RolloutTask, empty_state
from .single import new_single_workspace, roll_out_single

MOST_SINGLE = 6
"""Up to this many rollouts beyond whole groups of sixteen go one by one; more share a group."""


@dataclass(frozen=True, eq=False)
class CompiledRollouts:
    """What B × K rollouts chose."""

    actions: NDArray[np.int32]
    """[B, K, T] tokens, see `batch`."""
    makespan: NDArray[np.float32]
    """[B, K] on the batch's coordinates."""
    log_probability: NDArray[np.float32] | None
    """[B, K, T] of each chosen token, where asked for."""


def roll_out_compiled(
    tables: Tables,
    batch: BatchArrays,
    permutations: NDArray[np.int64],
    *,
    sample_seed: int | np.random.Generator | None = None,
    given: NDArray[np.int32] | None = None,
    log_probability: bool = False,
    threads: int | None = None,
) -> CompiledRollouts:
    """Rollouts of instances with precomputed tables, one per vehicle order.

    `permutations`: int64 [K, M] shared by all instances, or [B, K, M]. Greedy by default; with
    `sample_seed` (a generator is advanced) every token is drawn from the policy; with `given` [B, K, T]
    the given tokens are followed. `threads`: by default one per core. Raises `ValueError` for a given
    token that is not allowed and `InternalError` when the network's output is not a number.
    """
    size, num_tokens = batch.x.shape
    orders = np.broadcast_to(permutations, (size, *permutations.shape[-2:])).astype(np.int64, order="C")
    num_rollouts = orders.shape[1]
    num_vehicles = batch.num_vehicles * (2 if batch.chooses_start else 1)
    shape = (size, num_rollouts, num_tokens - batch.num_depot_tokens + num_vehicles)
    mode, actions, chances = GREEDY, np.zeros(shape, dtype=np.int32), np.zeros((1, 1, 0), dtype=np.float32)
    if sample_seed is not None:
        mode, chances = SAMPLE, np.random.default_rng(sample_seed).random(shape, dtype=np.float32)
    if given is not None:
        mode, actions = GIVEN, np.array(given, dtype=np.int32).reshape(shape)
    found = np.zeros(shape if log_probability else (1, 1, 0), dtype=np.float32)
    task = RolloutTask(orders, mode, chances, actions, np.zeros(shape[:2], dtype=np.float32), found)
    together = _rollouts_together(tables, num_rollouts)
    firsts = [*range(0, together, WIDTH), *range(together, num_rollouts)]
    groups = [(b, k, k >= together) for b in range(size) for k in firsts]
    for (b, k, _), step in zip(groups, _each(tables, batch, task, groups, threads), strict=True):
        if step >= 0 and mode == GIVEN:
            raise ValueError(f"a token of step {step} of instance {b}, rollouts from {k} on, is not allowed")
        if step >= 0:
            raise InternalError(f"policy: no token has a finite logit at step {step} of instance {b}")
    return CompiledRollouts(actions, task.makespan, found if log_probability else None)


def _rollouts_together(tables: Tables, num_rollouts: int) -> int:
    """How many of K rollouts advance in groups of sixteen; the rest of them go alone."""
    rest = num_rollouts % WIDTH
    fits = tables.values.shape[3] % WIDTH == 0
    return num_rollouts - rest if fits and rest <= MOST_SINGLE else num_rollouts


def _each(
    tables: Tables,
    batch: BatchArrays,
    task: RolloutTask,
    groups: list[tuple[int, int, bool]],
    threads: int | None,
) -> Iterator[int]:
    """The result of every group (instance, first rollout, alone), in order, on `threads` threads."""

    def run(group: tuple[int, int, bool]) -> int:
        b, k, alone = group
        vehicles = np.empty((1 if alone else WIDTH, batch.num_vehicles), dtype=np.int64)
        state = empty_state(batch, len(vehicles))
        if alone:
            return roll_out_single(tables, batch, task, state, new_single_workspace(tables), vehicles, b, k)
        return roll_out_group(tables, batch, task, state, new_workspace(tables), vehicles, b, k)

    count = min(threads or os.cpu_count() or 1, len(groups))
    if count <= 1:
        yield from map(run, groups)
        return
    with ThreadPoolExecutor(count) as pool:
        yield from pool.map(run, groups)
