"""A part of an instance as an instance of its own: some routes, their customers and some vehicles.

The search solves it like any other; `lift` puts the routes found back into the plan of the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..problem.instance import Instance
from ..problem.solution import Route, Solution


@dataclass(frozen=True)
class Subproblem:
    """Some customers of an instance with the routes that serve them now."""

    instance: Instance
    start: Solution
    node: NDArray[np.int64]
    """[D+n] the number of each node in the whole instance; depots keep theirs."""

    def lift(self, solution: Solution) -> tuple[Route, ...]:
        """Routes of the part as routes of the whole."""
        number = self.node.tolist()
        return tuple(
            Route(route.start, tuple(number[c] for c in route.customers), route.end)
            for route in solution.routes
        )


def restrict(instance: Instance, plan: Solution, chosen: Sequence[int], num_vehicles: int) -> Subproblem:
    """The part of an instance that the `chosen` routes of a plan serve, for `num_vehicles` vehicles.

    The other routes stay as they are, so the vehicles that their depots need are not there for the part.
    """
    inside = set(chosen)
    routes = [plan.routes[k] for k in chosen]
    customers = np.array(sorted(c for route in routes for c in route.customers), dtype=np.int64)
    node = np.concatenate([np.arange(instance.num_depots), customers])
    new = np.full(instance.num_nodes, -1, dtype=np.int64)
    new[node] = np.arange(len(node))
    pairs = new[instance.pairs]
    fleet = instance.vehicles_per_depot
    if fleet is not None:
        fleet = fleet.copy()
        for k, route in enumerate(plan.routes):
            if k not in inside and route.customers:
                fleet[route.start] -= 1
        num_vehicles = min(num_vehicles, int(fleet.sum()))
    part = replace(
        instance,
        coordinates=instance.coordinates[node],
        num_vehicles=num_vehicles,
        pairs=pairs[(pairs >= 0).all(axis=1)] if len(pairs) else pairs,
        matrix=None if instance.matrix is None else instance.matrix[np.ix_(node, node)],
        vehicles_per_depot=fleet,
        service=None if instance.service is None else instance.node_service[customers],
        names=None,
        latlon=None,
        kilometres=None,
    )
    start = Solution(tuple(Route(r.start, tuple(new[list(r.customers)].tolist()), r.end) for r in routes))
    return Subproblem(part, start, node)
