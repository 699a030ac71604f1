"""A picture of how fast a method gets how good: mean best makespan against seconds.

Beside `report` at the end of the walk of `bench`; it reads the traces of the measurements.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .report import Row, rows
from .store import Measurement

Floats = NDArray[np.float64]

ENDINGS = (".png", ".svg", ".pdf")
SAMPLES = 200


def mean_trace(measurements: Sequence[Measurement], relative: bool = False) -> tuple[Floats, Floats]:
    """Seconds, and the mean best makespan known at each of them.

    Begins when every instance has a solution. With `relative`, percent above the best known (or the
    finally found) makespan of each instance, as instances of different sizes have no common unit.
    """
    traces = [m.trace for m in measurements]
    first = max(trace[0][0] for trace in traces)
    last = max(max(m.seconds, m.trace[-1][0]) for m in measurements)
    seconds = np.geomspace(max(first, 1e-4), max(last, first, 2e-4), SAMPLES)
    total = np.zeros(SAMPLES)
    for m in measurements:
        times, values = np.array(m.trace).T
        place = np.searchsorted(times, seconds, side="right") - 1
        known = np.minimum.accumulate(values)[np.maximum(place, 0)]
        if relative:
            best = m.best_known if m.best_known is not None and not m.rounded else m.objective
            known = 100.0 * (known / best - 1.0)
        total += known
    return seconds, total / len(measurements)


def plot(measurements: Sequence[Measurement], path: Path) -> None:
    """Write the picture, one line for each number of vehicles (or one for a folder of files)."""
    check_ending(path)
    measurements = [m for m in measurements if not m.failure]
    if not measurements:
        raise InputError(f"{path}: no solved instance to draw")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for label, group, row in _groups(measurements):
        seconds, values = mean_trace(group, relative=row is None)
        line = axes.plot(seconds, values, label=label)[0]
        if row is not None and row.best_published is not None and row.comparable:
            axes.axhline(row.best_published, color=line.get_color(), linestyle=":", linewidth=1)
    first = measurements[0]
    axes.set_xscale("log")
    axes.set_xlabel("seconds per instance, one core")
    axes.set_ylabel("above best known, %" if first.name else "mean best makespan (dotted: best published)")
    axes.set_title(f"{first.suite}, {first.method}")
    axes.grid(alpha=0.3)
    axes.legend()
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def check_ending(path: Path) -> None:
    """Raise `InputError` for a file name that no picture can be written to."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: ending {path.suffix!r}, expected one of {', '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: no folder {path.parent}")


def _groups(measurements: Sequence[Measurement]) -> list[tuple[str, list[Measurement], Row | None]]:
    if measurements[0].name:
        return [("mean of all files", list(measurements), None)]
    found: list[tuple[str, list[Measurement], Row | None]] = []
    for count in dict.fromkeys(m.vehicles for m in measurements):
        group = [m for m in measurements if m.vehicles == count]
        found.append((f"M = {count}", group, rows(group)[0]))
    return found
