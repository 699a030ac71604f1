"""The first screen of the paper's page, and the pairs behind it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.bench.paper.catalogue import find_item, items
from minmaxvrp.bench.paper.narrowing import Narrowing, narrowed
from minmaxvrp.bench.paper.paired import better, mean_over_suites, paired, worse
from minmaxvrp.bench.paper.speed import start_verdict
from minmaxvrp.bench.paper.summary import summary
from minmaxvrp.bench.store import Measurement, Store
from minmaxvrp.cli import app

from .measurements import measurement
from .test_paper import place_in


def runs(method: str, *objectives: float, time: float = 3.0, suite: str = "mtsp50") -> list[Measurement]:
    """Of instances 0, 1, …"""
    return [
        measurement(index=k, objective=value, method=method, time=time, suite=suite)
        for k, value in enumerate(objectives)
    ]


def test_a_pair_is_one_instance_with_one_budget() -> None:
    """3 % and 1 % above give 2 ± 1 %; another budget, a missing instance and the greedy plan give no pair."""
    found = paired(
        [
            *runs("search", 1.0, 2.0),
            *runs("lkh", 1.03, 2.02, 9.0),
            *runs("pyvrp", 5.0, time=1.0),
            *runs("greedy", 7.0, 7.0),
        ]
    )
    (pair,) = found
    assert (pair.method, pair.suite, pair.vehicles, pair.budget) == ("lkh", "mtsp50", 3, 3.0)
    assert pair.mean == pytest.approx(2.0)
    assert pair.error == pytest.approx(1.0)


def test_suites_count_the_same_and_noise_is_no_difference() -> None:
    """4 instances of one suite do not outweigh 2 of another; one instance never decides."""
    found = paired(
        [
            *runs("search", 1.0, 1.0, 1.0, 1.0),
            *runs("cross", 1.04, 1.04, 1.04, 1.05),
            *runs("search", 1.0, 1.0, suite="mtsp100"),
            *runs("cross", 0.99, 1.01, suite="mtsp100"),
            *runs("search", 1.0, suite="mtsp200"),
            *runs("cross", 0.5, suite="mtsp200"),
        ]
    )
    assert mean_over_suites(found) == pytest.approx((4.25 + 0.0 - 50.0) / 3)
    assert [pair.suite for pair in worse(found)] == ["mtsp50"]
    assert better(found) == []


@pytest.mark.parametrize(
    ("with_network", "said"),
    [
        ((1.02, 1.021) * 3, "better in 0 and worse in 1: so `solve` does without the network"),
        ((0.98, 0.981) * 3, "better in 1 and worse in 0: `solve` does without the network all the same"),
        ((0.98, 1.02) * 3, "better in 0 and worse in 0: so `solve` does without the network"),
    ],
)
def test_the_verdict_on_the_network_as_a_start_follows_the_pairs(
    with_network: tuple[float, ...], said: str
) -> None:
    """Counted by more than two standard errors, from five instances on."""
    search = runs("search", *[1.0] * 6)
    text = start_verdict([*search, *runs("policy+search", *with_network)])
    assert said in text
    assert start_verdict([*search, *runs("policy+search", *with_network[:4])]) == ""
    assert start_verdict(search) == ""


def test_the_summary_tells_rivals_against_the_search(tmp_path: Path) -> None:
    """With the same budget of 3 or 10 s on five instances or more; without results there is none."""
    place = place_in(tmp_path)
    assert summary(place) == ""
    found = [*runs("search", *[1.0, 2.0] * 3), *runs("lkh", *[1.01, 2.02] * 3), *runs("hga", 1.5, time=1.0)]
    found += [*runs("search", *[1.0] * 5, time=10.0), *runs("lkh", *[1.0] * 5, time=10.0)]
    found += runs("pyvrp", *[1.1] * 4, time=10.0)  # four are too few
    with Store(place.results(find_item("speed"))) as store:
        for m in found:
            store.append(m)
    text = summary(place)
    assert "| LKH-3, 3 s | the search, 3 s, mtsp50 | +1.00 % | 6 instances | [speed](#speed) |" in text
    assert "| LKH-3, 10 s | the search, 10 s, mtsp50 | +0.00 % | 5 instances | [speed](#speed) |" in text
    assert "HGA" not in text
    assert "PyVRP" not in text


def test_a_larger_sample_stands_for_the_smaller_one(tmp_path: Path) -> None:
    """The same command with more instances replaces it; another suite, or fewer instances, does not."""
    place, item = place_in(tmp_path), find_item("table1")
    for suite, limit in (("mtsp50", 2), ("mpdp50", 1), ("mtsp50", 5), ("mpdp50", 1), ("mtsp50", 3)):
        place.note_run(narrowed(item, Narrowing(suites=(suite,), limit=limit)))
    said = [command.removeprefix("minmaxvrp paper table1 --suite ") for command in place.commands(item)]
    assert said == ["mpdp50 --limit 1", "mtsp50 --limit 5", "mtsp50 --limit 3"]


def test_the_list_and_a_table_as_json(tmp_path: Path) -> None:
    """One object on stdout: every item with its command; a table with its measurements."""
    listed = CliRunner().invoke(app, ["paper", "--json"])
    entries = json.loads(listed.stdout)["items"]
    assert [entry["command"] for entry in entries] == [item.command for item in items()]
    words = ["paper", "speed", "--suite", "mtsp100", "--method", "greedy", "--limit", "1", "--json"]
    made = CliRunner().invoke(app, [*words, "--out", str(tmp_path)])
    found = json.loads(made.stdout)
    assert found["command"] == "minmaxvrp paper speed --method greedy --suite mtsp100 --limit 1"
    assert [(m["method"], m["suite"], m["index"]) for m in found["measurements"]] == [
        ("greedy", "mtsp100", 0)
    ]
    assert "trace" not in found["measurements"][0]
