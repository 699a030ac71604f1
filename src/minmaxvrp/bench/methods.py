"""The methods that `bench` can run, by name.

`run` looks a method up here and calls it in a worker process; its answer goes through the checker
there. A new method is one function and one entry of `METHODS`.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import Result
from ..solve import solve
from ..stop import MaxRuntime


@dataclass(frozen=True)
class Budget:
    """What a method may use for one instance."""

    seconds: float
    seed: int = 0
    policy: str = "auto"
    """Name or file of network weights, for the methods that have a policy."""


@dataclass(frozen=True)
class Answer:
    """What a method found, not yet checked."""

    solution: Solution
    iterations: int = 0
    lower_bound: float | None = None
    """On the makespan, if the method computed one."""
    trace: tuple[tuple[float, float], ...] = ()
    """(seconds, best makespan), in order of time; empty for methods that do not tell."""


@dataclass(frozen=True)
class Method:
    """One way to solve an instance."""

    solve: Callable[[Instance, Budget], Answer]
    sources: tuple[str, ...]
    """Files and folders of this package that decide its answers."""
    warm_up: bool = True
    """Whether a first call is slow (compiled kernels, loaded weights) and not to be measured."""


def _greedy(instance: Instance, budget: Budget) -> Answer:
    return _answer(solve(instance, seed=budget.seed, policy=None, search=False))


def _search(instance: Instance, budget: Budget) -> Answer:
    return _answer(solve(instance, MaxRuntime(budget.seconds), seed=budget.seed, policy=None))


def _policy(instance: Instance, budget: Budget) -> Answer:
    return _answer(solve(instance, seed=budget.seed, policy=budget.policy, search=False, notice=_need_policy))


def _policy_search(instance: Instance, budget: Budget) -> Answer:
    stop = MaxRuntime(budget.seconds)
    return _answer(solve(instance, stop, seed=budget.seed, policy=budget.policy, notice=_need_policy))


def _ortools(instance: Instance, budget: Budget) -> Answer:
    from ..baselines import ortools

    return Answer(ortools.solve(instance, budget.seconds, budget.seed))


def _answer(result: Result) -> Answer:
    trace = tuple((point.seconds, point.makespan) for point in result.trace)
    return Answer(result.solution, result.iterations, result.lower_bound, trace)


def _need_policy(notice: str) -> None:
    """A measurement of the policy must not silently be one of something else."""
    raise InputError(f"the policy cannot be measured: {notice}")


_SEARCH = ("problem", "search", "solve.py", "stop.py", "compiled.py")

METHODS: dict[str, Method] = {
    "greedy": Method(_greedy, ("problem", "search/construct.py", "solve.py")),
    "search": Method(_search, _SEARCH),
    "policy": Method(_policy, ("problem", "policy", "solve.py")),
    "policy+search": Method(_policy_search, (*_SEARCH, "policy")),
    "ortools": Method(_ortools, ("problem", "baselines/ortools.py"), warm_up=False),
}


def find_method(name: str) -> Method:
    """The method of that name; raises `InputError` with the list for an unknown one."""
    if name not in METHODS:
        raise InputError(f"method = {name!r}, expected one of {', '.join(METHODS)}")
    return METHODS[name]


def fingerprint(method: Method, policy: str = "auto") -> str:
    """12 hex digits that change when the method's code or weights do: old results are then not reused."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for source in method.sources:
        path = root / source
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            if file.is_file() and file.suffix in (".py", ".json", ".safetensors"):
                digest.update(str(file.relative_to(root)).encode())
                digest.update(file.read_bytes())
    weights = Path(policy)
    if weights.is_file():
        digest.update(weights.read_bytes())
    return digest.hexdigest()[:12]
