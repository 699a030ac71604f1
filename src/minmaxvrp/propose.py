"""The network's plans as starts of the search, where they are asked for and there is time for them.

`solve` comes here with the name of a policy. Whether the network fits into its share of the time limit is
decided from an estimate, before torch is loaded.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError
from .policy.shipped_weights import find_policy
from .problem.instance import Instance
from .problem.solution import Solution

if TYPE_CHECKING:
    from .policy import Policy

SHARE = 0.25
"""Of a time limit that the network may take, loading torch included."""
LOAD_SECONDS = 2.0
"""To load torch and the weights."""
ROLLOUTS = ((8, 16), (8, 1), (1, 1))
"""Symmetries × permutations, the best first; the first that there is time for is taken."""
ENCODE = (1.5e-4, 1e-7)
"""Seconds of the encoder for each node, and for each pair of nodes."""
ROLL_OUT = 3.5e-8
"""Seconds of one rollout for each pair of nodes."""
SLOWER = 2.0
"""Times as long with pairs or several depots."""
NUM_STARTS = 8
"""How many of the network's solutions the search is given."""
COMPILING = "first use of the network on this machine: compiling, about a minute"


@dataclass(frozen=True)
class Proposer:
    """A network that is loaded and how much of it there is time for."""

    policy: "Policy"
    symmetries: int
    permutations: int
    compiling: float = 0.0
    """Seconds spent compiling, which take none of a time limit."""

    def starts(self, instance: Instance, seed: int) -> list[Solution]:
        """The network's best solutions, not yet checked; `InputError` if it cannot serve the instance."""
        temperature = self.policy.config.temperature(instance.num_customers)
        return self.policy.construct(
            [instance],
            symmetries=self.symmetries,
            permutations=self.permutations,
            temperature=temperature,
            seed=seed,
            top=NUM_STARTS,
        )[0]


def check_policy(policy: object) -> None:
    """Raise `InputError` for what is no name and no file of network weights, without loading torch."""
    if policy is None or policy == "auto":
        return
    if not isinstance(policy, str | Path):
        got = type(policy).__name__
        raise InputError(f"policy: got a {got}, expected 'auto', or the name or file of network weights")
    find_policy(policy)


def load_proposer(
    instance: Instance, policy: str | None, limit: float, notice: Callable[[str], None]
) -> Proposer | None:
    """The network of that name or file, or "auto" for ours for the instance; None if not asked for.

    None with a notice as well where vehicles are told apart, where it would take more than its share of the
    `limit` in seconds, or where "auto" finds none. Raises `InputError` for another name that cannot be used.
    """
    if policy is None:
        return None
    if instance.has_fleet:
        notice("the network does not know vehicles that differ or open routes; starting without it")
        return None
    possible = [size for size in ROLLOUTS if estimate(instance, *size) <= SHARE * limit]
    if not possible:
        least = estimate(instance, *ROLLOUTS[-1])
        notice(f"the network would take about {least:.1f} s of {limit:g} s; starting without it")
        return None
    try:
        from .policy import Policy
    except ImportError as error:
        if policy != "auto":
            raise InputError(f"policy {policy!r} needs the package {error.name!r}, not installed") from None
        notice(f"{error.name} is not installed; starting without the network")
        return None
    network = Policy.for_instance(instance) if policy == "auto" else Policy.load(policy)
    if network is None:
        notice("no network weights for this kind of instance; starting without the network")
        return None
    return Proposer(network, *possible[0], _compile(network, possible[0][1], notice))


def estimate(instance: Instance, symmetries: int, permutations: int) -> float:
    """About how many seconds the network takes on one core, with loading it if that is not done yet.

    Measured with `benchmarks/policy_speed.py`: the encoder is linear and a little quadratic in the number of
    nodes, rollouts are quadratic; pairs and several depots take twice the time.
    """
    nodes, plain = instance.num_nodes, instance.num_depots == 1 and not len(instance.pairs)
    encode = ENCODE[0] * nodes + ENCODE[1] * nodes**2
    seconds = symmetries * (encode + permutations * ROLL_OUT * nodes**2) * (1.0 if plain else SLOWER)
    return seconds + (0.0 if "torch" in sys.modules else LOAD_SECONDS)


def _compile(network: "Policy", permutations: int, notice: Callable[[str], None]) -> float:
    """Compile the kernels of the rollouts if they are not in the cache; returns how many seconds it took."""
    from .policy.first_use import compile_kernels, kernels_kept

    if kernels_kept(permutations):
        return 0.0
    notice(COMPILING)
    began = time.perf_counter()
    compile_kernels(network, permutations)
    return time.perf_counter() - began
