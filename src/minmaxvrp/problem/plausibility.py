"""Mistakes that a valid instance can still hold: places at 0/0, swapped coordinates, outliers, duplicates.

`info` and `solve` show what is found as warnings; nothing is refused.
"""

import numpy as np

from .distance import Distance, is_geographic
from .instance import Indices, Instance

FAR = 20.0
"""A stop is an outlier when it is this many times as far from the median place as the others are at most."""
MOST_NAMED = 5
DESERTED = (
    *((-90.0, -60.0, -180.0, 180.0), (71.5, 90.0, -180.0, 180.0)),  # Antarctica, the Arctic Ocean
    *((-60.0, -41.0, -64.0, 66.0), (-40.0, -9.0, -34.0, -16.0)),  # the Southern Ocean, the South Atlantic
    *((20.0, 31.0, -58.0, -19.0), (-15.0, 4.0, -30.0, 6.0)),  # the Atlantic, the Gulf of Guinea
    *((-3.0, 5.0, 48.7, 72.0), (5.0, 12.0, 52.0, 72.0)),  # the Indian Ocean east of Africa
    *((12.9, 14.6, 49.8, 70.0), (11.45, 12.6, 45.5, 49.5)),  # the Arabian Sea, the Gulf of Aden
    *((17.5, 22.5, 47.5, 55.0), (16.15, 17.5, 47.5, 52.0)),  # the Empty Quarter of Arabia, Hadramaut's north
    *((12.3, 14.6, 40.3, 42.4), (8.2, 10.3, 49.4, 51.2)),  # the Danakil, the Somali coast south of the Cape
)
"""South, north, west and east of regions where next to nobody lives, and where the places of Europe, America,
India and South Africa come to lie with latitude and longitude exchanged. Others come to lie among people, as
Zurich at Las Anod in Somalia: nothing tells them from stops that are there."""


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
        latitude, longitude = np.median(points, axis=0).tolist()
        possible = abs(longitude) <= 90.0 and not _is_deserted(longitude, latitude)
        if possible and _is_deserted(latitude, longitude):
            found.append(
                f"the stops are around latitude {latitude:.2f}, longitude {longitude:.2f}, where nearly "
                "nobody lives: are all latitudes and longitudes exchanged?"
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


def _is_deserted(latitude: float, longitude: float) -> bool:
    """Whether a place is in one of the regions where next to nobody lives."""
    return any(
        south <= latitude <= north and west <= longitude <= east for south, north, west, east in DESERTED
    )


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
