"""Neighbour lists that see beyond a cluster: the nearest customers in each of the four quadrants as well.

In a dense cluster all nearest neighbours belong to it, and nothing would ever lead to the next cluster.
Quadrant neighbours (Johnson and McGeoch 1997) do, whatever the density.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import entry, kernel
from ...problem.distance import Distance
from ...problem.instance import Instance
from .routes import INFINITE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EACH = 2
"""Neighbours in each quadrant."""
NEAREST = 10
"""Nearest neighbours in any direction."""
MIXED = NEAREST + 4 * EACH
"""Length of the part of a list that mixes both."""
SCANNED = 2_000
"""Customers looked at in each direction along the x axis: enough for all but empty quadrants."""


class Strip(NamedTuple):
    """Customers sorted by x."""

    x: Floats
    y: Floats
    order: Ints
    """Which customers they are."""
    spot: Ints
    """[D+N] where in `order` each customer is."""
    square: Floats
    """[4, EACH] squared distances to the nearest in each quadrant of one customer."""
    found: Ints
    """[4, EACH] which ones these are, -1 for none."""


def with_quadrants(instance: Instance, nearest: Ints) -> Ints:
    """Lists of the same shape that begin with a mix of nearest customers and those of each quadrant.

    `nearest` [D+N, k] has the nearest customers of every node, nearest first. The first MIXED of the new
    lists are sorted by distance as well; then come the nearest ones that are not among them. Without
    coordinates nothing changes; nor do the lists of depots.
    """
    lists = nearest.copy()
    if instance.kind is Distance.MATRIX:
        return lists
    depots = instance.num_depots
    plane = instance.plane - instance.plane.min(axis=0)
    plane = plane / max(float(plane.max()), 1e-300)
    order = np.argsort(plane[depots:, 0], kind="stable") + depots
    spot = np.zeros(instance.num_nodes, dtype=np.int64)
    spot[order] = np.arange(len(order))
    x, y = np.ascontiguousarray(plane[order, 0]), np.ascontiguousarray(plane[order, 1])
    found = np.full((4, EACH), -1, dtype=np.int64)
    mix(Strip(x, y, order, spot, np.zeros((4, EACH)), found), nearest, lists)
    return lists


@entry
def mix(strip: Strip, nearest: Ints, lists: Ints) -> None:
    """Fill the lists of all customers."""
    for place in range(len(strip.order)):
        strip.square[:, :] = INFINITE
        strip.found[:, :] = -1
        _scan(strip, place, 1)
        _scan(strip, place, -1)
        _merge(strip, place, nearest, lists)


@kernel
def _merge(strip: Strip, place: int, nearest: Ints, lists: Ints) -> None:
    """Nearest ones and those of the quadrants, sorted; more nearest ones until there are MIXED; the rest."""
    customer = strip.order[place]
    row, own = lists[customer], nearest[customer]
    mixed, size = min(MIXED, len(row)), min(NEAREST, len(row))
    for k in range(4 * EACH):
        if size < mixed and strip.found[k // EACH, k % EACH] >= 0:
            size = _add(strip, place, row, size, strip.found[k // EACH, k % EACH])
    for k in range(min(NEAREST, len(row)), len(row)):
        if size < mixed:
            size = _add(strip, place, row, size, own[k])
        elif not _has(row, mixed, own[k]):
            if size == len(row):
                break
            row[size] = own[k]
            size += 1


@kernel
def _has(row: Ints, size: int, customer: int) -> bool:
    k = 0
    while k < size and row[k] != customer:
        k += 1
    return k < size


@kernel
def _add(strip: Strip, place: int, row: Ints, size: int, customer: int) -> int:
    """Insert a customer into the sorted beginning of a row, unless it is there; the new size of that."""
    if _has(row, size, customer):
        return size
    away, k = _square(strip, place, strip.spot[customer]), size
    while k > 0 and _square(strip, place, strip.spot[row[k - 1]]) > away:
        row[k] = row[k - 1]
        k -= 1
    row[k] = customer
    return size + 1


@kernel
def _square(strip: Strip, one: int, two: int) -> float:
    dx, dy = strip.x[two] - strip.x[one], strip.y[two] - strip.y[one]
    return float(dx * dx + dy * dy)


@kernel
def _scan(strip: Strip, place: int, step: int) -> None:
    """Keep the nearest customers of the two quadrants to the right (step 1) or to the left (-1)."""
    square, found, side = strip.square, strip.found, 0 if step == 1 else 2
    at = place + step
    for _ in range(SCANNED):
        if at < 0 or at >= len(strip.order):
            break
        dx = strip.x[at] - strip.x[place]
        if dx * dx >= max(square[side, EACH - 1], square[side + 1, EACH - 1]):
            break
        away = _square(strip, place, at)
        quadrant = side if strip.y[at] > strip.y[place] else side + 1
        k = EACH - 1
        if away > 0.0 and away < square[quadrant, k]:
            while k > 0 and square[quadrant, k - 1] > away:
                square[quadrant, k], found[quadrant, k] = square[quadrant, k - 1], found[quadrant, k - 1]
                k -= 1
            square[quadrant, k], found[quadrant, k] = away, strip.order[at]
        at += step
