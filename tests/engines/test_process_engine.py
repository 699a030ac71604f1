"""Tasks in worker processes: order, back-pressure, lost workers, errors."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minmaxvrp.engines import WorkerLost, make_engine
from minmaxvrp.engines.engine import num_cores
from minmaxvrp.engines.process_engine import ProcessEngine
from minmaxvrp.errors import InputError, InternalError

from .tasks import complain, die_of_three, die_once, report_and_hang, square, thread_limit, wait_for_file


def test_every_task_is_done_once() -> None:
    """Five tasks by two workers."""
    found = list(ProcessEngine(2).run(square, range(5)))
    assert sorted((job.task, job.value) for job in found) == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]


def test_no_tasks_start_no_worker() -> None:
    """An empty iterable gives an empty one."""
    assert list(ProcessEngine(3).run(square, [])) == []


def test_results_come_in_the_order_in_which_they_finish(tmp_path: Path) -> None:
    """The first task waits for a file that is made when the second has come back."""
    file, there = tmp_path / "go", tmp_path
    run = ProcessEngine(2).run(wait_for_file, [(0, file), (1, there)])
    assert next(run).value == 1
    file.touch()
    assert [job.value for job in run] == [0]


def test_tasks_are_taken_when_a_worker_is_free() -> None:
    """Of a thousand tasks only those that two workers have had when three are done: back-pressure."""
    taken = 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        for number in range(1_000):
            taken += 1
            yield number

    run = ProcessEngine(2).run(square, tasks())
    for _ in range(3):
        next(run)
    run.close()
    assert taken <= 3 + 2 * 2  # each worker has one in work and at most one finished


def test_a_task_has_one_thread_and_the_caller_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is set for the workers alone."""
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert [job.value for job in ProcessEngine(1).run(thread_limit, [0])] == ["1"]
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_a_task_that_fails_has_its_reason_and_the_others_go_on() -> None:
    """What is our error keeps its kind, any other one is named."""
    found = {job.task: job for job in ProcessEngine(2).run(complain, range(4))}
    assert [found[k].value for k in range(4)] == [0, None, 2, None]
    assert isinstance(found[1].error, InputError)
    assert str(found[1].error) == "number = 1, expected an even one"
    assert str(found[3].error) == "ZeroDivisionError: odd"


def test_a_task_that_cannot_be_sent_is_an_error_of_its_own() -> None:
    """A local function cannot be pickled; the task behind it is done."""
    tasks: list[Any] = [lambda: None, 3]
    found = list(ProcessEngine(1).run(square, tasks))
    assert "cannot be sent to another process" in str(found[0].error)
    assert found[1].value == 9


def test_the_task_of_a_killed_worker_is_repeated_by_another(tmp_path: Path) -> None:
    """Killed with -9 in its work, once."""
    (job,) = ProcessEngine(2).run(die_once, [tmp_path])
    assert job.error is None
    assert job.value != int((tmp_path / "died").read_text())


def test_a_task_that_kills_its_workers_is_given_up() -> None:
    """After three workers; the tasks around it are done."""
    found = {job.task: job for job in ProcessEngine(2, retries=2).run(die_of_three, range(6))}
    assert [found[k].value for k in range(6)] == [0, 1, 2, None, 4, 5]
    assert isinstance(found[3].error, WorkerLost)
    assert str(found[3].error).endswith("tried 3 times")


def test_closing_ends_the_workers_in_their_work(tmp_path: Path) -> None:
    """No process is left behind."""

    def tasks() -> Iterator[Path]:
        yield tmp_path
        while not (working := list(tmp_path.glob("*.working"))):
            time.sleep(0.01)
        pids.extend(int(file.stem) for file in working)
        raise KeyboardInterrupt

    pids: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        list(ProcessEngine(2).run(report_and_hang, tasks()))
    assert len(pids) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_an_error_of_the_iterable_comes_after_the_tasks_in_work() -> None:
    """What was begun is not lost."""

    def tasks() -> Iterator[int]:
        yield 5
        raise OSError("disk gone")

    run = ProcessEngine(2).run(square, tasks())
    assert next(run).value == 25
    with pytest.raises(OSError, match="disk gone"):
        next(run)


def test_a_process_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as in a script without the lines that spawned processes need."""
    monkeypatch.setattr("minmaxvrp.engines.process_engine._start_worker", os.abort)
    with pytest.raises(InternalError, match="did not start"):
        list(ProcessEngine(1).run(square, [4]))


def test_more_workers_than_cores_is_a_notice() -> None:
    """Not an error; no number means all cores."""
    said: list[str] = []
    engine = make_engine("processes", num_cores() + 1, notice=said.append)
    assert isinstance(engine, ProcessEngine)
    assert engine.workers == num_cores() + 1
    assert said == [f"{num_cores() + 1} workers on {num_cores()} cores: each gets less than a core"]
    assert isinstance(everything := make_engine(notice=said.append), ProcessEngine)
    assert everything.workers == num_cores()
    assert len(said) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "threads"}, "engine = 'threads', expected one of processes, ray"),
        ({"workers": 0}, "workers = 0, expected 1 or more"),
        ({"address": "10.0.0.1:6379"}, "address = '10.0.0.1:6379' with engine = 'processes', expected"),
    ],
)
def test_a_wrong_choice_says_what_is_expected(arguments: dict[str, object], message: str) -> None:
    """`InputError`, so that the command line leaves with 2."""
    with pytest.raises(InputError, match=message):
        make_engine(**arguments)  # type: ignore[arg-type]
