"""`minmaxvrp train`: train a network from a preset, list the presets, resume a run, make labels."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from .messages import say

if TYPE_CHECKING:
    from rich.status import Status

    from ..training.train_config import TrainConfig


def run(
    preset: Annotated[str | None, typer.Option(help="Name of a preset; see --list.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting; repeatable.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; by default runs/PRESET.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in that folder.")] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after this time; --resume goes on.")
    ] = None,
    list_presets: Annotated[bool, typer.Option("--list", help="Show the presets.")] = False,
    labels_only: Annotated[
        bool, typer.Option("--labels-only", help="Make the labels of the preset, train nothing.")
    ] = False,
) -> None:
    """Train a network."""
    from ..training import presets

    if list_presets:
        _list()
        return
    changes = tuple(settings or ())
    if resume:
        folder = out or (Path("runs") / preset if preset else None)
        if folder is None:
            raise InputError("--resume without --out or --preset, expected the folder of a run")
        from ..training.run import read_config

        config = read_config(folder, changes)
    elif preset is None:
        raise InputError("no preset, expected --preset NAME; --list shows the names")
    else:
        config, folder = presets.load(preset, changes), out or Path("runs") / preset
    if labels_only:
        _make_labels(config)
        return
    from ..training.loop import train

    with TrainingLine(config) as line:
        outcome = train(config, folder, resume=resume, minutes=minutes, on_entry=line.update, notice=say)
    if os.environ.get("RANK", "0") != "0":  # of several processes one speaks
        return
    if outcome.finished:
        say(f"{folder}: {outcome.counters.step:,} steps done, weights in {folder / 'weights.safetensors'}")
    else:
        say(f"{folder}: stopped after {outcome.counters.step:,} of {config.steps:,} steps; --resume goes on")


def _list() -> None:
    from rich.console import Console
    from rich.table import Table

    from ..training import presets

    table = Table("preset", "about")
    for name in presets.names():
        table.add_row(name, presets.about(name))
    Console().print(table)


def _make_labels(config: "TrainConfig") -> None:
    from ..training.labels import fill_cache

    folder, count = fill_cache(config, lambda done, count: say(f"{done:,} of {count:,} shards"))
    say(f"{folder}: {count:,} shards of labels")


class TrainingLine:
    """What a person sees of a run on stderr: a line that changes, and a lasting one per validation."""

    def __init__(self, config: "TrainConfig") -> None:
        self.config = config
        self.status: Status | None = None
        self.validation = ""

    def __enter__(self) -> "TrainingLine":
        if sys.stderr.isatty():
            from rich.console import Console

            self.status = Console(stderr=True).status("first step")
            self.status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.status is not None:
            self.status.stop()

    def update(self, entry: dict[str, Any]) -> None:
        """Show a line of the log."""
        if "validation" in entry:
            self.validation = validation_text(entry)
            where = f"step {entry['step']:,}  {entry['instances']:,} instances  {_time(entry['seconds'])}"
            say(f"{where}  {self.validation}")
        elif self.status is not None:
            self.status.update(self.text(entry))

    def text(self, entry: dict[str, Any]) -> str:
        """Such as `step 1,200 of 9,000  imitation  makespan 2.31  41 instances/s  12 min left`."""
        parts = [
            f"step {entry['step']:,} of {self.config.steps:,}",
            entry["kind"],
            f"makespan {entry['makespan']:.4f}",
            f"loss {entry['loss']:.4f}",
        ]
        if "instances_per_second" in entry:
            parts.append(f"{entry['instances_per_second']:.1f} instances/s")
            left = (self.config.steps - entry["step"]) * entry["seconds"] / entry["step"]
            parts.append(f"about {_time(left)} left")
        if self.validation:
            parts.append(self.validation)
        return "  ".join(parts)


def validation_text(entry: dict[str, Any]) -> str:
    """Such as `validation M=3 2.651 M=5 2.110 (gap 3.2 %)`."""
    figures = " ".join(f"M={m} {value:.4f}" for m, value in entry["validation"].items())
    gap = f" (gap {100 * entry['gap']:.2f} %)" if "gap" in entry else ""
    return f"validation {figures}{gap}"


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
