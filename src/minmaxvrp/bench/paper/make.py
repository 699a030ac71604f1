"""Which module makes an item: `make` does the work and returns its Markdown, `show` tells what is kept."""

from collections.abc import Callable
from pathlib import Path

from ...errors import InputError
from . import ablations, attention, depot_positions, equal_training, plans, result_tables, speed, times
from .catalogue import Item
from .runs import ResultsPlace, measured

Show = Callable[[Item, ResultsPlace], str]
REPLACED = ("attention", "plans")
"""Kinds whose results are made as a whole: a second run leaves nothing of the first."""


def make(item: Item, place: ResultsPlace) -> str:
    """Make an item; what was measured or trained before is not done again."""
    place.folder.mkdir(parents=True, exist_ok=True)
    before = _size(place.results(item))
    try:
        text = _find(MAKERS, item)(item, place)
    except BaseException:  # such as Ctrl-C: what it has measured so far is kept
        if _size(place.results(item)) > before:
            place.note_run(item, ended=False)
        raise
    place.note_run(item, anew=item.kind in REPLACED)
    return text


def show(item: Item, place: ResultsPlace) -> str:
    """The item's Markdown from what is kept, pictures drawn anew; empty without results."""
    return _find(SHOWERS, item)(item, place)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _table(item: Item, place: ResultsPlace) -> str:
    cases = CASES[item.kind](item, place)
    weights = {}
    if any(c.trained for c in item.contenders):  # the network without navigation, for very large instances
        trained = equal_training.train_all(item, place)
        weights = {run.partition("-")[2].rpartition("-seed")[0]: str(path) for run, path in trained.items()}
    measured(item, place, cases, weights)
    return show(item, place)


CASES = {
    "suites": result_tables.suites_cases,
    "files": result_tables.files_cases,
    "distributions": result_tables.distribution_cases,
    "very-large": result_tables.very_large_cases,
}
MAKERS: dict[str, Show] = {
    **dict.fromkeys(CASES, _table),
    "training": ablations.make,
    "depots": depot_positions.make,
    "attention": attention.make,
    "plans": plans.make,
    "times": times.make,
    "speed": speed.make,
}
SHOWERS: dict[str, Show] = {
    "suites": result_tables.show_suites,
    "files": result_tables.show_files,
    "distributions": result_tables.show_distributions,
    "very-large": result_tables.show_very_large,
    "training": ablations.show,
    "depots": depot_positions.show,
    "attention": attention.show,
    "plans": plans.show,
    "times": times.show,
    "speed": speed.show,
}


def _find(table: dict[str, Show], item: Item) -> Show:
    if item.kind not in table:
        raise InputError(f"{item.name}: kind = {item.kind!r}, expected one of {', '.join(table)}")
    return table[item.kind]
