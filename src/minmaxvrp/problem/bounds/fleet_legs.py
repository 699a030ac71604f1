"""Shortest paths between the depots of a fleet and its customers: what its bounds share.

`fleet_bounds.py` and `fleet_subset.py` read them. The places of vehicles are depots.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..distance import Floats
from ..fleet import possible_starts
from ..instance import Instance
from .shortest_paths import ShortestPaths


class FleetLegs:
    """Shortest paths between all depots and all customers, of travel alone.

    Service is not divided by the speed, so it is no part of them: to pass a customer costs nothing but the
    way.
    """

    def __init__(self, instance: Instance) -> None:
        """Measure them once."""
        depots = np.arange(instance.num_depots)
        self.instance, self.paths = instance, ShortestPaths(replace(instance, service=None))
        self.out: Floats = self.paths.out(depots)  # [D, N]
        self._back: Floats = self.out if instance.is_symmetric else self.paths.back(depots)

    def back(self, vehicles: Sequence[int], start: int | None = None) -> Floats:
        """[N] from each customer to the nearest end of any of `vehicles`; 0 where one need not return.

        `start` is where they start, where that is known.
        """
        instance = self.instance
        nearest: Floats = np.full(instance.num_customers, np.inf)
        for vehicle in (instance.vehicles[number] for number in vehicles):
            if vehicle.end == "nowhere":
                return np.zeros(instance.num_customers)
            ends: Sequence[int] = range(instance.num_depots)
            if isinstance(vehicle.end, int):
                ends = (vehicle.end,)
            elif vehicle.end == "start":
                ends = possible_starts(instance, vehicle) if start is None else (start,)
            nearest = np.minimum(nearest, self._back[list(ends)].min(axis=0))
        return nearest
