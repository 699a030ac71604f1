"""Labels for imitation: random instances and the solutions that our search finds, in shards on disk.

Shard i is a function of the config and i alone, so it does not matter who makes it, when, or how often.
Worker processes make shards while `imitation` trains on those that are there.
"""

import hashlib
import io
import json
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InternalError
from ..jit import cache_folder
from ..problem import check
from ..problem.files.atomic import write_bytes
from ..problem.solution import Solution
from ..stop import MaxIterations
from .random_instances import Floats, Shape, Stream, draw_points, draw_shape, generator, make_instance
from .train_config import TrainConfig

SHARD = 16
"""Imitation per shard, all of one shape."""
VERSION = 1


@dataclass(frozen=True, eq=False)
class Shard:
    """SHARD instances of one shape and a good solution of each."""

    shape: Shape
    points: Floats
    """[SHARD, D+N, 2]"""
    nodes: NDArray[np.int64]
    """[SHARD, N+2M]: of each vehicle its start depot, its customers, its end depot."""
    makespan: Floats
    """[SHARD]"""


def label_folder(config: TrainConfig) -> Path:
    """Where the labels of a config are: runs that need the same labels share them."""
    network = config.network
    asked: dict[str, object] = {
        "version": VERSION,
        "form": network.form,
        "return_to": network.return_to,
        "customers": config.customers,
        "vehicles": config.vehicles,
        "depots": config.depots,
        "iterations": config.label_iterations,
        "seed": config.seed,
    }
    if config.fleet_sizes != "uniform":
        asked["fleet_sizes"] = config.fleet_sizes
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
    parent = Path(config.label_folder) if config.label_folder else cache_folder().parent / "labels"
    return parent / digest


def shard_path(folder: Path, index: int) -> Path:
    """The file of shard `index`."""
    return folder / f"{index // 1000:04d}" / f"{index:07d}.npz"


def make_shard(config: TrainConfig, index: int) -> Shard:
    """Draw and solve the instances of shard `index`. Raises `InternalError` for an infeasible solution."""
    shape = draw_shape(config, generator(config.seed, Stream.LABEL_SHAPE, index))
    points = draw_points(shape, SHARD, generator(config.seed, Stream.LABEL_INSTANCES, index))
    nodes = np.empty((SHARD, shape.num_customers + 2 * shape.num_vehicles), dtype=np.int64)
    makespan = np.empty(SHARD)
    for k in range(SHARD):
        solution, makespan[k] = _solve(config, points[k], shape, seed=index * SHARD + k)
        nodes[k] = _flatten(solution, shape.num_vehicles)
    return Shard(shape, points, nodes, makespan)


def _solve(config: TrainConfig, points: Floats, shape: Shape, seed: int) -> tuple[Solution, float]:
    from ..search.improve import improve

    instance = make_instance(points, shape, config.network)
    found = improve(instance, MaxIterations(config.label_iterations), seed)
    if found.interrupted:  # the search returns what it has; such a label must not be kept
        raise KeyboardInterrupt
    broken = check.violations(instance, found.solution)
    if broken:
        raise InternalError(f"a label breaks a rule: {broken[0]}")
    return found.solution, check.makespan(instance, found.solution)


def _flatten(solution: Solution, num_vehicles: int) -> NDArray[np.int64]:
    """Every route with its two depots, one after the other; unused vehicles stay at depot 0."""
    routes = [list(r.nodes) for r in solution.routes]
    routes += [[0, 0]] * (num_vehicles - len(routes))
    return np.concatenate([np.asarray(r, dtype=np.int64) for r in routes])


def save_shard(path: Path, shard: Shard) -> None:
    """Write a shard whole or not at all. Raises `InputError` when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path.parent}: cannot be made: {error.strerror}") from None
    size = shard.shape
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        shape=np.array([size.num_customers, size.num_vehicles, size.num_depots]),
        points=shard.points.astype(np.float32),
        nodes=shard.nodes.astype(np.int32),
        makespan=shard.makespan,
    )
    write_bytes(path, stream.getvalue())


def load_shard(path: Path) -> Shard | None:
    """A shard, None when it is not there or not whole."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            shape = Shape(*(int(v) for v in data["shape"]))
            points, nodes = data["points"].astype(np.float64), data["nodes"].astype(np.int64)
            makespan = data["makespan"]
    except Exception:  # absent, or damaged in whatever way: zip, zlib, header, keys
        return None
    if nodes.shape != (SHARD, shape.num_customers + 2 * shape.num_vehicles):
        return None
    return Shard(shape, points, nodes, makespan)


class Workers:
    """Processes that make shards up to `count`, in order; of `teams` teams, this is number `team`."""

    def __init__(self, config: TrainConfig, count: int, team: int = 0, teams: int = 1) -> None:
        context = multiprocessing.get_context("spawn")
        self.faults: Any = context.SimpleQueue()
        step = config.label_workers * teams
        self.processes = [
            context.Process(
                target=_work, args=(config, range(first, count, step), os.getpid(), self.faults), daemon=True
            )
            for first in range(team, step, teams)
        ]
        for process in self.processes:
            process.start()

    def check(self) -> None:
        """Raise `InputError` with the reason when a worker has failed."""
        if not self.faults.empty():
            raise InputError(f"a label worker failed: {self.faults.get()}")
        failed = [p.exitcode for p in self.processes if p.exitcode not in (None, 0)]
        if failed:
            raise InputError(f"a label worker ended with exit code {failed[0]}")

    def stop(self) -> None:
        """End the processes."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join()


def _work(config: TrainConfig, indices: range, parent: int, faults: Any) -> None:
    """Make the shards that are not there yet; end with the parent."""
    os.setpgrp()  # Ctrl-C is for the trainer, which ends its workers itself
    os.nice(5)  # the network is trained first, labels are made on what is left of the cores
    folder = label_folder(config)
    try:
        for index in indices:
            if os.getppid() != parent:
                return
            path = shard_path(folder, index)
            if not path.exists():
                save_shard(path, make_shard(config, index))
    except KeyboardInterrupt:
        return
    except InputError as error:
        faults.put(str(error))
    except Exception:
        faults.put(traceback.format_exc())


def wait_for_shard(config: TrainConfig, index: int, workers: Workers | None) -> Shard:
    """Shard `index`, as soon as it is there; a damaged one, or any without `workers`, is made here.

    Raises `InputError` when the workers have failed.
    """
    path = shard_path(label_folder(config), index)
    while (shard := load_shard(path)) is None:
        if path.exists() or workers is None:
            shard = make_shard(config, index)
            save_shard(path, shard)
            return shard
        workers.check()
        time.sleep(0.02)
    return shard


def fill_cache(config: TrainConfig, told: Callable[[int, int], None]) -> tuple[Path, int]:
    """Make all labels that a run needs; returns their folder and the number of shards.

    `told` hears (shards done, shards in all) every so often. Raises `InputError` when a worker fails.
    """
    folder, count = label_folder(config), count_shards(config)
    workers = Workers(config, count)
    try:
        for index in range(count):
            wait_for_shard(config, index, workers)
            if (index + 1) % 100 == 0:
                told(index + 1, count)
    finally:
        workers.stop()
    return folder, count


def ready_shards(config: TrainConfig, imitated: int) -> int:
    """How many shards take part after `imitated` instances: each label is used `label_reuse` times."""
    first = -(-config.imitation_batch // SHARD)
    return first + imitated // (config.label_reuse * SHARD)


def count_shards(config: TrainConfig) -> int:
    """How many shards a whole run needs."""
    later = config.imitation_share * max(0, config.steps - config.imitation_steps)
    steps = min(config.steps, config.imitation_steps) + later + 3.0 * later**0.5
    return ready_shards(config, int(steps) * config.imitation_batch)
