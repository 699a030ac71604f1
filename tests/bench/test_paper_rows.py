"""Rows of the paper's tables: own measurements and committed ones, each with its source and sample."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from minmaxvrp.bench.methods import METHODS, Answer, Budget, Method
from minmaxvrp.bench.paper import plans
from minmaxvrp.bench.paper.catalogue import Contender, Item, find_item, items
from minmaxvrp.bench.paper.make import make, show
from minmaxvrp.bench.paper.page import write_page
from minmaxvrp.bench.paper.table_rows import MARKS, CommittedFile, origins
from minmaxvrp.bench.store import Measurement, Store
from minmaxvrp.errors import InputError, InternalError
from minmaxvrp.problem.instance import Instance

from .measurements import measurement
from .test_paper import place_in

REPOSITORY = Path(__file__).resolve().parents[2]
SEARCH: dict[str, object] = {"file": "search.jsonl", "command": "run_search.sh"}


def table(*results: dict[str, object], suites: tuple[str, ...] = ("mtsp50",)) -> Item:
    """The item `table1` on few suites with these committed files."""
    return replace(find_item("table1"), settings={"suites": suites, "results": results})


def keep(path: Path, measurements: Iterable[Measurement]) -> None:
    """Write a file of measurements."""
    with Store(path) as store:
        for one in measurements:
            store.append(one)


def test_every_committed_file_of_an_item_is_described() -> None:
    """File and command of each exist in the repository, and there are marks enough."""
    for item in items():
        entries = item.settings.get("results", ())
        assert len(entries) <= len(MARKS)
        for one in (CommittedFile(**entry) for entry in entries):
            assert (REPOSITORY / "benchmarks" / "results" / one.file).is_file()
            assert (REPOSITORY / one.command).is_file()


def test_samples_of_different_sources_are_never_averaged(tmp_path: Path) -> None:
    """The same method and budget: 1 instance of the item's own, 2 committed; the larger sample is shown."""
    keep(tmp_path / "table1.jsonl", [measurement(objective=2.5)])
    committed = [measurement(index=k, objective=2.0 + 2 * k) for k in (0, 1)]
    keep(tmp_path / "committed" / "search.jsonl", committed)
    text = show(table(SEARCH), place_in(tmp_path))
    assert "| ours: search, 1 s ¹; 2 instances | 3.0000 (1 s) | – | – |" in text
    assert "2.5" not in text.partition("ours: search")[2]


def test_a_small_sample_is_compared_with_the_search_on_the_same_instances(tmp_path: Path) -> None:
    """The search has 2.0 and 4.0, a rival 2.5 on the first and none on the second: 25 % longer."""
    failed = {"failure": "crashed", "objective": math.nan, "lower_bound": math.nan, "seconds": math.nan}
    rivals = [measurement(method="lkh", objective=2.5), measurement(method="lkh", index=1, **failed)]
    keep(tmp_path / "table1.jsonl", rivals)
    committed = [measurement(index=k, objective=2.0 + 2 * k) for k in (0, 1)]
    keep(tmp_path / "committed" / "search.jsonl", committed)
    text = show(table(SEARCH), place_in(tmp_path))
    assert "| ours: LKH-3, 1 s; 2 instances | 2.5000 (+25.00 %, 1 s, 1 failed: crashed) | – | – |" in text
    assert "* Against the search on the same instances: LKH-3, 1 s +25.00 % (1 solution)." in text


def test_whole_samples_are_compared_with_the_paper_in_short(tmp_path: Path) -> None:
    """All 100 instances of mtsp50 M=3 at twice the paper's 2.4637; 99 would not compare."""
    found = [measurement(index=k, objective=4.9274) for k in range(100)]
    keep(tmp_path / "committed" / "search.jsonl", found)
    whole = show(table(SEARCH), place_in(tmp_path))
    assert "* Against the paper's DPN ×8 ×16, all instances: search +100.00 % (100 solutions)." in whole
    keep(tmp_path / "less" / "committed" / "search.jsonl", found[1:])
    assert "* Against" not in show(table(SEARCH), place_in(tmp_path / "less"))


def test_only_results_of_the_same_suites_seed_and_settings_are_taken(tmp_path: Path) -> None:
    """Another suite, another seed of the set and changed settings of the search are left out."""
    others = [
        measurement(objective=2.0),
        measurement(index=1, objective=9.0, suite="mtsp100"),
        measurement(index=2, objective=9.0, set_seed=7),
        measurement(index=3, objective=9.0, settings="blink=0.02"),
    ]
    keep(tmp_path / "committed" / "search.jsonl", others)
    text = show(table(SEARCH), place_in(tmp_path))
    assert "| ours: search, 1 s ¹; 1 instance | 2.0000 (1 s) | – | – |" in text
    assert "9.0000" not in text


def test_published_rows_stand_without_ours(tmp_path: Path) -> None:
    """A suite that nobody has run shows the paper's figures and says so; nothing at all is no table."""
    assert show(table(SEARCH), place_in(tmp_path)) == ""
    keep(tmp_path / "committed" / "search.jsonl", [measurement()])
    text = show(table(SEARCH, suites=("mtsp50", "mpdp50")), place_in(tmp_path))
    assert text.count("paper: DPN-x8aug-x16per") == 2
    assert text.count("Ours: not run yet.") == 1


def test_long_runs_count_by_the_best_of_their_seeds(tmp_path: Path) -> None:
    """Two instances, two seeds each: the bests are 2.0 and 3.0."""
    runs = ((0, 1, 2.4), (0, 2, 2.0), (1, 1, 3.0), (1, 2, 3.2))
    found = [measurement(index=i, seed=s, objective=o, time=60.0) for i, s, o in runs]
    keep(tmp_path / "committed" / "long.jsonl", found)
    item = table({"file": "long.jsonl", "command": "run.sh", "best_of_seeds": True})
    text = show(item, place_in(tmp_path))
    assert "| ours: search, 60 s, best of 2 seeds ¹; 2 instances | 2.5000 (1 s) |" in text


def test_a_committed_file_is_told_with_command_and_commit(tmp_path: Path) -> None:
    """The commit is the measurement's, or that of its code in commits.json, or unknown."""
    found = [
        measurement(commit="0123456789", date="2026-01-02", cpu="a processor"),
        measurement(index=1, vehicles=5, code="listed"),
        measurement(index=1, vehicles=7, code="other"),
    ]
    keep(tmp_path / "committed" / "search.jsonl", found)
    (tmp_path / "committed" / "commits.json").write_text(json.dumps({"commits": {"listed": "abcdef0123"}}))
    text = origins(table(SEARCH), place_in(tmp_path))
    assert "made by `run_search.sh` at commit 0123456, abcdef0, unknown (code other)" in text
    assert "2026-01-02; budgets and times on the wall clock, one core of a processor." in text


def test_public_files_have_one_column_for_budgets_by_size(tmp_path: Path) -> None:
    """Seconds differ from file to file; gaps of all methods are to the same best known makespan.

    A name with the number of vehicles is the same instance as one without.
    """
    plain = {"suite": "mtsp_lib", "set_seed": None, "name": "eil51"}
    exact = {"best_known": 222.73, "rounded": False}
    keep(
        tmp_path / "committed" / "public.jsonl",
        [
            measurement(**plain, **exact, vehicles=2, objective=222.73, time=5.0),
            measurement(**plain, vehicles=3, objective=159.57, time=5.1, best_known=160.0, rounded=True),
        ],
    )
    own = {"method": "policy", "policy": "auto", "best_known": 223.0, "rounded": True}
    named = {**plain, "name": "eil51_2"}
    keep(tmp_path / "mtsplib.jsonl", [measurement(**named, **own, vehicles=2, objective=224.9573)])
    text = show(find_item("mtsplib"), place_in(tmp_path))
    assert "ours: network ×8 ×16, drawn | ours: search, 0.1 s per customer ¹ |" in text
    assert "| +1.00 % of 1 of 2 | +0.00 % |" in text


def test_a_page_of_committed_results_says_so(tmp_path: Path) -> None:
    """No run of the item's own is claimed; a remark of who ran it is shown."""
    keep(tmp_path / "committed" / "search.jsonl", [measurement()])
    (tmp_path / "times.made.json").write_text(
        json.dumps({"commands": ["minmaxvrp paper times"], "remark": "The other core was busy."})
    )
    (tmp_path / "times-training.json").write_text(json.dumps({"mtsp100": 0.5}))
    place = place_in(tmp_path)
    assert "table1" in write_page(place, tmp_path / "docs" / "paper.md")
    sections = (tmp_path / "docs" / "paper.md").read_text(encoding="utf-8").split("\n## ")
    (section,) = (s for s in sections if s.startswith("table1\n"))
    assert "Rows with a sign are results of `bench`" in section
    assert "**Made with**" not in section
    assert "The other core was busy." in next(s for s in sections if s.startswith("times\n"))
    place.note_run(find_item("times", quick=True))
    assert place.remark(find_item("times")) == "The other core was busy."
    place.note_run(find_item("times"), anew=True)
    assert place.remark(find_item("times")) == ""
    assert place.commands(find_item("times")) == ["minmaxvrp paper times"]


def crash(instance: Instance, budget: Budget) -> Answer:
    """A rival that ends without an answer."""
    raise InternalError("no answer within 1 s")


def test_a_rival_that_fails_is_a_row_with_its_reason(tmp_path: Path) -> None:
    """In a table of suites as in one of files."""
    failed = {"failure": "no answer within 1 s", "objective": math.nan, "lower_bound": math.nan}
    keep(tmp_path / "table1.jsonl", [measurement(method="lkh", seconds=math.nan, **failed)])
    text = show(table(), place_in(tmp_path))
    assert "| ours: LKH-3, 1 s; 1 instance | failed: no answer within 1 s |" in text


def test_a_rival_that_fails_is_a_picture_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other panels are drawn, and drawn again from what is kept."""
    monkeypatch.setitem(METHODS, "lkh", Method(crash, (), rival=True))
    settings = {"suites": {"mdvrp50": [3]}, "equity": {}}
    few = (Contender("lkh"), Contender("search", (0.01,)))
    item = replace(find_item("plans", quick=True), contenders=few, settings=settings)
    assert "plans-mdvrp50.svg" in make(item, place_in(tmp_path))
    picture = tmp_path / "plans-mdvrp50.svg"
    first = picture.read_bytes()
    picture.unlink()
    (entry,) = map(json.loads, (tmp_path / plans.KEPT).read_text().splitlines())
    assert [panel["failure"] for panel in entry["panels"]] == ["no answer within 1 s", ""]
    show(item, place_in(tmp_path))
    assert picture.read_bytes() == first


def test_kept_solutions_are_checked_before_they_are_drawn(tmp_path: Path) -> None:
    """A customer left out is told, with the file."""
    panel = {"heading": "search, 1 s", "routes": [[0, 1, 0]], "failure": ""}
    line = json.dumps({"suite": "mtsp50", "vehicles": 3, "panels": [panel]})
    (tmp_path / plans.KEPT).write_text(line + "\n")
    with pytest.raises(InputError, match=r"plans-kept\.jsonl: search, 1 s breaks"):
        show(find_item("plans"), place_in(tmp_path))
