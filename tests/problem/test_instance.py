"""An instance refuses every field out of range by name, and accepts every legal degenerate one."""

from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance

SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
NAN, INF = float("nan"), float("inf")


def make(**fields: Any) -> Instance:
    """A square with one depot and three customers, some fields replaced."""
    start: dict[str, Any] = {"coordinates": SQUARE, "num_depots": 1, "num_vehicles": 2}
    return Instance(**(start | fields))


def matrix_with(row: int, column: int, value: float) -> Any:
    """A matrix of ones for the square, one entry replaced."""
    matrix = np.ones((4, 4))
    matrix[row, column] = value
    return matrix


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"coordinates": [1.0, 2.0]}, r"coordinates has shape \(2,\), expected \(number of points, 2\)"),
    ({"coordinates": [[1.0, 2.0, 3.0]]}, r"coordinates has shape \(1, 3\)"),
    ({"coordinates": "north"}, "coordinates: expected numbers"),
    ({"coordinates": [[0, 0], [NAN, 1]]}, r"coordinates\[1, 0\] = nan, expected a finite number"),
    ({"coordinates": [[0, 0], [1, INF]]}, r"coordinates\[1, 1\] = inf, expected a finite number"),
    ({"coordinates": [[0, 0], [1e200, 1]]}, r"a coordinate or distance of 1e\+200, expected at most"),
    ({"kind": "manhattan"}, "distance = 'manhattan', expected one of euclidean, euc_2d"),
    ({"num_depots": 0}, "num_depots = 0, expected 1 or more"),
    ({"num_depots": 1.5}, "num_depots = 1.5, expected a whole number"),
    ({"num_vehicles": 0}, "num_vehicles = 0, expected 1 or more"),
    ({"num_vehicles": True}, "num_vehicles = True, expected a whole number"),
    ({"num_vehicles": "two"}, "num_vehicles = 'two', expected a whole number"),
    ({"num_depots": 4}, "no customers: 4 nodes of which 4 are depots"),
    ({"return_to": "home"}, "return_to = 'home', expected 'start', 'any' or 'nowhere'"),
    ({"pairs": [[1, 2, 3]]}, "pairs: expected a list of"),
    ({"pairs": [["a", "b"]]}, "pairs: expected a list of"),
    ({"pairs": [[1.5, 2]]}, "pairs: expected a list of"),
    ({"pairs": [[1, INF]]}, "pairs: expected a list of"),
    ({"pairs": [[0, 1]]}, "pairs: node 0 is not a customer, expected 1 to 3"),
    ({"pairs": [[1, 4]]}, "pairs: node 4 is not a customer"),
    ({"pairs": [[1, 2], [2, 3]]}, "pairs: node 2 is in more than one pair"),
    ({"pairs": [[1, 1]]}, "pairs: node 1 is in more than one pair"),
    ({"kind": "matrix"}, "distance = 'matrix' with no matrix"),
    (
        {"kind": "euc_2d", "matrix": np.ones((4, 4))},
        "distance = 'euc_2d' with a matrix, expected a matrix with 'matrix' only",
    ),
    ({"servise": [1, 2, 3]}, "'servise' is no field of an instance: did you mean 'service'?"),
    ({"colour": "red"}, "'colour' is no field of an instance: expected one of coordinates, num_depots"),
    ({"kind": "matrix", "matrix": np.ones((4, 3))}, r"shape \(4, 3\), expected \(4, 4\)"),
    ({"kind": "matrix", "matrix": [["x"]]}, "distance matrix: expected numbers"),
    ({"kind": "matrix", "matrix": matrix_with(2, 1, -0.5)}, "row 2 column 1 = -0.5, expected 0 or more"),
    ({"kind": "matrix", "matrix": matrix_with(2, 1, NAN)}, r"distance matrix\[2, 1\] = nan"),
    ({"kind": "matrix", "matrix": matrix_with(2, 1, 1e200)}, r"distance of 1e\+200"),
    ({"kind": "geo", "coordinates": [[0, 0], [91, 0]]}, "node 1: latitude = 91, expected -90 to 90"),
    ({"kind": "great_circle", "coordinates": [[0, 0], [0, -181]]}, "node 1: longitude = -181"),
    ({"vehicles_per_depot": ["many"]}, "vehicles per depot: expected a list of whole numbers"),
    ({"vehicles_per_depot": [2.5]}, "vehicles per depot: expected a list of whole numbers"),
    ({"vehicles_per_depot": [1, 1]}, "vehicles per depot: 2 numbers, expected one for each of 1 depots"),
    ({"vehicles_per_depot": [-1]}, "vehicles per depot: -1, expected 0 or more"),
    ({"vehicles_per_depot": [1]}, "num_vehicles = 2, but the depots have only 1 vehicles"),
    ({"service": [1.0]}, "service: 1 times, expected one for each of 3 customers"),
    ({"service": ["long"] * 3}, "service: expected numbers"),
    ({"service": [1.0, NAN, 1.0]}, r"service\[1\] = nan"),
    ({"service": [1.0, -2.0, 1.0]}, "service = -2, expected 0 or more"),
    ({"names": ("a", "b")}, "2 names, expected one for each of 4 nodes"),
    ({"names": ("a", "b", "", "d")}, "name = '', expected a text that is not empty"),
    ({"names": ("a", "b", 3, "d")}, "name = 3, expected a text"),
    ({"names": ("a", "b", "a", "d")}, "name 'a' is used twice"),
]


@pytest.mark.parametrize(("fields", "message"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_field_is_refused_by_name(fields: dict[str, Any], message: str) -> None:
    """Each field out of its range raises `InputError` that says what, got and expected."""
    with pytest.raises(InputError, match=message):
        make(**fields)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Instance.mtsp([0, 0], [], 1), "no customers"),
        (lambda: Instance.mtsp("x", [[1, 1]], 1), "depot: expected numbers"),
        (lambda: Instance.mtsp([0, 0], [[1, 1, 1]], 1), "customers has shape"),
        (lambda: Instance.mpdp([0, 0], [[1, 1]], [[1, 1], [2, 2]], 1), "1 pickups and 2 deliveries"),
        (lambda: Instance.mpdp([0, 0], [1, 1], [[1, 1]], 1), "pickups has shape"),
        (lambda: Instance.mdvrp([0, 0], [[1, 1]], 1), "depots has shape"),
    ],
)
def test_constructors_refuse_points_of_the_wrong_shape(build: Any, message: str) -> None:
    """The constructors of the four problems name the argument that is wrong."""
    with pytest.raises(InputError, match=message):
        build()


def test_the_four_problems_differ_in_their_fields_only() -> None:
    """Each constructor sets the fields of its problem, and `problem` reads them back."""
    points = [[0.1, 0.2], [0.3, 0.4]]
    mtsp, mpdp = Instance.mtsp([0, 0], points, 2), Instance.mpdp([0, 0], points, points, 2)
    mdvrp, fmdvrp = Instance.mdvrp(points, points, 2), Instance.fmdvrp(points, points, 2)
    assert [i.problem for i in (mtsp, mpdp, mdvrp, fmdvrp)] == ["mtsp", "mpdp", "mdvrp", "fmdvrp"]
    assert mpdp.pairs.tolist() == [[1, 3], [2, 4]]
    assert (mdvrp.num_depots, mdvrp.num_customers, list(mdvrp.customers)) == (2, 2, [2, 3])
    assert (mtsp.return_to, fmdvrp.return_to) == ("start", "any")


def test_an_instance_does_not_change() -> None:
    """Fields cannot be assigned, arrays cannot be written, and the caller's array is not shared."""
    points = np.array(SQUARE)
    instance = make(coordinates=points, service=[1, 2, 3])
    points[0] = 9.0
    assert instance.coordinates[0].tolist() == [0.0, 0.0]
    with pytest.raises(AttributeError):
        instance.num_vehicles = 3  # type: ignore[misc]
    for array in (instance.coordinates, instance.service, instance.node_service, instance.pairs):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_matrix_gets_a_zero_diagonal_and_shows_its_symmetry() -> None:
    """The way from a node to itself is 0 whatever the matrix says; asymmetry is seen."""
    instance = make(kind="matrix", matrix=matrix_with(2, 1, 3.0))
    assert instance.distance(0, 0) == 0.0
    assert instance.distance([2, 1], [1, 2]).tolist() == [3.0, 1.0]
    assert not instance.is_symmetric
    assert make(kind="matrix", matrix=np.ones((4, 4))).is_symmetric
    assert make().is_symmetric


def test_distances_of_a_large_instance_are_computed_where_they_are_asked_for() -> None:
    """An instance with 100,000 customers exists without 80 GB of distances."""
    rng = np.random.default_rng(0)
    instance = Instance.mtsp([0.0, 0.0], rng.uniform(size=(100_000, 2)), 10)
    assert instance.distance(0, 99_999) == pytest.approx(np.hypot(*instance.coordinates[99_999]))
    assert instance.distance(0, np.arange(1, 100_001)).shape == (100_000,)


def test_labels_are_names_or_numbers() -> None:
    """A node is called by its name, without names by its role and number."""
    assert [make().label(n) for n in (0, 3)] == ["depot 0", "customer 3"]
    assert make(names=("Hub", "A", "B", "C")).label(2) == "B"


def test_the_plane_has_north_up_and_shrinks_longitudes() -> None:
    """Pictures of geographic kinds show longitude to the right, shorter by the cosine of the latitude."""
    instance = make(kind=Distance.GREAT_CIRCLE, coordinates=[[59.0, 10.0], [61.0, 12.0]])
    x, y = (instance.plane[1] - instance.plane[0]).tolist()
    assert (x, y) == (pytest.approx(2.0 * 0.5), pytest.approx(2.0))  # cos 60° = 1/2
    assert make().plane.tolist() == SQUARE


@pytest.mark.parametrize(
    "fields",
    [
        {"coordinates": [[0.5, 0.5]] * 4},
        {"coordinates": [[0, 0], [1, 0]], "num_vehicles": 100},
        {"coordinates": np.array(SQUARE) * 1e9},
        {"coordinates": np.array(SQUARE) * 1e-9},
        {"coordinates": [[k, 2 * k] for k in range(4)]},
        {"num_depots": 3, "vehicles_per_depot": [2, 0, 0]},
        {"kind": "matrix", "matrix": np.zeros((4, 4))},
        {"pairs": []},
    ],
)
def test_degenerate_but_legal_input_is_an_instance(fields: dict[str, Any]) -> None:
    """Identical, collinear, huge or tiny points, idle vehicles and depots are no errors."""
    instance = make(**fields)
    assert np.isfinite(instance.distance_matrix()).all()
