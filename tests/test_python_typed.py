"""Python as people write it: lists where arrays are, and a type checker agrees (mypy reads this file)."""

import pytest

from minmaxvrp import InputError, Instance, MaxIterations, Solution, solve, violations

MATRIX = [[0, 4, 7], [4, 0, 5], [7, 5, 0]]


def test_a_matrix_alone_is_enough() -> None:
    """The points are a layout for pictures; one depot unless said otherwise."""
    instance = Instance(matrix=MATRIX, num_vehicles=2)
    assert (instance.kind, instance.num_depots, instance.num_customers) == ("matrix", 1, 2)
    assert solve(instance, MaxIterations(10)).makespan == 14.0
    assert Instance.mtsp([0, 0], [[1, 1], [2, 2]], 2, matrix=MATRIX).kind == "matrix"


def test_lists_are_taken_where_arrays_are() -> None:
    """Points, pairs, service, names, depots' vehicles and places."""
    instance = Instance(
        [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [2.0, 2.0]],
        2,
        3,
        pairs=[[2, 3]],
        service=[1, 2, 0.5],
        names=["a", "b", "c", "d", "e"],
        vehicles_per_depot=[2, 2],
        kind="euc_2d",
        unit="km",
        speed=40,
    )
    assert instance.service is not None
    assert instance.service.tolist() == [1.0, 2.0, 0.5]
    assert instance.pairs.tolist() == [[2, 3]]
    assert not violations(instance, Solution.of([[2, 3], [4]]))


def test_misspelt_keywords_are_caught_by_mypy_and_at_run_time() -> None:
    """With the one that was meant; an ignore that mypy does not need would be an error of its own."""
    with pytest.raises(InputError, match="did you mean 'service'"):
        Instance.mtsp([0, 0], [[1, 2], [2, 3]], 2, servise=[1, 2])  # type: ignore[call-arg]
    with pytest.raises(InputError, match="did you mean 'num_vehicles'"):
        Instance([[0, 0], [1, 2]], 1, num_vehicle=2)  # type: ignore[call-arg]
    with pytest.raises(InputError, match="num_vehicles is missing"):
        Instance([[0, 0], [1, 2]])


@pytest.mark.parametrize("depot", [[0, 0, 0], [[0, 0, 0]], 3])
def test_points_in_space_are_refused(depot: list[float]) -> None:
    """Depots and customers in the same words."""
    with pytest.raises(InputError, match="depot has shape"):
        Instance.mtsp(depot, [[1, 2], [2, 3]], 2)
    with pytest.raises(InputError, match=r"expected \(number of points, 2\): x and y alone"):
        Instance.mtsp([0, 0], [[1, 2, 3], [2, 3, 4]], 2)


def test_neither_coordinates_nor_a_matrix() -> None:
    """Says that one is needed."""
    with pytest.raises(InputError, match="no coordinates and no matrix"):
        Instance(num_vehicles=2)


def test_what_is_no_instance_is_refused() -> None:
    """Before anything is computed."""
    with pytest.raises(InputError, match="instance: got a list, expected an Instance"):
        solve([[0, 0], [1, 1]])  # type: ignore[arg-type]
