"""The exact optimum of a handful of requests, by dynamic programming over sets of stops.

Serves `subset.py` and `fleet_subset.py`, which choose the requests. First the shortest route of every set of
requests (Held and Karp 1962), then the partition of all requests into M sets whose longest route is shortest.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats

Indices = NDArray[np.int64]


def least_makespan(
    between: Floats,
    begin: Floats,
    finish: Floats,
    service: Floats,
    num_pairs: int,
    num_vehicles: int,
    at_least: float = 0.0,
) -> float:
    """The least makespan of r requests: the last `num_pairs` are pairs, the others plain customers.

    Stops are numbered: first stops of the requests, then deliveries of the pairs. `between` [s, s] is the
    length of the path from stop to stop, `service` [r] the service of each request. `begin` and `finish`
    [A, s] hold choices for the ends of a route: with choice a the path to the first stop i is `begin[a, i]`,
    that from its last stop j is `finish[a, j]`. Returns 0 if the makespan is below `at_least`.
    """
    tables = set_tables(len(service) - num_pairs, num_pairs)
    travel = shortest_routes(between, begin, tables)
    length: Floats = (travel + finish[:, :, None]).min(axis=(0, 1))
    length[0] = 0.0
    length += tables.contains @ service
    if not _partition(length >= at_least, num_vehicles, tables):
        return 0.0
    return float(_partition(length, num_vehicles, tables))


def shortest_routes(between: Floats, begin: Floats, tables: "SetTables") -> Floats:
    """[A, last stop, 2^r] the shortest path through each set of whole requests, which ends at a stop of it.

    `between` and `begin` are those of `least_makespan`; infinite where the set does not contain the stop.
    """
    # the states are the last axis, so that minima over stops run along memory
    best = np.full((len(begin), len(between), tables.num_states), np.inf)
    state, stop = tables.singles
    best[:, stop, state] = begin[:, stop]
    for source, target, stop in tables.layers:
        longer = best.take(source, axis=2)
        longer += between.take(stop, axis=1)
        best[:, stop, target] = longer.min(axis=1)
    return best.take(tables.closed, axis=2)


Values = TypeVar("Values", Floats, NDArray[np.bool_])


def _partition(length: Values, num_vehicles: int, tables: "SetTables") -> Any:
    """Least makespan of all requests with `num_vehicles`; `length`: the shortest route of each set.

    With booleans for lengths (is the route of this set too long?) the answer is a boolean: is every
    partition too long?

    The binary digits of M say how to get from 1 vehicle to M by doubling and by adding one. A set split in
    two parts, each at its best with a and b vehicles, gives its best with a + b.
    """

    def longer(one: Values, other: Values, split: int) -> Values:
        """Makespan of each split from number `split` on: the longer of its two parts."""
        return np.maximum(one.take(tables.part[split:]), other.take(tables.rest[split:]))

    best = length
    steps = "".join("2" + digit.strip("0") for digit in bin(num_vehicles)[3:])  # 2: double, 1: one more
    for step in steps[:-1]:
        one = best if step == "2" else length
        more = np.zeros_like(length)
        np.minimum.reduceat(longer(one, best, 0), tables.groups, out=more[1:])
        best = more
    if not steps:
        return best[-1]
    return longer(best if steps[-1] == "2" else length, best, int(tables.groups[-1])).min()


@dataclass(frozen=True, slots=True)
class SetTables:
    """Numbering of the sets of stops that a route can have visited, and how they grow by one stop."""

    num_states: int
    singles: tuple[Indices, Indices]
    """State and stop of the sets of one stop."""
    layers: tuple[tuple[Indices, Indices, Indices], ...]
    """For sets of 2, 3, … stops: the state before, the state after, the stop that was added."""
    closed: Indices
    """[2^r] the state of each set of whole requests."""
    contains: Floats
    """[2^r, r] 1 where a set contains a request."""
    part: Indices
    """Every split of every set but the empty one: the part with the set's first request …"""
    rest: Indices
    """… and the rest."""
    groups: Indices
    """[2^r - 1] where the splits of each set begin."""


@lru_cache(maxsize=64)
def set_tables(num_plain: int, num_pairs: int) -> SetTables:
    """Tables for plain customers, then pickups, then deliveries in the order of the pickups."""
    num_requests, num_stops = num_plain + num_pairs, num_plain + 2 * num_pairs
    masks = np.arange(2**num_stops)
    bits = masks[:, None] >> np.arange(num_stops) & 1  # [2^s, s]
    possible: NDArray[np.bool_] = np.asarray(
        (bits[:, num_requests:] <= bits[:, num_plain:num_requests]).all(axis=1)
    )
    state = np.cumsum(possible) - 1
    sizes = bits.sum(axis=1)
    layers = []
    for size in range(1, num_stops + 1):
        target, stop = np.nonzero(bits * (possible & (sizes == size))[:, None])
        source = target - (1 << stop)
        allowed = possible[source]
        layers.append((state[source[allowed]], state[target[allowed]], stop[allowed]))
    sets = np.arange(2**num_requests)
    return SetTables(
        int(possible.sum()),
        (layers[0][1], layers[0][2]),
        tuple(layers[1:]),
        state[sets | sets >> num_plain << num_requests],
        (sets[:, None] >> np.arange(num_requests) & 1).astype(np.float64),
        *_splits(num_requests),
    )


def _splits(num_requests: int) -> tuple[Indices, Indices, Indices]:
    """All splits of all sets of requests in two; the part with the first request is never empty."""
    part: list[int] = []
    rest: list[int] = []
    groups: list[int] = []
    for whole in range(1, 2**num_requests):
        groups.append(len(part))
        lowest = whole & -whole
        extra = others = whole ^ lowest
        while True:
            part.append(lowest | extra)
            rest.append(others ^ extra)
            if extra == 0:
                break
            extra = (extra - 1) & others
    return np.array(part), np.array(rest), np.array(groups)
