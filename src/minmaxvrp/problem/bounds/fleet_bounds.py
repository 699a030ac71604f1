"""Lower bounds for vehicles that are told apart: places of their own, speeds, work done, open routes."""

from ..instance import Instance


def fleet_bounds(instance: Instance) -> dict[str, float]:
    """Every lower bound on the makespan of a fleet by name, in the instance's unit.

    `done`: a vehicle that has worked already has a route of that length at least.
    """
    return {"done": max(vehicle.done for vehicle in instance.vehicles)}
