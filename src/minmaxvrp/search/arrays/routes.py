"""The mutable form of a solution inside the search: doubly linked lists with lengths and an undo log.

Every vehicle has two sentinels, one for its start and one for its end depot, so that linking and unlinking
need no special cases. An *entry* is a customer (by its node number) or a sentinel. Lengths are in search
units (see `distances`), service included.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Fields = TypeVar("Fields")

INFINITE = 1e300
"""Longer than any route: what the search for a cheapest position begins with. A finite number, see `OFF`."""
OFF = -INFINITE
"""The leg of a removed customer, a sentinel: an insertion behind it costs `INFINITE` and is never chosen."""


class Scalars:
    """Single numbers of a search: a numpy record, which kernels read and write by name."""

    num_removed: int
    """Entries of the undo log."""
    num_inserted: int
    num_touched: int
    num_free: int
    """Vehicles without customers."""
    num_requests: int
    """Requests (a customer, or a pair) still to be inserted."""
    step: int
    """Number of the current ruin-and-recreate step."""
    improved_at: int
    """The iteration, counted from 1, that found the best solution."""
    num_estimates: int
    """How often `estimate_routes` was called."""
    best: float
    """Makespan of the incumbent, the best solution so far."""
    threshold: float
    """Route length above which insertion costs extra."""
    excess_weight: float
    """How much, per unit of length."""


class Routes(NamedTuple):
    """All arrays of one search; M vehicles, n = D+N nodes, n+2M entries.

    The start sentinel of vehicle v is entry n+v, its end sentinel n+M+v.
    """

    after: Ints
    """[n+2M] the next entry on the route."""
    before: Ints
    """[n+2M] the previous entry; a removed customer is its own predecessor."""
    vehicle: Ints
    """[n+2M] whose route it is on; M for a removed customer."""
    node: Ints
    """[n+2M] the entry's node: itself, or the depot of a sentinel."""
    leg: Floats
    """[n+2M] distance to the next entry; 0 on an empty route, `OFF` for a removed customer."""
    best_after: Ints
    """[n+2M] `after` in the incumbent."""
    best_node: Ints
    """[n+2M] `node` in the incumbent."""
    size: Ints
    """[M] number of customers."""
    length: Floats
    """[M+1] length of each route; the last one, for removed customers, is 0."""
    length_before: Floats
    """[M] length of a touched route before the step."""
    start_before: Ints
    """[M] start depot of a touched route before the step."""
    end_before: Ints
    """[M] its end depot."""
    touched_step: Ints
    """[M] the step that touched the route last."""
    touched_vehicles: Ints
    """[M] the vehicles that the step has touched; a list."""
    changed: Ints
    """[M] 1 if the route differs from that of the incumbent."""
    free_vehicles: Ints
    """[M] the vehicles without customers; a stack."""
    free_position: Ints
    """[M] where on that stack a vehicle is."""
    candidates: Ints
    """[M] the candidate routes of `estimate_routes`; a list."""
    estimate_call: Ints
    """[M] the call of `estimate_routes` that saw the route last."""
    estimate: Floats
    """[2, M] insertion prices that `estimate_routes` expects; scratch."""
    removed: Ints
    """[n] undo log: customers removed by the step, in order."""
    removed_at: Ints
    """[n] the entry that each of them followed."""
    removed_leg: Floats
    """[n] the leg behind it."""
    removed_leg_into: Floats
    """[n] the leg before it."""
    inserted: Ints
    """[n] undo log: customers inserted by the step, in order."""
    inserted_at: Ints
    """[n] the entry that each of them follows."""
    inserted_leg: Floats
    """[n] the leg that it broke up."""
    requests: Ints
    """[n] requests to insert; a pair is named by its pickup."""
    key: Floats
    """[n] what they are sorted by."""
    used: Ints
    """[D] how many non-empty routes start at each depot."""
    tournament: Ints
    """Tournament tree of the vehicles by length: tournament[1] has the longest route."""
    state: Scalars
    rng: NDArray[np.uint64]
    """State of the random numbers, see `random_numbers`."""


def blank(num_nodes: int, num_depots: int, num_vehicles: int, rng: NDArray[np.uint64]) -> Routes:
    """Arrays of the right shape, still to be filled."""
    entries = num_nodes + 2 * num_vehicles
    leaves = 1 << max(0, num_vehicles - 1).bit_length()
    sizes = dict.fromkeys(("after", "before", "vehicle", "node", "leg", "best_after", "best_node"), entries)
    sizes |= dict.fromkeys(("requests", "key"), num_nodes)
    sizes |= {name: num_nodes for name in Routes._fields if name.startswith(("removed", "inserted"))}
    sizes |= {"length": num_vehicles + 1, "used": num_depots, "tournament": 2 * leaves}
    floats = [name for name, kind in Routes.__annotations__.items() if kind is Floats]
    arrays: dict[str, Any] = {
        name: np.zeros(sizes.get(name, num_vehicles), dtype=np.float64 if name in floats else np.int64)
        for name in Routes._fields
    }
    arrays["node"][:] = np.arange(entries)
    arrays |= {"estimate": np.zeros((2, num_vehicles)), "rng": rng, "state": record(Scalars)}
    return Routes(**arrays)


def record(kind: type[Fields]) -> Fields:
    """A numpy record of zeros with the int and float fields of a class."""
    types = {int: np.int64, float: np.float64}
    fields = [(name, types[of]) for name, of in kind.__annotations__.items()]
    made: Fields = np.zeros(1, np.dtype((np.record, fields)))[0]
    return made
