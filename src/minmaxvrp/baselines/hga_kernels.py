"""Compiled parts of the genetic algorithm of `hga`: split, crossovers, crossings, random local search."""

import numpy as np
from numpy.typing import NDArray

from ..jit import njit
from .compiled_moves import (
    TINY,
    Floats,
    Integers,
    Plan,
    exchange,
    improve_route,
    prefix_sums,
    route_length,
    spliced,
)

Flags = NDArray[np.bool_]

NUM_MOVES = 5
"""Relocate one, relocate two or three, swap, exchange of stretches, exchange of tails."""
FORGET = 0.999
"""What a move's score keeps of its past at each try."""
LEAST_SCORE = 0.02


@njit
def cut(sequence: Integers, plan: Plan, leg: Floats, close: Floats) -> float:
    """Cut a sequence into at most M routes whose longest is shortest, by dynamic programming; the makespan.

    best[v, j]: the least makespan of the first j customers with at most v vehicles.
    """
    count, vehicles = len(sequence), len(plan.size)
    reach = np.empty(count)
    prefix_sums(sequence, count, leg, reach)
    best = np.full((vehicles + 1, count + 1), np.inf)
    begin = np.zeros((vehicles + 1, count + 1), dtype=np.int64)
    best[:, 0] = 0.0
    for v in range(1, vehicles + 1):
        for j in range(1, count + 1):
            for i in range(j - 1, -1, -1):  # the route is sequence[i .. j-1]
                inside = reach[j - 1] - reach[i]
                if inside >= best[v, j]:
                    break
                longest = max(best[v - 1, i], inside + close[sequence[i], sequence[j - 1]])
                if longest < best[v, j]:
                    best[v, j] = longest
                    begin[v, j] = i
    end = count
    for v in range(vehicles, 0, -1):
        i = begin[v, end] if end > 0 else 0
        for k in range(i, end):
            plan.order[v - 1, k - i] = sequence[k]
        plan.size[v - 1] = end - i
        plan.length[v - 1] = route_length(plan.order[v - 1], end - i, leg, close)
        end = i
    return float(plan.length.max())


@njit
def flatten(plan: Plan) -> Integers:
    """The sequence of a plan: its routes one after the other."""
    sequence = np.empty(plan.size.sum(), dtype=np.int64)
    at = 0
    for r in range(len(plan.size)):
        for k in range(plan.size[r]):
            sequence[at] = plan.order[r, k]
            at += 1
    return sequence


@njit
def offspring(first: Plan, second: Plan, similar: bool, leg: Floats, seed: int) -> Integers:
    """The sequence of a child, by similar-tour or by order crossover."""
    np.random.seed(seed)
    if similar:
        return _similar_tours(first, second, leg)
    return _order_crossover(flatten(first), flatten(second))


@njit
def _order_crossover(first: Integers, second: Integers) -> Integers:
    """A stretch of the first sequence, the others in the order of the second."""
    count = len(first)
    i, j = np.random.randint(count), np.random.randint(count)
    i, j = min(i, j), max(i, j)
    child = np.empty(count, dtype=np.int64)
    taken = np.zeros(count, dtype=np.bool_)
    for k in range(i, j + 1):
        child[k] = first[k]
        taken[first[k]] = True
    at = (j + 1) % count
    for k in range(count):
        customer = second[(j + 1 + k) % count]
        if not taken[customer]:
            child[at] = customer
            at = (at + 1) % count
    return child


@njit
def _similar_tours(first: Plan, second: Plan, leg: Floats) -> Integers:
    """Each route of the first parent combined with the most similar one left of the second.

    Of both a stretch survives: the middle of the one between head and tail of the other; what is then
    missing is inserted where it adds least.
    """
    vehicles, count = len(first.size), first.order.shape[1]
    taken = np.zeros(count, dtype=np.bool_)
    used = np.zeros(vehicles, dtype=np.bool_)
    child = np.empty(count, dtype=np.int64)
    at = 0
    for r in np.random.permutation(vehicles):
        s = _most_similar(first, r, second, used)
        used[s] = True
        na, nb = first.size[r], second.size[s]
        i, j = np.random.randint(na + 1), np.random.randint(na + 1)
        i, j = min(i, j), max(i, j)
        for k in range(na + nb):
            # the middle of the first route between the two parts of the second, cut at the same shares
            head = int(nb * i / max(na, 1))
            if k < head:
                customer = second.order[s, k]
            elif k < head + j - i:
                customer = first.order[r, i + k - head]
            elif k < nb + j - i:
                customer = second.order[s, k - (j - i)]
            else:
                break
            if not taken[customer]:
                taken[customer] = True
                child[at] = customer
                at += 1
    return _inserted_rest(child, at, taken, leg)


@njit
def _most_similar(first: Plan, r: int, second: Plan, used: Flags) -> int:
    """The unused route of the second parent that shares most customers with route r of the first."""
    mine = np.zeros(first.order.shape[1], dtype=np.bool_)
    for k in range(first.size[r]):
        mine[first.order[r, k]] = True
    best, most = 0, -1
    for s in range(len(second.size)):
        shared = 0
        for k in range(second.size[s]):
            shared += mine[second.order[s, k]]
        if not used[s] and shared > most:
            best, most = s, shared
    return best


@njit
def _inserted_rest(child: Integers, at: int, taken: Flags, leg: Floats) -> Integers:
    """Insert the customers that are missing, in random order, where the sequence grows least."""
    for customer in np.random.permutation(len(child)):
        if taken[customer]:
            continue
        gap, least = at, leg[child[at - 1], customer] if at else 0.0
        for k in range(at):
            added = leg[customer, child[k]]
            if k > 0:
                added += leg[child[k - 1], customer] - leg[child[k - 1], child[k]]
            if added < least:
                gap, least = k, added
        for k in range(at, gap, -1):
            child[k] = child[k - 1]
        child[gap] = customer
        at += 1
    return child


@njit
def intersections(plan: Plan, leg: Floats, close: Floats) -> None:
    """Exchange tails of routes that cross as long as both together become shorter, then improve each route.

    Two routes that cross can be reconnected without the crossing, which shortens their sum.
    """
    vehicles = len(plan.size)
    longest = plan.length.max()
    for r in range(vehicles):
        for s in range(vehicles):
            if r != s:
                _exchange_tails(plan, r, s, longest, leg, close)
    for r in range(vehicles):
        plan.length[r] = improve_route(plan.order[r], plan.size[r], leg, close)


@njit
def _exchange_tails(plan: Plan, r: int, s: int, limit: float, leg: Floats, close: Floats) -> None:
    """The exchange of tails that shortens two routes together most, none of them beyond `limit`."""
    a, b, na, nb = plan.order[r], plan.order[s], plan.size[r], plan.size[s]
    sum_a, sum_b = np.empty(na + 1), np.empty(nb + 1)
    prefix_sums(a, na, leg, sum_a)
    prefix_sums(b, nb, leg, sum_b)
    best, i, k = plan.length[r] + plan.length[s] - TINY, -1, -1
    for p in range(na + 1):
        for q in range(nb + 1):
            new_a = spliced(a, sum_a, na, p, na, b, sum_b, q, nb, False, leg, close)
            new_b = spliced(b, sum_b, nb, q, nb, a, sum_a, p, na, False, leg, close)
            if new_a + new_b < best and max(new_a, new_b) <= limit:
                best, i, k = new_a + new_b, p, q
    if i >= 0:
        exchange(plan, r, s, i, na, k, nb, False, False)
        plan.length[r] = route_length(plan.order[r], plan.size[r], leg, close)
        plan.length[s] = route_length(plan.order[s], plan.size[s], leg, close)


@njit
def random_search(
    plan: Plan, scores: Floats, tries: int, near: Integers, leg: Floats, close: Floats, seed: int
) -> None:
    """Random moves from the longest route next to a near neighbour on another, kept where the longer gets
    shorter.

    `scores` [NUM_MOVES] are the moves' shares of success so far, by which the next one is drawn.
    """
    np.random.seed(seed)
    vehicles, customers = len(plan.size), plan.order.shape[1]
    owner, place = np.empty(customers, dtype=np.int64), np.empty(customers, dtype=np.int64)
    for r in range(vehicles):
        _improve_and_note(plan, r, owner, place, leg, close)
    sum_a, sum_b = np.empty(customers + 1), np.empty(customers + 1)
    for _ in range(tries if near.shape[1] else 0):
        r = int(np.argmax(plan.length))
        i = int(np.random.randint(plan.size[r]))
        beside = near[plan.order[r, i], np.random.randint(near.shape[1])]
        s = owner[beside]
        if s == r:
            continue
        move = _drawn(scores)
        j, k, end, turn_a, turn_b = _random_move(move, i, plan.size[r], place[beside], plan.size[s])
        a, b, na, nb = plan.order[r], plan.order[s], plan.size[r], plan.size[s]
        prefix_sums(a, na, leg, sum_a)
        prefix_sums(b, nb, leg, sum_b)
        new_a = spliced(a, sum_a, na, i, j, b, sum_b, k, end, turn_b, leg, close)
        new_b = spliced(b, sum_b, nb, k, end, a, sum_a, i, j, turn_a, leg, close)
        scores[move] = max(LEAST_SCORE, FORGET * scores[move])
        if max(new_a, new_b) < plan.length[r] - TINY:
            exchange(plan, r, s, i, j, k, end, turn_a, turn_b)
            _improve_and_note(plan, r, owner, place, leg, close)
            _improve_and_note(plan, s, owner, place, leg, close)
            scores[move] += 1.0 - FORGET


@njit
def _improve_and_note(
    plan: Plan, r: int, owner: Integers, place: Integers, leg: Floats, close: Floats
) -> None:
    """Improve a route by itself, and note where its customers are."""
    plan.length[r] = improve_route(plan.order[r], plan.size[r], leg, close)
    for k in range(plan.size[r]):
        owner[plan.order[r, k]] = r
        place[plan.order[r, k]] = k


@njit
def _drawn(scores: Floats) -> int:
    """A move by roulette."""
    ball = np.random.random() * scores.sum()
    for move in range(NUM_MOVES - 1):
        ball -= scores[move]
        if ball < 0.0:
            return move
    return NUM_MOVES - 1


@njit
def _random_move(move: int, i: int, na: int, at: int, nb: int) -> tuple[int, int, int, bool, bool]:
    """Positions i .. j-1 and k .. end-1, beside `at`, that change places; whether either is turned."""
    k = at + np.random.randint(2)
    turn_a, turn_b = np.random.random() < 0.5, np.random.random() < 0.5
    if move == 0:
        return i + 1, k, k, turn_a, turn_b
    if move == 1:
        return min(na, i + 2 + np.random.randint(2)), k, k, turn_a, turn_b
    if move == 2:
        return i + 1, k, min(nb, k + 1), turn_a, turn_b
    if move == 3:
        return min(na, i + 1 + np.random.randint(5)), k, min(nb, k + np.random.randint(6)), turn_a, turn_b
    return na, k, nb, False, False
