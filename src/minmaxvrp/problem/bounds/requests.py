"""The requests of an instance, and the shortest paths between them and the depots: what the bounds share.

`bounds` fills them once; `farthest.py` and `subset.py` read them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats
from ..instance import Instance
from .shortest_paths import ShortestPaths

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ends:
    """Shortest paths from each depot where vehicles may start to each customer, and back to a depot."""

    out: Floats
    """[D', N], one row per depot with vehicles."""
    back: Floats
    """[D', N] for a return to the start, [D, N] for a return to any depot."""
    any_end: bool

    def around(self, first: Indices, last: Indices) -> Floats:
        """Shortest path from a depot to customer `first` plus that from customer `last` to the end depot."""
        if self.any_end:
            return np.asarray(self.out.min(axis=0)[first] + self.back.min(axis=0)[last])
        least = np.full(np.broadcast(first, last).shape, np.inf)
        for out, back in zip(self.out, self.back, strict=True):
            np.minimum(least, out[first] + back[last], out=least)
        return least


@dataclass(frozen=True, slots=True)
class Requests:
    """What must be served by one vehicle each; customers are numbered from 0 here."""

    first: Indices
    """[R] the customer itself, or the pickup."""
    last: Indices
    """[R] the customer itself, or the delivery."""
    service: Floats
    """[R] service at both together."""


def requests_of(instance: Instance) -> Requests:
    """The pairs, then the plain customers."""
    pairs = instance.pairs - instance.num_depots
    plain = np.setdiff1d(np.arange(instance.num_customers), pairs)
    first, last = np.concatenate([pairs[:, 0], plain]), np.concatenate([pairs[:, 1], plain])
    service = instance.node_service[instance.num_depots :]
    return Requests(first, last, service[first] + np.where(first == last, 0.0, service[last]))


def depot_ends(instance: Instance, paths: ShortestPaths) -> Ends:
    """Shortest paths between the depots and all customers; a depot without vehicles starts no route."""
    depots = np.arange(instance.num_depots)
    starts = depots if instance.vehicles_per_depot is None else depots[instance.vehicles_per_depot > 0]
    any_end = instance.return_to == "any"
    out = paths.out(starts)
    if instance.is_symmetric and len(starts) == len(depots):
        return Ends(out, out, any_end)
    return Ends(out, paths.back(depots if any_end else starts), any_end)
