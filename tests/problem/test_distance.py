"""Every kind of distance against numbers worked out by hand or with plain formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem.distance import Distance, is_geographic, pairwise


def between(kind: Distance, a: tuple[float, float], b: tuple[float, float]) -> float:
    """The distance of two points."""
    return float(pairwise(kind, np.array(a), np.array(b)))


@pytest.mark.parametrize(
    ("kind", "a", "b", "expected"),
    [
        (Distance.EUCLIDEAN, (0, 0), (3, 4), 5.0),
        (Distance.EUCLIDEAN, (0, 0), (1, 1), math.sqrt(2)),
        (Distance.EUC_2D, (0, 0), (1, 1), 1.0),  # 1.414 is nearer to 1
        (Distance.EUC_2D, (0, 0), (2, 2), 3.0),  # 2.828 is nearer to 3
        (Distance.EUC_2D, (0, 0), (2.5, 0), 3.0),  # halves go up
        (Distance.CEIL_2D, (0, 0), (1, 1), 2.0),
        (Distance.CEIL_2D, (0, 0), (3, 4), 5.0),
        (Distance.ATT, (0, 0), (10, 0), 4.0),  # √(100/10) = 3.162, rounded 3 < 3.162, so 4
        (Distance.ATT, (0, 0), (12, 0), 4.0),  # √(144/10) = 3.795, rounded 4
        (Distance.ATT, (6823, 4674), (7692, 2247), 816.0),  # √(6645490/10) = 815.2, rounded 815 < 815.2
        (Distance.GEO, (0, 0), (0, 1), 112.0),  # 6378.388 km · π/180 = 111.3, then ⌊x + 1⌋
        (Distance.GEO, (0, 0), (0.30, 0), 56.0),  # 0.30 means 30 minutes: half of that is 55.66
        (Distance.GEO, (10.30, 20), (10.30, 20), 0.0),  # a point to itself
        (Distance.GREAT_CIRCLE, (0, 0), (0, 1), 6371.0088 * math.pi / 180),
        (Distance.GREAT_CIRCLE, (0, 0), (0, 180), 6371.0088 * math.pi),
        (Distance.GREAT_CIRCLE, (90, 0), (90, 120), 0.0),  # the pole has every longitude
    ],
)
def test_a_kind_gives_the_number_worked_out_by_hand(
    kind: Distance, a: tuple[float, float], b: tuple[float, float], expected: float
) -> None:
    """Hand-computed distances, both ways."""
    assert between(kind, a, b) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert between(kind, b, a) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_geographic_cities_are_as_far_as_the_map_says() -> None:
    """Berlin to Paris is about 878 km along the great circle."""
    assert between(Distance.GREAT_CIRCLE, (52.52, 13.405), (48.8566, 2.3522)) == pytest.approx(877.5, abs=1.0)


def test_distances_broadcast() -> None:
    """A column of points against a row of points gives a matrix."""
    points = np.random.default_rng(0).uniform(-50, 50, (5, 2))
    for kind in Distance:
        if kind is Distance.MATRIX:
            continue
        matrix = pairwise(kind, points[:, None], points[None, :])
        assert matrix.shape == (5, 5)
        assert matrix[1, 3] == between(kind, tuple(points[1]), tuple(points[3]))


def test_a_matrix_has_no_formula() -> None:
    """Asking for the distance of two points under the kind MATRIX is a fault of the caller."""
    with pytest.raises(ValueError, match="explicit matrix"):
        pairwise(Distance.MATRIX, np.zeros(2), np.ones(2))


def test_only_latitudes_and_longitudes_are_geographic() -> None:
    """GEO and great circles read coordinates as latitude and longitude, the others do not."""
    assert [k.value for k in Distance if is_geographic(k)] == ["geo", "great_circle"]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(-80, 80), st.integers(-170, 170)), min_size=3, max_size=3))
def test_rounding_up_keeps_the_triangle_inequality(points: list[tuple[int, int]]) -> None:
    """On whole coordinates only rounding to the nearest can make a detour shorter."""
    a, b, c = points
    for kind in (Distance.EUCLIDEAN, Distance.CEIL_2D, Distance.ATT, Distance.GEO, Distance.GREAT_CIRCLE):
        assert between(kind, a, c) <= between(kind, a, b) + between(kind, b, c) + 1e-6


def test_rounding_to_the_nearest_breaks_the_triangle_inequality() -> None:
    """The example for which the bounds must not take the direct leg: 3 directly, 2 with a stop."""
    assert between(Distance.EUC_2D, (0, 0), (2, 2)) == 3.0
    assert between(Distance.EUC_2D, (0, 0), (1, 1)) + between(Distance.EUC_2D, (1, 1), (2, 2)) == 2.0
