"""A fleet as if its vehicles were all alike: a plain instance whose lower bounds hold for the fleet too.

`bounds` takes the largest of them beside those of `fleet_bounds.py`, which know what is special about each
vehicle but are weaker where little is: names, or some customers that are restricted to some vehicles.
"""

from dataclasses import replace

import numpy as np

from ..fleet import Vehicle
from ..instance import Instance, ReturnTo


def alike(instance: Instance) -> Instance | None:
    """A plain instance that every plan of a fleet is a plan for, with routes that are not longer.

    Work done and slow vehicles make routes longer, restricted customers make plans fewer: without them the
    optimum is not larger. A route that ends at another depot is one that may end at any. None where a route
    is open or a vehicle faster than 1: plain routes may then be longer.
    """
    vehicles = instance.vehicles
    if any(vehicle.end == "nowhere" or vehicle.speed > 1.0 for vehicle in vehicles):
        return None
    return_to: ReturnTo = "start" if all(map(_returns, vehicles)) else "any"
    starts = [vehicle.start for vehicle in vehicles if vehicle.start is not None]
    places = None  # how many vehicles each depot has, where every vehicle has a start
    if instance.num_depots > 1 and len(starts) == len(vehicles):
        places = np.bincount(starts, minlength=instance.num_depots)
    return replace(
        instance, fleet=None, allowed=None, max_length=None, return_to=return_to, vehicles_per_depot=places
    )


def _returns(vehicle: Vehicle) -> bool:
    """Whether a vehicle ends where it starts."""
    return vehicle.end == "start" or (vehicle.start is not None and vehicle.end == vehicle.start)
