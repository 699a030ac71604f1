"""Parts of an item of `minmaxvrp paper`: methods, suites, instances, budgets, minutes of training."""

import pytest
from typer.testing import CliRunner

from minmaxvrp.bench.paper.catalogue import Item, find_item, items
from minmaxvrp.bench.paper.equal_training import networks
from minmaxvrp.bench.paper.narrowing import Narrowing, narrowed, suite_names
from minmaxvrp.cli import app
from minmaxvrp.errors import InputError


def test_some_methods_of_a_table_can_be_run_alone() -> None:
    """All budgets and decodings of each; the command says so."""
    item = narrowed(find_item("table1", quick=True), Narrowing(("policy", "lkh")))
    assert [contender.method for contender in item.contenders] == ["policy"] * 3 + ["lkh"]
    assert item.command == "minmaxvrp paper table1 --quick --method policy,lkh"


def test_one_budget_stands_in_for_all() -> None:
    """Also above the largest of a quick run."""
    item = narrowed(find_item("table1", quick=True), Narrowing(("search",), seconds=3.0))
    (contender,) = item.contenders
    assert [o.seconds for o in contender.options(most=item.most_seconds)] == [3.0]
    assert item.command.endswith("--method search --seconds 3")


def test_a_budget_leaves_alone_what_has_none() -> None:
    """Else the greedy plan of an instance would be two results."""
    item = narrowed(find_item("speed"), Narrowing(("greedy", "search"), seconds=3.0))
    assert [(c.method, c.seconds) for c in item.contenders] == [("greedy", (1.0,)), ("search", (3.0,))]


@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_every_suite_of_an_item_can_be_run_alone(item: Item) -> None:
    """The part has that suite and no other."""
    whole = find_item(item.name)
    for name in suite_names(whole):
        assert suite_names(narrowed(whole, Narrowing(suites=(name,)))) == [name]


def test_networks_are_trained_for_the_minutes_asked() -> None:
    """Every variant alike."""
    pytest.importorskip("torch")
    item = narrowed(find_item("ablations"), Narrowing(minutes=7.5))
    assert {one.minutes for one in networks(item)} == {7.5}
    assert item.command == "minmaxvrp paper ablations --minutes 7.5"


def test_some_variants_can_be_trained_alone() -> None:
    """Both seeds of each; the others are left as they are."""
    pytest.importorskip("torch")
    wanted = Narrowing(("dpn", "without-pn-encoder"), suites=("mpdp14",))
    found = [one.run for one in networks(narrowed(find_item("ablations"), wanted))]
    assert found == [f"mpdp-{name}-seed{seed}" for seed in (1, 2) for name in wanted.methods]


@pytest.mark.parametrize(
    ("name", "wanted", "message"),
    [
        (
            "table1",
            Narrowing(("simplex",)),
            "table1: method = 'simplex', expected one of policy, search, lkh",
        ),
        ("ablations", Narrowing(("lkh",)), "method = 'lkh', expected one of dpn, without-pn-encoder"),
        ("attention", Narrowing(("lkh",)), "expected none, as attention has no methods to choose from"),
        ("table1", Narrowing(suites=("tsp9",)), "suite = 'tsp9', expected one of mtsp50, mtsp100"),
        ("set1", Narrowing(suites=("tsp9",)), "expected none, as set1 has no suites to choose from"),
        ("set1", Narrowing(limit=3), "--limit = 3, expected none, as set1 has no use for it"),
        ("table1", Narrowing(minutes=3.0), "--minutes = 3, expected none"),
        ("ablations", Narrowing(seconds=3.0), "--seconds = 3, expected none"),
        ("table1", Narrowing(limit=0), "--limit = 0, expected a number above 0"),
    ],
)
def test_what_an_item_does_not_have_is_told(name: str, wanted: Narrowing, message: str) -> None:
    """With the list of what it has."""
    with pytest.raises(InputError, match=message):
        narrowed(find_item(name), wanted)


def test_the_command_refuses_an_unknown_method() -> None:
    """Before anything is measured."""
    assert CliRunner().invoke(app, ["paper", "table1", "--method", "simplex"]).exit_code != 0
