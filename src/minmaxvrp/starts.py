"""Where the search begins: solutions of the user's, the network's, or a greedy one; each of them checked.

`solve` comes here between loading and the search, whose kernels rely on feasible starts.
"""

from collections.abc import Sequence

from .errors import InputError, InternalError, MinmaxvrpError
from .problem.check import broken_rules
from .problem.instance import Instance
from .problem.keep import StartLike
from .problem.repair import repaired
from .problem.solution import Solution
from .propose import Proposer


def find_starts(
    instance: Instance, given: StartLike, network: Proposer | None, seed: int, ready: bool
) -> tuple[list[Solution], str]:
    """One solution or more, and what to call them: `given`, `policy` or `greedy`.

    `ready` says whether the kernels that make a fleet's start can be called. Raises `InputError` for given
    solutions that break a rule, `InternalError` for proposed ones.
    """
    if given is not None:
        starts = [given] if isinstance(given, Solution) else list(given)
        if not starts:
            raise InputError("start: no solutions, expected one or more")
        _check(instance, starts, InputError)
        return starts, "given"
    if network is not None:
        proposed = network.starts(instance, seed)
        _check(instance, proposed, InternalError)
        return proposed, "policy"
    return [_greedy(instance, seed, ready)], "greedy"


def _greedy(instance: Instance, seed: int, ready: bool) -> Solution:
    if not ready:  # Ctrl-C came before there were kernels
        return repaired(instance, ())[0]
    if instance.has_fleet:
        from .search.fleet.fleet_search import construct_fleet

        return construct_fleet(instance, seed)
    from .search.construction.construct import construct

    return construct(instance, seed)


def _check(instance: Instance, starts: Sequence[Solution], error: type[MinmaxvrpError]) -> None:
    for number, solution in enumerate(starts, 1):
        found = broken_rules(instance, solution)
        if found:
            raise error(f"start solution {number} breaks a rule: {found[0]}")
