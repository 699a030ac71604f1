"""Heat map: gap of a network against the position of the depot, with rotation PE and with the sinusoidal one.

The square is cut into blocks; each has instances whose depot lies in its middle, the customers uniform. The
networks are those that the item `ablations` trained, one for each seed; the gap is to a short search on the
same instances.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ...problem.instance import Instance
from ..measure import RunOptions
from ..methods import Decoding
from ..store import Measurement
from ..suites import Case
from .catalogue import Item
from .drawing import save_figure
from .networks import trained_weights
from .runs import ResultsPlace, measured_runs
from .table_rows import kept

SEED = 3333


def cases(item: Item) -> list[Case]:
    """`per_block` instances for each block; index = block × per_block + number."""
    settings = item.settings
    size, vehicles, blocks, per_block = (
        int(settings[key]) for key in ("size", "vehicles", "blocks", "per_block")
    )
    found = []
    for block in range(blocks * blocks):
        depot = (np.array(divmod(block, blocks)) + 0.5) / blocks
        for number in range(per_block):
            index = block * per_block + number
            customers = np.random.default_rng([SEED, number]).uniform(size=(size - 1, 2))
            instance = Instance.mtsp(depot, customers, vehicles)
            found.append(Case(_suite(item), size, index, "", SEED, instance))
    return found


def make(item: Item, place: ResultsPlace) -> str:
    """Measure both networks and the search, draw, and return the Markdown of the item."""
    weights = trained_weights(item, place)
    runs = [
        RunOptions("policy", policy=path, decoding=Decoding(8, 16, 0.0), clock="cpu")
        for path in weights.values()
    ]
    runs.append(RunOptions("search", float(item.settings["seconds"]), clock="cpu"))
    grid = cases(item)
    measured_runs(item, place, [(grid, options) for options in runs])
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """Two maps of gaps and their difference."""
    maps = gap_maps(item, place)
    if not maps:
        return ""
    target = place.folder / f"{item.name}.svg"
    _draw({name: mean_map(every) for name, every in maps.items()}, target)
    lines = ["| network | mean gap, % | of each seed | middle blocks | corner blocks |", "|" + " --- |" * 5]
    for name, every in maps.items():
        gaps = mean_map(every)
        half = len(gaps) // 2
        middle = fmean(gaps[half - 1 : half + 1, half - 1 : half + 1].ravel())
        corners = fmean(gaps[[0, 0, -1, -1], [0, -1, 0, -1]])
        seeds = ", ".join(f"{one.mean():.2f}" for one in every)
        lines.append(f"| {name} | {gaps.mean():.2f} | {seeds} | {middle:.2f} | {corners:.2f} |")
    return f"![gap against depot position]({target.name})\n\n" + "\n".join(lines) + "\n"


GapMap = NDArray[np.float64]
"""[blocks, blocks] mean percent above the search, x along the first axis."""


def mean_map(maps: Sequence[GapMap]) -> GapMap:
    """Of the seeds' networks."""
    found: GapMap = np.mean(maps, axis=0)
    return found


def gap_maps(item: Item, place: ResultsPlace) -> dict[str, list[GapMap]]:
    """By encoding: the map of each seed's network."""
    blocks, per_block = int(item.settings["blocks"]), int(item.settings["per_block"])
    here = [m for m in kept(item, place) if m.suite == _suite(item)]
    search = {m.index: m.objective for m in here if m.method == "search"}
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for m in here:
        if m.method == "policy" and m.index in search:
            groups[Path((m.policy or "").partition(" ×")[0]).parent.name].append(m)
    names = {str(run): str(name) for name, run in item.settings["networks"].items()}
    found: dict[str, list[GapMap]] = defaultdict(list)
    for run, group in sorted(groups.items()):
        total, count = np.zeros(blocks * blocks), np.zeros(blocks * blocks)
        for m in group:
            block = m.index // per_block
            total[block] += 100.0 * (m.objective / search[m.index] - 1.0)
            count[block] += 1
        if count.all():
            encoding = names.get(run, run).rpartition("-seed")[0]
            found[encoding].append((total / count).reshape(blocks, blocks))
    return dict(found)


def _draw(maps: dict[str, GapMap], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * (len(maps) + (len(maps) == 2)), 3.8), layout="constrained")
    panels = figure.subplots(1, len(maps) + (len(maps) == 2), squeeze=False)[0]
    high = max(float(gaps.max()) for gaps in maps.values())
    for axes, (name, gaps) in zip(panels, maps.items(), strict=False):
        shown = axes.imshow(gaps.T, origin="lower", extent=(0, 1, 0, 1), cmap="Greens", vmin=0.0, vmax=high)
        axes.set_title(f"{name} PE, gap to the search, %", fontsize=9)
        figure.colorbar(shown, ax=axes, shrink=0.8)
    if len(maps) == 2:
        first, second = maps.values()
        apart = (second - first).T
        most = float(np.abs(apart).max())  # red: the second network is worse there
        extent = (0.0, 1.0, 0.0, 1.0)
        shown = panels[-1].imshow(apart, "RdBu_r", origin="lower", extent=extent, vmin=-most, vmax=most)
        one, other = maps
        panels[-1].set_title(f"{other} minus {one}, points (red: {one} is better)", fontsize=9)
        figure.colorbar(shown, ax=panels[-1], shrink=0.8)
    for axes in panels:
        axes.set_xlabel("depot, x", fontsize=8)
        axes.set_ylabel("depot, y", fontsize=8)
    save_figure(figure, path)


def _suite(item: Item) -> str:
    return f"depots-{item.settings['blocks']}x{item.settings['blocks']}x{item.settings['per_block']}"
