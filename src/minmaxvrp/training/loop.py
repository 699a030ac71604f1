"""The training loop, read from top to bottom: draw → sample → loss → step → validate → checkpoint.

Comes after `config`; everything it calls is a function of the config, the step and the weights, so a
resumed run continues exactly where the interrupted one was.
"""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..errors import InputError, MinmaxvrpError
from ..policy.network import Network
from . import checkpoint
from .batches import make_batch
from .checkpoint import Counters
from .config import TrainConfig
from .imitation import Imitation
from .labels import SHARD
from .optimiser import Optimiser, learning_rate
from .parallel import ProcessGroup
from .random_instances import Pieces, Stream, draw_orders, draw_points, draw_shape, generator
from .reinforce import PieceLoss, reinforce
from .run import BEST, WEIGHTS, Run, open_new
from .run_weights import read_weights, write_weights
from .validation import validate

Listener = Callable[[dict[str, Any]], None]


class TrainingError(MinmaxvrpError):
    """Training cannot go on; the message says why and what is kept."""

    exit_code = 1


@dataclass(frozen=True)
class Outcome:
    """What a call of `train` did."""

    folder: Path
    progress: Counters
    finished: bool
    """False when it was interrupted or its time was up."""


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    minutes: float | None = None,
    on_entry: Listener | None = None,
    notice: Callable[[str], None] | None = None,
) -> Outcome:
    """Train a network in `folder` until `config.steps`, an interrupt, or `minutes` have passed.

    With `resume`, go on from the newest whole checkpoint. `on_entry` hears every line of the log, `notice`
    what had to be done differently. Raises `InputError` for a folder or weights that cannot be used,
    `TrainingError` when the loss is not a number.
    """
    team = ProcessGroup.join()
    tell = notice or (lambda text: None)
    network = Network.initialised(config.network, config.seed)
    if config.start_from and not resume:
        read_weights(network, config.start_from)
    optimiser = Optimiser(network, config)
    if resume:
        run = Run(folder, team.leads)
        progress = _resume(run, optimiser, tell)
    else:
        run, progress = open_new(folder, config, team.leads), Counters()
    run.write_config(config)

    with _interrupts() as stopping, Imitation.open(config, team) as labels:
        clock = _Clock(progress, minutes)
        while progress.step < config.steps:
            entry = _one_step(network, optimiser, config, progress, team, labels)
            if not math.isfinite(entry["loss"] + entry["gradient_norm"]):
                _give_up(run, optimiser, progress, config, entry)
            optimiser.step(progress.step)
            _count(progress, config, entry["kind"] == "imitation")
            clock.read(progress)
            last = progress.step == config.steps
            ending = team.agree(last or bool(stopping) or clock.is_up)
            if progress.step % config.log_every == 0 or ending:
                _report(run, _counted(progress) | entry | clock.speed(progress), on_entry)
            if progress.step % config.validate_every == 0 or last:
                _validate(run, network, optimiser, config, progress, on_entry)
                clock.last = None
            if progress.step % config.checkpoint_every == 0 or ending:
                _save(run, optimiser, config, progress)
            if ending:
                for number in stopping:
                    tell(f"{signal.Signals(number).name} received, training ends after a whole step")
                break
    team.leave()
    return Outcome(folder, progress, progress.step >= config.steps)


def _one_step(
    network: Network,
    optimiser: Optimiser,
    config: TrainConfig,
    progress: Counters,
    team: ProcessGroup,
    labels: Imitation | None,
) -> dict[str, Any]:
    """Leave the gradient of one batch in the parameters; returns what the log says of it."""
    step = progress.step
    imitating = labels is not None and imitates(config, step)
    whole = config.imitation_batch if imitating else config.batch_size
    pieces = Pieces(whole, SHARD if imitating else config.piece_size)
    optimiser.zero_gradient()
    totals = torch.zeros(2)
    for piece in team.share(pieces.count):
        share = pieces.length(piece) / whole
        if labels is not None and imitating:
            found = labels.imitate(network, progress.imitated, step, piece, pieces, share)
        else:
            found = explore(network, config, step, piece, pieces, share)
        totals += share * torch.tensor([found.loss, found.makespan])
    team.sum_gradients(optimiser.trained.values(), totals)
    return {
        "kind": "imitation" if imitating else "reinforce",
        "loss": float(totals[0]),
        "makespan": float(totals[1]),
        "gradient_norm": optimiser.gradient_norm(),
        "learning_rate": learning_rate(config, step),
    }


def explore(
    network: Network, config: TrainConfig, step: int, piece: int, pieces: Pieces, share: float
) -> PieceLoss:
    """REINFORCE on one piece of the batch of `step`: add `share` times its gradient."""
    part = piece if config.shapes == "piece" else 0
    shape = draw_shape(config, generator(config.seed, Stream.SHAPE, step, part))
    rng = generator(config.seed, Stream.INSTANCES, step, piece)
    batch = make_batch(draw_points(shape, pieces.length(piece), rng), shape, config.network)
    orders = draw_orders(
        shape.num_vehicles, config.rollouts, generator(config.seed, Stream.ORDERS, step, part)
    )
    seed = int(generator(config.seed, Stream.SAMPLING, step, piece).integers(2**62))
    return reinforce(network, batch, torch.from_numpy(orders), seed, config, share)


def imitates(config: TrainConfig, step: int) -> bool:
    """Whether a step imitates: the first `imitation_steps` do, later ones by chance."""
    if step < config.imitation_steps:
        return True
    return bool(generator(config.seed, Stream.KIND, step).random() < config.imitation_share)


def _validate(
    run: Run,
    network: Network,
    optimiser: Optimiser,
    config: TrainConfig,
    progress: Counters,
    on_entry: Listener | None,
) -> None:
    """Measure the weights that would be used, write them, and the best so far."""
    if not run.writes:
        return
    measured = Network(config.network)
    measured.load_state_dict(optimiser.best_weights())
    found = validate(measured, config)
    write_weights(run.folder / WEIGHTS, measured, config, progress)
    if found.mean < progress.best:
        progress.best = found.mean
        write_weights(run.folder / BEST, measured, config, progress)
    progress.history = {str(m): value for m, value in found.makespan.items()}
    entry: dict[str, Any] = {"validation": progress.history, "validation_mean": found.mean}
    if found.gap is not None:
        entry["gap"] = found.gap
    _report(run, _counted(progress) | entry, on_entry)


def _count(progress: Counters, config: TrainConfig, imitated: bool) -> None:
    progress.step += 1
    progress.instances += config.imitation_batch if imitated else config.batch_size
    progress.imitated += config.imitation_batch if imitated else 0


def _report(run: Run, entry: dict[str, Any], on_entry: Listener | None) -> None:
    run.log(entry)
    if on_entry is not None and run.writes:
        on_entry(entry)


def _counted(progress: Counters) -> dict[str, Any]:
    return {
        "step": progress.step,
        "instances": progress.instances,
        "seconds": round(progress.seconds, 3),
        "cpu_seconds": round(progress.cpu_seconds, 3),
    }


def _save(run: Run, optimiser: Optimiser, config: TrainConfig, progress: Counters) -> None:
    if run.writes:
        checkpoint.save(run.checkpoints, optimiser.tensors(), progress, config.keep_checkpoints)


def _resume(run: Run, optimiser: Optimiser, notice: Callable[[str], None]) -> Counters:
    """Put the newest whole checkpoint into the optimiser; without one, begin at step 0."""
    found = checkpoint.load_latest(run.checkpoints, notice)
    if found is None:
        notice(f"{run.folder}: no checkpoint yet, training begins at step 0")
        run.rewind(0)
        return Counters()
    tensors, progress = found
    try:
        optimiser.restore(tensors)
    except (KeyError, ValueError) as error:
        raise InputError(f"{run.folder}: the checkpoint is of another network: {error}") from None
    run.rewind(progress.step)
    return progress


def _give_up(
    run: Run, optimiser: Optimiser, progress: Counters, config: TrainConfig, entry: dict[str, Any]
) -> None:
    """Keep the state before the bad step, and stop."""
    _save(run, optimiser, config, progress)
    raise TrainingError(
        f"step {progress.step + 1}: loss = {entry['loss']}, gradient norm = {entry['gradient_norm']}; the "
        f"state before it is kept in {run.checkpoints}. A lower learning_rate or clip_gradient = 1 may help"
    )


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM, so that the loop can end after a whole step; a second one ends at once."""
    got: list[int] = []

    def hear(number: int, frame: object) -> None:
        if got:
            raise KeyboardInterrupt
        got.append(number)

    try:
        before = {s: signal.signal(s, hear) for s in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: signals are somebody else's business
        before = {}
    try:
        yield got
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Clock:
    """Seconds of training over all sessions, and the speed of this one."""

    def __init__(self, progress: Counters, minutes: float | None) -> None:
        self.began, self.minutes = time.monotonic(), minutes
        self.offset = progress.seconds - self.began, progress.cpu_seconds - time.process_time()
        self.last: tuple[float, int] | None = None

    def read(self, progress: Counters) -> None:
        """Write the time into `progress`."""
        progress.seconds = time.monotonic() + self.offset[0]
        progress.cpu_seconds = time.process_time() + self.offset[1]

    @property
    def is_up(self) -> bool:
        return self.minutes is not None and time.monotonic() - self.began > 60.0 * self.minutes

    def speed(self, progress: Counters) -> dict[str, float]:
        """Instances per second since the last call."""
        now, before = (time.monotonic(), progress.instances), self.last
        self.last = now
        if before is None or now[0] <= before[0]:
            return {}
        return {"instances_per_second": round((now[1] - before[1]) / (now[0] - before[0]), 2)}
