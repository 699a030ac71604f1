"""Vehicles of a VROOM request that differ: places, speeds and skills as the fleet of an instance.

`vroom` reads the request and asks here what its instance needs beside the plain fields.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distance import Floats
from ..fleet import Vehicle
from .source import Source

ANYWHERE = "anywhere"
"""Name of the depot of vehicles without a start: no way from every task."""


@dataclass(frozen=True, slots=True)
class VroomVehicle:
    """A vehicle of the request; `start` and `end` are depots of the instance."""

    id: int
    start: int | None
    """None: its route begins with its first task."""
    end: int | None
    """None: its route ends with its last task."""
    description: str
    speed: float = 1.0
    """VROOM's speed factor."""
    skills: frozenset[int] = frozenset()

    @property
    def returns(self) -> bool:
        """Whether its route ends where it starts."""
        return self.start is not None and self.start == self.end


def fleet_fields_of(
    source: Source, vehicles: Sequence[VroomVehicle], skills: Sequence[frozenset[int]], num_depots: int
) -> dict[str, Any]:
    """Fields of the instance about its vehicles; `skills` are those that each task needs.

    Vehicles that return and differ in nothing but their start stay alike. The last depot is that of
    vehicles without a start, if there are any. Raises `InputError` for a task that no vehicle can do.
    """
    allowed = {}
    for task, needed in enumerate(skills):
        able = tuple(k for k, vehicle in enumerate(vehicles) if needed <= vehicle.skills)
        if not able:
            raise source.error(f"task {task + 1}: no vehicle has the skills {sorted(needed)}")
        if len(able) < len(vehicles):
            allowed[num_depots + task] = able
    if not allowed and all(vehicle.returns and vehicle.speed == 1.0 for vehicle in vehicles):
        starts = Counter(vehicle.start for vehicle in vehicles)
        several = num_depots > 1
        return {"vehicles_per_depot": np.array([starts[k] for k in range(num_depots)]) if several else None}
    names = [vehicle.description for vehicle in vehicles]
    fleet = tuple(
        Vehicle(
            vehicle.description
            if vehicle.description and names.count(vehicle.description) == 1
            else f"vehicle {vehicle.id}",
            num_depots - 1 if vehicle.start is None else vehicle.start,
            "nowhere" if vehicle.end is None else vehicle.end,
            vehicle.speed,
        )
        for vehicle in vehicles
    )
    return {"fleet": fleet, "allowed": allowed or None}


def with_anywhere(matrix: Floats, depot: int) -> Floats:
    """The distances with a new depot of this number, from which every way is 0."""
    return np.insert(np.insert(matrix, depot, 0.0, axis=0), depot, 0.0, axis=1)
