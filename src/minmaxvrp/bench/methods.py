"""The methods that `bench` can run, by name.

`measure` looks a method up here and calls it in a worker process; its answer goes through the checker
there. A new method is one function and one entry of `METHODS`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..solve import solve
from ..stop import MaxCpuTime, MaxRuntime
from .fingerprint import code_digest

if TYPE_CHECKING:
    from ..policy import Policy


@dataclass(frozen=True)
class Decoding:
    """How the network alone makes its rollouts; the best of symmetries × permutations counts."""

    symmetries: int = 8
    permutations: int = 16
    temperature: float | None = None
    """Of drawn rollouts, 0 for greedy ones; None: what the weights ask for."""

    def label(self, policy: str) -> str:
        """The policy's name in a measurement, with the decoding if it is not the usual one."""
        if self == Decoding():
            return policy
        drawn = "" if self.temperature is None else f" temperature {self.temperature:g}"
        return f"{policy} ×{self.symmetries} ×{self.permutations}{drawn}"


USUAL_DECODING = Decoding()
Settings = tuple[tuple[str, float], ...]
"""Name and value of the settings of the search that are not its defaults."""
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}
"""In whose seconds a budget is meant: on the wall, or CPU time where the machine does other work as well."""


@dataclass(frozen=True)
class Budget:
    """What a method may use for one instance."""

    seconds: float
    seed: int = 0
    policy: str = "auto"
    """Name or file of network weights, for the methods that have a policy."""
    decoding: Decoding = USUAL_DECODING
    """For the method `policy`."""
    clock: str = "wall"
    """One of `CLOCKS`."""
    settings: Settings = ()
    """Of the search, for the methods that have one."""


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
    first_call: Callable[[Instance, Budget], object] | None = None
    """Made instead of `solve` for that; None: `solve` itself, with next to no time."""
    has_settings: bool = False
    """Whether it has the search, and so `Budget.settings`."""
    rival: bool = False
    """Whether it is of others: where it fails, that is its result and no fault of this package."""


def _greedy(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=None, search=False)


def _search(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=None, search=True)


def _policy(instance: Instance, budget: Budget) -> Answer:
    """The network alone: no bound, no search, and the time limit does not matter."""
    network, decoding = _network(budget.policy, instance), budget.decoding
    temperature = decoding.temperature
    if temperature is None:
        temperature = network.config.temperature(instance.num_customers)
    ((best,),) = network.construct(
        [instance],
        symmetries=decoding.symmetries,
        permutations=decoding.permutations,
        temperature=temperature,
        seed=budget.seed,
    )
    return Answer(best)


def _network(policy: str, instance: Instance) -> "Policy":
    """The policy of that name or file, or for "auto" the shipped one for the instance; loaded once."""
    from ..policy import Policy

    network = Policy.for_instance(instance) if policy == "auto" else _loaded(policy)
    if network is None:
        raise InputError(f"the policy {policy!r} cannot be measured: no network weights for such instances")
    if (reason := network.misfit(instance)) is not None:
        raise InputError(f"{policy}: {reason}")
    return network


@cache
def _loaded(policy: str) -> "Policy":
    from ..policy import Policy

    return Policy.load(policy)


def _policy_search(instance: Instance, budget: Budget) -> Answer:
    return _solve(instance, budget, policy=budget.policy, search=True)


def _load_policy_search(instance: Instance, budget: Budget) -> None:
    """Load and compile both: with next to no time `solve` would do without the network."""
    _policy(instance, budget)
    _search(instance, budget)


def _solve(instance: Instance, budget: Budget, policy: str | None, search: bool) -> Answer:
    """This package's own `solve`, whose time limit covers the lower bound too."""
    notices: list[str] = []
    result = solve(
        instance,
        MaxRuntime(budget.seconds) if budget.clock == "wall" else MaxCpuTime(budget.seconds),
        seed=budget.seed,
        then="none",
        policy=policy,
        search=search,
        settings=dict(budget.settings),
        notice=notices.append,
    )
    if policy is not None and "policy" not in result.method:  # else something else would be measured
        raise InputError(f"the policy {policy!r} cannot be measured: {'; '.join(notices)}")
    trace = tuple((point.seconds, point.makespan) for point in result.trace)
    return Answer(result.solution, result.iterations, result.lower_bound, trace)


def _rival(name: str, instance: Instance, budget: Budget) -> Answer:
    """A solver of the room `baselines`, by the name of its module."""
    solver = import_module(f"..baselines.{name}", __package__)
    return Answer(solver.solve(instance, budget.seconds, budget.seed, CLOCKS[budget.clock]))


def _method_of(name: str, *files: str, warm_up: bool = False) -> Method:
    sources = ("problem", *(f"baselines/{file}.py" for file in (name, *files)))
    return Method(partial(_rival, name), sources, warm_up, rival=True)


_SEARCH = ("problem", "search", "solve.py", "starts.py", "improvement.py", "stop.py", "jit")

METHODS: dict[str, Method] = {
    "greedy": Method(_greedy, ("problem", "search/construction/construct.py", "solve.py", "starts.py")),
    "search": Method(_search, _SEARCH, has_settings=True),
    "policy": Method(_policy, ("problem", "policy")),
    "policy+search": Method(
        _policy_search,
        (*_SEARCH, "policy", "propose.py"),
        first_call=_load_policy_search,
        has_settings=True,
    ),
    "ortools": _method_of("ortools"),
    "pyvrp": _method_of("pyvrp", "legs", warm_up=True),
    "lkh": _method_of("lkh", "legs"),
    "hga": _method_of("hga", "hga_kernels", "compiled_moves", "legs", warm_up=True),
    "cross": _method_of("cross", "compiled_moves", "legs", warm_up=True),
}


def find_method(name: str) -> Method:
    """The method of that name; raises `InputError` with the list for an unknown one."""
    if name not in METHODS:
        raise InputError(f"method = {name!r}, expected one of {', '.join(METHODS)}")
    return METHODS[name]


def fingerprint(method: Method, policy: str = "auto") -> str:
    """12 hex digits that change when the method's program or weights do: old results are then not reused."""
    return code_digest(method.sources, policy)
