"""How short the longest route can be at best: lower bounds that every solution respects.

`solve` reports the gap to the best of them and stops when it is reached; `info` shows them all.
They read the instance only. Each file holds one bound and its proof: `farthest.py`, `subset.py`,
`average.py`. `shortest_paths.py` says how short a path between two nodes can be.
"""

import math
import time

from ..instance import Instance
from .alike import alike
from .average import average_route
from .farthest import farthest_route
from .fleet_bounds import bounds_of_fleet
from .requests import depot_ends
from .shortest_paths import ShortestPaths
from .subset import subset_route


def lower_bound(instance: Instance, effort: float = 1.0, seconds: float = math.inf) -> float:
    """The best known lower bound on the makespan of `instance`, in its unit, service included.

    Takes about so many `seconds` at most, with a smaller value where they are too few.
    """
    return max(bounds(instance, effort, only_best=True, seconds=seconds).values())


def bounds(
    instance: Instance, effort: float = 1.0, only_best: bool = False, seconds: float = math.inf
) -> dict[str, float]:
    """Every lower bound on the makespan by name, in the instance's unit.

    `farthest`: the farthest customer or pair, there and back. `subset`: a few requests solved
    exactly. `average`: the total length divided by the number of routes. Where vehicles are told apart or
    routes are open (`Instance.has_fleet`) they are those of `bounds_of_fleet`, and `alike`, the largest of
    the plain ones as if the vehicles were alike, where that is a bound. `effort` scales the time
    spent on the last two; 1 is meant for every solve. `only_best` stops early on an `average` that will not
    be the largest of the three, and returns a smaller value for it; so do the last two where they would take
    more than the `seconds`.
    Valid up to floating-point rounding.
    """
    if instance.has_fleet:
        plain = alike(instance)
        if plain is None:
            return bounds_of_fleet(instance, effort, seconds)
        same = max(bounds(plain, effort, only_best, seconds / 2.0).values())
        return bounds_of_fleet(instance, effort, seconds / 2.0) | {"alike": same}
    deadline = time.perf_counter() + seconds
    paths = ShortestPaths(instance)
    ends = depot_ends(instance, paths)
    far = farthest_route(instance, paths, ends)
    average = average_route(instance, effort, far if only_best else 0.0, seconds)
    left = deadline - time.perf_counter()
    subset = subset_route(instance, paths, ends, max(far, average), effort, left)
    return {"farthest": far, "subset": subset, "average": average}
