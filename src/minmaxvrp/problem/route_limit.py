"""A limit on routes that a plan does not keep: by how much, whether any plan could, and which stops are why.

`Result.over_limit` asks it after a search; the command line puts it into words.
"""

from dataclasses import dataclass

import numpy as np

from .bounds.fleet_bounds import cheapest_trips
from .check import LIMIT_TOLERANCE, route_lengths
from .instance import Instance
from .solution import Solution


@dataclass(frozen=True, slots=True)
class OverLimit:
    """Why a plan does not keep `Instance.max_length`."""

    limit: float
    makespan: float
    """Of the plan: the least that was found."""
    impossible: bool
    """Whether it is proven that no plan keeps the limit."""
    stops: tuple[int, ...]
    """The customers that are the reason; all of the routes over the limit where no single one is."""
    alone: bool
    """Whether each of `stops` is over the limit even if its best vehicle serves nothing else."""


def over_limit(instance: Instance, solution: Solution, lower_bound: float) -> OverLimit | None:
    """Why `solution` does not keep the limit of its instance; None if it does or there is none."""
    if instance.max_length is None:
        return None
    lengths = route_lengths(instance, solution)
    most = instance.max_length * (1.0 + LIMIT_TOLERANCE)
    makespan = float(lengths.max(initial=0.0))
    if makespan <= most:
        return None
    trips, first = cheapest_trips(instance)
    alone = tuple(sorted(first[trips > most].tolist()))
    over = [solution.routes[k].customers for k in np.flatnonzero(lengths > most)]
    stops = alone or tuple(node for customers in over for node in customers)
    impossible = bool(alone) or lower_bound > most
    return OverLimit(instance.max_length, makespan, impossible, stops, bool(alone))
