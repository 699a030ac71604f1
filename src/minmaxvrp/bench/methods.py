"""The methods that `bench` can run, by name.

`measure` looks a method up here and calls it in a worker process; its answer goes through the checker
there. A new method is one function and one entry of `METHODS`.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..problem.bounds import lower_bound
from ..problem.instance import Instance
from ..problem.solution import Solution
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
    return _solve(instance, budget, policy=None, search=False)


def _search(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=None, search=True)


def _policy(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=budget.policy, search=False)


def _policy_search(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=budget.policy, search=True)


def _solve(instance: Instance, budget: Budget, policy: str | None, search: bool) -> Answer:
    """This package's own `solve`; the time of the lower bound is part of the budget too."""
    began, notices = time.perf_counter(), list[str]()
    bound = lower_bound(instance)
    used = time.perf_counter() - began
    stop = MaxRuntime(max(budget.seconds - used, 0.0))
    result = solve(
        instance, stop, seed=budget.seed, policy=policy, search=search, bound=bound, notice=notices.append
    )
    if policy is not None and "policy" not in result.method:  # else something else would be measured
        raise InputError(f"the policy {policy!r} cannot be measured: {'; '.join(notices)}")
    trace = tuple((used + point.seconds, point.makespan) for point in result.trace)
    return Answer(result.solution, result.iterations, bound, trace)


def _ortools(instance: Instance, budget: Budget) -> Answer:
    from ..baselines import ortools

    return Answer(ortools.solve(instance, budget.seconds, budget.seed))


_SEARCH = ("problem", "search", "solve.py", "stop.py", "jit")

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
