"""A cheap feasible start: customers to depots, a tour cut into balanced routes, routes put in order.

It comes before the search, which improves what it returns, and it is the answer where nothing
better is at hand. Every step is a sort or a cumulated sum, so 100,000 customers take seconds.
"""

import heapq
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...problem.check import route_lengths
from ...problem.distance import Distance
from ...problem.instance import Instance
from ...problem.solution import Route, Solution
from ..groups import is_large

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

NEAREST_LIMIT = 2_000
"""Routes up to this many customers are ordered by nearest neighbour (quadratic in the route)."""
HALVINGS = 40
"""Steps of the bisection over the longest part: more than a search will keep of its precision."""
CURVE_BITS = 16
"""Of each coordinate along the space-filling curve, which then has four billion places."""


@dataclass(frozen=True)
class _Requests:
    """What must stay on one vehicle: a pair, or a plain customer (`first` is then also `last`)."""

    first: Indices
    last: Indices
    inner: Floats
    """Length between the two, service included."""
    points: Floats


def construct(instance: Instance, seed: int = 0) -> Solution:
    """A feasible solution without empty routes; `seed` turns the start of the sweep.

    The better of two cuts: by angle around the depot (sweep, Gillett and Miller 1974) and along
    a space-filling curve; then nearest neighbour within each route where that is shorter (not on very large
    instances of one depot, which have a start of their own).
    """
    rng = np.random.default_rng(seed)
    requests = _requests(instance)
    group, fleet = _assign_depots(instance, requests)
    place = places_along_curve(instance)
    rank = place[requests.first] if instance.kind is Distance.MATRIX else _curve_places(requests.points)
    turn = rng.uniform(0.0, 2.0 * np.pi)
    plans = (
        _plan(instance, requests, group, fleet, rank, place, None),
        _plan(instance, requests, group, fleet, rank, place, turn),
    )
    best = min(plans, key=lambda plan: float(route_lengths(instance, plan).max()))
    return best if instance.num_depots == 1 and is_large(instance) else _reorder(instance, best)


def _requests(instance: Instance) -> _Requests:
    plain = np.ones(instance.num_nodes, dtype=bool)
    plain[: instance.num_depots] = False
    plain[instance.pairs.ravel()] = False
    single = np.flatnonzero(plain)
    first = np.concatenate([instance.pairs[:, 0], single])
    last = np.concatenate([instance.pairs[:, 1], single])
    paired = np.arange(len(first)) < len(instance.pairs)
    service = instance.node_service
    inner = instance.distance(first, last) + service[first] + np.where(paired, service[last], 0.0)
    points = instance.plane[first] / 2.0 + instance.plane[last] / 2.0
    return _Requests(first, last, inner, points)


def _assign_depots(instance: Instance, requests: _Requests) -> tuple[Indices, Indices]:
    """The depot of each request, and the number of vehicles at each depot."""
    num_depots = instance.num_depots
    caps = instance.vehicles_per_depot
    limit = np.full(num_depots, instance.num_vehicles) if caps is None else caps
    group = _nearest_depot(instance, requests, np.flatnonzero(limit > 0))
    load = np.bincount(group, minlength=num_depots)
    fleet = np.zeros(num_depots, dtype=np.int64)
    queue = [(-int(load[d]), int(d)) for d in np.flatnonzero((limit > 0) & (load > 0))]
    heapq.heapify(queue)
    for _ in range(min(instance.num_vehicles, len(group))):  # the next vehicle goes where a route is longest
        if not queue:
            break
        _, depot = heapq.heappop(queue)
        fleet[depot] += 1
        if fleet[depot] < limit[depot]:
            # a depot that has none yet comes first: -load of a whole depot beats shares of it
            heapq.heappush(queue, (-load[depot] / (fleet[depot] + 1), depot))
    if (fleet[group] == 0).any():
        group = _nearest_depot(instance, requests, np.flatnonzero(fleet > 0))
    return group, fleet


def _nearest_depot(instance: Instance, requests: _Requests, depots: Indices) -> Indices:
    best = np.full(len(requests.first), np.inf)
    group = np.zeros(len(requests.first), dtype=np.int64)
    for depot in depots:
        price = instance.distance(depot, requests.first) + instance.distance(requests.last, depot)
        closer = price < best
        best[closer] = price[closer]
        group[closer] = depot
    return group


def _plan(
    instance: Instance,
    requests: _Requests,
    group: Indices,
    fleet: Indices,
    rank: Indices,
    place: Indices,
    turn: float | None,
) -> Solution:
    """Cut each depot's requests into its number of routes: along the tour, or by angle from `turn`."""
    routes: list[Route] = []
    by_depot = np.lexsort((rank, group))
    bounds = np.searchsorted(group[by_depot], np.arange(instance.num_depots + 1))
    for depot in np.flatnonzero(fleet):
        members = by_depot[bounds[depot] : bounds[depot + 1]]
        if not len(members):
            continue
        vehicles = min(int(fleet[depot]), len(members))
        if turn is None:
            parts = _cut(instance, requests, members, int(depot), vehicles)
        else:
            away = requests.points[members] - instance.plane[depot]
            angle = (np.arctan2(away[:, 1], away[:, 0]) - turn) % (2.0 * np.pi)
            wedges = np.array_split(members[np.argsort(angle, kind="stable")], vehicles)
            parts = [wedge[np.argsort(rank[wedge])] for wedge in wedges]
        routes += [_route(instance, int(depot), _sequence(requests, part, place)) for part in parts]
    return Solution(tuple(routes))


def _cut(instance: Instance, requests: _Requests, order: Indices, depot: int, vehicles: int) -> list[Indices]:
    """Cut a tour into at most `vehicles` parts whose longest is about as short as possible."""
    first, last = requests.first[order], requests.last[order]
    out, back = instance.distance(depot, first), instance.distance(last, depot)
    legs = np.zeros(len(order))
    legs[1:] = instance.distance(last[:-1], first[1:])
    done = np.cumsum(legs + requests.inner[order])
    reach = np.maximum.accumulate(done + back)
    before = done - requests.inner[order]  # driven when the part begins at this request

    def parts(limit: float) -> list[int]:
        cuts, at = [0], 0
        while at < len(order) and len(cuts) <= vehicles:
            stop = int(np.searchsorted(reach, limit - out[at] + before[at], side="right"))
            at = max(stop, at + 1)
            cuts.append(at)
        return cuts

    low, high = 0.0, 2.0 * float(reach[-1] + out.max()) + 1e-300
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if parts(middle)[-1] >= len(order):
            high = middle
        else:
            low = middle
    cuts = parts(high)
    return [order[a:b] for a, b in itertools.pairwise(cuts)]


def _sequence(requests: _Requests, part: Indices, place: Indices) -> Indices:
    """Customers of a part along the tour; deliveries met before their pickup on the way back."""
    first, last = requests.first[part], requests.last[part]
    paired = first != last
    early = paired & (place[last] < place[first])
    there = np.concatenate([first, last[paired & ~early]])
    back = last[early]
    return np.concatenate([there[np.argsort(place[there])], back[np.argsort(-place[back])]])


def _route(instance: Instance, depot: int, customers: Indices) -> Route:
    end = depot
    if instance.return_to == "any":
        end = int(np.argmin(instance.distance(customers[-1], np.arange(instance.num_depots))))
    return Route.of(customers.tolist(), depot, end)


def _reorder(instance: Instance, solution: Solution) -> Solution:
    """Each route by nearest neighbour where that makes it shorter."""
    pickup = np.full(instance.num_nodes, -1)
    pickup[instance.pairs[:, 1]] = instance.pairs[:, 0]
    routes = []
    for route in solution.routes:
        if len(route) > NEAREST_LIMIT:
            routes.append(route)
            continue
        other = _route(instance, route.start, _nearest_order(instance, route, pickup))
        lengths = route_lengths(instance, Solution((route, other)))
        routes.append(other if lengths[1] < lengths[0] else route)
    return Solution(tuple(routes))


def _nearest_order(instance: Instance, route: Route, pickup: Indices) -> Indices:
    """The route's customers by nearest neighbour; a delivery may come once its pickup is done."""
    left = np.array(route.customers, dtype=np.int64)
    open_ = pickup[left] < 0
    order = np.empty(len(left), dtype=np.int64)
    at = route.start
    for k in range(len(order)):
        step = instance.distance(at, left)
        place = int(np.argmin(np.where(open_, step, np.inf)))
        at = int(left[place])
        order[k] = at
        open_ |= pickup[left] == at
        keep = len(left) - 1
        left[place], open_[place] = left[keep], open_[keep]
        left, open_ = left[:keep], open_[:keep]
    return order


def places_along_curve(instance: Instance) -> Indices:
    """[D+N] the place of each customer in a tour of all; a matrix has no coordinates to rely on."""
    if instance.kind is not Distance.MATRIX:
        return _curve_places(instance.plane)
    place = np.zeros(instance.num_nodes, dtype=np.int64)
    everyone = Route.of(instance.customers)
    none = np.full(instance.num_nodes, -1)
    place[_nearest_order(instance, everyone, none)] = np.arange(instance.num_customers)
    return place


def _curve_places(points: Floats) -> Indices:
    """Place of each point along the Hilbert curve over their bounding square."""
    low = points.min(axis=0)
    span = float((points / 2.0 - low / 2.0).max()) * 2.0
    scaled = (points - low) / span if span > 0 else np.zeros_like(points)
    bits = CURVE_BITS
    x, y = np.minimum(scaled * 2.0**bits, 2.0**bits - 1).astype(np.int64).T.copy()
    index = np.zeros(len(points), dtype=np.int64)
    for level in range(bits - 1, -1, -1):
        right, up = (x >> level) & 1, (y >> level) & 1
        index = index * 4 + ((3 * right) ^ up)
        x, y = x & ((1 << level) - 1), y & ((1 << level) - 1)
        flip, swap = (up == 0) & (right == 1), up == 0
        top = (1 << level) - 1
        x, y = np.where(flip, top - x, x), np.where(flip, top - y, y)
        x, y = np.where(swap, y, x), np.where(swap, x, y)
    place = np.empty(len(points), dtype=np.int64)
    place[np.argsort(index, kind="stable")] = np.arange(len(points))
    return place
