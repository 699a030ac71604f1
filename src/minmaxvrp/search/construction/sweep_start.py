"""A start for long routes of one depot: wedges around it, each served by a short round trip.

`large_start` and `tour_start` try it beside tours that are cut. Sweep (Gillett and Miller 1974): where a
route has hundreds of customers, a wedge from the depot outwards is still wide enough for a short tour, and
nothing is driven only to reach it. The cuts follow the lengths: each wedge is made a round trip by 3-opt and
kicks, then the wedges are cut anew so that the trips become equally long.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...problem.check import route_lengths
from ...problem.instance import Instance
from ...problem.solution import Route, Solution
from ..arrays.distances import MATRIX, Problem
from ..arrays.neighbours import nearest_points
from ..arrays.random_numbers import random_stream
from ..tours.giant_tour import LEAST, giant_tour, kick, shorten
from .construct import places_along_curve

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or that of a pool of threads."""

ROUNDS = 8
"""How often the wedges are cut."""
KICKS = 0.5
"""Per customer in each round: lengths of local optima alone would differ by chance."""
NEAR = 16
"""Nearest nodes of its trip that a node may be joined to; with fewer the depot often stays apart."""
SPAN = 10
"""Longest stretch that a kick of a trip moves: short ones are repaired sooner."""
STREAM = 1 << 21
"""Number of the first stream of random numbers: no worker has it."""


def sweep_starts(
    instance: Instance, problem: Problem, seed: int, over: Callable[[], bool], run: Map = map
) -> Iterator[Solution]:
    """A plan after each round, one route for each wedge; `problem` is the kernels' view of the instance.

    Lengths become more and more equal, with some chance in it. Between rounds `over` says whether time is up.
    `run` may shorten several trips at a time.
    """
    customers = _by_angle(instance)
    rank = places_along_curve(instance)
    weight, plan = np.ones(len(customers)), Solution(())
    for number in range(ROUNDS):
        bounds = _cut(weight, instance.num_vehicles).tolist()
        parts = [customers[a:b] for a, b in itertools.pairwise(bounds) if b > a]
        key = _order_of_plan(problem.neighbours, plan, parts, rank) if plan.routes else rank
        parts = [part[np.argsort(key[part], kind="stable")] for part in parts]
        plan = shorten_trips(instance, problem, parts, KICKS, seed + number, run)
        yield plan
        if over():
            return
        sizes = [len(part) for part in parts]
        weight = np.repeat(route_lengths(instance, plan) / sizes, sizes)


def _order_of_plan(neighbours: Ints, plan: Solution, parts: list[Ints], rank: Ints) -> Floats:
    """[D+N] by what the customers of each part are sorted to begin with: the order of the last plan.

    A customer that is new in its part comes behind its nearest neighbour that is not. Where few stay, the
    whole part is sorted by `rank`.
    """
    old, new = np.full((2, len(neighbours)), -1)
    position = np.zeros(len(neighbours))
    for number, (route, part) in enumerate(zip(plan.routes, parts, strict=False)):
        old[list(route.customers)], new[part] = number, number
        position[list(route.customers)] = np.arange(len(route))
    for number, part in enumerate(parts[len(plan.routes) :], len(plan.routes)):
        new[part] = number
    stays = old == new
    moved = np.flatnonzero(~stays)
    near = neighbours[moved]
    beside = stays[near] & (new[near] == new[moved][:, None])
    nearest = near[np.arange(len(moved)), np.argmax(beside, axis=1)]
    position[moved] = np.where(beside.any(axis=1), position[nearest] + 0.5, np.inf)
    for part in parts:
        if 2 * int(stays[part].sum()) < len(part):
            position[part] = rank[part]
    return position


def shorten_trips(
    instance: Instance, problem: Problem, parts: Iterable[Ints], kicks: float, seed: int, run: Map = map
) -> Solution:
    """A round trip from the depot through each part, shortened by local search and `kicks` per customer."""
    plane = instance.plane
    shorter = partial(_shorten_numbered, problem, plane, kicks, seed)
    return Solution(tuple(Route.of(trip.tolist()) for trip in run(shorter, enumerate(parts))))


def _shorten_numbered(
    problem: Problem, plane: Floats, kicks: float, seed: int, numbered: tuple[int, Ints]
) -> Ints:
    number, customers = numbered
    return shorten_trip(problem, plane, customers, kicks, random_stream(seed, STREAM + number))


def shorten_trip(
    problem: Problem, plane: Floats, customers: Ints, kicks: float, rng: NDArray[np.uint64]
) -> Ints:
    """The customers in the order of a shorter round trip from depot 0."""
    if len(customers) < LEAST:
        return customers
    node = np.concatenate([[0], customers])
    part = problem._replace(
        x=problem.x[node],
        y=problem.y[node],
        cos_latitude=problem.cos_latitude[node],
        matrix=problem.matrix[np.ix_(node, node)] if problem.formula == MATRIX else problem.matrix,
        num_nodes=len(node),
    )
    tour = giant_tour(np.arange(len(node)), nearest_points(plane[node], NEAR), rng, SPAN)
    shorten(part, tour)
    kick(part, tour, int(kicks * len(customers)))
    order = np.roll(tour.order, -int(tour.place[0]))
    return node[order[1:]]


def _by_angle(instance: Instance) -> Ints:
    """Customers by their angle around the depot, from the widest gap on."""
    away = instance.plane[1:] - instance.plane[0]
    angle = np.arctan2(away[:, 1], away[:, 0])
    order = np.argsort(angle, kind="stable")
    angle = angle[order]
    gap = np.diff(angle, append=angle[0] + 2.0 * np.pi)
    return np.roll(order + 1, -(int(np.argmax(gap)) + 1))


def _cut(weight: Floats, num_parts: int) -> Ints:
    """[num_parts + 1] where parts of about equal weight begin, and where the last one ends."""
    total = np.cumsum(weight)
    bounds = np.searchsorted(total, total[-1] * np.arange(num_parts + 1) / num_parts)
    bounds[0], bounds[-1] = 0, len(weight)
    return np.asarray(bounds, dtype=np.int64)
