"""The request that is longest when it is served alone: the simplest of the lower bounds.

For mTSP it is twice the largest distance from the depot, which many optimal plans reach.
"""

import numpy as np

from ..instance import Instance
from .requests import Ends, requests_of
from .shortest_paths import ShortestPaths


def farthest_route(instance: Instance, paths: ShortestPaths, ends: Ends) -> float:
    """The request that is longest when it is served alone; a request is a customer or a pair.

    Some route serves it. That route leads from a depot to the customer (or to the pickup and on to the
    delivery) and to a depot: the same one, or any if the instance says so. Each of these paths is at least
    as long as `ShortestPaths` says, and the service of the request is part of the route. The minimum over
    the depots is a lower bound for each request, and the maximum over the requests one for the makespan.
    """
    requests = requests_of(instance)
    alone = ends.around(requests.first, requests.last) + requests.service
    first, last = requests.first + instance.num_depots, requests.last + instance.num_depots
    if not paths.searched:
        return float((alone + paths.direct(first, last)).max())
    # A search from pickup to delivery costs N², so it is made only for pairs that can still be the longest,
    # and for at most 32 of them: the maximum over fewer requests is a valid bound as well.
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
