"""The settings of the search: defaults for an instance, and how to change them.

Lengths and temperatures are in search units, about one leg of the start solution.
"""

import tomllib
from collections.abc import Mapping
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError

if TYPE_CHECKING:
    from .arrays.distances import Problem


LONG_ROUTE = 30
"""Customers a route, on average, from which on routes count as long: see `has_long_routes`."""

CYCLE_EFFORT, MOST_CYCLES = 150.0, 4
"""Iterations for each customer that a cooling cycle of long routes has at least, and most cycles."""
REHEAT = 0.3
"""Share of the cooling schedule at which their later cycles start."""
KICK_SHARE = 0.02
"""Kicks between two of them for each of their iterations: about a tenth of the time."""

DEPOT_SHARE = 0.05
"""Iterations that propose another depot for a long route; each looks at all of its customers."""

TINY = 12
"""Customers up to which steps are as different as possible: no plan must be out of reach."""


class SearchSettings(NamedTuple):
    """What ruin, recreate and annealing use; the kernels read it as a whole."""

    first_temperature: float = 1.0
    """Temperature at which annealing starts."""
    last_temperature: float = 0.01
    """Temperature at which it ends."""
    reheat: float = 1.0
    """Share of the cooling schedule at which all cycles but the first start; 1 for a single cycle."""
    cycles: int = 2
    """Cooling cycles of a budget, if `reheat` is below 1."""
    polish_kicks: float = 0.0
    """Kicks for each customer of a route that shorten it between two cycles (`route_polish`); 0 for none."""
    longest_route_share: float = 0.35
    """Share of ruins whose seed is a customer of the longest route."""
    mean_removed: float = 10.0
    """Customers removed in a step, on average."""
    max_string_length: float = 10.0
    """Most customers removed in a string from one route."""
    split_share: float = 0.5
    """Share of strings with a stretch in the middle that stays (split strings)."""
    split_stop_chance: float = 0.5
    """Chance that this stretch ends at each customer."""
    blink: float = 0.01
    """Chance that insertion skips the cheapest position; of a pair, the cheapest on a route."""
    full_scan_customers: int = 120
    """Up to this many customers insertion tries every position, above only those next to neighbours. A
    switch, because it hardly matters where: at 110 all positions are 0.0 to 0.1 % better, at 150 neither."""
    num_neighbours: int = 20
    """How many neighbours those are."""
    full_scan_routes: int = 24
    """Up to this many routes a pair is tried on all of them, above on candidate routes first."""
    overlook: float = 0.0
    """Chance that insertion, having blinked, also skips the next position, that it leaves an unused vehicle
    alone, and that a pair does not stand where it is cheapest on its route."""
    stretch_share: float = 0.0
    """Share of steps that move a stretch of a route as it is, instead of ruin and recreate."""
    excess_weight: float = 10.0
    """Price of one unit of length above the threshold at insertion."""
    low_threshold_share: float = 0.05
    """Share of steps with a threshold clearly below the incumbent's makespan."""
    two_opt_proposals: int = 0
    """2-opt and 2-opt* moves proposed in each iteration (`propose_two_opt`)."""
    cross_proposals: int = 0
    """CROSS exchanges of long stretches proposed in each iteration (`propose_cross`)."""
    depot_share: float = 0.0
    """Share of iterations in which another depot is proposed for a route (`propose_depot`)."""
    length_weight: float = 1.0
    """Weight of the total length, beside the makespan, in the objective of these proposals."""
    mean_length_weight: float = 0.05
    """Weight of the mean route length, beside the makespan, in the objective of ruin and recreate."""
    shorten_incumbents: int = 1
    """Whether local search shortens the longest route of each new incumbent: 1 for yes, 0 for no."""


RANGES: dict[str, tuple[float, float]] = {
    "first_temperature": (1e-9, 1e9),
    "last_temperature": (1e-9, 1e9),
    "reheat": (0.0, 1.0),
    "cycles": (1, 1000),
    "polish_kicks": (0.0, 1e6),
    "longest_route_share": (0.0, 1.0),
    "mean_removed": (1.0, 1000.0),
    "max_string_length": (1.0, 1000.0),
    "split_share": (0.0, 1.0),
    "split_stop_chance": (0.01, 1.0),
    "blink": (0.0, 1.0),
    "full_scan_customers": (0, 1_000_000_000),
    "num_neighbours": (1, 100),
    "full_scan_routes": (1, 1_000_000_000),
    "overlook": (0.0, 0.9),
    "stretch_share": (0.0, 1.0),
    "excess_weight": (0.0, 1e6),
    "low_threshold_share": (0.0, 1.0),
    "two_opt_proposals": (0, 1000),
    "cross_proposals": (0, 1000),
    "depot_share": (0.0, 1.0),
    "length_weight": (0.0, 1e6),
    "mean_length_weight": (0.0, 1e6),
    "shorten_incumbents": (0, 1),
}
"""Least and greatest value of each setting."""


def change_settings(settings: SearchSettings, changes: Mapping[str, float]) -> SearchSettings:
    """`settings` with some changed; raises `InputError` for an unknown name, a wrong type or range."""
    if not isinstance(changes, Mapping):
        got = type(changes).__name__
        raise InputError(f"settings: got a {got}, expected values by name, such as {{'blink': 0.02}}")
    found: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in RANGES:
            raise InputError(f"setting {name!r} is unknown, expected one of {', '.join(RANGES)}")
        whole = isinstance(SearchSettings._field_defaults[name], int)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise InputError(f"setting {name} = {value!r}, expected a {'whole ' if whole else ''}number")
        least, most = RANGES[name]
        if not least <= value <= most:
            raise InputError(f"setting {name} = {value!r}, expected {least:g} to {most:g}")
        found[name] = value if whole else float(value)
    return settings._replace(**found)


def check_settings(changes: Mapping[str, float] | None) -> None:
    """Raise `InputError` for changes that no search would take, before anything is computed."""
    change_settings(SearchSettings(), {} if changes is None else changes)


def read_settings(path: Path) -> dict[str, float]:
    """The changes that a TOML file asks for, such as `blink = 0.02`; checked."""
    try:
        changes = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}, expected a TOML file of search settings") from None
    try:
        check_settings(changes)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return changes


def as_toml(settings: SearchSettings) -> str:
    """The settings as a TOML file that `read_settings` reads."""
    return "".join(f"{name} = {value!r}\n" for name, value in settings._asdict().items())


def has_long_routes(problem: "Problem") -> bool:
    """Whether moves of whole stretches are proposed beside ruin and recreate, from a start of their own.

    Ruin and recreate takes strings of up to ten customers from a route. From LONG_ROUTE customers a route on
    that is too little to turn a stretch around or to hand a cluster to another route. It is a switch and not
    a smooth change, because such moves are proposed or not, and the high first temperature, the tour as a
    start and quadrant neighbours are there for them alone. Their deltas need symmetric distances and no
    pairs.
    """
    plain = not problem.has_pairs and problem.symmetric
    return plain and problem.num_nodes - problem.num_depots >= LONG_ROUTE * problem.num_vehicles


def settings_for(problem: "Problem", iterations: float = inf) -> SearchSettings:
    """The defaults for an instance and a budget, found on instances of other seeds than the published sets.

    Last temperature: lower the longer routes are, higher up to 100 customers. Ruins: smaller from 100 to
    150 customers on, as twice as many then fit into the time. Excess: a high price serves one depot, and
    hinders where routes have depots of their own or pairs. Pairs: the total length counts more; on small
    instances runs often end in different solutions, so two cooling cycles beat one; on longer routes shorter
    strings from more routes find the best solution more often. Short routes: the one that has slack for a
    customer may be a few routes away, so more neighbours are tried. Long routes: whole stretches
    have to change their routes, so moves of stretches are proposed, from a temperature on at which they are
    accepted (a switch, see `has_long_routes`; between small and large all else changes smoothly). With many
    customers and few iterations for each, annealing begins where the start is not lost, and several short
    cycles, with each route shortened by kicks in between, are better than one.
    Asymmetric distances, and tiny instances: greedy insertion alone may never reach the optimum, so the
    cheapest position is overlooked at times, and stretches move as they are.
    """
    customers = problem.num_nodes - problem.num_depots
    per_route = customers / problem.num_vehicles
    plain = problem.num_depots == 1 and not problem.has_pairs
    long, tiny = has_long_routes(problem), customers <= TINY
    effort = iterations / customers
    cycles = int(min(MOST_CYCLES, effort / CYCLE_EFFORT)) if long and effort < inf else 1
    string = between(per_route, (12.0, 10.0), (18.0, 6.0)) if problem.has_pairs else 10.0
    return SearchSettings(
        first_temperature=_long_temperature(customers, effort) if long else 1.0,
        last_temperature=min(0.03, max(0.003, 3.0 / customers)),
        reheat=_pair_reheat(customers) if problem.has_pairs else REHEAT if cycles > 1 else 1.0,
        cycles=cycles if cycles > 1 else 2,
        polish_kicks=KICK_SHARE * effort / cycles if cycles > 1 else 0.0,
        mean_removed=between(customers, (100.0, 10.0), (150.0, 6.0)),
        max_string_length=string,
        excess_weight=100.0 if plain else 30.0 if problem.has_pairs else 10.0,
        mean_length_weight=0.2 if problem.has_pairs else 0.05,
        blink=0.2 if tiny else 0.01,
        overlook=0.2 if tiny else 0.0 if problem.symmetric else 0.01,
        stretch_share=0.3 if tiny else 0.0 if problem.symmetric else 0.1,
        num_neighbours=round(between(per_route, (25.0, 45.0), (36.0, 20.0))),
        two_opt_proposals=4 if long else 0,
        cross_proposals=1 if long else 0,
        depot_share=DEPOT_SHARE if long and problem.num_depots > 1 else 0.0,
    )


def _long_temperature(customers: int, effort: float) -> float:
    """Hot where there are few customers, or many iterations for each: otherwise the start would be lost."""
    by_size = between(customers, (300.0, 4.0), (1000.0, 0.3))
    return max(by_size, between(effort, (2000.0, 0.3), (20000.0, 4.0)))


def _pair_reheat(customers: int) -> float:
    return between(customers, (100.0, 0.3), (150.0, 1.0))


def between(size: float, small: tuple[float, float], large: tuple[float, float]) -> float:
    """A setting that is `small[1]` up to size `small[0]`, `large[1]` from `large[0]` on, and in between
    changes with the logarithm of the size."""
    share = log(max(size, 1e-300) / small[0]) / log(large[0] / small[0])
    return small[1] + (large[1] - small[1]) * min(1.0, max(0.0, share))
