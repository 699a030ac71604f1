"""The split of a tour is the best one: compared with all cuts of small tours."""

import itertools

import numpy as np
import pytest

from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.construction.split import split


def _best_by_hand(instance: Instance, order: list[int]) -> float:
    """The shortest makespan over all entries of the tour and all places to cut it."""
    n, best = len(order), np.inf
    for turn in range(n):
        tour = order[turn:] + order[:turn]
        for cuts in itertools.combinations(range(1, n), min(n, instance.num_vehicles) - 1):
            parts = [tour[a:b] for a, b in itertools.pairwise([0, *cuts, n])]
            best = min(best, max(_shortest(instance, part) for part in parts))
    return best


def _shortest(instance: Instance, part: list[int]) -> float:
    """The length of a route with its best depots."""
    depots = range(instance.num_depots)
    ends = itertools.product(depots, depots) if instance.return_to == "any" else ((d, d) for d in depots)
    return min(makespan(instance, Solution((Route.of(part, *end),))) for end in ends)


@pytest.mark.parametrize("depots", [1, 3])
@pytest.mark.parametrize("seed", range(60))
def test_no_other_cut_is_better(seed: int, depots: int) -> None:
    """1 to 9 customers, 1 to 4 vehicles, with and without service, at random places and on a line."""
    rng = np.random.default_rng(seed)
    customers, vehicles = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    points = rng.uniform(size=(customers + depots, 2)) * (1.0, float(rng.integers(2)))
    service = rng.uniform(size=customers) * float(rng.integers(2))
    instance = Instance(points, depots, vehicles, service=service, return_to="any" if seed % 3 else "start")
    order = rng.permutation(np.array(instance.customers))
    parts = split(prepare(instance, 0.7), order)
    assert 1 <= len(parts) <= vehicles
    assert sorted(np.concatenate(parts).tolist()) == list(instance.customers)
    found = max(_shortest(instance, part.tolist()) for part in parts)
    assert found == pytest.approx(_best_by_hand(instance, order.tolist()), rel=1e-9, abs=1e-12)


def test_parts_follow_each_other_along_the_tour() -> None:
    """Put together they are the tour, entered somewhere."""
    instance = Instance(np.random.default_rng(5).uniform(size=(301, 2)), 1, 7)
    order = np.random.default_rng(6).permutation(np.arange(1, 301))
    joined = np.concatenate(split(prepare(instance, 0.1), order))
    turn = int(np.flatnonzero(order == joined[0])[0])
    assert (joined == np.roll(order, -turn)).all()


def test_customers_at_the_depot_need_no_route_of_their_own() -> None:
    """All at one place: every split has length 0, and any number of parts up to the vehicles is fine."""
    instance = Instance(np.ones((6, 2)), 1, 3)
    parts = split(prepare(instance, 1.0), np.array([3, 1, 5, 2, 4]))
    assert sorted(np.concatenate(parts).tolist()) == [1, 2, 3, 4, 5]
    assert len(parts) <= 3
