"""Balanced routes, fast: M vehicles whose longest route is as short as possible."""

from .errors import InfeasibleError, InputError, InternalError, MinmaxvrpError
from .problem.check import makespan, route_lengths, violations
from .problem.distance import Distance
from .problem.instance import Instance
from .problem.solution import Route, Solution

__version__ = "0.1.0"

__all__ = [
    "Distance",
    "InfeasibleError",
    "InputError",
    "Instance",
    "InternalError",
    "MinmaxvrpError",
    "Route",
    "Solution",
    "makespan",
    "route_lengths",
    "violations",
]
