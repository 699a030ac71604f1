"""The rules of construction for rollouts in lock-step: what is allowed, what a move changes.

`decode.py` describes an instance as `Rules`; `kernels.py` reads `State.mask` and the features and reports the
chosen token here. For the order of tokens see `batch.py`. It is the in-place, compiled twin of `state.py`, to
which tests compare it. W rollouts of one instance advance together: sixteen lanes, or one alone.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import njit

GREEDY, SAMPLE, REPLAY = 0, 1, 2
"""How tokens are chosen."""

FORBIDDEN = np.float32(-1e30)
"""Added to the logit of a token that may not be chosen."""

SPARE = 16
"""Forbidden entries behind a mask, so that kernels may read past its end."""


class Rules(NamedTuple):
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


class State(NamedTuple):
    """W rollouts under construction; the arrays change in place."""

    mask: Any
    """float32 [n · W + SPARE]: 0 or FORBIDDEN, token by token."""
    customers: Any
    """float32 [W]: FORBIDDEN while a start depot is chosen, else 0; added to every customer."""
    visited: Any
    """bool [n, W]."""
    depot_distance: Any
    """float32 [n] to the nearest depot."""
    pair_length: Any
    """float32 [Q] from pickup to delivery."""
    reach: Any
    """float32 [2, N or Q] what `farthest` ranks by, descending: see `_rank`."""
    ranked: Any
    """int64 [2, N or Q] the customers in that order."""
    farthest: Any
    """int64 [2, W] place of the first unvisited customer in `ranked`."""
    counts: Any
    """int64 [7, W]: rows CURRENT to CHOOSING."""
    sums: Any
    """float64 [5, W]: rows LENGTH to UNPICKED_SUM."""
    free: Any
    """int64 [W, G] vehicles that may still start at each depot."""


CURRENT, CLOSED, LEFT, UNPICKED, OPEN, START, CHOOSING = range(7)
LENGTH, LONGEST, LAGGED, PICKED_SUM, UNPICKED_SUM = range(5)


@njit
def between(rules: Rules, b: int, i: int, j: int) -> float:
    """Straight distance of two tokens of instance b."""
    dx = rules.x[b, i] - rules.x[b, j]
    dy = rules.y[b, i] - rules.y[b, j]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


@njit
def _rank(rules: Rules, distance: Any, reach: Any, ranked: Any) -> None:
    """Order customers by what the features take a maximum of.

    Row 0: all customers by depot distance; with pairs the pickups by depot distance of pickup plus delivery.
    Row 1, with pairs only: the deliveries by depot distance.
    """
    first, half = rules.num_depot_tokens, rules.num_pairs
    count = half if half > 0 else len(distance) - first
    for row in range(2 if half > 0 else 1):
        key = np.zeros(count, dtype=np.float32)
        for i in range(count):
            if half == 0 or row == 1:
                key[i] = distance[first + half + i]
            else:
                key[i] = distance[first + i] + distance[first + half + i]
        order = np.argsort(-key)
        for place in range(count):
            i = order[place]
            reach[row, place] = key[i]
            ranked[row, place] = first + i + (half if row == 1 else 0)


@njit
def begin(rules: Rules, b: int, vehicles: Any) -> State:
    """The state before the first step; `vehicles` int64 [W, M] is the order of each rollout."""
    num_tokens, first, half = rules.x.shape[1], rules.num_depot_tokens, rules.num_pairs
    num_customers, width = num_tokens - first, len(vehicles)
    distance = np.zeros(num_tokens, dtype=np.float32)
    for j in range(first, num_tokens):
        nearest = np.inf
        for depot in range(first if rules.chooses_start else 1):
            nearest = min(nearest, between(rules, b, depot, j))
        distance[j] = nearest
    pair_length = np.zeros(max(half, 1), dtype=np.float32)
    for i in range(half):
        pair_length[i] = between(rules, b, first + i, first + half + i)
    reach = np.zeros((2, half if half > 0 else num_customers), dtype=np.float32)
    ranked = np.zeros(reach.shape, dtype=np.int64)
    _rank(rules, distance, reach, ranked)
    mask = np.full(num_tokens * width + SPARE, FORBIDDEN, dtype=np.float32)
    mask[first * width : (first + (half if half > 0 else num_customers)) * width] = np.float32(0.0)
    state = State(
        mask,
        np.zeros(width, dtype=np.float32),
        np.zeros((num_tokens, width), dtype=np.bool_),
        distance,
        pair_length,
        reach,
        ranked,
        np.zeros((2, width), dtype=np.int64),
        np.zeros((7, width), dtype=np.int64),
        np.zeros((5, width), dtype=np.float64),
        np.zeros((width, first), dtype=np.int64),
    )
    for lane in range(width):
        state.counts[CURRENT, lane] = vehicles[lane, 0] % first
        state.counts[LEFT, lane] = num_customers
        state.counts[UNPICKED, lane] = half
        state.counts[CHOOSING, lane] = 1 if rules.chooses_start else 0
        state.sums[UNPICKED_SUM, lane] = pair_length.sum()
        state.sums[LAGGED, lane] = reach[0, 0]
        state.free[lane] = rules.capacity[b]
        _allow_depots(rules, state, lane, vehicles[lane, 0])
    return state


@njit
def _allow_depots(rules: Rules, state: State, lane: int, vehicle: int) -> None:
    """Allow and forbid the depot tokens of one rollout for its next step."""
    counts, width = state.counts, state.counts.shape[1]
    last = counts[CLOSED, lane] == rules.num_vehicles - 1
    may_close = counts[OPEN, lane] == 0 and not (last and counts[LEFT, lane] > 0)
    if not rules.chooses_start:
        state.mask[vehicle * width + lane] = np.float32(0.0) if may_close else FORBIDDEN
        return
    choosing = counts[CHOOSING, lane] == 1
    state.customers[lane] = FORBIDDEN if choosing else np.float32(0.0)
    for depot in range(rules.num_depot_tokens):
        if choosing:
            allowed = state.free[lane, depot] > 0
        else:
            allowed = may_close and (rules.returns_anywhere or depot == counts[START, lane])
        state.mask[depot * width + lane] = np.float32(0.0) if allowed else FORBIDDEN


@njit
def move(rules: Rules, b: int, state: State, lane: int, token: int, vehicles: Any) -> None:
    """Let rollout `lane` go to `token`, which is allowed."""
    counts, sums, width = state.counts, state.sums, state.counts.shape[1]
    previous = counts[CURRENT, lane]
    counts[CURRENT, lane] = token
    sums[LAGGED, lane] = unvisited_reach(state, 0, lane)  # before this move: the feature lags one step
    if counts[CHOOSING, lane] == 1:
        counts[CHOOSING, lane] = 0
        counts[START, lane] = token
        state.free[lane, token] -= 1
    else:
        sums[LENGTH, lane] += between(rules, b, previous, token)
        if token < rules.num_depot_tokens:
            sums[LONGEST, lane] = max(sums[LONGEST, lane], sums[LENGTH, lane])
            sums[LENGTH, lane] = 0.0
            sums[PICKED_SUM, lane] = 0.0
            counts[CHOOSING, lane] = 1 if rules.chooses_start else 0
            state.mask[token * width + lane] = FORBIDDEN
            counts[CLOSED, lane] += 1
        else:
            _visit(rules, state, lane, token)
    if counts[CLOSED, lane] < rules.num_vehicles:
        _allow_depots(rules, state, lane, vehicles[lane, counts[CLOSED, lane]])


@njit
def _visit(rules: Rules, state: State, lane: int, token: int) -> None:
    """Mark a customer visited and keep the books of its pair."""
    counts, sums, half, width = state.counts, state.sums, rules.num_pairs, state.counts.shape[1]
    state.visited[token, lane] = True
    state.mask[token * width + lane] = FORBIDDEN
    counts[LEFT, lane] -= 1
    if half == 0:
        return
    request = token - rules.num_depot_tokens
    if request >= half:
        counts[OPEN, lane] -= 1
        return
    state.mask[(token + half) * width + lane] = np.float32(0.0)
    counts[OPEN, lane] += 1
    counts[UNPICKED, lane] -= 1
    sums[PICKED_SUM, lane] += state.pair_length[request]
    sums[UNPICKED_SUM, lane] -= state.pair_length[request]


@njit
def unvisited_reach(state: State, row: int, lane: int) -> float:
    """Largest entry of a row of `reach` over the unvisited customers, 0 when none is left."""
    place, count = state.farthest[row, lane], state.ranked.shape[1]
    while place < count and state.visited[state.ranked[row, place], lane]:
        place += 1
    state.farthest[row, lane] = place
    if place == count:
        return 0.0
    return state.reach[row, place]  # type: ignore[no-any-return]


@njit
def features(rules: Rules, state: State, step: int, out: Any) -> None:
    """Fill `out` float32 [F, W] with the numbers that enter the query beside the embeddings.

    Rows: share of vehicles after this one, share of customers (requests) left, open route's length, then
    without pairs the farthest customer of all and of those left (lagging one step); with pairs the farthest
    pickup, the farthest delivery, the pair lengths picked by this route and those unpicked per vehicle.
    """
    counts, sums, half = state.counts, state.sums, rules.num_pairs
    num_vehicles, num_customers = rules.num_vehicles, rules.x.shape[1] - rules.num_depot_tokens
    for lane in range(out.shape[1]):
        closed = counts[CLOSED, lane]
        out[0, lane] = 1.0 - (closed + 1.0) / num_vehicles
        out[2, lane] = sums[LENGTH, lane]
        if half == 0:
            out[1, lane] = counts[LEFT, lane] / num_customers
            out[3, lane] = state.reach[0, 0]
            out[4, lane] = sums[LAGGED, lane]
            continue
        out[1, lane] = counts[UNPICKED, lane] / half
        out[3, lane] = unvisited_reach(state, 0, lane)
        out[4, lane] = unvisited_reach(state, 1, lane)
        out[5, lane] = sums[PICKED_SUM, lane]
        out[6, lane] = max(sums[UNPICKED_SUM, lane], 0.0) / (num_vehicles - closed)
    if half > 0 and step == 0:
        first = rules.num_depot_tokens
        out[3] = state.depot_distance[first : first + half].max()


@njit
def is_allowed(rules: Rules, state: State, lane: int, token: int) -> bool:
    """Whether rollout `lane` may go to `token`."""
    if token < 0 or token >= rules.x.shape[1]:
        return False
    allowed = state.mask[token * state.counts.shape[1] + lane]
    if token >= rules.num_depot_tokens:
        allowed += state.customers[lane]
    return allowed == 0.0  # type: ignore[no-any-return]
