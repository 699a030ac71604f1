"""A few requests solved exactly: no plan for all requests is shorter than the best plan for some of them.

One of the bounds of this package, and the best one for a handful of vehicles. A request is a
plain customer or a pair. The subset consists of requests far from the depot and from each other,
because two of those make a long route.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..distance import Floats
from ..instance import Instance
from .dynamic_program import least_makespan
from .requests import Ends, Indices, Requests, requests_of
from .shortest_paths import ShortestPaths

Look = Callable[[Indices, Indices], Floats]
SUBSET_SIZE = 10.0
"""Size of a subset: a plain customer counts 1, a pair 1.4. An exact solution takes about a millisecond."""
POOL = 24
"""Requests from which subsets are chosen, at least."""
SAMPLE = 2000
"""Requests from which the pool is chosen in a large instance."""


def subset_route(
    instance: Instance,
    paths: ShortestPaths,
    ends: Ends,
    known: float = 0.0,
    effort: float = 1.0,
    seconds: float = math.inf,
) -> float:
    """A lower bound on the makespan: the exact optimum of a small subset of the requests; 0 without one.

    Remove all other requests from any solution. Between two stops that remain, the route was a path through
    customers, at least as long as `ShortestPaths` says, and removed service is not negative. So the subset,
    measured with `ShortestPaths`, has a solution whose routes are not longer, and its optimum is a lower
    bound. Vehicles per depot are ignored, except that a depot without vehicles starts no route: this only
    allows more solutions. Of M + 1 requests two share a route. If the first subset stays below 0.9 `known`,
    no better one is searched; nor after about `seconds`.
    """
    deadline = time.perf_counter() + seconds
    requests = requests_of(instance)
    group = instance.num_vehicles + 1
    if len(requests.first) < group or group > SAMPLE // 8:
        return 0.0
    chosen = _spread(instance, ends, requests, max(POOL, group))
    pool = _build_pool(instance, paths, ends, requests, chosen)
    together = pool.together()
    members, value = _longest_group(together, group)
    if pool.size(members) > SUBSET_SIZE:
        return value
    members = _extend(pool, together, members)
    start = pool.optimum(members, instance.num_vehicles)
    if start < 0.9 * known:
        return max(value, start)
    trials = int(effort * (80 if pool.separable else 30))
    return max(value, _improve(pool, members, start, instance.num_vehicles, trials, deadline))


@dataclass(frozen=True, slots=True)
class _Pool:
    """P requests from which subsets are chosen; stop a is the first of request a, stop P + a the last."""

    between: Floats
    """[2P, 2P] shortest paths from stop to stop."""
    around: Floats
    """[2P, 2P] shortest path from a depot to the row's stop plus from the column's stop to the end depot."""
    separable: bool
    """Whether `around` is a sum of a term of the row and one of the column: any end depot, or one depot."""
    service: Floats
    """[P]"""
    paired: NDArray[np.bool_]
    """[P]"""

    def size(self, members: Indices) -> float:
        """The size of a subset, to be compared with `SUBSET_SIZE`."""
        return float(np.where(self.paired[members], 1.4, 1.0).sum())

    def together(self) -> Floats:
        """[P, P] least length of a route that serves both of two requests; -inf on the diagonal."""
        first = np.arange(len(self.service))
        last = first + len(first)
        shared = _two_requests(
            (first[:, None], last[:, None]),
            (first[None, :], last[None, :]),
            lambda i, j: self.between[i, j],
            lambda i, j: self.around[i, j],
        )
        shared = shared + self.service[:, None] + self.service[None, :]
        np.fill_diagonal(shared, -np.inf)
        return shared

    def optimum(self, members: Indices, num_vehicles: int, at_least: float = 0.0) -> float:
        """The exact least makespan for the requests `members`; 0 if it is below `at_least`."""
        members = members[np.argsort(self.paired[members], kind="stable")]
        pairs = int(self.paired[members].sum())
        stops = np.concatenate([members, members[len(members) - pairs :] + len(self.service)])
        block = np.ix_(stops, stops)
        around = self.around[block]
        if self.separable:  # one row for all starts
            begin, finish = around[:, :1].T, around[:1] - around[0, 0]
        else:  # one row for each first stop
            begin, finish = np.where(np.eye(len(stops), dtype=bool), 0.0, np.inf), around
        service = self.service[members]
        return least_makespan(self.between[block], begin, finish, service, pairs, num_vehicles, at_least)


def _two_requests(
    one: tuple[Indices, Indices], two: tuple[Indices, Indices], leg: Look, around: Look
) -> Floats:
    """Shortest route of two requests (first and last stop): the least over the six orders of the stops."""
    (p, q), (r, s) = one, two
    pq, rs, pr, rp = leg(p, q), leg(r, s), leg(p, r), leg(r, p)
    qr, sp, qs, sq, rq, ps = leg(q, r), leg(s, p), leg(q, s), leg(s, q), leg(r, q), leg(p, s)
    best = np.minimum(around(p, s) + pq + qr + rs, around(r, q) + rs + sp + pq)
    np.minimum(best, around(p, s) + pr + rq + qs, out=best)
    np.minimum(best, around(r, q) + rp + ps + sq, out=best)
    np.minimum(best, around(p, q) + pr + rs + sq, out=best)
    np.minimum(best, around(r, s) + rp + pq + qs, out=best)
    return best


def _spread(instance: Instance, ends: Ends, requests: Requests, count: int) -> Indices:
    """Up to `count` requests, greedily: next the one whose shortest route with any chosen one is longest."""
    round_trip = ends.around(requests.first, requests.last) + requests.service
    pool = np.arange(len(round_trip))
    if len(pool) > SAMPLE:
        far = np.argpartition(round_trip, -SAMPLE // 8)[-SAMPLE // 8 :]
        pool = np.union1d(far, np.random.default_rng(0).choice(len(round_trip), SAMPLE, replace=False))
    first, last = requests.first[pool], requests.last[pool]
    least = np.full(len(pool), np.inf)
    request = int(round_trip[pool].argmax())
    chosen = []
    for _ in range(min(count, len(pool))):
        chosen.append(pool[request])
        shared = _two_requests(
            (first[request], last[request]),
            (first, last),
            lambda i, j: instance.distance(i + instance.num_depots, j + instance.num_depots),
            ends.around,
        )
        least = np.minimum(least, shared + requests.service[pool])
        least[request] = -np.inf
        request = int(least.argmax())
    return np.array(chosen)


def _build_pool(
    instance: Instance, paths: ShortestPaths, ends: Ends, requests: Requests, chosen: Indices
) -> _Pool:
    stops = np.concatenate([requests.first[chosen], requests.last[chosen]])
    nodes = stops + instance.num_depots
    between = paths.out(nodes)[:, stops] if paths.searched else paths.direct(nodes[:, None], nodes[None, :])
    return _Pool(
        between,
        ends.around(stops[:, None], stops[None, :]),
        ends.any_end or len(ends.out) == 1,
        requests.service[chosen],
        requests.first[chosen] != requests.last[chosen],
    )


def _longest_group(together: Floats, group: int) -> tuple[Indices, float]:
    """M + 1 requests whose shortest route of two is long, and its length: a lower bound by itself.

    Greedy, once from every request.
    """
    starts = np.arange(len(together))
    least, value = together.copy(), np.full(len(together), np.inf)
    chosen = [starts]
    for _ in range(group - 1):
        added = least.argmax(axis=1)
        np.minimum(value, least[starts, added], out=value)
        np.minimum(least, together[added], out=least)
        chosen.append(added)
    best = int(value.argmax())
    return np.array([members[best] for members in chosen]), float(value[best])


def _extend(pool: _Pool, together: Floats, members: Indices) -> Indices:
    """The members and more requests up to `SUBSET_SIZE`, first those with long routes with any member."""
    while True:
        least = together[members].min(axis=0)
        for request in np.argsort(-least, kind="stable"):
            longer = np.append(members, request)
            if least[request] > -np.inf and pool.size(longer) <= SUBSET_SIZE:
                members = longer
                break
        else:
            return members


def _improve(
    pool: _Pool, members: Indices, value: float, num_vehicles: int, trials: int, deadline: float
) -> float:
    """The largest optimum found by `trials` random exchanges of a member for another request.

    Ends at the `deadline` of `time.perf_counter`.
    """
    rng = np.random.default_rng(0)
    others = np.setdiff1d(np.arange(len(pool.service)), members)
    for _ in range(trials if len(others) else 0):
        if time.perf_counter() > deadline:
            break
        out, new = int(rng.integers(len(members))), int(rng.integers(len(others)))
        trial = members.copy()
        trial[out] = others[new]
        if pool.size(trial) > SUBSET_SIZE:
            continue
        optimum = pool.optimum(trial, num_vehicles, value)
        if optimum >= value:
            others[new], members, value = members[out], trial, optimum
    return value
