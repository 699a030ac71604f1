"""The paper's tables and figures: listed, made from data, resumed, written as a page."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.bench.measure import RunOptions
from minmaxvrp.bench.methods import METHODS
from minmaxvrp.bench.paper import plans, result_tables, speed
from minmaxvrp.bench.paper.ablations import evaluation_cases
from minmaxvrp.bench.paper.catalogue import Contender, Item, find_item, items
from minmaxvrp.bench.paper.make import CASES, MAKERS, SHOWERS, make, show
from minmaxvrp.bench.paper.page import write_page
from minmaxvrp.bench.paper.runs import ResultsPlace, label, title
from minmaxvrp.bench.store import Measurement, read_measurements
from minmaxvrp.bench.suites import named_suites
from minmaxvrp.cli import app
from minmaxvrp.errors import InputError

from .measurements import measurement


@contextmanager
def quiet(title: str, total: int) -> Iterator[Callable[[Measurement], None]]:
    """Progress that nobody watches."""
    yield lambda measurement: None


def place_in(folder: Path) -> ResultsPlace:
    """Results in a folder, committed ones in one below it, public data nowhere."""
    return ResultsPlace(folder, folder / "no-data", quiet, lambda text: None, folder / "committed")


def greedy_item(**changes: object) -> Item:
    """The item `table1` with the greedy construction alone, on one instance of one suite."""
    settings = {"suites": ["mtsp50"], "limit": 1, **changes}
    return replace(find_item("table1"), contenders=(Contender("greedy"),), settings=settings)


@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_every_item_names_what_exists(item: Item) -> None:
    """Its kind has a maker, its methods and suites are known, and quick takes less time."""
    assert item.kind in MAKERS
    assert item.kind in SHOWERS
    assert all(contender.method in METHODS for contender in item.contenders)
    assert set(item.settings.get("suites", ())) <= set(named_suites())
    for problem, suite in item.settings.get("problems", {}).items():
        assert suite in named_suites() or (
            evaluation_cases(item, problem, suite) and item.settings["vehicles"]
        )
    assert find_item(item.name, quick=True).minutes <= item.minutes


def test_every_kind_of_table_and_figure_is_listed() -> None:
    """Tables of suites, files, distributions and very large instances; ablations, figures, times."""
    kinds = {item.kind for item in items()}
    assert kinds >= {*CASES, "training", "depots", "attention", "plans", "times", "speed"}


def test_the_command_lists_every_item_and_refuses_others() -> None:
    """Without an item a list; for an unknown one the names, exit code 2."""
    listed = CliRunner().invoke(app, ["paper"], env={"COLUMNS": "200"})
    assert listed.exit_code == 0
    assert all(item.name in listed.output for item in items())
    with pytest.raises(InputError, match="table or figure = 'table99', expected one of table1, table2"):
        find_item("table99")


def test_quick_settings_stand_over_the_others() -> None:
    """Also inside the table of training settings."""
    quick, whole = find_item("ablations", quick=True), find_item("ablations")
    assert quick.settings["training"]["minutes"] < whole.settings["training"]["minutes"]
    assert quick.settings["training"]["variants"] == whole.settings["training"]["variants"]


def test_budgets_beyond_the_largest_are_left_out() -> None:
    """With none left, the largest itself is the budget; decoding is for the network alone."""
    contender = Contender("search", (1.0, 10.0, 60.0))
    assert [o.seconds for o in contender.options(most=10.0)] == [1.0, 10.0]
    assert [o.seconds for o in contender.options(most=0.5)] == [0.5]
    assert all(o.clock == "cpu" for o in contender.options())
    assert [o.seconds for o in Contender("greedy").options(most=0.5)] == [1.0]
    assert title(Contender("policy", decoding=(8, 1)).options()[0]) == "policy ×8 ×1"


def test_a_table_is_made_and_gone_on_with(tmp_path: Path) -> None:
    """Published rows above ours; a second call measures nothing, a larger sample the rest."""
    text = make(greedy_item(), place_in(tmp_path))
    assert "paper: DPN-x8aug-x16per" in text
    assert "ours: greedy" in text
    path = tmp_path / "table1.jsonl"
    first = path.read_bytes()
    assert len(read_measurements(path)) == 3  # one instance for each published number of vehicles
    make(greedy_item(), place_in(tmp_path))
    assert path.read_bytes() == first
    make(greedy_item(limit=2), place_in(tmp_path))
    assert path.read_bytes().startswith(first)
    assert len(read_measurements(path)) == 6


def test_an_interrupted_item_is_noted_with_what_it_has_measured(tmp_path: Path) -> None:
    """After the first of three instances, and not when nothing was measured."""

    @contextmanager
    def ends_after_one(title: str, total: int) -> Iterator[Callable[[Measurement], None]]:
        def step(measurement: Measurement) -> None:
            raise KeyboardInterrupt

        yield step

    place = replace(place_in(tmp_path), progress=ends_after_one)
    with pytest.raises(KeyboardInterrupt):
        make(greedy_item(), place)
    assert len(read_measurements(tmp_path / "table1.jsonl")) == 1
    assert place.interrupted(greedy_item()) == place.commands(greedy_item()) == ["minmaxvrp paper table1"]
    (tmp_path / "table1.made.json").unlink()
    with pytest.raises(KeyboardInterrupt):  # at the measurement that is there already
        make(greedy_item(), place)
    assert place.commands(greedy_item()) == []
    make(greedy_item(), place_in(tmp_path))
    assert place.commands(greedy_item()) == ["minmaxvrp paper table1"]
    assert place.interrupted(greedy_item()) == []


def test_distributions_and_very_large_instances_have_their_published_rows(tmp_path: Path) -> None:
    """Rows are looked up by distribution and by size."""
    small = {"size": 200, "vehicles": [10], "limit": 1}
    item = replace(find_item("distributions"), contenders=(Contender("greedy"),))
    item = replace(item, settings={**item.settings, **small, "distributions": ["gaussian"]})
    text = make(item, place_in(tmp_path))
    assert "paper: HGA | 1.5063" in text
    shapes = {"shapes": [[10000, 750]], "limit": 1, "set_seed": 3}
    large = replace(find_item("very-large"), contenders=(Contender("greedy"),), settings=shapes)
    assert "paper: DPN | 2.4724" in make(large, place_in(tmp_path))


def test_missing_public_files_are_said_so(tmp_path: Path) -> None:
    """The message names the option."""
    with pytest.raises(InputError, match="expected --data"):
        make(find_item("set1", quick=True), place_in(tmp_path))


def test_public_files_have_published_and_own_figures(tmp_path: Path) -> None:
    """One row per instance, the mean gap last, a failure with its reason."""
    item = find_item("mtsplib")
    with_name = {"suite": "mtsp_lib", "set_seed": None, "name": "eil51", "vehicles": 2, "best_known": 223.0}
    solved = measurement(**with_name, objective=230.0)
    failed = measurement(
        **with_name,
        method="lkh",
        failure="crashed",
        objective=math.nan,
        lower_bound=math.nan,
        seconds=math.nan,
    )
    from minmaxvrp.bench.store import Store

    with Store(tmp_path / "mtsplib.jsonl") as store:
        store.append(solved)
        store.append(failed)
    text = result_tables.show_files(item, place_in(tmp_path))
    assert "| eil51 | 2 | 223 |" in text
    assert "failed: crashed" in text
    assert "+3.14 %" in text


def test_gaps_are_to_the_best_of_all_methods(tmp_path: Path) -> None:
    """Two methods on two instances: each instance has its own best."""
    found = speed.points(
        [
            measurement(index=0, objective=2.0, method="search", time=1.0, seconds=1.0),
            measurement(index=1, objective=3.3, method="search", time=1.0, seconds=3.0),
            measurement(index=0, objective=2.2, method="lkh", time=10.0),
            measurement(index=1, objective=3.0, method="lkh", time=10.0),
            measurement(index=2, method="lkh", time=10.0, failure="crashed", objective=math.nan),
        ]
    )
    (rows,) = found.values()
    assert [(r.method, r.seconds, r.instances) for r in rows] == [("search", 2.0, 2), ("LKH-3", 1.0, 2)]
    assert [r.gap for r in rows] == pytest.approx([5.0, 5.0])
    speed.draw(found, tmp_path / "speed.svg")
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")
    text = speed.table(rows)
    assert "| method | no budget | 1 s | 10 s |" in text
    assert "| search |  | 5.00 (2 s) |  |" in text
    assert "| LKH-3 |  |  | 5.00 |" in text
    assert "LKH-3, 10 s: 1 of 3 failed: crashed." in text


def test_the_network_as_a_start_is_compared_instance_by_instance() -> None:
    """Same suite, same budget, both methods; an instance that one of them lacks does not count."""
    rows = [measurement(index=k, objective=2.0 + k, method="search", time=3.0) for k in range(6)]
    rows += [
        measurement(index=k, objective=1.02 * (2.0 + k), method="policy+search", time=3.0) for k in range(5)
    ]
    assert "| mtsp50, M = 3 | 3 | 5 | +2.000 | 0.000 |" in speed.start_table(rows)
    assert "mtsp50" not in speed.start_table(rows[:-1])  # four are too few


def test_methods_are_named_in_tables() -> None:
    """By what a reader knows them as, networks with their decoding."""
    assert label(measurement(method="search", time=10.0)) == "search, 10 s"
    assert label(measurement(method="policy", policy="auto")) == "network ×8 ×16, drawn"
    assert label(measurement(method="policy", policy="auto ×1 ×1 temperature 0")) == "network ×1 ×1"
    trained = "runs/mtsp-dpn-seed1/weights.safetensors ×8 ×16 temperature 0"
    assert label(measurement(method="policy", policy=trained)) == "network mtsp-dpn-seed1 ×8 ×16"


def test_plans_are_drawn_side_by_side(tmp_path: Path) -> None:
    """Every panel's solution is checked; contenders without their network are left out."""
    item = find_item("plans", quick=True)
    few = (Contender("greedy"), Contender("policy", trained="equity"))
    item = replace(item, contenders=few, settings={**item.settings, "suites": {"mpdp50": [3]}})
    assert len(plans.panels(item, place_in(tmp_path), "mpdp50", 3)) == 1
    assert "plans-mpdp50.svg" in make(item, place_in(tmp_path))
    assert (tmp_path / "plans-mpdp50.svg").is_file()


def test_the_page_says_what_was_run_and_what_not(tmp_path: Path) -> None:
    """Every item has a section; results are in it, the others are marked."""
    make(greedy_item(), place_in(tmp_path / "results"))
    page = tmp_path / "docs" / "paper.md"
    page.parent.mkdir()
    assert write_page(place_in(tmp_path / "results"), page) == ["table1"]
    text = page.read_text(encoding="utf-8")
    assert all(f"## {item.name}\n" in text for item in items())
    assert "**Made with** (3 solutions of 3 instances; " in text
    assert "\n* `minmaxvrp paper table1`\n" in text
    assert text.count("**Not run yet**") == text.count("| not yet |") == len(list(items())) - 1


def test_options_of_a_contender_are_those_of_bench() -> None:
    """No options of its own: what it runs can be run with `bench`."""
    assert isinstance(Contender("greedy").options()[0], RunOptions)
    assert show(greedy_item(), place_in(Path("no-such-folder"))) == ""
