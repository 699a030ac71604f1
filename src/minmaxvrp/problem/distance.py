"""The formulas of all kinds of distance, and the constants in them: their only owner in Python.

Instance, checker, bounds, readers and pictures measure through `pairwise`. The compiled search and the
network have scalar and tensor forms of their own, which tests compare with this one. Nothing
here allocates N² unless it is given N² pairs of points.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EARTH_RADIUS_KM = 6371.0088
"""Mean radius of the Earth (IUGG), used by great-circle distances."""

TSPLIB_PI = 3.141592
TSPLIB_RADIUS_KM = 6378.388


class Distance(StrEnum):
    """How far two nodes are apart; the unit is that of the coordinates unless said otherwise."""

    EUCLIDEAN = "euclidean"
    """Straight line, not rounded: the convention of the min-max literature."""
    EUC_2D = "euc_2d"
    """TSPLIB EUC_2D: straight line rounded to the nearest integer."""
    CEIL_2D = "ceil_2d"
    """TSPLIB CEIL_2D: straight line rounded up."""
    ATT = "att"
    """TSPLIB ATT: the pseudo-Euclidean distance, rounded."""
    GEO = "geo"
    """TSPLIB GEO: whole kilometres; coordinates are latitude, longitude as DDD.MM."""
    GREAT_CIRCLE = "great_circle"
    """Great-circle kilometres (haversine); coordinates are latitude, longitude in degrees."""
    MATRIX = "matrix"
    """An explicit matrix, possibly asymmetric; coordinates serve pictures and the policy only."""


def is_geographic(kind: Distance) -> bool:
    """Whether coordinates of this kind are (latitude, longitude)."""
    return kind in (Distance.GEO, Distance.GREAT_CIRCLE)


def geo_radians(coordinates: Floats) -> Floats:
    """TSPLIB's DDD.MM coordinates in radians, with TSPLIB's own value of pi."""
    return np.asarray(TSPLIB_PI * from_degrees_minutes(coordinates) / 180.0)


def from_degrees_minutes(values: Floats) -> Floats:
    """TSPLIB's DDD.MM (12.30 is 12 degrees 30 minutes) as degrees."""
    degrees = np.trunc(values)
    return np.asarray(degrees + 5.0 * (values - degrees) / 3.0)


def to_degrees_minutes(values: Floats) -> Floats:
    """Degrees as TSPLIB's DDD.MM."""
    degrees = np.trunc(values)
    return np.asarray(degrees + 3.0 * (values - degrees) / 5.0)


def radians(kind: Distance, coordinates: Floats) -> Floats:
    """Latitude and longitude in radians, for the geographic kinds."""
    return geo_radians(coordinates) if kind is Distance.GEO else np.asarray(np.radians(coordinates))


def pairwise(kind: Distance, a: Floats, b: Floats) -> Floats:
    """Distances between points `a` and `b` [..., 2], broadcast against each other, as [...]."""
    if kind is Distance.GREAT_CIRCLE:
        lat_a, lat_b = np.radians(a[..., 0]), np.radians(b[..., 0])
        half_lat = (lat_b - lat_a) / 2.0
        half_lon = np.radians(b[..., 1] - a[..., 1]) / 2.0
        h = np.sin(half_lat) ** 2 + np.cos(lat_a) * np.cos(lat_b) * np.sin(half_lon) ** 2
        return np.asarray(2.0 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(h, 0.0, 1.0))))
    if kind is Distance.GEO:
        ra, rb = geo_radians(a), geo_radians(b)
        q1 = np.cos(ra[..., 1] - rb[..., 1])
        q2 = np.cos(ra[..., 0] - rb[..., 0])
        q3 = np.cos(ra[..., 0] + rb[..., 0])
        cosine = np.clip(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3), -1.0, 1.0)
        same = (a == b).all(axis=-1)
        return np.where(same, 0.0, rounded(kind, TSPLIB_RADIUS_KM * np.arccos(cosine)))
    if kind is Distance.MATRIX:
        raise ValueError("an explicit matrix has no formula: look the entry up")
    dx, dy = a[..., 0] - b[..., 0], a[..., 1] - b[..., 1]
    if kind is Distance.ATT:
        return rounded(kind, np.asarray(np.sqrt((dx * dx + dy * dy) / 10.0)))
    return rounded(kind, np.asarray(np.hypot(dx, dy)))


def rounded(kind: Distance, exact: Floats) -> Floats:
    """Exact lengths as this kind rounds them. ATT: exact is the straight line divided by √10."""
    if kind is Distance.EUC_2D:
        return np.asarray(np.floor(exact + 0.5))
    if kind in (Distance.CEIL_2D, Distance.ATT):
        return np.asarray(np.ceil(exact))
    return np.asarray(np.floor(exact + 1.0)) if kind is Distance.GEO else exact
