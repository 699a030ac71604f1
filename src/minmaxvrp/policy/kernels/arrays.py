"""Instances and partial solutions as plain arrays: what is allowed next, what a step changes, the features.

The compiled, in-place twin of `state`, to which tests compare it; for the order of tokens see `batch`.
`tables` makes `BatchArrays` from a batch; `arithmetic` reads the mask and the features; `group` and
`single` report the chosen tokens here. W rollouts of one instance advance together: sixteen, or one.
Functions are inlined because a call that passes tuples of arrays counts references: this was a seventh of a
small rollout's time.
"""

from typing import Any, NamedTuple

import numpy as np

from ...jit import njit

GREEDY, SAMPLE, REPLAY = 0, 1, 2
"""How tokens are chosen."""

FORBIDDEN = np.float32(-1e30)
"""Added to the logit of a token that may not be chosen."""

SPARE = 16
"""Forbidden entries behind a mask, so that kernels may read past its end."""


class BatchArrays(NamedTuple):
    """What a batch of B instances of equal shape asks for; n = G + N tokens that can be chosen."""

    x: Any
    """float32 [B, n]."""
    y: Any
    """float32 [B, n]."""
    num_depot_tokens: int
    num_vehicles: int
    num_pairs: int
    chooses_start: bool
    """Whether a vehicle first chooses the depot it starts from."""
    returns_anywhere: bool
    capacity: Any
    """int64 [B, G] vehicles that may start at each depot; read where vehicles choose."""
    pair_length: Any
    """float32 [B, Q] from pickup to delivery."""
    first_reach: Any
    """float32 [B] depot distance of the farthest customer, with pairs of the farthest pickup."""
    reach: Any
    """float32 [B, rows, R] what the features take a maximum of over unvisited customers, descending.

    Row 0: all customers by distance to the nearest depot; with pairs the pickups by depot distance of
    pickup plus delivery. Row 1, with pairs only: the deliveries by depot distance.
    """
    ranked: Any
    """int64 [B, rows, R] the tokens in that order."""
    nearby: Any
    """int64 [B, G, N] where vehicles choose: the customers by distance from each depot; else empty."""


class Task(NamedTuple):
    """What is asked of the rollouts, and where the answers go."""

    orders: Any
    """int64 [B, K, M]."""
    mode: int
    """GREEDY, SAMPLE or REPLAY."""
    chances: Any
    """float32 [B, K, T] uniform numbers, with SAMPLE."""
    actions: Any
    """int32 [B, K, T]; read with REPLAY, else written."""
    makespan: Any
    """float32 [B, K], written."""
    log_probability: Any
    """float32 [B, K, T], written; empty where it is not asked for."""


class StateArrays(NamedTuple):
    """W rollouts under construction; the arrays change in place."""

    mask: Any
    """float32 [n · W + SPARE]: 0 or FORBIDDEN, token by token."""
    customers: Any
    """float32 [W]: FORBIDDEN while a start depot is chosen, else 0; added to every customer."""
    visited: Any
    """bool [n, W]."""
    farthest: Any
    """int64 [rows, W] place of the first unvisited customer in each row of `ranked`."""
    counts: Any
    """int64 [7, W]: rows CURRENT to CHOOSING."""
    sums: Any
    """float64 [5, W]: rows LENGTH to UNPICKED_SUM."""
    free: Any
    """int64 [W, G] vehicles that may still start at each depot."""


CURRENT, CLOSED, LEFT, UNPICKED, OPEN, START, CHOOSING = range(7)
LENGTH, LONGEST, LAGGED, PICKED_SUM, UNPICKED_SUM = range(5)


@njit(inline="always")
def distance(batch: BatchArrays, b: int, i: int, j: int) -> float:
    """Straight distance of two tokens of instance b."""
    dx = batch.x[b, i] - batch.x[b, j]
    dy = batch.y[b, i] - batch.y[b, j]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


def empty_state(batch: BatchArrays, width: int) -> StateArrays:
    """Workspace for `width` rollouts of one instance; `begin` fills it."""
    num_tokens = batch.x.shape[1]
    return StateArrays(
        mask=np.empty(num_tokens * width + SPARE, dtype=np.float32),
        customers=np.empty(width, dtype=np.float32),
        visited=np.empty((num_tokens, width), dtype=np.bool_),
        farthest=np.empty((batch.reach.shape[1], width), dtype=np.int64),
        counts=np.empty((7, width), dtype=np.int64),
        sums=np.empty((5, width), dtype=np.float64),
        free=np.empty((width, batch.num_depot_tokens), dtype=np.int64),
    )


@njit(inline="always")
def reset(batch: BatchArrays, b: int, state: StateArrays, vehicles: Any) -> None:
    """Put the state before the first step; `vehicles` int64 [W, M] is the order of each rollout."""
    first, half, width = batch.num_depot_tokens, batch.num_pairs, len(vehicles)
    num_customers = batch.x.shape[1] - first
    state.mask[:] = FORBIDDEN
    state.mask[first * width : (first + (half if half > 0 else num_customers)) * width] = np.float32(0.0)
    state.customers[:] = np.float32(0.0)
    state.visited[:] = False
    state.farthest[:] = 0
    state.counts[:] = 0
    state.sums[:] = 0.0
    for lane in range(width):
        state.counts[CURRENT, lane] = vehicles[lane, 0] % first
        state.counts[LEFT, lane] = num_customers
        state.counts[UNPICKED, lane] = half
        state.counts[CHOOSING, lane] = 1 if batch.chooses_start else 0
        state.sums[LAGGED, lane] = batch.reach[b, 0, 0]
        for request in range(half):
            state.sums[UNPICKED_SUM, lane] += batch.pair_length[b, request]
        for depot in range(first):
            state.free[lane, depot] = batch.capacity[b, depot]
        _allow_depots(batch, state, lane, vehicles[lane, 0])


@njit(inline="always")
def _allow_depots(batch: BatchArrays, state: StateArrays, lane: int, vehicle: int) -> None:
    """Allow and forbid the depot tokens of one rollout for its next step."""
    counts, width = state.counts, state.counts.shape[1]
    last = counts[CLOSED, lane] == batch.num_vehicles - 1
    may_close = counts[OPEN, lane] == 0 and not (last and counts[LEFT, lane] > 0)
    if not batch.chooses_start:
        state.mask[vehicle * width + lane] = np.float32(0.0) if may_close else FORBIDDEN
        return
    choosing = counts[CHOOSING, lane] == 1
    state.customers[lane] = FORBIDDEN if choosing else np.float32(0.0)
    for depot in range(batch.num_depot_tokens):
        if choosing:
            allowed = state.free[lane, depot] > 0
        else:
            allowed = may_close and (batch.returns_anywhere or depot == counts[START, lane])
        state.mask[depot * width + lane] = np.float32(0.0) if allowed else FORBIDDEN


@njit(inline="always")
def move(batch: BatchArrays, b: int, state: StateArrays, lane: int, token: int, vehicles: Any) -> None:
    """Let rollout `lane` go to `token`, which is allowed."""
    counts, sums, width = state.counts, state.sums, state.counts.shape[1]
    previous = counts[CURRENT, lane]
    counts[CURRENT, lane] = token
    sums[LAGGED, lane] = unvisited_reach(
        batch, b, state, 0, lane
    )  # before this move: the feature lags one step
    if counts[CHOOSING, lane] == 1:
        counts[CHOOSING, lane] = 0
        counts[START, lane] = token
        state.free[lane, token] -= 1
    else:
        sums[LENGTH, lane] += distance(batch, b, previous, token)
        if token < batch.num_depot_tokens:
            sums[LONGEST, lane] = max(sums[LONGEST, lane], sums[LENGTH, lane])
            sums[LENGTH, lane] = 0.0
            sums[PICKED_SUM, lane] = 0.0
            counts[CHOOSING, lane] = 1 if batch.chooses_start else 0
            state.mask[token * width + lane] = FORBIDDEN
            counts[CLOSED, lane] += 1
        else:
            _visit(batch, b, state, lane, token)
    if counts[CLOSED, lane] < batch.num_vehicles:
        _allow_depots(batch, state, lane, vehicles[lane, counts[CLOSED, lane]])


@njit(inline="always")
def _visit(batch: BatchArrays, b: int, state: StateArrays, lane: int, token: int) -> None:
    """Mark a customer visited and keep the books of its pair."""
    counts, sums, half, width = state.counts, state.sums, batch.num_pairs, state.counts.shape[1]
    state.visited[token, lane] = True
    state.mask[token * width + lane] = FORBIDDEN
    counts[LEFT, lane] -= 1
    if half == 0:
        return
    request = token - batch.num_depot_tokens
    if request >= half:
        counts[OPEN, lane] -= 1
        return
    state.mask[(token + half) * width + lane] = np.float32(0.0)
    counts[OPEN, lane] += 1
    counts[UNPICKED, lane] -= 1
    sums[PICKED_SUM, lane] += batch.pair_length[b, request]
    sums[UNPICKED_SUM, lane] -= batch.pair_length[b, request]


@njit(inline="always")
def unvisited_reach(batch: BatchArrays, b: int, state: StateArrays, row: int, lane: int) -> float:
    """Largest entry of a row of `reach` over the unvisited customers, 0 when none is left."""
    place, count = state.farthest[row, lane], batch.ranked.shape[2]
    while place < count and state.visited[batch.ranked[b, row, place], lane]:
        place += 1
    state.farthest[row, lane] = place
    if place == count:
        return 0.0
    return batch.reach[b, row, place]  # type: ignore[no-any-return]


@njit(inline="always")
def features(batch: BatchArrays, b: int, state: StateArrays, step: int, out: Any) -> None:
    """Fill `out` float32 [F, W] with the numbers that enter the query beside the embeddings.

    Rows: share of vehicles after this one, share of customers (requests) left, open route's length, then
    without pairs the farthest customer of all and of those left (lagging one step) and, where there is room
    for it, the way back to the start depot; with pairs the farthest pickup, the farthest delivery, the pair
    lengths picked by this route and those unpicked per vehicle.
    """
    counts, sums, half = state.counts, state.sums, batch.num_pairs
    num_vehicles, num_customers = batch.num_vehicles, batch.x.shape[1] - batch.num_depot_tokens
    for lane in range(out.shape[1]):
        closed = counts[CLOSED, lane]
        out[0, lane] = 1.0 - (closed + 1.0) / num_vehicles
        out[2, lane] = sums[LENGTH, lane]
        if half == 0:
            out[1, lane] = counts[LEFT, lane] / num_customers
            out[3, lane] = batch.first_reach[b]
            out[4, lane] = sums[LAGGED, lane]
            if out.shape[0] > 5:
                start = counts[CURRENT if counts[CHOOSING, lane] == 1 else START, lane]
                out[5, lane] = distance(batch, b, counts[CURRENT, lane], start)
            continue
        out[1, lane] = counts[UNPICKED, lane] / half
        out[3, lane] = batch.first_reach[b] if step == 0 else unvisited_reach(batch, b, state, 0, lane)
        out[4, lane] = unvisited_reach(batch, b, state, 1, lane)
        out[5, lane] = sums[PICKED_SUM, lane]
        out[6, lane] = max(sums[UNPICKED_SUM, lane], 0.0) / (num_vehicles - closed)


@njit(inline="always")
def start_row(batch: BatchArrays, state: StateArrays, lane: int) -> int:
    """Row of `Tables.vehicles` for the depot where the open route of rollout `lane` started, or for none."""
    choosing = state.counts[CHOOSING, lane] == 1
    depot = batch.num_depot_tokens if choosing else state.counts[START, lane]
    return int(batch.num_vehicles + depot)


@njit
def start_bias(batch: BatchArrays, b: int, state: StateArrays, lane: int, scale: float, scores: Any) -> None:
    """Add `scale` times `decoder.start_nearness` to the scores, for a rollout that chooses a start depot.

    `scores` is token by token, W rollouts each.
    """
    counts, width = state.counts, state.counts.shape[1]
    share = -(-counts[LEFT, lane] // (batch.num_vehicles - counts[CLOSED, lane]))
    largest = 0.0
    for _ in range(2):  # first the largest mean, then the scores
        slope = scale / largest if largest > 0.0 else 0.0
        for depot in range(batch.num_depot_tokens):
            total, taken = 0.0, 0
            for token in batch.nearby[b, depot]:
                if taken == share:
                    break
                if not state.visited[token, lane]:
                    total += distance(batch, b, depot, token)
                    taken += 1
            mean = total / max(1, taken)
            largest = max(largest, mean)
            scores[depot * width + lane] -= slope * mean


@njit(inline="always")
def is_allowed(batch: BatchArrays, state: StateArrays, lane: int, token: int) -> bool:
    """Whether rollout `lane` may go to `token`."""
    if token < 0 or token >= batch.x.shape[1]:
        return False
    allowed = state.mask[token * state.counts.shape[1] + lane]
    if token >= batch.num_depot_tokens:
        allowed += state.customers[lane]
    return allowed == 0.0  # type: ignore[no-any-return]
