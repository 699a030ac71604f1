"""Tables of the paper with our rows below the published ones: suites, public files, distributions, very
large instances.

Each has `cases` (what is measured) and `show` (Markdown of what is kept). A column is a suite with a number
of vehicles, a row a method: first those that the paper printed, then ours with their budget and CPU time.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ...errors import InputError
from ...problem.generate import instances, uniform
from .. import published_figures, report
from ..published_figures import PublishedRow
from ..store import Measurement, read_measurements
from ..suites import Case, folder_cases, suite_cases
from .catalogue import Item
from .runs import ResultsPlace, label

Column = tuple[str, int]
"""Suite or instance, and number of vehicles."""
Lookup = Callable[[Measurement], PublishedRow | None]
"""The published row that belongs to a measurement."""


@dataclass
class Grid:
    """One table: published and measured figures by method and column."""

    published: dict[str, dict[Column, str]] = field(default_factory=lambda: defaultdict(dict))
    measured: dict[str, dict[Column, str]] = field(default_factory=lambda: defaultdict(dict))
    columns: list[Column] = field(default_factory=list)

    def markdown(self) -> str:
        """Methods as rows."""
        head = ["", *(f"{suite} M={vehicles}" for suite, vehicles in self.columns)]
        lines = [head, ["---"] * len(head)]
        for who, rows in (("paper: ", self.published), ("ours: ", self.measured)):
            for method, figures in rows.items():
                lines.append([who + method, *(figures.get(column, "–") for column in self.columns)])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def suites_cases(item: Item, place: ResultsPlace) -> list[Case]:
    """The first `limit` instances of each suite and published number of vehicles."""
    limit = item.settings.get("limit")
    return [case for suite in item.settings["suites"] for case in suite_cases(suite, (), limit)]


def files_cases(item: Item, place: ResultsPlace) -> list[Case]:
    """Every public file with the numbers of vehicles that were published."""
    folder = place.data / str(item.settings["folder"])
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder, expected --data with the public instances")
    return folder_cases(folder)


def distribution_cases(item: Item, place: ResultsPlace) -> list[Case]:
    """Instances of each distribution, the same points for each number of vehicles."""
    size, limit, seed = (int(item.settings[key]) for key in ("size", "limit", "set_seed"))
    found = []
    for name in item.settings["distributions"]:
        for count in item.settings["vehicles"]:
            drawn = instances("mtsp", size, count, distribution=name, seed=seed, count=limit)
            found += [Case(f"mtsp{size}-{name}", size, k, "", seed, made) for k, made in enumerate(drawn)]
    return found


def very_large_cases(item: Item, place: ResultsPlace) -> list[Case]:
    """Uniform instances of each shape."""
    limit, seed = int(item.settings["limit"]), int(item.settings["set_seed"])
    found = []
    for size, count in item.settings["shapes"]:
        drawn = uniform("mtsp", size, count, seed=seed, count=limit)
        found += [Case(f"mtsp{size}", size, k, "", seed, made) for k, made in enumerate(drawn)]
    return found


def kept(item: Item, place: ResultsPlace) -> list[Measurement]:
    """What the item's file has, of the latest code of each row."""
    path = place.results(item)
    return report.latest(read_measurements(path)) if path.exists() else []


def show_suites(item: Item, place: ResultsPlace) -> str:
    """One table per suite."""
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for m in kept(item, place):
        groups[m.suite].append(m)
    wanted = [suite for suite in item.settings["suites"] if suite in groups]
    return "\n".join(f"### {suite}\n\n{suite_table(groups[suite])}" for suite in wanted)


def suite_table(measurements: Sequence[Measurement]) -> str:
    """The published rows of a suite, ours below."""
    grid = Grid()
    for column in _columns(measurements):
        first = next(m for m in measurements if (m.suite, m.vehicles) == column)
        row = published_figures.suite_row(first.problem, first.size, first.vehicles)
        _add_published(grid, column, row)
    _add_measured(grid, measurements)
    return grid.markdown() + _sample(measurements)


def show_files(item: Item, place: ResultsPlace) -> str:
    """One row per instance: best known, the paper's DPN, ours."""
    found = kept(item, place)
    methods = list(dict.fromkeys(label(m) for m in found))
    shown = ("best known", "LKH3", "HGA", "DPN-x8aug-x16per")
    head = ["instance", "M", *(f"paper: {name}" for name in shown), *(f"ours: {name}" for name in methods)]
    lines = [head, ["---"] * len(head)]
    cells: dict[Column, dict[str, Measurement]] = defaultdict(dict)
    for m in found:
        cells[m.name, m.vehicles][label(m)] = m
    for (name, vehicles), row in cells.items():
        figures = published_figures.instance_row(name, vehicles)
        values = figures.objective if figures is not None else {}
        theirs = [f"{values[k]:.0f}" if k in values else "–" for k in shown]
        ours = [_cell([row[k]]) if k in row else "–" for k in methods]
        lines.append([name, str(vehicles), *theirs, *ours])
    lines.append(_mean_gaps(cells, methods, len(shown)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _mean_gaps(
    cells: Mapping[Column, Mapping[str, Measurement]], methods: Sequence[str], skipped: int
) -> list[str]:
    """The last row: mean gap to the best known of each of our methods."""
    gaps = []
    for method in methods:
        row = [r[method] for r in cells.values() if method in r and not r[method].failure]
        values = [100.0 * (m.objective / m.best_known - 1.0) for m in row if m.best_known]
        gaps.append(f"{fmean(values):+.2f} %" if values else "–")
    return ["mean gap", "", *["–"] * skipped, *gaps]


def show_distributions(item: Item, place: ResultsPlace) -> str:
    """One table per distribution."""
    return _by_suite(item, place, lambda m: _distribution_row(m.suite.partition("-")[2], m.vehicles))


def show_very_large(item: Item, place: ResultsPlace) -> str:
    """One table per size."""
    return _by_suite(item, place, lambda m: _very_large_row(m.size, m.vehicles))


def _by_suite(item: Item, place: ResultsPlace, published: Lookup) -> str:
    groups: dict[str, list[Measurement]] = defaultdict(list)
    for m in kept(item, place):
        groups[m.suite].append(m)
    parts = []
    for suite, group in groups.items():
        grid = Grid()
        for column in _columns(group):
            first = next(m for m in group if (m.suite, m.vehicles) == column)
            _add_published(grid, column, published(first))
        _add_measured(grid, group)
        parts.append(f"### {suite}\n\n{grid.markdown()}{_sample(group)}")
    return "\n".join(parts)


def _distribution_row(name: str, vehicles: int) -> PublishedRow | None:
    rows = published_figures.table_rows("cross_distribution")
    return next((r for r in rows if (r.distribution, r.vehicles) == (name, vehicles)), None)


def _very_large_row(size: int, vehicles: int) -> PublishedRow | None:
    rows = published_figures.table_rows("very_large")
    return next((r for r in rows if (r.size, r.vehicles) == (size, vehicles)), None)


def _columns(measurements: Sequence[Measurement]) -> list[Column]:
    return list(dict.fromkeys((m.suite, m.vehicles) for m in measurements))


def _add_published(grid: Grid, column: Column, row: PublishedRow | None) -> None:
    grid.columns.append(column)
    if row is None:
        return
    for method, value in row.objective.items():
        time = f" ({row.time[method]})" if method in row.time else ""
        grid.published[method][column] = f"{value:.4f}{time}"


def _add_measured(grid: Grid, measurements: Sequence[Measurement]) -> None:
    groups: dict[tuple[str, Column], list[Measurement]] = defaultdict(list)
    for m in measurements:
        groups[label(m), (m.suite, m.vehicles)].append(m)
    for (method, column), group in groups.items():
        grid.measured[method][column] = _cell(group)


def _cell(group: Sequence[Measurement]) -> str:
    """Mean makespan and CPU time per instance, or why there is none."""
    solved = [m for m in group if not m.failure]
    if not solved:
        return f"failed: {group[0].failure}"
    digits = 4 if not group[0].name else 1
    failed = f", {len(group) - len(solved)} failed" if len(solved) < len(group) else ""
    mean, seconds = fmean(m.objective for m in solved), fmean(m.seconds for m in solved)
    return f"{mean:.{digits}f} ({seconds:.2g} s{failed})"


def _sample(measurements: Sequence[Measurement]) -> str:
    """How many instances our rows are of."""
    count = len({m.index for m in measurements})
    return f"\nOurs: {count} instances for each number of vehicles, CPU seconds per instance in brackets.\n"
