"""Many instances: `solve_many` solves them side by side, here or on a cluster, one core for each.

Around `solve`: every instance is a task of an engine (`engines/`), and comes back in the order of finishing.
"""

import pickle
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from .arguments import Notice, ignore_notice
from .engines import Engine, EngineName, make_engine
from .errors import InputError, MinmaxvrpError
from .problem.instance import Instance
from .result import Result, Then
from .solve import DEFAULT_STOP, solve
from .stop import Stop, StopLike, as_stop


@dataclass(frozen=True)
class SolveOptions:
    """How every instance is solved; the fields are arguments of `solve`."""

    stop: Stop = DEFAULT_STOP
    seed: int = 0
    then: Then = "balance"
    policy: str | None = None
    search: bool = True
    settings: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Solved:
    """One instance of many: its result, or why there is none."""

    index: int
    """Its place among the instances, from 0."""
    instance: Instance
    result: Result | None
    failure: str = ""
    """Why there is no result; empty if there is one."""
    error: Exception | None = None
    """The same as an error, to be raised by those who want it."""


InstanceTask = tuple[int, Instance, SolveOptions]


def solve_many(
    instances: Iterable[Instance],
    stop: StopLike | None = None,
    *,
    workers: int | None = None,
    engine: EngineName | Engine = "processes",
    address: str | None = None,
    seed: int = 0,
    then: Then = "balance",
    policy: str | None = None,
    search: bool = True,
    settings: Mapping[str, float] | None = None,
    notice: Notice | None = None,
) -> Generator[Solved, None, None]:
    """An iterator of results in the order in which they finish; `Solved.index` says of which instance.

    `workers` instances are solved at a time (as many as there are cores without a number), each by a process
    with one thread. The others are taken from `instances` when a worker is free, so that a generator may make
    or read them one by one. `engine="ray"` solves them on a Ray cluster: the one at `address`, or without one
    on a Ray of its own on this machine. `stop` (10 seconds if not given), `seed`, `then`, `policy`, `search`
    and `settings` are those of `solve`, for each instance.

    An instance that fails is a `Solved` with its reason. One whose worker was lost (`kill -9`, a machine that
    went down) is solved again, up to two times. Ctrl-C raises `KeyboardInterrupt` and ends the workers, as
    closing the iterator does; what it gave before stays with the caller. `notice` hears of more workers than
    cores. A script must call this below `if __name__ == "__main__":`, for every process loads it once more.

    Raises `InputError` for options that cannot be used.
    """
    stop = DEFAULT_STOP if stop is None else as_stop(stop)
    _check_sendable(stop)
    options = SolveOptions(stop, seed, then, policy, search, settings)
    chosen = (
        make_engine(engine, workers, address, notice or ignore_notice) if isinstance(engine, str) else engine
    )
    return run_tasks(chosen, ((index, instance, options) for index, instance in enumerate(instances)))


def run_tasks(engine: Engine, tasks: Iterable[InstanceTask]) -> Generator[Solved, None, None]:
    """What an engine makes of instances with their options."""
    with closing(engine.run(solve_task, tasks)) as finished:
        for job in finished:
            index, instance, _ = job.task
            if job.value is None:
                yield Solved(index, instance, None, _reason(job.error), job.error)
            else:
                yield Solved(index, instance, replace(job.value, instance=instance))


def solve_task(task: InstanceTask) -> Result:
    """The work of a worker. The result goes back without the instance, which the caller has."""
    _, instance, options = task
    result = solve(
        instance,
        options.stop,
        seed=options.seed,
        then=options.then,
        policy=options.policy,
        search=options.search,
        settings=options.settings,
    )
    return replace(result, instance=NO_INSTANCE)


NO_INSTANCE = Instance.mtsp([0.0, 0.0], [[0.0, 0.0]], 1)
"""Stands for the instance on the way back."""


def _reason(error: Exception | None) -> str:
    """One line for people."""
    text = str(error) if isinstance(error, MinmaxvrpError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _check_sendable(stop: Stop) -> None:
    """Raise `InputError` for a criterion that cannot be sent to another process, such as a lambda."""
    try:
        pickle.dumps(stop)
    except Exception:  # pickle, attribute and type errors, by what is in it
        raise InputError(
            f"stop = {stop!r} cannot be sent to another process, expected criteria such as MaxRuntime(10), "
            "or a function that a module defines"
        ) from None
