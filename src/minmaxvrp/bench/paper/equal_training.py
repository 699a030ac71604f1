"""Networks trained at equal CPU time: every variant × problem × seed of an item is a training run of its own.

Training goes round by round, a few CPU minutes for each network in turn, so that an interrupted command has
trained all alike but for one round. The same command goes on where it was; with more minutes the same runs
are trained further. `ablations` measures what comes out, `networks` finds it for the figures.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InternalError
from ..suites import named_suites
from .catalogue import Item
from .runs import ResultsPlace

if TYPE_CHECKING:
    from ...training.train_config import TrainConfig


@dataclass(frozen=True)
class Trained:
    """One network of an item."""

    problem: str
    variant: str
    seed: int
    minutes: float
    """CPU time."""
    config: "TrainConfig"

    @property
    def run(self) -> str:
        """Name of its folder."""
        return f"{self.problem}-{self.variant}-seed{self.seed}"


def networks(item: Item) -> Iterator[Trained]:
    """Every network that the item trains."""
    from ...training import presets

    plan: dict[str, Any] = item.settings["training"]
    for problem, suite in item.settings.get("problems", {"mtsp": "mtsp100"}).items():
        size = str(num_customers(problem, suite))
        for seed in plan["seeds"]:
            for variant, preset in plan["variants"].items():
                words = [s.replace("{size}", size) for s in plan["settings"]]
                config = presets.load(preset.replace("{problem}", problem), [*words, f"seed={seed}"])
                yield Trained(problem, variant, seed, float(plan["minutes"]), config)


def num_customers(problem: str, suite: str) -> int:
    """Of a suite such as mtsp15: mTSP counts the depot among the nodes, the others do not."""
    named = named_suites().get(suite)
    size = int(suite.removeprefix(problem)) if named is None else named.size
    return size - 1 if problem == "mtsp" else size


def train_all(item: Item, place: ResultsPlace) -> dict[str, Path]:
    """Train what is not trained yet; the weights file of each network by its run's name.

    When one of the runs has been trained for longer than asked, all are, so that they stay equal. Ctrl-C is
    passed on after a whole step.
    """
    every = list(networks(item))
    folders = {one.run: place.training(f"{item.name}/{one.run}") for one in every}
    minutes = max(every[0].minutes, *(_reached(item, folder) for folder in folders.values()))
    for target in rounds(minutes, float(item.settings["training"].get("round", minutes))):
        for one in every:
            _train(one, folders[one.run], target, minutes, place)
    return {run: _weights(folder) for run, folder in folders.items()}


def rounds(minutes: float, each: float) -> list[float]:
    """CPU minutes after each round, such as 2, 4 and 5 for 5 minutes in rounds of 2."""
    whole = int(minutes / each + 1e-9)
    found = [k * each for k in range(1, whole + 1)]
    return found if found and found[-1] >= minutes - 1e-9 else [*found, minutes]


def spent_minutes(folder: Path) -> float:
    """CPU minutes of a run so far, by its log; a run without its checkpoints begins anew."""
    from ...training.checkpoint import list_checkpoints
    from ...training.run import CHECKPOINTS, LOG, read_log

    if not (folder / LOG).exists() or not list_checkpoints(folder / CHECKPOINTS):
        return 0.0
    return max((entry.get("cpu_seconds", 0.0) for entry in read_log(folder)), default=0.0) / 60.0


def _reached(item: Item, folder: Path) -> float:
    """Minutes of the last round that a run has ended; it ends a little later than it should."""
    each = float(item.settings["training"].get("round", item.settings["training"]["minutes"]))
    return int(spent_minutes(folder) / each + 1e-9) * each


def _train(one: Trained, folder: Path, target: float, minutes: float, place: ResultsPlace) -> None:
    """Train one network until it has had `target` CPU minutes."""
    from ...training.loop import train
    from ...training.run import CONFIG, LOG

    spent = spent_minutes(folder)
    if spent >= target:
        return
    place.say(f"{one.run}: {spent:.1f} of {minutes:g} CPU minutes trained so far")
    if spent == 0.0:
        for name in (CONFIG, LOG):  # a log alone, as it is committed, or one without its first checkpoint
            (folder / name).unlink(missing_ok=True)
    warm_up(one.config)
    outcome = train(one.config, folder, resume=spent > 0.0, cpu_minutes=target, notice=place.say)
    if outcome.interrupted:  # `train` has heard the signal and kept what it had
        raise KeyboardInterrupt


def warm_up(config: "TrainConfig") -> None:
    """Compile kernels and run validation's searches outside the clock: the first network would pay.

    Once for each kind of network and loss in a process.
    """
    from ...training.loop import train
    from ...training.validation import reference

    kind = (config.network, config.baseline)
    if kind in _warm:
        return
    reference(config)
    small = replace(config, steps=1, batch_size=2, validation_instances=1, start_from="", trainable="all")
    with tempfile.TemporaryDirectory() as folder:
        if train(small, Path(folder) / "warm-up").interrupted:
            raise KeyboardInterrupt
    _warm.add(kind)


_warm: set[object] = set()
"""Kinds of networks and losses that this process has trained before."""


def _weights(folder: Path) -> Path:
    weights = folder / "weights.safetensors"
    if not weights.is_file():
        raise InternalError(f"{folder}: no weights after training")
    return weights
