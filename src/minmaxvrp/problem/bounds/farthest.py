"""The request that is longest when it is served alone: the simplest of the lower bounds.

For mTSP it is twice the largest distance from the depot, which many optimal plans reach.
"""

import numpy as np

from ..instance import Instance
from .requests import Ends, requests_of
from .shortest_paths import ShortestPaths


def farthest_route(instance: Instance, paths: ShortestPaths, ends: Ends) -> float:
    """The request that is longest when it is served alone; a request is a customer or a pair.

    Some route serves it. That route leads from a depot to the (first) customer, for a pair on to
    the delivery, and to a depot: to the same one, or to any if the instance says so. Each of these ways
    is at least as long as `ShortestPaths` says, and the service there is part of the route. Taking the best
    depots gives a lower bound for every request, and the largest counts.
    """
    requests = requests_of(instance)
    alone = ends.around(requests.first, requests.last) + requests.service
    first, last = requests.first + instance.num_depots, requests.last + instance.num_depots
    if not paths.searched:
        return float((alone + paths.direct(first, last)).max())
    # From pickup to delivery the search costs N² each, so ask for the pairs that can still be the
    # longest only, and for a limited number of them: the largest of some requests is valid too.
    at_most = alone + instance.distance(first, last)
    plain = first == last
    best = float(alone[plain].max(initial=0.0))
    order = np.argsort(-at_most)
    for request in order[~plain[order]][:32]:
        if at_most[request] <= best:
            break
        way = paths.out(first[request : request + 1])[0, requests.last[request]]
        best = max(best, float(alone[request] + way))
    return best
