"""Pictures of runs: validation and training makespan against instances seen and against hours.

Reads the logs of run folders; `minmaxvrp plot RUN…` calls it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .run import read_log


def validation_curves(folder: Path) -> dict[str, list[tuple[int, float, float]]]:
    """By number of vehicles: (instances seen, hours, mean makespan of the validation set)."""
    found: dict[str, list[tuple[int, float, float]]] = {}
    for entry in read_log(folder):
        for vehicles, makespan in entry.get("validation", {}).items():
            found.setdefault(vehicles, []).append((entry["instances"], entry["seconds"] / 3600, makespan))
    return found


def draw_curves(folders: Sequence[Path], target: Path) -> None:
    """Save one picture of all runs: a row per number of vehicles, instances left, hours right.

    Raises `InputError` when a run has not validated yet.
    """
    runs = {folder: validation_curves(folder) for folder in folders}
    for folder, curves in runs.items():
        if not curves:
            raise InputError(f"{folder}: no validation in its log, expected a run that has validated once")
    vehicles = sorted({m for curves in runs.values() for m in curves}, key=int)
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1 + 2.6 * len(vehicles)), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(vehicles), 2, squeeze=False, sharey="row")
    for row, count in zip(panels, vehicles, strict=True):
        for folder, curves in runs.items():
            points = curves.get(count, [])
            for panel, axis in zip(row, (0, 1), strict=True):
                panel.plot(
                    [p[axis] for p in points],
                    [p[2] for p in points],
                    marker="o" if len(points) == 1 else "",  # a line of one point cannot be seen
                    label=folder.name,
                )
        _name_axes(row, count)
    lines, names = panels[0][0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside upper center", ncols=3)
    try:
        svg = target.suffix == ".svg"  # no dates, no random identifiers: the same curves, the same file
        with matplotlib.rc_context({"svg.hashsalt": "minmaxvrp"}):
            figure.savefig(target, metadata={"Date": None} if svg else None)
    except (OSError, ValueError) as error:
        raise InputError(f"{target}: cannot be written: {error}") from None


def _name_axes(row: Any, vehicles: str) -> None:
    row[0].set_ylabel(f"makespan, M = {vehicles}")
    row[0].set_xlabel("instances seen")
    row[1].set_xlabel("hours")
    for panel in row:
        panel.grid(alpha=0.3)
