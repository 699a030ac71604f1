"""Distances between points, one function per kind, computed where they are asked for.

Everything that measures a route (instance, checker, search) goes through `pairwise`, so that a
kind is written once. Nothing here allocates N² unless it is given N² pairs of points.
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
    degrees = np.trunc(coordinates)
    minutes = coordinates - degrees
    return np.asarray(TSPLIB_PI * (degrees + 5.0 * minutes / 3.0) / 180.0)


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
        return np.where(same, 0.0, np.floor(TSPLIB_RADIUS_KM * np.arccos(cosine) + 1.0))
    if kind is Distance.MATRIX:
        raise ValueError("an explicit matrix has no formula: look the entry up")
    dx, dy = a[..., 0] - b[..., 0], a[..., 1] - b[..., 1]
    if kind is Distance.ATT:
        exact = np.sqrt((dx * dx + dy * dy) / 10.0)
        rounded = np.rint(exact)
        return np.where(rounded < exact, rounded + 1.0, rounded)
    straight: Floats = np.asarray(np.hypot(dx, dy))
    if kind is Distance.EUC_2D:
        return np.asarray(np.floor(straight + 0.5))
    if kind is Distance.CEIL_2D:
        return np.asarray(np.ceil(straight))
    return straight
