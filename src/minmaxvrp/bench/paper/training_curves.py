"""Curves of networks trained at equal CPU time: makespan against CPU minutes and instances seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .drawing import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CurvePoint = tuple[float, int, float]
"""CPU minutes, instances seen, mean makespan of the validation set."""
COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf")


@dataclass(frozen=True)
class TrainingLog:
    """What a training run's log says of its course."""

    minutes: float
    """CPU time."""
    instances: int
    points: Sequence[CurvePoint]
    frozen: bool = False
    """Whether most of its steps had no gradient at all, so that it has learnt nothing."""

    @classmethod
    def read(cls, folder: Path) -> "TrainingLog":
        """The log of a run's folder."""
        from ...training.run import read_log

        entries = read_log(folder)
        points = [
            (entry["cpu_seconds"] / 60.0, int(entry["instances"]), float(entry["validation_mean"]))
            for entry in entries
            if "validation_mean" in entry
        ]
        spent = max((entry["cpu_seconds"] for entry in entries), default=0.0) / 60.0
        norms = [entry["gradient_norm"] for entry in entries if "gradient_norm" in entry]
        frozen = 2 * norms.count(0.0) > len(norms)
        return cls(spent, max((entry["instances"] for entry in entries), default=0), points, frozen)


def draw_curves(logs: Mapping[str, TrainingLog], path: Path) -> None:
    """One colour for each variant, one line for each seed; `logs` by names such as mtsp-dpn-seed1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    variants = list(dict.fromkeys(_variant(run) for run in logs))
    for axes, which, name in zip(panels, (0, 1), ("CPU minutes", "instances seen"), strict=True):
        for run, log in logs.items():
            _draw_line(axes, log.points, which, COLOURS[variants.index(_variant(run)) % len(COLOURS)])
        axes.set_xlabel(name)
        axes.set_xlim(left=0.0)
        axes.grid(alpha=0.3, lw=0.5)
    panels[0].set_ylabel("makespan, validation set")
    handles = [panels[0].plot([], [], color=colour)[0] for _, colour in zip(variants, COLOURS, strict=False)]
    figure.legend(handles, variants, loc="outside upper center", ncols=5, fontsize=8)
    save_figure(figure, path)


def _draw_line(axes: "Axes", points: Sequence[CurvePoint], which: int, colour: str) -> None:
    axes.plot(
        [point[which] for point in points], [point[2] for point in points], color=colour, marker=".", lw=1.3
    )


def _variant(run: str) -> str:
    return run.partition("-")[2].rpartition("-seed")[0]
