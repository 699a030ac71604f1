"""The published figures in the package are those of the paper."""

import json
from pathlib import Path

import pytest

from minmaxvrp.bench import published_figures


def test_every_figure_of_the_paper_is_carried_over_exactly(shared: Path) -> None:
    """Each objective and time of paper.json is found again, and nothing else is."""
    paper = json.loads((shared / "figures" / "paper.json").read_text())["tables"]
    for table, figures in paper.items():
        expected = {}
        for figure in figures:
            key = tuple(figure.get(k) for k in ("problem", "size", "depots", "distribution", "instance"))
            time = figure.get("time_100_instances", figure.get("time_10_instances"))
            expected[(*key, figure["vehicles"], figure["method"])] = (figure["objective"], time)
        carried = {
            (r.problem, r.size, r.depots, r.distribution, r.instance, r.vehicles, method): (
                value,
                r.time.get(method),
            )
            for r in published_figures.table_rows(table)
            for method, value in r.objective.items()
        }
        assert carried == expected


def test_a_row_knows_its_figures_and_the_best_of_them() -> None:
    """mTSP of size 50 with 3 vehicles: HGA 2.4184 is the smallest figure of the paper's table."""
    row = published_figures.suite_row("mtsp", 50, 3)
    assert row is not None
    assert row.best() == ("HGA", 2.4184)
    assert row.figure("LKH3") == 2.4301
    assert row.figure("no such method") is None
    assert row.comparable


def test_figures_of_two_digits_are_not_taken_as_the_best() -> None:
    """NCE's 1.96 on size 200 is a rounded figure, smaller than the lower bound 1.9628 of the set."""
    row = published_figures.suite_row("mtsp", 200, 20)
    assert row is not None
    assert row.objective["NCE"] == 1.96
    assert row.best() == ("HGA", 1.9627)


def test_the_fine_tuned_model_stands_in_where_only_it_was_published() -> None:
    """Large sizes have DPN-F only."""
    row = published_figures.suite_row("mtsp", 200, 10)
    assert row is not None
    assert row.figure("DPN-x8aug-x16per") == 1.9993


@pytest.mark.parametrize("problem", ["mdvrp", "fmdvrp"])
def test_multi_depot_figures_are_of_another_sample(problem: str) -> None:
    """The authors' multi-depot instances are not public."""
    row = published_figures.suite_row(problem, 50, 3)
    assert row is not None
    assert row.depots == 6
    assert not row.comparable


def test_public_instances_are_found_by_name_and_vehicles() -> None:
    """eil51 was published for 2, 3, 5 and 7 vehicles."""
    assert published_figures.instance_vehicles("eil51") == (2, 3, 5, 7)
    row = published_figures.instance_row("eil51", 3)
    assert row is not None
    assert row.objective["best known"] == 160.0
    assert published_figures.instance_row("eil51", 4) is None
    assert published_figures.suite_row("mtsp", 51, 3) is None
