"""Which routes of a very large plan are improved together: small groups of neighbours around the longest.

`decompose` makes each group an instance of its own. Two routes are neighbours where customers of one are
among the nearest of customers of the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..problem.distance import Distance
from ..problem.instance import Instance
from ..problem.solution import Solution

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGE = 5_000
"""Customers from which on a plan is always improved by groups of routes."""
MEDIUM = 900
"""Customers from which on it is if a budget is short, see `EFFORT`."""
EFFORT = (400.0, 1_000.0)
"""Iterations per customer up to which a budget is short, for one worker and for several: with more, the
search of the whole plan is as good or better, and several workers search it with seeds of their own."""
LONG = 30
"""Customers a route from which on that pays: many short routes are searched at once."""
LEAST_VEHICLES = 4
"""Below, a group would be about the whole plan."""
LEAST_SHARE = 0.5
"""Of the way to the farthest customer and back that a vehicle's share of a tour must have."""
SAMPLE = 1_000
"""Customers that the length of a tour is estimated by."""
MOST_CUSTOMERS = 4_500
"""Of a group, unless two routes have more already."""
MOST_SHARE = 0.5
"""Of all customers that the groups of all workers have together, unless two routes have more already."""
MOST_ROUTES = 12
"""Of a group."""
BESIDE = 8
"""Nearest customers whose routes are neighbours."""

NO_BORDER, NO_SLACK = 0.1, 0.2
"""Added to the border of a route, in customers, and to its slack, as a share, when a group's next route is
drawn: so that none is out of reach."""


def by_groups(instance: Instance, iterations: float, workers: int = 1) -> bool:
    """Whether a plan is improved by groups, within a budget of about so many iterations of each worker."""
    short = iterations <= EFFORT[workers > 1] * instance.num_customers
    return is_large(instance, MEDIUM if short else LARGE)


def is_large(instance: Instance, least: int | None = None) -> bool:
    """Whether an instance has `least` customers (`LARGE`) with coordinates on several long routes, no pairs.

    Pairs reach far beyond a group, and the search as a whole is better there. Where the way to the farthest
    customer and back is long compared with a route's share of a tour, the
    search as a whole soon meets that bound.
    """
    customers, vehicles = instance.num_customers, instance.num_vehicles
    long = customers >= LONG * vehicles and vehicles >= LEAST_VEHICLES
    if (
        customers < (LARGE if least is None else least)
        or not long
        or len(instance.pairs)
        or instance.kind is Distance.MATRIX
    ):
        return False
    return _tour_length(instance) / vehicles >= LEAST_SHARE * _farthest(instance)


def _tour_length(instance: Instance) -> float:
    """About the length of a tour of all customers, on the plane.

    With uniform density it is 0.7124·√(N·area) (Johnson and McGeoch 1997), and the nearest neighbour is
    0.5·√(area/N) away on average.
    """
    from scipy.spatial import cKDTree

    plane = instance.plane[instance.num_depots :]
    some = plane[:: max(1, len(plane) // SAMPLE)]
    away, _ = cKDTree(plane).query(some, k=2)
    return 2.0 * 0.7124 * len(plane) * float(away[:, 1].mean())


def _farthest(instance: Instance) -> float:
    """The longest of the ways from each customer to its nearest depot and back, on the plane."""
    depots, plane = instance.num_depots, instance.plane[instance.num_depots :]
    nearest = np.full(len(plane), np.inf)
    for depot in instance.plane[:depots]:
        np.minimum(nearest, np.hypot(*(plane - depot).T), out=nearest)
    return 2.0 * float(nearest.max())


class Borders(NamedTuple):
    """How much border pairs of neighbouring routes have in common; memory linear in the number of pairs."""

    first: Ints
    """[M + 1] where the neighbours of each route begin."""
    other: Ints
    """Neighbouring routes, one list after the other."""
    shared: Ints
    """How many customers are near the other route."""


def find_borders(neighbours: Ints, plan: Solution) -> Borders:
    """The borders of the routes of a plan; `neighbours` [D+N, k] are the nearest customers of each node."""
    num_routes = len(plan.routes)
    customers = np.concatenate([np.asarray(route.customers, dtype=np.int64) for route in plan.routes])
    route_of = np.full(len(neighbours), -1, dtype=np.int64)
    route_of[customers] = np.repeat(np.arange(num_routes), [len(route) for route in plan.routes])
    own = route_of[customers][:, None]
    other = route_of[neighbours[customers, :BESIDE]]
    across = own != other
    one, two = np.broadcast_to(own, other.shape)[across], other[across]
    pairs, count = np.unique(
        np.concatenate([one * num_routes + two, two * num_routes + one]), return_counts=True
    )
    first = np.searchsorted(pairs, np.arange(num_routes + 1) * num_routes)
    return Borders(first, pairs % num_routes, count)


def most_customers(num_customers: int, workers: int) -> int:
    """How many customers a group may have, if it has more than two routes."""
    return min(MOST_CUSTOMERS, int(MOST_SHARE * num_customers / workers))


def holds_all(sizes: Ints, workers: int) -> bool:
    """Whether groups of the usual size, one for each worker, hold all routes, at least two each."""
    return len(sizes) >= 2 * workers and int(sizes.sum()) <= workers * MOST_CUSTOMERS


def choose_groups(
    borders: Borders, lengths: Floats, sizes: Ints, most: int, count: int, rng: np.random.Generator
) -> list[list[int]]:
    """Up to `count` disjoint groups of two routes, or of more that have at most `most` customers together.

    The longest routes come first. Neighbours join them by the length of their common border and by their
    slack, with chance in it so that groups differ from round to round.
    """
    free = np.ones(len(lengths), dtype=bool)
    share = _slack(lengths)
    groups: list[list[int]] = []
    for seed in np.argsort(-lengths, kind="stable").tolist():
        if len(groups) == count or free.sum() < 2:
            break
        if free[seed]:
            groups.append(_grow(borders, share, sizes, most, free, seed, rng))
    return groups


def _slack(lengths: Floats) -> Floats:
    """How much shorter than the longest each is: 0 for the longest, 1 for the shortest."""
    longest = float(lengths.max())
    return (longest - lengths) / max(longest - float(lengths.min()), 1e-300 + 1e-12 * longest)


def _grow(
    borders: Borders,
    share: Floats,
    sizes: Ints,
    most: int,
    free: NDArray[np.bool_],
    seed: int,
    rng: np.random.Generator,
) -> list[int]:
    """A group around a route; its members are free no longer."""
    group, score = [seed], np.zeros(len(free))
    free[seed] = False
    while len(group) < MOST_ROUTES:
        around = slice(borders.first[group[-1]], borders.first[group[-1] + 1])
        np.add.at(score, borders.other[around], borders.shared[around])
        candidates = np.flatnonzero(free & (score > 0))
        if not len(candidates) and len(group) == 1:
            candidates = np.flatnonzero(free)  # an island: any other route may help
        if not len(candidates):
            break
        liked = (NO_BORDER + score[candidates]) * (NO_SLACK + share[candidates]) * rng.random(len(candidates))
        best = int(candidates[np.argmax(liked)])
        if len(group) > 1 and sizes[[*group, best]].sum() > most:
            break
        group.append(best)
        free[best] = False
    return group


def share_out(
    borders: Borders, sizes: Ints, count: int, rng: np.random.Generator, lengths: Floats | None = None
) -> list[list[int]]:
    """All routes in `count` groups of neighbours with about as many customers, of two routes at least.

    There must be twice as many routes as groups. With `lengths` each group is grown around the longest route
    that is free, and those with slack are more likely to join it.
    """
    free = np.ones(len(sizes), dtype=bool)
    slack = np.ones(len(sizes)) if lengths is None else NO_SLACK + _slack(lengths)
    groups: list[list[int]] = []
    for later in range(count - 1, 0, -1):
        aim = sizes[free].sum() / (later + 1)
        left = np.flatnonzero(free)
        first = rng.choice(left) if lengths is None else left[np.argmax(lengths[left])]
        group, score = [int(first)], np.zeros(len(sizes))
        free[group[0]] = False
        while free.sum() > 2 * later:
            around = slice(borders.first[group[-1]], borders.first[group[-1] + 1])
            np.add.at(score, borders.other[around], borders.shared[around])
            candidates = np.flatnonzero(free)
            liked = (NO_BORDER + score[candidates]) * slack[candidates] * rng.random(len(candidates))
            best = int(candidates[np.argmax(liked)])
            if len(group) > 1 and sizes[group].sum() + 0.5 * sizes[best] > aim:
                break
            group.append(best)
            free[best] = False
        groups.append(group)
    return [*groups, np.flatnonzero(free).tolist()]
