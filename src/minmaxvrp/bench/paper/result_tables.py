"""Tables of the paper with our rows below the published ones: suites, public files, distributions, very
large instances.

Each has `cases` (what is measured) and `show` (Markdown of what is kept). A column is a suite with a number
of vehicles, a row a method: first those that the paper printed, then ours with budget, number of instances
and time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from ...errors import InputError
from ...problem.generate import instances, uniform
from .. import published_figures
from ..published_figures import PublishedRow
from ..store import Measurement
from ..suites import Case, folder_cases, named_suites, suite_cases
from .catalogue import Item
from .outcomes import in_short
from .runs import ResultsPlace
from .table_rows import Sample, largest_search, of_suite, restricted, samples

Column = tuple[str, int]
"""Suite or instance, and number of vehicles."""
Lookup = Callable[[Measurement], PublishedRow | None]
"""The published row that belongs to a measurement."""
UNITS = (
    "Ours: mean makespan; in brackets how much longer than the search's on the same instances, and seconds "
    "per instance. The mean of a few instances does not compare with one of 100; the percentage does."
)
FILE_UNITS = (
    "Ours: makespan, in brackets seconds. The mean gap is to the least makespan that the literature knows "
    "(more digits than the paper's table where there are some), – where nothing was published."
)


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


def show_suites(item: Item, place: ResultsPlace) -> str:
    """One table per suite, with every published row; empty without any result of ours."""
    found = samples(item, place)
    if not found:
        return ""
    parts = []
    for name in item.settings["suites"]:
        suite = named_suites()[name]
        grid = Grid()
        for vehicles in suite.vehicles:
            row = published_figures.suite_row(suite.problem, suite.size, vehicles)
            _add_published(grid, (name, vehicles), row)
        here = of_suite(found, name)
        _add_measured(grid, here)
        parts.append(f"### {name}\n\n{grid.markdown()}" + ("" if here else "\nOurs: not run yet.\n"))
    return f"{_head(found)}\n\n" + "\n".join(parts)


def show_files(item: Item, place: ResultsPlace) -> str:
    """One row per instance: the published figures, ours."""
    found = samples(item, place)
    if not found:
        return ""
    methods = [sample.heading for sample in found]
    rows = published_figures.table_rows(str(item.settings["folder"]))
    shown = list(dict.fromkeys(name for row in rows for name in row.objective))
    head = ["instance", "M", *(f"paper: {name}" for name in shown), *(f"ours: {name}" for name in methods)]
    lines = [head, ["---"] * len(head)]
    cells: dict[Column, dict[str, Measurement]] = defaultdict(dict)
    for sample in found:
        for m in sample.measurements:
            cells[m.name.removesuffix(f"_{m.vehicles}"), m.vehicles][sample.heading] = m
    for (name, vehicles), row in sorted(cells.items()):
        figures = published_figures.instance_row(name, vehicles)
        values = figures.objective if figures is not None else {}
        theirs = [f"{values[k]:.0f}" if k in values else "–" for k in shown]
        ours = [_cell([row[k]]) if k in row else "–" for k in methods]
        lines.append([name, str(vehicles), *theirs, *ours])
    lines.append(_mean_gaps(cells, methods, len(shown)))
    return f"{FILE_UNITS}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _mean_gaps(
    cells: Mapping[Column, Mapping[str, Measurement]], methods: Sequence[str], skipped: int
) -> list[str]:
    """The last row: mean gap of each of our methods to the least makespan known for each instance."""
    gaps = []
    for method in methods:
        values = [_gap(row[method], row.values()) for row in cells.values() if method in row]
        known = [value for value in values if value is not None]
        part = f" of {len(known)} of {len(cells)}" if len(known) < len(cells) else ""
        gaps.append(f"{fmean(known):+.2f} %{part}" if known else "–")
    return ["mean gap", "", *["–"] * skipped, *gaps]


def _gap(m: Measurement, row: Iterable[Measurement]) -> float | None:
    """Percent above the best known, rounded if that is known as a whole number only; None without any.

    Files measured with a list of best values know more digits than the paper's table: the same yardstick
    serves all methods.
    """
    exact = [other.best_known for other in row if other.best_known is not None and not other.rounded]
    best = min(exact, default=m.best_known)
    if best is None or m.failure:
        return None
    return 100.0 * ((m.objective if exact else round(m.objective)) / best - 1.0)


def show_distributions(item: Item, place: ResultsPlace) -> str:
    """One table per distribution."""
    return _by_suite(item, place, lambda m: _distribution_row(m.suite.partition("-")[2], m.vehicles))


def show_very_large(item: Item, place: ResultsPlace) -> str:
    """One table per size."""
    return _by_suite(item, place, lambda m: _very_large_row(m.size, m.vehicles))


def _by_suite(item: Item, place: ResultsPlace, published: Lookup) -> str:
    found = samples(item, place)
    suites = dict.fromkeys(m.suite for sample in found for m in sample.measurements)
    parts = []
    for suite in suites:
        here = of_suite(found, suite)
        every = {(m.suite, m.vehicles): m for sample in here for m in sample.measurements}
        grid = Grid()
        for column, first in sorted(every.items()):
            _add_published(grid, column, published(first))
        _add_measured(grid, here)
        parts.append(f"### {suite}\n\n{grid.markdown()}")
    return f"{_head(found)}\n\n" + "\n".join(parts) if parts else ""


def _head(found: Sequence[Sample]) -> str:
    """What came out in short, and how to read the tables."""
    said = in_short(found)
    return f"{said}\n\n{UNITS}" if said else UNITS


def _distribution_row(name: str, vehicles: int) -> PublishedRow | None:
    rows = published_figures.table_rows("cross_distribution")
    return next((r for r in rows if (r.distribution, r.vehicles) == (name, vehicles)), None)


def _very_large_row(size: int, vehicles: int) -> PublishedRow | None:
    rows = published_figures.table_rows("very_large")
    return next((r for r in rows if (r.size, r.vehicles) == (size, vehicles)), None)


def _add_published(grid: Grid, column: Column, row: PublishedRow | None) -> None:
    grid.columns.append(column)
    if row is None:
        return
    for method, value in row.objective.items():
        time = f" ({row.time[method]})" if method in row.time else ""
        grid.published[method][column] = f"{value:.4f}{time}"


def _add_measured(grid: Grid, found: Sequence[Sample]) -> None:
    """A row for each sample of a suite."""
    reference = largest_search(found)
    for sample in found:
        _add_sample(grid, sample, reference)


def _add_sample(grid: Grid, sample: Sample, reference: Sample | None) -> None:
    groups: dict[Column, list[Measurement]] = defaultdict(list)
    for m in sample.measurements:
        groups[m.suite, m.vehicles].append(m)
    counts = sorted({len(group) for group in groups.values()})
    many = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    noun = "instance" if counts == [1] else "instances"
    row = grid.measured[f"{sample.heading}; {many} {noun}"]
    for column, group in groups.items():
        part = replace(sample, measurements=tuple(m for m in group if not m.failure))
        same = None if reference is None or sample is reference else restricted(reference, part)
        row[column] = _cell(group, same)


def _cell(group: Sequence[Measurement], reference: Sample | None = None) -> str:
    """Mean makespan, percent above the reference on the same instances and time, or why there is none."""
    solved = [m for m in group if not m.failure]
    if not solved:
        return f"failed: {group[0].failure}"
    digits = 4 if not group[0].name else 1
    mean, seconds = fmean(m.objective for m in solved), fmean(m.seconds for m in solved)
    said = [f"{seconds:.2g} s"]
    if reference is not None:
        apart = 100.0 * (mean / fmean(m.objective for m in reference.measurements) - 1.0)
        said.insert(0, f"{apart:+.2f} %")
    if len(solved) < len(group):
        why = next(m.failure for m in group if m.failure)
        said.append(f"{len(group) - len(solved)} failed: {why}")
    return f"{mean:.{digits}f} ({', '.join(said)})"
