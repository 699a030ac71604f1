"""A part of an instance as an instance of its own: some routes, their customers and some vehicles.

The search solves it like any other; `lift` puts the routes found back into the plan of the whole.
`restrict` makes an instance, which is prepared anew; `part_of` cuts a part out of the kernels' view.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from .arrays.distances import Problem


@dataclass(frozen=True)
class Cutout:
    """Some customers with the routes that serve them now."""

    start: Solution
    node: NDArray[np.int64]
    """[D+n] the number of each node in the whole; depots keep theirs."""

    def lift(self, solution: Solution) -> tuple[Route, ...]:
        """Routes of the part as routes of the whole."""
        return _renumber(solution.routes, self.node)


@dataclass(frozen=True)
class Subproblem(Cutout):
    """A part of an instance."""

    instance: Instance


@dataclass(frozen=True)
class Part(Cutout):
    """A part of the kernels' view of an instance."""

    problem: Problem


def _renumber(routes: Sequence[Route], number: NDArray[np.int64]) -> tuple[Route, ...]:
    """The routes with other numbers for their customers; depots keep theirs."""
    other = number.tolist()
    return tuple(Route(r.start, tuple(other[c] for c in r.customers), r.end) for r in routes)


def _nodes_of(routes: Sequence[Route], num_depots: int, num_nodes: int) -> tuple[NDArray[np.int64], ...]:
    """The depots and the customers of some routes, and the new number of every node, -1 outside."""
    customers = np.array(sorted(c for route in routes for c in route.customers), dtype=np.int64)
    node = np.concatenate([np.arange(num_depots), customers])
    new = np.full(num_nodes, -1, dtype=np.int64)
    new[node] = np.arange(len(node))
    return node, new


def restrict(
    instance: Instance, plan: Solution, chosen: Sequence[int], num_vehicles: int, others_wait: bool = True
) -> Subproblem:
    """The part of an instance that the `chosen` routes of a plan serve, for `num_vehicles` vehicles.

    The other routes stay as they are, so the vehicles that their depots need are not there for the part; nor
    are unused ones where other parts that are searched at the same time may take them (not `others_wait`).
    """
    inside = set(chosen)
    routes = [plan.routes[k] for k in chosen]
    node, new = _nodes_of(routes, instance.num_depots, instance.num_nodes)
    pairs = new[instance.pairs]
    fleet = instance.vehicles_per_depot
    if fleet is not None:
        outside = [route.start for k, route in enumerate(plan.routes) if k not in inside and route.customers]
        used = np.bincount([route.start for route in routes], minlength=len(fleet))
        fleet = fleet - np.bincount(outside, minlength=len(fleet)) if others_wait else used
        num_vehicles = min(num_vehicles, int(fleet.sum()))
    part = replace(
        instance,
        coordinates=instance.coordinates[node],
        num_vehicles=num_vehicles,
        pairs=pairs[(pairs >= 0).all(axis=1)] if len(pairs) else pairs,
        matrix=None if instance.matrix is None else instance.matrix[np.ix_(node, node)],
        vehicles_per_depot=fleet,
        service=None if instance.service is None else instance.node_service[node[instance.num_depots :]],
        names=None,
        latlon=None,
        kilometres=None,
    )
    return Subproblem(Solution(_renumber(routes, new)), node, part)


def part_of(
    problem: Problem, routes: Sequence[Route], num_vehicles: int, depot_limit: NDArray[np.int64]
) -> Part:
    """The part of a problem that some routes serve, for `num_vehicles` vehicles, at least one for each.

    Neighbour lists are those of the whole without the customers outside: much faster than `prepare`.
    """
    node, new = _nodes_of(routes, problem.num_depots, problem.num_nodes)
    square = np.ix_(node, node)
    of_nodes = (
        "x", "y", "cos_latitude", "service", "is_pickup", "alone_length", "to_depot", "from_depot",
        "end_depot", "near_depot",
    )  # fmt: skip
    taken = {name: getattr(problem, name)[node] for name in of_nodes}
    partner = problem.partner[node]
    partner = np.where(partner >= 0, new[partner], -1)
    requests = len(node) - problem.num_depots - int(taken["is_pickup"].sum())
    part = problem._replace(
        num_nodes=len(node),
        num_vehicles=min(num_vehicles, requests),
        matrix=problem.matrix if len(problem.matrix) == 1 else problem.matrix[square],
        via_depot=problem.via_depot if len(problem.via_depot) == 1 else problem.via_depot[square],
        neighbours=_inside(problem.neighbours[node], new, problem.num_depots),
        partner=partner,
        depot_limit=depot_limit,
        **taken,
    )
    return Part(Solution(_renumber(routes, new)), node, part)


def _inside(lists: NDArray[np.int64], new: NDArray[np.int64], num_depots: int) -> NDArray[np.int64]:
    """Neighbour lists without the customers outside; short ones are filled up with their last neighbour."""
    found = new[lists]
    count = (found >= 0).sum(axis=1)
    order = np.argsort(found < 0, axis=1, kind="stable")[:, : max(1, int(count.max()))]
    found = np.take_along_axis(found, order, axis=1)
    rows = np.arange(len(found))
    last = found[rows, np.maximum(count - 1, 0)]
    other = np.where(rows == num_depots, num_depots + 1, num_depots)  # any, where none is inside
    last = np.where(count > 0, last, np.minimum(other, len(found) - 1))
    return np.ascontiguousarray(np.where(np.arange(found.shape[1]) < count[:, None], found, last[:, None]))
