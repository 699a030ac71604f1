"""How short the longest route can be at best: lower bounds that every solution respects.

`solve` reports the gap to the best of them and stops when it is reached; `info` shows them all.
They read the instance only. The proofs are in the docstrings: `farthest` here, `core_route` in
`core.py`, `average_route` in `total.py`; `legs.py` measures ways without overestimating them.
"""

import numpy as np

from ..instance import Instance
from .core import Ends, core_route, requests_of
from .legs import Legs
from .total import average_route


def lower_bound(instance: Instance, effort: float = 1.0) -> float:
    """The best known lower bound on the makespan of `instance`, in its unit, service included."""
    return max(bounds(instance, effort, only_best=True).values())


def bounds(instance: Instance, effort: float = 1.0, only_best: bool = False) -> dict[str, float]:
    """Every lower bound on the makespan by name, in the instance's unit.

    `farthest`: the farthest customer or pair, there and back. `core`: a few requests solved
    exactly. `average`: the total length divided by the number of routes. `effort` scales the time
    spent on the last two; 1 is meant for every solve. `only_best` spares the time for an average that cannot
    be the largest of them, which is then smaller. True up to floating-point rounding.
    """
    legs = Legs(instance)
    ends = depot_ends(instance, legs)
    far = farthest(instance, legs, ends)
    average = average_route(instance, effort, far if only_best else 0.0)
    core = core_route(instance, legs, ends, max(far, average), effort)
    return {"farthest": far, "core": core, "average": average}


def depot_ends(instance: Instance, legs: Legs) -> Ends:
    """Least ways between the depots and all customers; a depot without vehicles starts no route."""
    depots = np.arange(instance.num_depots)
    starts = depots if instance.vehicles_per_depot is None else depots[instance.vehicles_per_depot > 0]
    any_end = instance.return_to == "any"
    out = legs.out(starts)
    if instance.is_symmetric and len(starts) == len(depots):
        return Ends(out, out, any_end)
    return Ends(out, legs.back(depots if any_end else starts), any_end)


def farthest(instance: Instance, legs: Legs, ends: Ends) -> float:
    """The request that is longest when it is served alone; a request is a customer or a pair.

    Some route serves it. That route leads from a depot to the (first) customer, for a pair on to
    the delivery, and to a depot: to the same one, or to any if the instance says so. Each of these ways
    is at least as long as `Legs` says, and the service there is part of the route. Taking the best
    depots gives a lower bound for every request, and the largest counts.
    """
    requests = requests_of(instance)
    alone = ends.around(requests.first, requests.last) + requests.service
    first, last = requests.first + instance.num_depots, requests.last + instance.num_depots
    if not legs.searched:
        return float((alone + legs.direct(first, last)).max())
    # From pickup to delivery the search costs N² each, so ask for the pairs that can still be the
    # longest only, and for a limited number of them: the largest of some requests is valid too.
    at_most = alone + instance.distance(first, last)
    plain = first == last
    best = float(alone[plain].max(initial=0.0))
    order = np.argsort(-at_most)
    for request in order[~plain[order]][:32]:
        if at_most[request] <= best:
            break
        way = legs.out(first[request : request + 1])[0, requests.last[request]]
        best = max(best, float(alone[request] + way))
    return best
