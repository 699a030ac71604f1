"""Compiled moves on routes for the baselines `cross` and `hga`: independent of the search that they are
compared with.

A plan is `Plan`: the customers of each route in order, their number, the route's length. Customers are
numbered from 0; `leg` [N, N] are the distances between them, `close` [N, N] what the depots add for a first
and a last customer (see `legs`). All distances are symmetric, the longest leg is 1 (`scaled_legs`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import njit
from ..problem.instance import Instance
from .legs import closing_matrix, leg_matrix

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TINY = 1e-9
"""Improvements of less than this are rounding: the longest leg is 1."""


class Plan(NamedTuple):
    """Routes as arrays that the kernels change in place."""

    order: Integers
    """[M, N]"""
    size: Integers
    """[M]"""
    length: Floats
    """[M]"""


def scaled_legs(instance: Instance) -> tuple[Floats, Floats]:
    """`leg` and `close` of an instance, divided by the longest leg."""
    leg, close = leg_matrix(instance), closing_matrix(instance)
    longest = float(max(leg.max(), close.max()))
    return (leg / longest, close / longest) if longest > 0 else (leg, close)


def empty_plan(vehicles: int, customers: int) -> Plan:
    """A plan without customers."""
    order = np.zeros((vehicles, customers), dtype=np.int64)
    return Plan(order, np.zeros(vehicles, dtype=np.int64), np.zeros(vehicles))


def orders(plan: Plan) -> list[list[int]]:
    """The customers of each route."""
    return [plan.order[r, : plan.size[r]].tolist() for r in range(len(plan.size))]


def copied(plan: Plan) -> Plan:
    """A plan of its own arrays."""
    return Plan(plan.order.copy(), plan.size.copy(), plan.length.copy())


@njit
def route_length(row: Integers, count: int, leg: Floats, close: Floats) -> float:
    """Length of a route with its depots."""
    if count == 0:
        return 0.0
    total = close[row[0], row[count - 1]]
    for k in range(1, count):
        total += leg[row[k - 1], row[k]]
    return float(total)


@njit
def improve_route(row: Integers, count: int, leg: Floats, close: Floats) -> float:
    """Two-opt and Or-opt within a route, to a local optimum; the new length."""
    improved = count > 1
    while improved:
        improved = _two_opt(row, count, leg, close)
        improved = _or_opt(row, count, leg, close) or improved
    return route_length(row, count, leg, close)


@njit
def turn(row: Integers, i: int, j: int) -> None:
    """Reverse positions i .. j."""
    while i < j:
        row[i], row[j] = row[j], row[i]
        i, j = i + 1, j - 1


@njit
def _two_opt(row: Integers, count: int, leg: Floats, close: Floats) -> bool:
    """Turn stretches as long as that shortens the route; whether any was turned."""
    any_turned = False
    for i in range(count - 1):
        for j in range(i + 1, count):
            delta = 0.0
            first, last = row[0], row[count - 1]
            if i > 0:
                delta += leg[row[i - 1], row[j]] - leg[row[i - 1], row[i]]
            else:
                first = row[j]
            if j < count - 1:
                delta += leg[row[i], row[j + 1]] - leg[row[j], row[j + 1]]
            else:
                last = row[i]
            delta += close[first, last] - close[row[0], row[count - 1]]
            if delta < -TINY:
                turn(row, i, j)
                any_turned = True
    return any_turned


@njit
def _or_opt(row: Integers, count: int, leg: Floats, close: Floats) -> bool:
    """Move stretches of up to three customers within the route, either way round; whether any was moved."""
    any_moved = False
    rest = np.empty(count, dtype=np.int64)
    stretch = np.empty(3, dtype=np.int64)
    for size in range(1, min(4, count)):
        for i in range(count - size + 1):
            left = _take_out(row, count, i, size, rest, stretch)
            a, b = stretch[0], stretch[size - 1]
            best, gap, turned = _inserted(rest, left, i, a, b, leg, close) - TINY, -1, False
            for g in range(left + 1):
                cost = _inserted(rest, left, g, a, b, leg, close)
                if cost < best:
                    best, gap, turned = cost, g, False
                cost = _inserted(rest, left, g, b, a, leg, close)
                if cost < best:
                    best, gap, turned = cost, g, True
            if gap >= 0:
                for k in range(count):
                    row[k] = rest[k] if k < gap else stretch[k - gap] if k < gap + size else rest[k - size]
                if turned:
                    turn(row, gap, gap + size - 1)
                any_moved = True
    return any_moved


@njit
def _take_out(row: Integers, count: int, i: int, size: int, rest: Integers, stretch: Integers) -> int:
    """Part a route into a stretch and the rest; the number of the rest."""
    left = 0
    for k in range(count):
        if i <= k < i + size:
            stretch[k - i] = row[k]
        else:
            rest[left] = row[k]
            left += 1
    return left


@njit
def _inserted(rest: Integers, left: int, gap: int, a: int, b: int, leg: Floats, close: Floats) -> float:
    """Added length of a stretch from a to b before position `gap`, the depots' part in full."""
    cost = 0.0
    first, last = rest[0], rest[left - 1]
    if gap > 0:
        cost += leg[rest[gap - 1], a]
    else:
        first = a
    if gap < left:
        cost += leg[b, rest[gap]]
    else:
        last = b
    if 0 < gap < left:
        cost -= leg[rest[gap - 1], rest[gap]]
    return float(cost + close[first, last])


@njit
def prefix_sums(row: Integers, count: int, leg: Floats, out: Floats) -> None:
    """out[k]: length from the first customer to position k."""
    for k in range(count):
        out[k] = out[k - 1] + leg[row[k - 1], row[k]] if k else 0.0


@njit
def spliced(
    a: Integers, sum_a: Floats, count: int, i: int, j: int, b: Integers, sum_b: Floats, k: int, last_b: int,
    turned: bool, leg: Floats, close: Floats,
) -> float:  # fmt: skip
    """Length of route `a` with its positions i .. j-1 replaced by positions k .. last_b-1 of `b`."""
    total, first, last = 0.0, -1, -1
    if i > 0:
        total, first, last = sum_a[i - 1], a[0], a[i - 1]
    if last_b > k:
        x, y = (b[last_b - 1], b[k]) if turned else (b[k], b[last_b - 1])
        if last >= 0:
            total += leg[last, x]
        else:
            first = x
        total += sum_b[last_b - 1] - sum_b[k]
        last = y
    if j < count:
        if last >= 0:
            total += leg[last, a[j]]
        else:
            first = a[j]
        total += sum_a[count - 1] - sum_a[j]
        last = a[count - 1]
    return float(total + close[first, last]) if last >= 0 else 0.0


@njit
def cross_pair(plan: Plan, r: int, s: int, cap: int, leg: Floats, close: Floats) -> bool:
    """The best CROSS exchange between two routes, if it makes the longer of them shorter; whether it did.

    Stretches of up to `cap` customers, either of which may be empty, change places, either way round.
    Both routes are then improved by themselves.
    """
    a, b, na, nb = plan.order[r], plan.order[s], plan.size[r], plan.size[s]
    sum_a, sum_b = np.empty(na + 1), np.empty(nb + 1)
    prefix_sums(a, na, leg, sum_a)
    prefix_sums(b, nb, leg, sum_b)
    best = max(plan.length[r], plan.length[s]) - TINY
    at = (-1, 0, 0, 0, False, False)
    for i in range(na + 1):
        for j in range(i, min(na, i + cap) + 1):
            for k in range(nb + 1):
                for end in range(k, min(nb, k + cap) + 1):
                    if i == j and k == end:
                        continue
                    new_a = spliced(a, sum_a, na, i, j, b, sum_b, k, end, False, leg, close)
                    turn_b = False
                    if end > k + 1:
                        other = spliced(a, sum_a, na, i, j, b, sum_b, k, end, True, leg, close)
                        turn_b = other < new_a
                        new_a = min(new_a, other)
                    if new_a >= best:
                        continue
                    new_b = spliced(b, sum_b, nb, k, end, a, sum_a, i, j, False, leg, close)
                    turn_a = False
                    if j > i + 1:
                        other = spliced(b, sum_b, nb, k, end, a, sum_a, i, j, True, leg, close)
                        turn_a = other < new_b
                        new_b = min(new_b, other)
                    if new_b < best:
                        best = max(new_a, new_b)
                        at = (i, j, k, end, turn_a, turn_b)
    if at[0] < 0:
        return False
    exchange(plan, r, s, at[0], at[1], at[2], at[3], at[4], at[5])
    plan.length[r] = improve_route(plan.order[r], plan.size[r], leg, close)
    plan.length[s] = improve_route(plan.order[s], plan.size[s], leg, close)
    return True


@njit
def exchange(
    plan: Plan, r: int, s: int, i: int, j: int, k: int, end: int, turn_a: bool, turn_b: bool
) -> None:
    """Positions i .. j-1 of route r and k .. end-1 of route s change places; lengths are not touched."""
    na, nb = plan.size[r], plan.size[s]
    old_a, old_b = np.empty(na, dtype=np.int64), np.empty(nb, dtype=np.int64)
    for p in range(na):
        old_a[p] = plan.order[r, p]
    for p in range(nb):
        old_b[p] = plan.order[s, p]
    plan.size[r] = _splice(plan.order[r], old_a, i, j, old_b, k, end, turn_b)
    plan.size[s] = _splice(plan.order[s], old_b, k, end, old_a, i, j, turn_a)


@njit
def _splice(row: Integers, a: Integers, i: int, j: int, b: Integers, k: int, end: int, turned: bool) -> int:
    """Write `a` with its positions i .. j-1 replaced by b[k .. end-1]; the number of customers."""
    at = i
    for p in range(k, end):
        row[at] = b[p]
        at += 1
    if turned:
        turn(row, i, at - 1)
    for p in range(j, len(a)):
        row[at] = a[p]
        at += 1
    return at


@njit
def descend(plan: Plan, clean: NDArray[np.bool_], cap: int, most: int, leg: Floats, close: Floats) -> bool:
    """Up to `most` CROSS exchanges, those of the longest route first; whether a local optimum is reached.

    clean[r, s]: no exchange between the two shortens the longer of them, as they are.
    """
    vehicles = len(plan.size)
    for _ in range(most):
        ranked = _by_length(plan.length)
        changed = False
        for p in range(vehicles):
            for q in range(vehicles - 1, p, -1):  # the shortest partner has most room
                r, s = ranked[p], ranked[q]
                if clean[r, s]:
                    continue
                if cross_pair(plan, r, s, cap, leg, close):
                    for v in range(vehicles):
                        clean[r, v] = clean[v, r] = clean[s, v] = clean[v, s] = False
                    changed = True
                    break
                clean[r, s] = clean[s, r] = True
            if changed:
                break
        if not changed:
            return True
    return False


@njit
def _by_length(length: Floats) -> Integers:
    """Routes, the longest first."""
    ranked = np.empty(len(length), dtype=np.int64)
    for r in range(len(length)):
        at = r
        while at > 0 and length[ranked[at - 1]] < length[r]:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = r
    return ranked
