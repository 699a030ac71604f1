"""benchmarks/make_results.py turns measurements into the tables of docs/results.md."""

import importlib.util
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
    page.write_text(f"before\n{module.BEGIN}\nold table\n{module.END}\nafter\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
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
    assert "old table" not in text
    assert "## Search: mtsp" in text
    assert "| mtsp50 | 3 | search | 1 | 1 | 2.5000 | 2.0000 | 2.4184\\* |" in text
    assert "9.0000" not in text
    script.main()
    assert (tmp_path / "docs" / "results.md").read_text() == text


def test_short_runs_are_compared_with_the_best_of_all_on_the_same_instances(script: ModuleType) -> None:
    """Instance 1 has no long run and is left out: (2.2 / 2.0 − 1) is 10 %."""
    found = {
        "search": [measurement(objective=2.2), measurement(index=1, objective=9.0)],
        "long": [measurement(time=60.0, seed=s, objective=o) for s, o in ((1, 2.1), (2, 2.0))],
    }
    lines = script.long_runs(found).splitlines()
    assert "| mtsp50 | 3 | search | 1 | 0 | 1 | 2.2000 | 2.0000 | +10.000 |" in lines
    assert "| mtsp50 | 3 | search | 60 | 2 | 1 | 2.0000 | 2.0000 | +0.000 |" in lines
