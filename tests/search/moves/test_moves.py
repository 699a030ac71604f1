"""Each move's predicted route lengths equal the lengths measured after it."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem.check import route_lengths
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.moves.tour import Tour, empty_tour

from ..probes import change_route, change_two_routes
from ..random_instances import random_instance

pytestmark = pytest.mark.usefixtures("probes")


def _tour(nodes: list[int], num_nodes: int) -> Tour:
    tour = empty_tour(num_nodes)
    tour.node[: len(nodes)] = nodes
    tour.info.count = len(nodes) - 2
    return tour


def _measured(instance: Instance, tour: Tour) -> float:
    """Length by the checker of the route that a tour describes; 0 without customers."""
    nodes = tour.node[: tour.info.count + 2].tolist()
    if len(nodes) == 2:
        return 0.0
    return float(route_lengths(instance, Solution((Route.of(nodes[1:-1], nodes[0], nodes[-1]),)))[0])


def _two_routes(seed: int) -> tuple[Instance, list[int], list[int], np.random.Generator]:
    """An instance, two disjoint routes with 2 or more customers each, and where to draw on from."""
    rng = np.random.default_rng(seed)
    instance = random_instance(seed, num_customers=int(rng.integers(4, 16)))
    customers = rng.permutation(list(instance.customers)).tolist()
    cut = int(rng.integers(2, len(customers) - 1))
    ends = rng.integers(instance.num_depots, size=4).tolist()
    if instance.return_to == "start":
        ends[1], ends[3] = ends[0], ends[2]
    first = [ends[0], *customers[:cut], ends[1]]
    return instance, first, [ends[2], *customers[cut:], ends[3]], rng


@pytest.mark.parametrize("kind", [0, 1], ids=["2-opt", "Or-opt"])
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_predicted_length_equals_the_measured_one_within_a_route(kind: int, seed: int) -> None:
    """2-opt and Or-opt, on any instance: symmetric or not, with service, rounded or not."""
    instance, first, _, rng = _two_routes(seed)
    count = len(first) - 2
    if kind == 0:
        i, j = sorted(rng.choice(np.arange(1, count + 1), size=2, replace=False).tolist())
        at = [i, j, 0, 0]
    else:
        i = int(rng.integers(1, count + 1))
        j = min(i + int(rng.integers(3)), count)
        spots = [k for k in range(count + 1) if k < i - 1 or k > j]
        if not spots:
            return
        at = [i, j, int(rng.choice(spots)), int(rng.integers(2))]
    tour, out = _tour(first, instance.num_nodes), empty_tour(instance.num_nodes)
    predicted = change_route(prepare(instance, 1.0), kind, tour, out, np.array(at))
    assert sorted(out.node[: count + 2].tolist()) == sorted(first)
    assert predicted == pytest.approx(_measured(instance, out), rel=1e-9)


def _positions(kind: int, m: int, n: int, rng: np.random.Generator) -> list[int]:
    """Random positions for a move between routes of m and n customers."""
    draw: Callable[[int, int], int] = lambda low, high: int(rng.integers(low, high + 1))  # noqa: E731
    if kind == 0:
        return [draw(0, m), 0, draw(0, n), 0]
    i, k = draw(1, m), draw(1, n + 1)
    return [i, draw(i, m + 1), k, draw(0, n + 1 - k)]


@pytest.mark.parametrize("kind", range(2), ids=["2-opt*", "CROSS exchange"])
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_predicted_lengths_equal_the_measured_ones_between_routes(kind: int, seed: int) -> None:
    """Both routes' lengths, also when a route becomes empty or ends at another depot."""
    instance, first, second, rng = _two_routes(seed)
    nodes = instance.num_nodes
    new_a, new_b = empty_tour(nodes), empty_tour(nodes)
    at = np.array(_positions(kind, len(first) - 2, len(second) - 2, rng))
    a, b = _tour(first, nodes), _tour(second, nodes)
    predicted = change_two_routes(prepare(instance, 1.0), kind, a, b, new_a, new_b, at)
    visited = [*new_a.node[1 : new_a.info.count + 1], *new_b.node[1 : new_b.info.count + 1]]
    assert sorted(visited) == list(instance.customers)
    assert predicted[0] == pytest.approx(_measured(instance, new_a), rel=1e-9)
    assert predicted[1] == pytest.approx(_measured(instance, new_b), rel=1e-9)
