"""Balanced routes, fast: M vehicles whose longest route is as short as possible.

The public names. Importing them loads numpy, but neither torch nor numba, scipy or matplotlib.
"""

from .errors import InfeasibleError, InputError, InternalError, MinmaxvrpError
from .many import Solved, solve_many
from .problem.check import makespan, route_lengths, violations
from .problem.distance import Distance
from .problem.fleet import Vehicle
from .problem.instance import Instance
from .problem.keep import carry_over
from .problem.solution import Route, Solution
from .result import Result, TracePoint
from .solve import solve
from .stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Progress, Stop, StopWhen, TargetReached

__version__ = "0.1.0"

__all__ = [
    "Distance",
    "FirstOf",
    "InfeasibleError",
    "InputError",
    "Instance",
    "InternalError",
    "MaxIterations",
    "MaxRuntime",
    "MinmaxvrpError",
    "NoImprovement",
    "Progress",
    "Result",
    "Route",
    "Solution",
    "Solved",
    "Stop",
    "StopWhen",
    "TargetReached",
    "TracePoint",
    "Vehicle",
    "carry_over",
    "makespan",
    "route_lengths",
    "solve",
    "solve_many",
    "violations",
]
