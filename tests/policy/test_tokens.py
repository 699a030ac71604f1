"""Between actions and routes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.errors import InputError
from minmaxvrp.policy import Policy
from minmaxvrp.policy.rollout import roll_out
from minmaxvrp.policy.tokens import TokenMap, batch_of, misfit, unit_square
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution

from .problems import KINDS, random_instance, random_orders, small_network


@settings(max_examples=60)
@given(
    kind=st.sampled_from(list(KINDS)),
    seed=st.integers(0, 1000),
    customers=st.integers(1, 9),
    vehicles=st.integers(1, 5),
    matrix=st.booleans(),
)
def test_the_fast_measure_is_the_checkers(
    kind: str, seed: int, customers: int, vehicles: int, matrix: bool
) -> None:
    """Makespans of rollouts, service and asymmetric distances included, equal the checker's."""
    rng = np.random.default_rng(seed)
    instance = random_instance(kind, rng, customers, vehicles)
    service = rng.random(instance.num_customers)
    instance = replace(instance, service=service)
    if matrix:
        table = rng.random((instance.num_nodes, instance.num_nodes))
        instance = replace(instance, kind=Distance.MATRIX, matrix=table)
    network = small_network(kind)
    token_map = TokenMap.of(instance, network.config.form)
    batch = batch_of([token_map])
    actions = roll_out(network, batch, network.encode(batch), random_orders(vehicles, 4), sample_seed=seed)
    rows = actions.actions[0].numpy()
    expected = [makespan(instance, token_map.solution(row).without_empty()) for row in rows]
    assert token_map.makespans(rows).tolist() == pytest.approx(expected)


def test_pairs_are_reordered_and_read_back() -> None:
    """Pairs in any order become pickups then deliveries, and routes carry the instance's numbers."""
    points = np.random.default_rng(0).random((5, 2))
    instance = Instance(points, 1, 2, pairs=np.array([[4, 1], [3, 2]]))
    token_map = TokenMap.of(instance, "pairs")
    assert token_map.nodes.tolist() == [0, 0, 4, 3, 1, 2]
    np.testing.assert_allclose(
        batch_of([token_map]).customers[0], points_of(instance, [4, 3, 1, 2]), rtol=1e-6
    )
    assert token_map.solution(np.array([2, 4, 0, 3, 5, 1])) == Solution.of([[4, 1], [3, 2]])


def points_of(instance: Instance, nodes: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Normalised coordinates of nodes."""
    return unit_square(instance.plane)[nodes]


def test_coordinates_are_normalised_with_the_aspect_ratio_kept() -> None:
    """One scale for both axes, each axis shifted to 0; a spread unit square stays as it is."""
    points = np.array([[100.0, 5.0], [300.0, 5.0], [200.0, 55.0]])
    np.testing.assert_allclose(unit_square(points), np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.25]]))
    inside = np.array([[0.1, 0.2], [0.9, 0.4]])
    np.testing.assert_array_equal(unit_square(inside), inside)
    np.testing.assert_array_equal(unit_square(np.full((3, 2), 7.0)), np.zeros((3, 2)))


def test_instances_that_do_not_fit_are_refused_with_the_reason() -> None:
    """Plain customers beside pairs, several depots, pairs: each says what was expected and got."""
    rng = np.random.default_rng(0)
    partly = Instance(rng.random((6, 2)), 1, 2, pairs=np.array([[1, 2]]))
    with pytest.raises(InputError, match="1 pairs for 5 customers"):
        TokenMap.of(partly, "pairs")
    assert "got 3 depots" in str(misfit(random_instance("mdvrp", rng, 4, 2), "single"))
    assert "got 2 pairs" in str(misfit(random_instance("mpdp", rng, 4, 2), "multi"))
    assert misfit(random_instance("mtsp", rng, 4, 2), "multi") is None


FLEET = (Vehicle(), Vehicle())


@pytest.mark.parametrize("fields", [{"return_to": "nowhere"}, {"allowed": {1: (0,)}}, {"fleet": FLEET}])
def test_no_policy_serves_a_fleet(fields: dict[str, Any]) -> None:
    """Vehicles that are told apart and open routes go to the search, with a reason."""
    instance = Instance.mtsp([0, 0], [[1, 0], [0, 1]], 2, **fields)
    assert Policy.for_instance(instance) is None
    with pytest.raises(InputError, match="all alike and return"):
        TokenMap.of(instance, "single")
