"""The training loop, read from top to bottom: draw → sample → loss → step → validate → checkpoint.

Comes after `train_config`; everything it calls is a function of the config, the step and the weights, so a
resumed run continues exactly where the interrupted one was.
"""

import dataclasses
import math
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..clock import Clock
from ..errors import InputError, MinmaxvrpError
from ..interrupt import catch_signals
from ..policy.half_products import half_works, has_fast_half
from ..policy.network import Network
from . import checkpoint
from .batches import make_batch
from .checkpoint import Counters
from .imitation import Imitation
from .labels import SHARD
from .optimiser import Optimiser, learning_rate
from .parallel import ProcessGroup
from .random_instances import Pieces, Stream, draw_orders, draw_points, draw_shape, generator
from .reinforce import PieceLoss, reinforce
from .run import BEST, WEIGHTS, Run, open_new
from .run_weights import read_weights, write_weights
from .train_config import Precision, TrainConfig
from .validation import validate

Listener = Callable[[dict[str, Any]], None]


class TrainingError(MinmaxvrpError):
    """Training cannot go on; the message says why and what is kept."""

    exit_code = 1


@dataclass(frozen=True)
class Outcome:
    """What a call of `train` did."""

    folder: Path
    counters: Counters
    finished: bool
    """False when it was interrupted or its time was up."""
    interrupted: bool = False
    """Whether a signal ended it."""


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    minutes: float | None = None,
    cpu_minutes: float | None = None,
    on_entry: Listener | None = None,
    notice: Callable[[str], None] | None = None,
) -> Outcome:
    """Train a network in `folder` until `config.steps`, an interrupt, or `minutes` have passed.

    `cpu_minutes` is a limit on the CPU time of all sessions together, to compare networks at equal cost: what
    it leaves is validated and its weights are written.
    With `resume`, go on from the newest whole checkpoint. `on_entry` hears every line of the log, `notice`
    what had to be done differently. Raises `InputError` for a folder or weights that cannot be used,
    `TrainingError` when the loss is not a number.
    """
    team = ProcessGroup.join()
    tell = notice or (lambda text: None)
    config = dataclasses.replace(config, precision=settled(config.precision))
    if config.optimiser == "muon" and not half_works():
        raise InputError("optimiser = 'muon' computes in bfloat16, which ends the process on this machine")
    network = Network.initialised(config.network, config.seed)
    if config.start_from and not resume:
        read_weights(network, config.start_from)
    optimiser = Optimiser(network, config)
    if resume:
        run = Run(folder, team.leads)
        counters = _resume(run, optimiser, tell)
    else:
        run, counters = open_new(folder, config, team.leads), Counters()
    run.write_config(config)

    with catch_signals() as interrupt, Imitation.open(config, team) as labels:
        clock, speed = Clock(counters.seconds, counters.cpu_seconds), _Speed()
        still = _Standstill(tell)
        limit = math.inf if minutes is None else counters.seconds + 60.0 * minutes
        cpu_limit = math.inf if cpu_minutes is None else 60.0 * cpu_minutes
        while counters.step < config.steps:
            entry = _one_step(network, optimiser, config, counters, team, labels)
            if not math.isfinite(entry["loss"] + entry["gradient_norm"]):
                _give_up(run, optimiser, counters, config, entry)
            still.hear(counters.step + 1, entry["gradient_norm"])
            optimiser.step(counters.step)
            _count(counters, config, entry["kind"] == "imitation")
            counters.seconds, counters.cpu_seconds = clock.seconds, clock.cpu_seconds
            last = team.agree(counters.step == config.steps or counters.cpu_seconds > cpu_limit)
            ending = team.agree(last or interrupt.raised or counters.seconds > limit)
            if counters.step % config.log_every == 0 or ending:
                _report(run, _counted(counters) | entry | speed.since_last(counters), on_entry)
            if counters.step % config.validate_every == 0 or last:
                _validate(run, optimiser, config, counters, on_entry)
                speed.last = None
            if counters.step % config.checkpoint_every == 0 or ending:
                _save(run, optimiser, config, counters)
            if ending:
                for number in interrupt.signals:
                    tell(f"{signal.Signals(number).name} received, training ends after a whole step")
                break
    team.leave()
    return Outcome(folder, counters, counters.step >= config.steps, interrupt.raised)


def settled(precision: Precision) -> Precision:
    """What `auto` means on this machine. Raises `InputError` where torch cannot compute in bfloat16."""
    if precision == "auto":
        return "bfloat16" if has_fast_half() else "float32"
    if precision == "bfloat16" and not half_works():
        raise InputError(
            "precision = 'bfloat16' ends the process on this machine, expected 'float32' or 'auto'"
        )
    return precision


def _one_step(
    network: Network,
    optimiser: Optimiser,
    config: TrainConfig,
    counters: Counters,
    team: ProcessGroup,
    labels: Imitation | None,
) -> dict[str, Any]:
    """Leave the gradient of one batch in the parameters; returns what the log says of it."""
    step = counters.step
    imitating = labels is not None and imitates(config, step)
    whole = config.imitation_batch if imitating else config.batch_size
    pieces = Pieces(whole, SHARD if imitating else config.piece_size)
    optimiser.zero_gradient()
    totals = torch.zeros(2)
    for piece in team.share(pieces.count):
        share = pieces.length(piece) / whole
        if labels is not None and imitating:
            found = labels.imitate(network, counters.imitated, step, piece, pieces, share)
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
    optimiser: Optimiser,
    config: TrainConfig,
    counters: Counters,
    on_entry: Listener | None,
) -> None:
    """Measure the weights that would be used, write them, and the best so far."""
    if not run.writes:
        return
    measured = Network(config.network)
    measured.load_state_dict(optimiser.best_weights())
    found = validate(measured, config)
    write_weights(run.folder / WEIGHTS, measured, config, counters)
    if found.mean < counters.best:
        counters.best = found.mean
        write_weights(run.folder / BEST, measured, config, counters)
    counters.history = {str(m): value for m, value in found.makespan.items()}
    entry: dict[str, Any] = {"validation": counters.history, "validation_mean": found.mean}
    if found.gap is not None:
        entry["gap"] = found.gap
    _report(run, _counted(counters) | entry, on_entry)


def _count(counters: Counters, config: TrainConfig, imitated: bool) -> None:
    counters.step += 1
    counters.instances += config.imitation_batch if imitated else config.batch_size
    counters.imitated += config.imitation_batch if imitated else 0


def _report(run: Run, entry: dict[str, Any], on_entry: Listener | None) -> None:
    run.log(entry)
    if on_entry is not None and run.writes:
        on_entry(entry)


def _counted(counters: Counters) -> dict[str, Any]:
    return {
        "step": counters.step,
        "instances": counters.instances,
        "seconds": round(counters.seconds, 3),
        "cpu_seconds": round(counters.cpu_seconds, 3),
    }


def _save(run: Run, optimiser: Optimiser, config: TrainConfig, counters: Counters) -> None:
    if run.writes:
        checkpoint.save(run.checkpoints, optimiser.tensors(), counters, config.keep_checkpoints)


def _resume(run: Run, optimiser: Optimiser, notice: Callable[[str], None]) -> Counters:
    """Put the newest whole checkpoint into the optimiser; without one, begin at step 0."""
    found = checkpoint.load_latest(run.checkpoints, notice)
    if found is None:
        notice(f"{run.folder}: no checkpoint yet, training begins at step 0")
        run.rewind(0)
        return Counters()
    tensors, counters = found
    try:
        optimiser.restore(tensors)
    except (KeyError, ValueError) as error:
        raise InputError(f"{run.folder}: the checkpoint is of another network: {error}") from None
    run.rewind(counters.step)
    return counters


def _give_up(
    run: Run, optimiser: Optimiser, counters: Counters, config: TrainConfig, entry: dict[str, Any]
) -> None:
    """Keep the state before the bad step, and stop."""
    _save(run, optimiser, config, counters)
    raise TrainingError(
        f"step {counters.step + 1}: loss = {entry['loss']}, gradient norm = {entry['gradient_norm']}; the "
        f"state before it is kept in {run.checkpoints}. A lower learning_rate or clip_gradient = 1 may help"
    )


class _Standstill:
    """Steps in a row whose gradient is exactly 0, as where all logits lie in the flat of the tanh."""

    STEPS = 10
    """After so many it is said."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self.notice, self.steps = notice, 0

    def hear(self, step: int, gradient_norm: float) -> None:
        """Count a step."""
        self.steps = self.steps + 1 if gradient_norm == 0.0 else 0
        if self.steps == self.STEPS:
            self.notice(
                f"step {step}: the gradient has been 0 for {self.STEPS} steps, nothing is learnt. Where the "
                f"first steps were too long, begin anew with warmup_steps or a lower learning_rate"
            )


class _Speed:
    """Instances per second from one line of the log to the next."""

    def __init__(self) -> None:
        self.last: tuple[float, int] | None = None

    def since_last(self, counters: Counters) -> dict[str, float]:
        """What the log says of it; nothing after a pause."""
        now, before = (counters.seconds, counters.instances), self.last
        self.last = now
        if before is None or now[0] <= before[0]:
            return {}
        return {"instances_per_second": round((now[1] - before[1]) / (now[0] - before[0]), 2)}
