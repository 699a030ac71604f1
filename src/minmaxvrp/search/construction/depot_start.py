"""Parts of a tour become routes: each gets a depot with room, and is opened at the leg where that is best.

`tour_start` calls this after `split`, which knows no limit of vehicles.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...problem.instance import Instance
from ...problem.solution import Route, Solution

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def from_best_depots(instance: Instance, parts: Sequence[Ints]) -> Solution:
    """A route for each part; where depots have limits, with the least total length of the ways to them."""
    depots = instance.num_depots
    if depots == 1:
        return Solution(tuple(Route.of(part.tolist()) for part in parts))
    openings = [[_opening(instance, part, depot) for depot in range(depots)] for part in parts]
    price = np.array([[added for added, _ in row] for row in openings])  # [parts, D]
    if instance.vehicles_per_depot is None:
        chosen = price.argmin(axis=1)
    else:
        from scipy.optimize import linear_sum_assignment

        room = np.repeat(np.arange(depots), np.minimum(instance.vehicles_per_depot, len(parts)))
        _, place = linear_sum_assignment(price[:, room])
        chosen = room[place]
    routes = []
    for part, row, depot in zip(parts, openings, chosen.tolist(), strict=True):
        order = np.roll(part, -row[depot][1])
        end = _nearest(instance, order[-1:])[0] if instance.return_to == "any" else depot
        routes.append(Route.of(order.tolist(), depot, int(end)))
    return Solution(tuple(routes))


def _opening(instance: Instance, part: Ints, depot: int) -> tuple[float, int]:
    """What the ways from a depot and back add to the round trip of the customers at least, and the place of
    the first customer then."""
    before = np.roll(part, 1)
    home = _nearest(instance, before) if instance.return_to == "any" else np.full(len(part), depot)
    added = instance.distance(np.full(len(part), depot), part) + instance.distance(before, home)
    added = added - instance.distance(before, part)
    first = int(added.argmin())
    return float(added[first]), first


def _nearest(instance: Instance, customers: Ints) -> Ints:
    """The depot that is nearest from each customer."""
    depots = np.arange(instance.num_depots)
    return np.asarray(instance.distance(customers[:, None], depots[None, :]).argmin(axis=1))
