"""The mutable form of a solution inside the search: linked lists with lengths and an undo log.

Every vehicle has two sentinels, one for its start and one for its end depot, so that linking and
unlinking need no special cases. Lengths are in the search's own unit (see `metric`), service
included. A few arrays with named rows hold everything, because a kernel's call costs time for each
array; rows first, because then the row's offset is computed once, outside of loops.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# rows of `Routes.link`: the next and the previous entry, whose route it is on (taken out: M),
# and its node: itself, or the depot of a sentinel
AFTER, BEFORE, VEHICLE, PLACE = range(4)
# rows of `Routes.best`
BEST_AFTER, BEST_PLACE = range(2)
# rows of `Routes.fleet`: number of customers, where in FREE_LIST it is if it has none, the step that
# touched it last and its depots before, whether it changed since the best solution was kept, the call of
# `estimate_routes` that saw it last; and three lists that use the columns as places: unused vehicles, touched
# ones, those that `estimate_routes` saw
SIZE, FREE_AT, STAMP, WAS_START, WAS_END, DIRTY, MARK, FREE_LIST, TOUCHED_LIST, SEEN = range(10)
# rows of `Routes.log` and `Routes.log_leg`: customers taken out and put in, and behind which entry
OUT, OUT_AT, PUT, PUT_AT = range(4)
# entries of `Routes.num`: how many there are of each, the number of the step, the last improving one,
# how often `estimate_routes` was called
REMOVED, INSERTED, TOUCHED, FREE, REQUESTS, CLOCK, IMPROVED, CALLS = range(8)
# entries of `Routes.value`: the best makespan, the length above which insertion costs extra, how much
BEST, THRESHOLD, WEIGHT = range(3)
OFF = -1e300
"""The leg of a customer on no route: behind it every insertion is too dear to be chosen."""


class Routes(NamedTuple):
    """All arrays of one search; M vehicles, n = D+N nodes, n+2M entries.

    Entry v of the vehicles starts at n+v and ends at n+M+v.
    """

    link: Ints
    """[4, n+2M]"""
    leg: Floats
    """[n+2M] distance to the next entry; 0 for an empty route, `OFF` for a customer taken out."""
    fleet: Ints
    """[10, M]"""
    length: Floats
    """[M+1] the last one, for customers taken out, is 0."""
    was: Floats
    """[M] length of a touched route before the step."""
    best: Ints
    """[2, n+2M] the best solution."""
    log: Ints
    """[4, n]"""
    log_leg: Floats
    """[4, n] the legs of the logged entries before the change."""
    requests: Ints
    """[n] customers to insert again; a pair is named by its pickup."""
    key: Floats
    """[n] what they are sorted by."""
    estimate: Floats
    """[2, M] insertion prices that `estimate_routes` expects; scratch."""
    used: Ints
    """[D] how many non-empty routes start at each depot."""
    top: Ints
    """Tournament of the vehicles by length: top[1] is the longest route."""
    num: Ints
    value: Floats
    rng: NDArray[np.uint64]


def blank(num_nodes: int, num_depots: int, num_vehicles: int, rng: NDArray[np.uint64]) -> Routes:
    """Arrays of the right shape, still to be filled."""
    entries = num_nodes + 2 * num_vehicles
    leaves = 1 << max(0, num_vehicles - 1).bit_length()

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    link = ints(4, entries)
    link[PLACE, :] = np.arange(entries)
    return Routes(
        link=link,
        leg=np.zeros(entries),
        fleet=ints(10, num_vehicles),
        length=np.zeros(num_vehicles + 1),
        was=np.zeros(num_vehicles),
        best=ints(2, entries),
        log=ints(4, num_nodes),
        log_leg=np.zeros((4, num_nodes)),
        requests=ints(num_nodes),
        key=np.zeros(num_nodes),
        estimate=np.zeros((2, num_vehicles)),
        used=ints(num_depots),
        top=ints(2 * leaves),
        num=ints(8),
        value=np.zeros(3),
        rng=rng,
    )
