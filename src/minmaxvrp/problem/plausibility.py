"""Mistakes that a valid instance can still hold: places at 0/0, swapped coordinates, outliers, duplicates.

`info` and `solve` show what is found as warnings; nothing is refused.
"""

import numpy as np

from .distance import Distance, is_geographic
from .instance import Indices, Instance

FAR = 20.0
"""A stop is an outlier when it is this many times as far from the median place as the others are at most."""
MOST_NAMED = 5


def doubts(instance: Instance) -> list[str]:
    """One sentence for each kind of likely mistake."""
    found = []
    geographic = is_geographic(instance.kind)
    points = instance.coordinates
    if geographic:
        zero = np.flatnonzero((points == 0).all(axis=1))
        if len(zero) and len(zero) < len(points):
            found.append(f"{_named(instance, zero)} at latitude 0, longitude 0: is the place missing?")
        swapped = _swapped(instance)
        if len(swapped):
            found.append(
                f"{_named(instance, swapped)} would be near the others with latitude and longitude exchanged"
            )
    else:
        swapped = np.zeros(0, dtype=np.int64)
    if instance.kind is not Distance.MATRIX or instance.latlon is not None:
        far = np.setdiff1d(_outliers(instance), swapped)
        if geographic:
            far = far[~(points[far] == 0).all(axis=1)]
        if len(far):
            found.append(f"{_named(instance, far)} much farther away than all others")
        same = _identical(instance)
        if len(same):
            found.append(f"{_named(instance, same)} at the same place as another stop")
    return found


def _named(instance: Instance, nodes: Indices) -> str:
    names = ", ".join(instance.label(int(node)) for node in nodes[:MOST_NAMED])
    more = len(nodes) - MOST_NAMED
    return f"{names} and {more} more:" if more > 0 else f"{names}:"


def _outliers(instance: Instance) -> Indices:
    """At most a tenth of the nodes, far from the median place while all others are near."""
    if instance.num_nodes < 4:
        return np.zeros(0, dtype=np.int64)
    away = np.hypot(*(instance.plane - np.median(instance.plane, axis=0)).T)
    order = np.argsort(away)
    for count in range(1, instance.num_nodes // 10 + 2):
        inner, outer = away[order[-count - 1]], away[order[-count]]
        if outer > FAR * inner > 0:
            return np.sort(order[-count:])
    return np.zeros(0, dtype=np.int64)


def _swapped(instance: Instance) -> Indices:
    """Nodes that are far from the median place, and within reach of the others with their axes exchanged."""
    points = instance.coordinates
    centre = np.median(points, axis=0)
    away = np.abs(points - centre).max(axis=1)
    exchanged = np.abs(points[:, ::-1] - centre).max(axis=1)
    reach = max(4.0 * float(np.median(away)), 0.5)
    return np.flatnonzero((away > 3.0 * reach) & (exchanged <= reach))


def _identical(instance: Instance) -> Indices:
    """Customers at the place of an earlier customer that is not the other half of their pair."""
    points = instance.coordinates if instance.latlon is None else instance.latlon
    customers = np.asarray(instance.customers)
    _, first, back = np.unique(points[customers], axis=0, return_index=True, return_inverse=True)
    repeated = customers[first[back.reshape(-1)] != np.arange(len(customers))]
    partner = {int(b): int(a) for a, b in instance.pairs}
    alone = [
        n
        for n in repeated.tolist()
        if not np.array_equal(points[partner.get(n, n)], points[n]) or n not in partner
    ]
    return np.array(alone, dtype=np.int64)
