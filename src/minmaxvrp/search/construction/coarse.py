"""A smaller instance for long routes: stretches of a tour become single customers; its plans are expanded.

Which route serves which cluster is decided when few customers stand for many: there one step of annealing
moves a whole stretch, and a leg is long enough that the temperature allows it (multilevel refinement, Walshaw
2002). `tour_start` searches such instances for its starts.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...problem.instance import Instance
from ...problem.solution import Route, Solution

Ints = NDArray[np.int64]

LONGEST = 2.0
"""Longest stretch, as a multiple of their mean length: a whole cluster must not become one."""
CHORD_SHARE = 0.35
"""Of the way from end to end of a stretch that is not counted as service: a route that goes on in its
direction drives that part on its way between the middles of stretches."""


class Coarse(NamedTuple):
    """A smaller instance, and what its customers stand for."""

    instance: Instance
    stretches: list[Ints]
    """Customers that each customer of the smaller instance stands for, in order; the first one is node D."""


def coarsen(instance: Instance, tour: Ints, count: int) -> Coarse:
    """The instance with about `count` customers, each a stretch of a tour through all of them.

    The shortest legs of the tour are joined first. A stretch stands where its middle customer does; driving
    through it is service.
    """
    stretches = _stretches(instance, tour, count)
    own, service = instance.node_service, np.zeros(len(stretches))
    for number, stretch in enumerate(stretches):
        inner = float(instance.distance(stretch[:-1], stretch[1:]).sum())
        chord = float(instance.distance(stretch[0], stretch[-1]))
        service[number] = max(0.0, inner - CHORD_SHARE * chord) + own[stretch].sum()
    middles = np.array([stretch[len(stretch) // 2] for stretch in stretches])
    node = np.concatenate([np.arange(instance.num_depots), middles])
    smaller = replace(
        instance,
        coordinates=instance.coordinates[node],
        matrix=None if instance.matrix is None else instance.matrix[np.ix_(node, node)],
        service=service,
        names=None,
        latlon=None,
        kilometres=None,
    )
    return Coarse(smaller, stretches)


def _stretches(instance: Instance, tour: Ints, count: int) -> list[Ints]:
    """The tour cut at its longest legs into at least `count` stretches, none of them very long."""
    size = len(tour)
    leg = np.asarray(instance.distance(tour, np.roll(tour, -1)))
    most = LONGEST * float(leg.sum()) / count
    other_end, length, joined = np.arange(size), np.zeros(size), np.zeros(size, dtype=bool)
    left = size
    for place in np.argsort(leg, kind="stable").tolist():  # both tables are kept up to date at ends only
        end, begin = place, (place + 1) % size
        first, last = int(other_end[end]), int(other_end[begin])
        together = length[end] + length[begin] + leg[place]
        if left <= max(2, count):
            break
        if together > most or first == begin:
            continue
        other_end[first], other_end[last] = last, first
        length[first] = length[last] = together
        joined[place] = True
        left -= 1
    turn = -(int(np.flatnonzero(~joined)[0]) + 1)
    return list(np.split(np.roll(tour, turn), np.flatnonzero(~np.roll(joined, turn)[:-1]) + 1))


def expand(instance: Instance, coarse: Coarse, plan: Solution) -> Solution:
    """A plan of the smaller instance as one of the whole: each stretch from the end that is nearer."""
    routes = []
    for route in plan.routes:
        customers: list[int] = []
        for node in route.customers:
            stretch = coarse.stretches[node - instance.num_depots]
            at = customers[-1] if customers else route.start
            if instance.distance(at, stretch[-1]) < instance.distance(at, stretch[0]):
                stretch = stretch[::-1]
            customers += stretch.tolist()
        routes.append(Route(route.start, tuple(customers), route.end))
    return Solution(tuple(routes))
