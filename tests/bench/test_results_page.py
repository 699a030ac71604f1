"""benchmarks/make_results.py turns measurements into the tables of docs/results.md."""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import pytest

from minmaxvrp.bench.store import Store

from .measurements import measurement

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "make_results.py"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on a repository with an empty page."""
    spec = importlib.util.spec_from_file_location("make_results", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "results.md"
    marked = (f"<!-- {part} -->\nold {part}\n<!-- end of {part} -->" for part in ("summary", "tables"))
    page.write_text("before\n" + "\nbetween\n".join(marked) + "\nafter\n")
    monkeypatch.setattr(module, "RESULTS", tmp_path / "benchmarks" / "results")
    monkeypatch.setattr(module, "PAGE", page)
    return module


def test_tables_replace_what_is_between_the_markers(script: ModuleType, tmp_path: Path) -> None:
    """The text around them stays; running it twice changes nothing."""
    with Store(tmp_path / "benchmarks" / "results" / "search.jsonl") as store:
        store.append(measurement(objective=9.0, code="old"))
        store.append(measurement(objective=2.5))
        store.append(measurement(suite="mpdp50", problem="mpdp", objective=3.5))
    script.main()
    text = (tmp_path / "docs" / "results.md").read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "between" in text
    assert "old" not in text
    assert "### Search: mtsp" in text
    assert "| mtsp50 | 3 | search | 1 | 1 | 2.5000 | 2.0000 | 2.4184\\* |" in text
    assert "9.0000" not in text
    script.main()
    assert (tmp_path / "docs" / "results.md").read_text() == text


def test_rows_are_compared_with_the_best_long_run_on_the_same_instances(script: ModuleType) -> None:
    """Instance 2 lacks a seed and is left out; the best of the runs are 2.0 and 3.0, ours are 2.2 and 3.3."""
    runs = ((0, 1, 2.1), (0, 2, 2.0), (1, 1, 3.0), (1, 2, 3.0), (2, 1, 1.0))
    found = {
        "search": [measurement(index=i, objective=o) for i, o in ((0, 2.2), (1, 3.3), (2, 9.0), (3, 9.0))],
        "long": [measurement(time=60.0, index=i, seed=s, objective=o) for i, s, o in runs],
    }
    lines = script.long_runs(found).splitlines()
    assert "| mtsp50 | 3 | 2 | 2 × 60 s | 2.5000 | 1 | 1 s | 2.7500 | +10.000 |" in lines


def test_rows_are_compared_with_or_tools_on_the_same_instances(script: ModuleType) -> None:
    """Instance 1 was not given to OR-Tools."""
    found = {
        "search": [measurement(objective=1.8), measurement(index=1, objective=9.0)],
        "ortools": [measurement(method="ortools", time=60.0, objective=2.0)],
    }
    lines = script.against_ortools(found).splitlines()
    assert "| mtsp50 | 3 | 1 | 60 s | 2.0000 | 1 s | 1.8000 | -10.000 |" in lines


def test_the_summary_says_how_good_how_fast_against_whom(script: ModuleType) -> None:
    """One row 5 % above the best published and one equal to it; one of three instances is optimal."""
    found = {
        "search": [
            measurement(objective=2.4184 * 1.05, lower_bound=2.0),
            measurement(vehicles=5, objective=2.0154, lower_bound=2.0154),
            measurement(vehicles=5, index=1, objective=2.0154, lower_bound=1.0),
        ],
        "ortools": [measurement(method="ortools", time=60.0, objective=2.4184 * 1.05 / 0.9)],
        "long": [measurement(time=60.0, seed=1, objective=2.4184)],
        "policy": [measurement(method="policy", objective=2.4637 * 1.02)],
        "public": [
            measurement(suite="files", set_seed=None, name="a", best_known=2.5),
            measurement(suite="files", set_seed=None, name="b", best_known=2.6),
            measurement(suite="files", set_seed=None, name="c", best_known=2.4),
        ],
    }
    lines = script.summary(found).splitlines()
    paper = (100 * (2.4184 * 1.05 / 2.4637 - 1) + 100 * (2.0154 / 2.0324 - 1)) / 2
    expected = ("3", "50", "1.0", "33 %", "+2.50 %", f"{paper:+.2f} %", "-10.00 %", "+5.00 %", "+2.00 %")
    assert lines[2 : 2 + len(expected)] == [
        f"| {fact} | {value} |" for fact, value in zip(script.FACTS, expected, strict=True)
    ]
    assert "Public files: 3" in script.summary(found)
    assert "1 equal to them, 1 shorter" in script.summary(found)


def test_every_code_of_older_results_has_its_commit(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row names its commit, else the list does; a code that no commit has is shown as such."""
    monkeypatch.setattr(script, "RESULTS", SCRIPT.parent / "results")
    assert script.commit_of(measurement(commit="0123456789+")) == "0123456"
    assert script.commit_of(measurement(code="6e63f7545b60")) == "563fa33"
    files = script.load(script.RESULTS)
    assert set(files) == {path.stem for path in script.RESULTS.glob("*.jsonl")}
    for measured in itertools.chain(*files.values()):
        assert "unknown" not in script.commit_of(measured)
