"""`solve_many`: the answers of `solve`, in finishing order, with failures as results."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp import Instance, MaxIterations, MaxRuntime, Progress, Solved, solve, solve_many
from minmaxvrp.engines.engine import num_cores
from minmaxvrp.errors import InputError
from minmaxvrp.problem.generate import uniform

FEW = MaxIterations(200)


def stop_of_an_impatient_user(progress: Progress) -> bool:
    """A criterion that can be sent, for it has a name in a module."""
    raise ValueError("no patience")


def test_many_are_solved_as_one_is() -> None:
    """Five instances by two workers: the same makespans, each with the caller's own instance."""
    instances = uniform("mtsp", 9, 3, seed=11, count=5)
    found = sorted(solve_many(instances, FEW, workers=2, seed=4), key=lambda solved: solved.index)
    assert [solved.index for solved in found] == list(range(5))
    for instance, solved in zip(instances, found, strict=True):
        assert solved.result is not None
        assert solved.instance is solved.result.instance is instance
        assert solved.result.lengths == solve(instance, FEW, seed=4).lengths


def test_an_instance_that_cannot_be_solved_is_a_result_with_its_reason() -> None:
    """A criterion that raises, and weights that are not there."""
    instances = uniform("mtsp", 27, 2, seed=12, count=2)
    found = list(solve_many(instances, stop_of_an_impatient_user, workers=1))
    assert [(solved.index, solved.result) for solved in found] == [(0, None), (1, None)]
    assert found[0].failure == "ValueError: no patience"
    (nowhere,) = solve_many(instances[:1], FEW, workers=1, policy="nowhere.safetensors")
    assert "nowhere.safetensors" in nowhere.failure
    assert isinstance(nowhere.error, InputError)


def test_instances_may_be_made_one_by_one() -> None:
    """Of an endless generator the first two are solved; closing ends the rest."""

    def endless() -> Iterator[Instance]:
        rng = np.random.default_rng(13)
        while True:
            yield Instance.mtsp(rng.random(2), rng.random((8, 2)), 2)

    run = solve_many(endless(), FEW, workers=1)
    first = [next(run).index, next(run).index]
    run.close()
    assert first == [0, 1]


def test_a_stop_that_cannot_be_sent_is_refused() -> None:
    """Before a process is started."""
    with pytest.raises(InputError, match="cannot be sent to another process"):
        solve_many([], lambda progress: False)


def test_wrong_arguments_are_told_at_once() -> None:
    """Not when the first result is asked for; too many workers are a notice."""
    with pytest.raises(InputError, match="workers = 0"):
        solve_many([], MaxRuntime(1.0), workers=0)
    said: list[str] = []
    assert list(solve_many([], FEW, workers=num_cores() + 3, notice=said.append)) == []
    assert len(said) == 1


SCRIPT = """
import signal
from minmaxvrp import Instance, MaxRuntime, solve_many
from minmaxvrp.problem.generate import uniform

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests do not hear Ctrl-C
    short, long = uniform("mtsp", 60, 4, seed=14, count=2)
    try:
        for solved in solve_many(instances(short, long), MaxRuntime(600.0), workers=1, then="none"):
            print("done", solved.index, flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)

def instances(short, long):
    yield Instance.mtsp(short.coordinates[0], short.coordinates[1:2], 1)
    yield long

if __name__ == "__main__":
    main()
"""


def test_ctrl_c_keeps_what_is_done_and_ends_the_workers(tmp_path: Path) -> None:
    """The first instance, a single stop, is optimal at once; the second would take ten minutes."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "done 0\n"
    os.kill(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert rest == "interrupted\n"
    assert process.returncode == 0


def test_a_script_without_its_guard_is_told_what_to_write(tmp_path: Path) -> None:
    """Every process would start processes of its own."""
    script = tmp_path / "script.py"
    script.write_text(
        "from minmaxvrp import Instance, MaxIterations, solve_many\n"
        "instance = Instance.mtsp([0, 0], [[1, 1], [2, 1]], 1)\n"
        "list(solve_many([instance], MaxIterations(1), workers=1))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "did not start; a script must begin its work below `if __name__ == '__main__':`" in done.stderr


def kill_a_child(solved: Solved) -> None:
    """Kill -9 a process that this one has started."""
    children = multiprocessing.active_children()
    assert children, solved
    assert children[0].pid is not None
    os.kill(children[0].pid, signal.SIGKILL)


def test_a_killed_worker_costs_no_instance() -> None:
    """After the first result one of two workers is killed; all six instances come back solved."""
    found: list[Solved] = []
    for solved in solve_many(uniform("mtsp", 10, 2, seed=15, count=6), FEW, workers=2):
        if not found:
            kill_a_child(solved)
        found.append(solved)
    assert sorted(solved.index for solved in found) == list(range(6))
    assert not [solved for solved in found if solved.failure]
