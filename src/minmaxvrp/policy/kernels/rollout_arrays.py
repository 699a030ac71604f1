"""Instances and partial solutions as plain arrays: what is allowed next, what a step changes, the features.

The compiled, in-place twin of `state`, to which tests compare it; for the order of tokens see `batch`.
`tables` makes `BatchArrays` from a batch; `arithmetic` reads the mask and the features; `group` and
`single` report the chosen tokens here. W rollouts of one instance advance together: sixteen, or one.
Functions are inlined because a call that passes tuples of arrays counts references: this was a seventh of a
small rollout's time.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import njit

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

GREEDY, SAMPLE, GIVEN = 0, 1, 2
"""How tokens are chosen."""

FORBIDDEN = np.float32(-1e30)
"""Added to the logit of a token that may not be chosen."""

SPARE = 16
"""Forbidden entries behind a mask, so that kernels may read past its end."""


class BatchArrays(NamedTuple):
    """What a batch of B instances of equal shape asks for; n = G + N tokens that can be chosen."""

    x: Floats
    """float32 [B, n]."""
    y: Floats
    """float32 [B, n]."""
    num_depot_tokens: int
    num_vehicles: int
    num_pairs: int
    chooses_start: bool
    """Whether a vehicle first chooses the depot it starts from."""
    returns_anywhere: bool
    capacity: Indices
    """int64 [B, G] vehicles that may start at each depot; read where vehicles choose."""
    pair_length: Floats
    """float32 [B, Q] from pickup to delivery."""
    first_reach: Floats
    """float32 [B] depot distance of the farthest customer, with pairs of the farthest pickup."""
    reach: Floats
    """float32 [B, rows, R] what the features take a maximum of over unvisited customers, descending.

    Row 0: all customers by distance to the nearest depot; with pairs the pickups by depot distance of
    pickup plus delivery. Row 1, with pairs only: the deliveries by depot distance.
    """
    ranked: Indices
    """int64 [B, rows, R] the tokens in that order."""
    nearby: Indices
    """int64 [B, G, N] where vehicles choose: the customers by distance from each depot; else empty."""


class RolloutTask(NamedTuple):
    """What is asked of the rollouts, and where the answers go."""

    orders: Indices
    """int64 [B, K, M]."""
    mode: int
    """GREEDY, SAMPLE or GIVEN."""
    chances: Floats
    """float32 [B, K, T] uniform numbers, with SAMPLE."""
    actions: NDArray[np.int32]
    """int32 [B, K, T]; read with GIVEN, else written."""
    makespan: Floats
    """float32 [B, K], written."""
    log_probability: Floats
    """float32 [B, K, T], written; empty where it is not asked for."""


class OpenRoute:
    """The open route of a rollout and what it leaves: a numpy record, which kernels read and write by name.

    One record, because every array that a kernel reads costs reference counting: with an array for each field
    a rollout took 6 to 14 % longer.
    """

    current: int
    """The token where the vehicle stands."""
    closed: int
    """Routes closed so far."""
    left: int
    """Customers not visited yet."""
    unpicked: int
    """Pairs not picked up yet."""
    open_pairs: int
    """Pairs on board: picked up, not delivered."""
    start: int
    """The depot where the open route started."""
    choosing: int
    """1 while the start depot of the next route is to be chosen, else 0."""
    length: float
    """Of the open route, without the way back."""
    longest: float
    """Of the closed routes."""
    lagged_reach: float
    """Depot distance of the farthest customer unvisited before the last step."""
    picked_length: float
    """Pickup → delivery distances of the pairs picked by the open route."""
    unpicked_length: float
    """The same of the pairs not picked up yet."""


class StateArrays(NamedTuple):
    """W rollouts under construction; the arrays change in place."""

    mask: Floats
    """float32 [n · W + SPARE]: 0 or FORBIDDEN, token by token."""
    start_mask: Floats
    """float32 [W]: FORBIDDEN while a start depot is chosen, else 0; added to every customer."""
    visited: NDArray[np.bool_]
    """bool [n, W]."""
    farthest: Indices
    """int64 [rows, W] position of the first unvisited customer in each row of `ranked`."""
    free: Indices
    """int64 [W, G] vehicles that may still start at each depot."""
    routes: Sequence[OpenRoute]
    """records [W]."""


@njit(inline="always")
def distance(batch: BatchArrays, b: int, i: int, j: int) -> float:
    """Straight distance of two tokens of instance b."""
    dx = batch.x[b, i] - batch.x[b, j]
    dy = batch.y[b, i] - batch.y[b, j]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


def empty_state(batch: BatchArrays, width: int) -> StateArrays:
    """Arrays for `width` rollouts of one instance; `reset` fills them."""
    num_tokens = batch.x.shape[1]
    types = {int: np.int64, float: np.float64}
    fields = [(name, types[kind]) for name, kind in OpenRoute.__annotations__.items()]
    routes: Any = np.zeros(width, dtype=np.dtype(fields))
    return StateArrays(
        mask=np.empty(num_tokens * width + SPARE, dtype=np.float32),
        start_mask=np.empty(width, dtype=np.float32),
        visited=np.empty((num_tokens, width), dtype=np.bool_),
        farthest=np.empty((batch.reach.shape[1], width), dtype=np.int64),
        free=np.empty((width, batch.num_depot_tokens), dtype=np.int64),
        routes=routes,
    )


@njit(inline="always")
def reset(batch: BatchArrays, b: int, state: StateArrays, vehicles: Indices) -> None:
    """Put the state before the first step; `vehicles` int64 [W, M] is the order of each rollout."""
    first, half, width = batch.num_depot_tokens, batch.num_pairs, len(vehicles)
    num_customers = batch.x.shape[1] - first
    state.mask[:] = FORBIDDEN
    state.mask[first * width : (first + (half if half > 0 else num_customers)) * width] = np.float32(0.0)
    state.start_mask[:] = np.float32(0.0)
    state.visited[:] = False
    state.farthest[:] = 0
    for rollout in range(width):
        route = state.routes[rollout]
        route.current = vehicles[rollout, 0] % first
        route.closed = 0
        route.left = num_customers
        route.unpicked = half
        route.open_pairs = 0
        route.start = 0
        route.choosing = 1 if batch.chooses_start else 0
        route.length = 0.0
        route.longest = 0.0
        route.picked_length = 0.0
        route.unpicked_length = 0.0
        route.lagged_reach = batch.reach[b, 0, 0]
        for request in range(half):
            route.unpicked_length += batch.pair_length[b, request]
        for depot in range(first):
            state.free[rollout, depot] = batch.capacity[b, depot]
        _allow_depots(batch, state, rollout, vehicles[rollout, 0])


@njit(inline="always")
def _allow_depots(batch: BatchArrays, state: StateArrays, rollout: int, vehicle: int) -> None:
    """Allow and forbid the depot tokens of one rollout for its next step."""
    route, width = state.routes[rollout], len(state.routes)
    last = route.closed == batch.num_vehicles - 1
    may_close = route.open_pairs == 0 and not (last and route.left > 0)
    if not batch.chooses_start:
        state.mask[vehicle * width + rollout] = np.float32(0.0) if may_close else FORBIDDEN
        return
    choosing = route.choosing == 1
    state.start_mask[rollout] = FORBIDDEN if choosing else np.float32(0.0)
    for depot in range(batch.num_depot_tokens):
        if choosing:
            allowed = state.free[rollout, depot] > 0
        else:
            allowed = may_close and (batch.returns_anywhere or depot == route.start)
        state.mask[depot * width + rollout] = np.float32(0.0) if allowed else FORBIDDEN


@njit(inline="always")
def advance(
    batch: BatchArrays, b: int, state: StateArrays, rollout: int, token: int, vehicles: Indices
) -> None:
    """Let a rollout go to `token`, which is allowed."""
    route, width = state.routes[rollout], len(state.routes)
    previous = route.current
    route.current = token
    route.lagged_reach = unvisited_reach(
        batch, b, state, 0, rollout
    )  # before this move: the feature lags one step
    if route.choosing == 1:
        route.choosing = 0
        route.start = token
        state.free[rollout, token] -= 1
    else:
        route.length += distance(batch, b, previous, token)
        if token < batch.num_depot_tokens:
            route.longest = max(route.longest, route.length)
            route.length = 0.0
            route.picked_length = 0.0
            route.choosing = 1 if batch.chooses_start else 0
            state.mask[token * width + rollout] = FORBIDDEN
            route.closed += 1
        else:
            _visit(batch, b, state, rollout, token)
    if route.closed < batch.num_vehicles:
        _allow_depots(batch, state, rollout, vehicles[rollout, route.closed])


@njit(inline="always")
def _visit(batch: BatchArrays, b: int, state: StateArrays, rollout: int, token: int) -> None:
    """Mark a customer visited, and update what is known of its pair."""
    route, half, width = state.routes[rollout], batch.num_pairs, len(state.routes)
    state.visited[token, rollout] = True
    state.mask[token * width + rollout] = FORBIDDEN
    route.left -= 1
    if half == 0:
        return
    request = token - batch.num_depot_tokens
    if request >= half:
        route.open_pairs -= 1
        return
    state.mask[(token + half) * width + rollout] = np.float32(0.0)
    route.open_pairs += 1
    route.unpicked -= 1
    route.picked_length += batch.pair_length[b, request]
    route.unpicked_length -= batch.pair_length[b, request]


@njit(inline="always")
def unvisited_reach(batch: BatchArrays, b: int, state: StateArrays, row: int, rollout: int) -> float:
    """Largest entry of a row of `reach` over the unvisited customers, 0 when none is left."""
    place, count = state.farthest[row, rollout], batch.ranked.shape[2]
    while place < count and state.visited[batch.ranked[b, row, place], rollout]:
        place += 1
    state.farthest[row, rollout] = place
    if place == count:
        return 0.0
    return batch.reach[b, row, place]  # type: ignore[no-any-return]


@njit(inline="always")
def features(batch: BatchArrays, b: int, state: StateArrays, step: int, out: Floats) -> None:
    """Fill `out` float32 [F, W] with the numbers that enter the query beside the embeddings.

    Rows: share of vehicles after this one, share of customers (requests) left, open route's length, then
    without pairs the farthest customer of all and of those left (lagging one step) and, where there is a row
    for it, the way back to the start depot; with pairs the farthest pickup, the farthest delivery, the pair
    lengths picked by this route and those unpicked per vehicle.
    """
    half = batch.num_pairs
    num_vehicles, num_customers = batch.num_vehicles, batch.x.shape[1] - batch.num_depot_tokens
    for rollout in range(out.shape[1]):
        route = state.routes[rollout]
        closed = route.closed
        out[0, rollout] = 1.0 - (closed + 1.0) / num_vehicles
        out[2, rollout] = route.length
        if half == 0:
            out[1, rollout] = route.left / num_customers
            out[3, rollout] = batch.first_reach[b]
            out[4, rollout] = route.lagged_reach
            if out.shape[0] > 5:
                start = route.current if route.choosing == 1 else route.start
                out[5, rollout] = distance(batch, b, route.current, start)
            continue
        out[1, rollout] = route.unpicked / half
        out[3, rollout] = batch.first_reach[b] if step == 0 else unvisited_reach(batch, b, state, 0, rollout)
        out[4, rollout] = unvisited_reach(batch, b, state, 1, rollout)
        out[5, rollout] = route.picked_length
        out[6, rollout] = max(route.unpicked_length, 0.0) / (num_vehicles - closed)


@njit(inline="always")
def start_row(batch: BatchArrays, state: StateArrays, rollout: int) -> int:
    """Row of `Tables.vehicles` for the depot where the open route of a rollout started, or for none."""
    route = state.routes[rollout]
    choosing = route.choosing == 1
    depot = batch.num_depot_tokens if choosing else route.start
    return int(batch.num_vehicles + depot)


@njit(inline="always")
def fair_share(batch: BatchArrays, state: StateArrays, rollout: int) -> int:
    """Customers left per vehicle left, rounded up."""
    route = state.routes[rollout]
    return int(-(-route.left // (batch.num_vehicles - route.closed)))


@njit
def start_bias(
    batch: BatchArrays,
    b: int,
    visited: NDArray[np.bool_],
    rollout: int,
    share: int,
    scale: float,
    scores: Floats,
) -> None:
    """Add `scale` times `decoder.start_nearness` to the scores, for a rollout that chooses a start depot.

    `visited` bool [n, W]; `scores` token by token, W rollouts each; `share` customers are a vehicle's part.
    """
    width = visited.shape[1]
    largest = 0.0
    for _ in range(2):  # first the largest mean, then the scores
        slope = scale / largest if largest > 0.0 else 0.0
        for depot in range(batch.num_depot_tokens):
            total, taken = 0.0, 0
            for token in batch.nearby[b, depot]:
                if taken == share:
                    break
                if not visited[token, rollout]:
                    total += distance(batch, b, depot, token)
                    taken += 1
            mean = total / max(1, taken)
            largest = max(largest, mean)
            scores[depot * width + rollout] -= slope * mean


@njit(inline="always")
def is_allowed(batch: BatchArrays, state: StateArrays, rollout: int, token: int) -> bool:
    """Whether a rollout may go to `token`."""
    if token < 0 or token >= batch.x.shape[1]:
        return False
    allowed = state.mask[token * len(state.routes) + rollout]
    if token >= batch.num_depot_tokens:
        allowed += state.start_mask[rollout]
    return allowed == 0.0  # type: ignore[no-any-return]
