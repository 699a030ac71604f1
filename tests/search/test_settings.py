"""Settings of the search can be seen, changed and are checked."""

import math
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp import InputError, Instance, MaxIterations, solve
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.settings import (
    RANGES,
    SearchSettings,
    as_toml,
    change_settings,
    read_settings,
    settings_for,
)


def test_every_setting_has_a_range_that_contains_its_defaults() -> None:
    """For instances of all kinds, small and large."""
    assert tuple(RANGES) == SearchSettings._fields
    for customers, vehicles, pairs in ((4, 2, True), (40, 3, False), (130, 2, False), (300, 30, True)):
        points = np.random.default_rng(customers).random((customers + 1, 2))
        couples = np.arange(1, customers + 1).reshape(2, -1).T if pairs else np.zeros((0, 2), dtype=np.int64)
        found = settings_for(prepare(Instance(points, 1, vehicles, pairs=couples), 1.0))
        assert change_settings(SearchSettings(), found._asdict()) == found


def test_few_iterations_begin_cooler_and_many_in_several_cycles() -> None:
    """On long routes only, and always within the ranges; without a budget one hot cycle."""
    points = np.random.default_rng(2).random((1001, 2))
    long, short = prepare(Instance(points, 1, 3), 1.0), prepare(Instance(points, 1, 90), 1.0)
    budgets = [0.0, 1.0, 1e5, 1e6, 1e7, 1e8, math.inf]
    found = [settings_for(long, iterations) for iterations in budgets]
    hot = [settings.first_temperature for settings in found]
    assert hot == sorted(hot)
    assert hot[0] < 1.0 < hot[-1]
    assert [s.cycles > 2 for s in found] == [False, False, False, True, True, True, False]
    assert [s.polish_kicks > 0.0 for s in found] == [s.cycles > 2 for s in found]
    assert [s.reheat < 1.0 for s in found] == [s.cycles > 2 for s in found]
    for settings in found:
        assert change_settings(SearchSettings(), settings._asdict()) == settings
    assert {settings_for(short, iterations) for iterations in budgets} == {settings_for(short)}


def test_settings_change_smoothly_with_the_size() -> None:
    """One customer more changes no setting by much, with pairs and without, on short routes."""
    for first, vehicles in ((98, 40), (119, 8), (149, 12)):
        for pairs in (0, 2):
            found = []
            for customers in (first, first + 1):
                points = np.random.default_rng(3).random((customers + 1, 2))
                couples = np.arange(1, 1 + 2 * pairs).reshape(-1, 2)
                found.append(settings_for(prepare(Instance(points, 1, vehicles, pairs=couples), 1.0)))
            assert found[1] == pytest.approx(found[0], rel=0.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blnk = 0.1", "setting 'blnk' is unknown, expected one of first_temperature"),
        ("blink = 2", "setting blink = 2, expected 0 to 1"),
        ("blink = nan", "setting blink = nan, expected 0 to 1"),
        ("blink = true", "setting blink = True, expected a number"),
        ("num_neighbours = 2.5", "setting num_neighbours = 2.5, expected a whole number"),
        ("blink =", "expected a TOML file"),
    ],
)
def test_a_wrong_setting_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """With the file, the name, the value and what was expected."""
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as raised:
        read_settings(path)
    assert str(raised.value).startswith(str(path))


def test_settings_written_are_settings_read(tmp_path: Path) -> None:
    """What `--show-settings` prints can be given to `--settings`."""
    path = tmp_path / "settings.toml"
    given = SearchSettings(blink=0.125, num_neighbours=7)
    path.write_text(as_toml(given), encoding="utf-8")
    assert change_settings(SearchSettings(), read_settings(path)) == given


def test_a_changed_setting_changes_the_search() -> None:
    """The same seed takes another way; the default given by name takes the same."""
    instance = Instance.mtsp([0.5, 0.5], np.random.default_rng(5).random((40, 2)), 3)

    def trace(**settings: float) -> list[float]:
        found = solve(instance, MaxIterations(500), policy=None, settings=settings)
        return [point.makespan for point in found.trace]

    assert trace() == trace(blink=0.01) != trace(blink=0.9)
