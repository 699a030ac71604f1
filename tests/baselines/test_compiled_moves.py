"""CROSS exchange and the genetic algorithm: their plans are valid, on tiny instances optimal."""

import itertools
from types import ModuleType

import numpy as np
import pytest

from minmaxvrp.baselines import cross, hga
from minmaxvrp.baselines.compiled_moves import Plan, cross_pair, empty_plan, orders, route_length, scaled_legs
from minmaxvrp.baselines.hga_kernels import cut, flatten, offspring
from minmaxvrp.errors import InputError
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.generate import uniform
from minmaxvrp.problem.instance import Instance
from tests.baselines.tiny import FIXED_FLEET, MDVRP, MPDP, PLAIN, points
from tests.problem.brute import optimum

SECONDS = 0.05
TINY = {**PLAIN, "mdvrp": MDVRP}


def random_plan(instance: Instance, seed: int) -> Plan:
    """Customers on routes at random, lengths measured."""
    leg, close = scaled_legs(instance)
    rng = np.random.default_rng(seed)
    plan = empty_plan(instance.num_vehicles, instance.num_customers)
    for customer in rng.permutation(instance.num_customers):
        r = int(rng.integers(instance.num_vehicles))
        plan.order[r, plan.size[r]] = customer
        plan.size[r] += 1
    for r in range(instance.num_vehicles):
        plan.length[r] = route_length(plan.order[r], int(plan.size[r]), leg, close)
    return plan


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile before anything is timed."""
    for solver in (cross, hga):
        solver.solve(TINY["mtsp"], 0.001)


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("solver", [cross, hga], ids=["cross", "hga"])
def test_tiny_instances_are_solved_to_the_optimum(solver: ModuleType, name: str) -> None:
    """What enumeration finds, also where each route chooses its depot."""
    instance = TINY[name]
    solution = solver.solve(instance, SECONDS, seed=1)
    assert violations(instance, solution) == []
    assert makespan(instance, solution) == pytest.approx(optimum(instance)[0])


@pytest.mark.parametrize("solver", [cross, hga], ids=["cross", "hga"])
def test_pairs_and_fixed_fleets_are_refused(solver: ModuleType) -> None:
    """What a method does not know is bad input, not a wrong answer."""
    with pytest.raises(InputError, match="no pairs"):
        solver.solve(MPDP, SECONDS)
    with pytest.raises(InputError, match="no limit of vehicles"):
        solver.solve(FIXED_FLEET, SECONDS)


@pytest.mark.parametrize("solver", [cross, hga], ids=["cross", "hga"])
def test_one_customer_and_one_vehicle_are_routed(solver: ModuleType) -> None:
    """The smallest instances have no neighbours and no second route."""
    one = Instance.mtsp([0.5, 0.5], points(1, 1), 2)
    alone = Instance.mtsp([0.5, 0.5], points(2, 5), 1)
    assert violations(one, solver.solve(one, 0.01)) == []
    assert makespan(alone, solver.solve(alone, 0.01)) == pytest.approx(optimum(alone)[0])


def test_a_cross_exchange_shortens_the_longer_route_and_knows_the_lengths() -> None:
    """Noted lengths equal measured ones, nobody is lost, the longer of the two gets shorter."""
    instance = uniform("mdvrp", 13, 3, num_depots=4, seed=5, count=1)[0]
    leg, close = scaled_legs(instance)
    for seed in range(20):
        plan = random_plan(instance, seed)
        before = max(plan.length[0], plan.length[2])
        improved = cross_pair(plan, 0, 2, 4, leg, close)
        assert improved == (max(plan.length[0], plan.length[2]) < before)
        assert sorted(c for order in orders(plan) for c in order) == list(range(13))
        for r in range(3):
            assert plan.length[r] == pytest.approx(route_length(plan.order[r], int(plan.size[r]), leg, close))


def test_a_sequence_is_cut_best() -> None:
    """Dynamic programming finds the best of all ways to cut."""
    instance = uniform("mtsp", 9, 3, seed=2, count=1)[0]
    leg, close = scaled_legs(instance)
    sequence = np.random.default_rng(3).permutation(8)
    plan = empty_plan(3, 8)
    found = cut(sequence, plan, leg, close)
    ways = [
        max(
            route_length(sequence[a:b].copy(), b - a, leg, close)
            for a, b in itertools.pairwise((0, first, second, 8))
        )
        for first, second in itertools.combinations_with_replacement(range(9), 2)
    ]
    assert found == pytest.approx(min(ways))
    assert flatten(plan).tolist() == sequence.tolist()


@pytest.mark.parametrize("similar", [False, True])
def test_a_child_has_every_customer_once(similar: bool) -> None:
    """Both crossovers give a sequence of all customers."""
    instance = uniform("mtsp", 18, 4, seed=8, count=1)[0]
    leg, _ = scaled_legs(instance)
    for seed in range(20):
        first, second = random_plan(instance, seed), random_plan(instance, seed + 100)
        child = offspring(first, second, similar, leg, seed)
        assert sorted(child.tolist()) == list(range(17))
