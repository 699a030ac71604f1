"""Rows, tables and pictures say what was measured."""

import json
from pathlib import Path

import pytest

from minmaxvrp.bench import convergence, report
from minmaxvrp.errors import InputError

from .measurements import measurement

FILE = {"suite": "folder", "set_seed": None, "name": "MS1", "best_known": 2.0}


def test_a_row_is_the_mean_of_its_instances() -> None:
    """Two instances of each of two numbers of vehicles."""
    found = report.rows(
        [
            measurement(objective=2.0, lower_bound=1.0, seconds=1.0, iterations=100),
            measurement(vehicles=5),
            measurement(index=1, objective=3.0, lower_bound=2.0, seconds=3.0, iterations=300),
            measurement(vehicles=5, index=1),
        ]
    )
    assert [(r.vehicles, r.instances) for r in found] == [(3, 2), (5, 2)]
    row = found[0]
    assert (row.objective, row.lower_bound, row.seconds_per_instance) == (2.5, 1.5, 2.0)
    assert row.iterations_per_second == 100.0


def test_the_gap_is_to_the_best_published() -> None:
    """HGA's 2.4184 for mtsp50 with 3 vehicles; 100 instances of seed 3333 compare."""
    (row,) = report.rows([measurement(index=k) for k in range(100)])
    assert row.best_published == 2.4184
    assert row.published["LKH3"] == 2.4301
    assert row.gap_percent == pytest.approx(100 * (2.5 / 2.4184 - 1))
    assert row.comparable
    assert row.notes == ()


def test_rows_that_do_not_compare_are_marked() -> None:
    """Other seed, fewer instances, or the paper's own sample: each has its footnote."""
    multi = measurement(suite="mdvrp50", problem="mdvrp", depots=6, set_seed=1)
    (row,) = report.rows([multi])
    assert not row.comparable
    _, body, notes = report.cells([row])
    assert any("2.1404*†‡" in cell for cell in body[0])
    assert [note[0] for note in notes] == ["*", "†", "‡"]
    assert "another sample" in notes[0]
    assert "seed 1" in notes[1]
    assert "1 instances" in notes[2]


def test_other_settings_are_a_row_of_their_own_with_a_note() -> None:
    """Of 4 vehicles nothing is published: the mark stands beside the missing figure."""
    usual, changed = report.rows([measurement(vehicles=4), measurement(vehicles=4, settings="blink=0.02")])
    assert usual.notes == ()
    assert changed.notes == ("settings of the search: blink=0.02",)
    _, body, notes = report.cells([changed])
    assert "–*" in body[0]
    assert notes == ["* settings of the search: blink=0.02"]


def test_rows_without_published_figures_have_no_gap() -> None:
    """mtsp50 with 4 vehicles is in no table."""
    (row,) = report.rows([measurement(vehicles=4)])
    assert (row.gap_percent, row.best_published, row.published) == (None, None, {})
    assert "–" in report.markdown([row])


def test_a_file_is_compared_with_its_best_known_value() -> None:
    """One row for each file, and the mean gap."""
    found = report.rows(
        [
            measurement(**FILE, objective=2.02),
            measurement(**{**FILE, "name": "MS3"}, objective=2.0, proven_optimal=True),
            measurement(**{**FILE, "name": "MS5", "best_known": None}),
        ]
    )
    assert [r.instance for r in found] == ["MS1", "MS3", "MS5"]
    assert [r.gap_percent for r in found] == [pytest.approx(1.0), 0.0, None]
    assert report.mean_gap(found) == pytest.approx(0.5)
    text = report.markdown(found)
    assert "2 optimal" in text
    assert "| mean |" in text


def test_a_rounded_best_known_value_is_compared_after_rounding() -> None:
    """159.57 is 160 to the nearest whole number: no gap; 160.6 is 161."""
    rounded = {**FILE, "best_known": 160.0, "rounded": True}
    found = report.rows(
        [measurement(**rounded, objective=159.57), measurement(**{**rounded, "name": "b"}, objective=160.6)]
    )
    assert [r.gap_percent for r in found] == [0.0, pytest.approx(100 / 160)]


def test_json_has_the_promised_fields() -> None:
    """One object that survives a strict reader."""
    document = json.loads(json.dumps(report.as_json(report.rows([measurement()])), allow_nan=False))
    promised = {"suite", "problem", "size", "vehicles", "method", "instances", "objective", "lower_bound"}
    promised |= {"published", "gap_percent", "seconds_per_instance"}
    assert promised <= set(document["rows"][0])


def test_only_the_latest_code_counts() -> None:
    """A row measured again replaces what older code measured, also if not yet complete."""
    old = [measurement(index=k, code="old") for k in range(3)]
    new = [measurement(index=0, objective=2.1, code="new"), measurement(index=0, objective=2.2, code="new")]
    assert report.latest([*old, *new]) == [new[1]]
    assert report.latest(old) == old


def test_the_mean_trace_is_the_best_so_far() -> None:
    """From 0.2 s on, when both have a solution: 3 and 5, at the end 2 and 4."""
    one = measurement(trace=((0.1, 3.0), (0.5, 2.0)), seconds=1.0)
    two = measurement(trace=((0.2, 5.0), (0.8, 4.0)), seconds=1.0)
    seconds, values = convergence.mean_trace([one, two])
    assert (seconds[0], seconds[-1]) == (pytest.approx(0.2), pytest.approx(1.0))
    assert (values[0], values[-1]) == (4.0, 3.0)
    assert values[seconds < 0.5].tolist() == [4.0] * int((seconds < 0.5).sum())
    assert (values[1:] <= values[:-1]).all()


@pytest.mark.parametrize("fields", [{}, FILE])
def test_a_convergence_plot_is_written(tmp_path: Path, fields: dict[str, object]) -> None:
    """A suite's and a folder's."""
    path = tmp_path / "a.png"
    convergence.plot([measurement(**fields), measurement(**fields, vehicles=5)], path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_plot_of_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    """Before anything is measured."""
    with pytest.raises(InputError, match=r"ending '\.doc', expected one of \.png"):
        convergence.check_ending(tmp_path / "a.doc")
    with pytest.raises(InputError, match="no folder"):
        convergence.check_ending(tmp_path / "no" / "a.png")
