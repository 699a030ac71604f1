"""Solvers of others in a bench: what fails is a row with its reason, never the end of the run."""

import json
import math
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minmaxvrp.bench import measure as measuring
from minmaxvrp.bench import report
from minmaxvrp.bench.measure import RunOptions
from minmaxvrp.bench.methods import METHODS, Answer, Budget, Method
from minmaxvrp.bench.store import Measurement, Store, read_measurements
from minmaxvrp.bench.suites import suite_cases
from minmaxvrp.engines import FinishedTask, WorkerLost
from minmaxvrp.errors import InputError, InternalError
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

from .measurements import measurement


def crashes(instance: Instance, budget: Budget) -> Answer:
    """A rival that ends without an answer."""
    raise InternalError("crashed with exit code 1")


def forgets(instance: Instance, budget: Budget) -> Answer:
    """A rival that leaves out the last customer."""
    return Answer(Solution.of([list(instance.customers)[:-1]]))


def measured(monkeypatch: pytest.MonkeyPatch, solve: Callable[[Instance, Budget], Answer]) -> Measurement:
    """One instance by a rival that does `solve`."""
    monkeypatch.setitem(METHODS, "other", Method(solve, (), rival=True))
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    options = RunOptions("other")
    return measuring._measure(measuring._planned(case, options, ""), case.instance, options)


@pytest.mark.parametrize(
    ("solve", "reason"), [(crashes, "crashed with exit code 1"), (forgets, "breaks 1 rules")]
)
def test_a_failure_is_kept_and_read_again(
    solve: Callable[[Instance, Budget], Answer], reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A crash and a wrong answer have a reason and no makespan, on the disk as well."""
    found = measured(monkeypatch, solve)
    assert reason in found.failure
    path = tmp_path / "rows.jsonl"
    with Store(path) as store:
        store.append(found)
    (again,) = read_measurements(path)
    assert again.failure == found.failure
    assert math.isnan(again.objective)
    assert again.key == found.key


def test_a_missing_package_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad input is no result: the user is told what to install."""

    def missing(instance: Instance, budget: Budget) -> Answer:
        raise InputError("not installed, expected pip install 'minmaxvrp[other]'")

    with pytest.raises(InputError, match=r"other on mtsp50 #0 with 3 vehicles: .*minmaxvrp\[other\]"):
        measured(monkeypatch, missing)


def test_a_failure_is_tried_again(tmp_path: Path) -> None:
    """The same command measures what failed once more, and the answer stands in place of the failure."""
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    options = RunOptions("greedy")
    path = tmp_path / "rows.jsonl"
    with Store(path) as store:
        (solved,) = measuring.measure([case], options, store)
    path.unlink()
    with Store(path) as store:
        store.append(replace(solved, failure="no plan", objective=math.nan))
        heard: list[Measurement] = []
        (again,) = measuring.measure([case], options, store, heard.append)
        assert not again.failure
        assert [m.failure for m in heard] == [""]
        measuring.measure([case], options, store)
    assert [m.failure for m in read_measurements(path)] == ["no plan", ""]
    assert [m.failure for m in report.latest(read_measurements(path))] == [""]


class DeadWorkers:
    """An engine whose workers die at every task."""

    def run(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Generator[FinishedTask[Any, Any], None, None]:
        """Every task is lost."""
        yield from (FinishedTask(task, None, WorkerLost("its worker died; tried 3 times")) for task in tasks)


def test_a_rival_that_takes_its_worker_along_is_a_row(tmp_path: Path) -> None:
    """A crash in the worker itself is the rival's result; the same of ours ends the run."""
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1)
    with Store(tmp_path / "rows.jsonl") as store:
        (found,) = measuring.measure([case], RunOptions("ortools"), store, engine=DeadWorkers())
        assert found.failure == "its worker died; tried 3 times"
        assert store.done[found.key].date
        with pytest.raises(WorkerLost, match="its worker died"):
            measuring.measure([case], RunOptions("greedy"), store, engine=DeadWorkers())


def test_failures_are_left_out_of_the_mean_and_told_below() -> None:
    """One of three instances failed."""
    failed = measurement(
        index=2, failure="no plan", objective=math.nan, lower_bound=math.nan, seconds=math.nan
    )
    (row,) = report.rows([measurement(objective=2.0), measurement(index=1, objective=3.0), failed])
    assert (row.instances, row.objective) == (2, 2.5)
    assert row.notes[-1] == "1 of 3 failed: no plan"
    assert "1 of 3 failed: no plan" in report.markdown([row])


def test_a_row_without_any_answer_has_dashes() -> None:
    """All failed: no mean, no gap, and valid JSON."""
    failed = measurement(failure="no plan", objective=math.nan, lower_bound=math.nan, seconds=math.nan)
    found = report.rows([failed])
    assert found[0].gap_percent is None
    assert "| – |" in report.markdown(found)
    assert json.loads(json.dumps(report.as_json(found), allow_nan=False))["rows"][0]["objective"] is None


def test_budgets_of_different_clocks_are_different_results() -> None:
    """A second of CPU time is not a second on the wall."""
    assert measurement().key != measurement(clock="cpu").key
    with pytest.raises(InputError, match="clock = 'sun', expected one of wall, cpu"):
        RunOptions("greedy", clock="sun")


def test_a_cpu_budget_is_kept_and_measured_in_cpu_time() -> None:
    """The search stops after its CPU time, half of which is its own; what is noted is CPU time too."""
    (case,) = suite_cases("mtsp50", vehicles=(3,), limit=1, set_seed=5)
    options = RunOptions("search", seconds=1.0, clock="cpu")
    found = measuring._measure(measuring._planned(case, options, ""), case.instance, options)
    assert found.clock == "cpu"
    assert found.iterations > 0
    assert found.trace[-1][0] <= found.seconds + 1e-3
