"""Tasks on a local Ray with two workers: order, a killed worker, errors; and how its absence is told."""

import builtins
import logging
import os
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from minmaxvrp.engines import WorkerLost, make_engine
from minmaxvrp.errors import InputError

from .tasks import complain, die_of_three, die_once, square, thread_limit, wait_for_file

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra 'ray'")
# Ray's own: deprecations, and pipes that it leaves to the garbage collector
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    """A Ray of two workers, which several runs share: the engine uses a connection that is there."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield ray
    ray.shutdown()


@needs_ray
def test_every_task_is_done_once_with_one_thread(connection: Any) -> None:
    """Five tasks by two workers, whose libraries may use one thread."""
    found = list(make_engine("ray", 2).run(square, range(5)))
    assert sorted((job.task, job.value) for job in found) == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]
    assert [job.value for job in make_engine("ray", 2).run(thread_limit, [0])] == ["1"]
    assert connection.is_initialized()


@needs_ray
def test_results_come_in_the_order_in_which_they_finish(connection: Any, tmp_path: Path) -> None:
    """The first task waits for a file that is made when the second has come back."""
    file, there = tmp_path / "go", tmp_path
    run = make_engine("ray", 2).run(wait_for_file, [(0, file), (1, there)])
    assert next(run).value == 1
    file.touch()
    assert [job.value for job in run] == [0]


@needs_ray
def test_tasks_are_taken_when_there_is_room(connection: Any) -> None:
    """Of a thousand tasks only a few are taken until three are done."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(1_000):
            taken.append(number)
            yield number

    run = make_engine("ray").run(square, tasks())
    for _ in range(3):
        next(run)
    run.close()
    assert len(taken) <= 3 + 2 * 2  # two for each core


@needs_ray
def test_the_task_of_a_killed_worker_is_repeated_by_another(connection: Any, tmp_path: Path) -> None:
    """One of the two workers is killed with -9 in its work; nothing is lost."""
    mark = tmp_path / "died"
    run = make_engine("ray", 2).run(die_once, [tmp_path])
    (job,) = run
    assert job.error is None
    assert job.value != int(mark.read_text())


@needs_ray
def test_a_task_that_fails_or_kills_its_workers_has_its_reason(connection: Any) -> None:
    """And the others go on."""
    found = {job.task: job for job in make_engine("ray", 2).run(complain, range(4))}
    assert [found[k].value for k in range(4)] == [0, None, 2, None]
    assert isinstance(found[1].error, InputError)
    assert str(found[3].error) == "ZeroDivisionError: odd"
    dying = {job.task: job for job in make_engine("ray", 2).run(die_of_three, range(2, 5))}
    assert [dying[k].value for k in range(2, 5)] == [2, None, 4]
    assert isinstance(dying[3].error, WorkerLost)


@needs_ray
@pytest.mark.parametrize("address", ["nowhere", "10.0.0.1:port", "127.0.0.1:70000"])
def test_an_address_that_is_none_says_what_one_looks_like(address: str) -> None:
    """Before anything is sent there."""
    with pytest.raises(InputError, match=r"expected that of `ray start --head`, such as 10\.0\.0\.1:6379"):
        make_engine("ray", address=address)


@needs_ray
def test_an_address_without_a_cluster_is_told_at_once() -> None:
    """A port that nobody listens at: Ray by itself would try for minutes."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError, match="no Ray cluster there"):
            make_engine("ray", address=address)


@needs_ray
def test_a_missing_token_is_told_without_ray_s_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray raises an error of its own, whose first sentence is the reason."""
    import ray

    def refuse(**options: Any) -> None:
        raise ray.exceptions.AuthenticationError("the token file is empty. Run some other command")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(InputError, match=r"the token file is empty \(if it wants a token, set RAY_AUTH_TOK"):
        list(make_engine("ray").run(square, range(1)))


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install 'minmaxvrp[ray]'`."""
    real = builtins.__import__

    def hide(name: str, *more: Any, **named: Any) -> Any:
        if name == "ray":
            raise ModuleNotFoundError("No module named 'ray'", name="ray")
        return real(name, *more, **named)

    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(builtins, "__import__", hide)
    with pytest.raises(InputError, match=r"pip install 'minmaxvrp\[ray\]'"):
        make_engine("ray")
