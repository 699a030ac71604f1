"""The start for long routes is feasible, repeatable and better than the greedy one."""

from dataclasses import replace

import numpy as np
import pytest

from minmaxvrp.interrupt import Interrupt
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.distributions import DISTRIBUTIONS
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.construction.tour_start import tour_start, tour_starts
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.settings import has_long_routes
from minmaxvrp.stop import MaxIterations, MaxRuntime


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_start_is_feasible_and_better_than_greedy(distribution: str) -> None:
    """On every distribution, with a budget of iterations and with no time at all."""
    instance = instances("mtsp", 131, 4, distribution=distribution, seed=3)[0]
    problem = prepare(instance, 0.1)
    assert has_long_routes(problem)
    for stop in (MaxIterations(1), MaxRuntime(0.0)):
        start = tour_start(instance, problem, stop, 0)
        assert violations(instance, start) == []
    start = tour_start(instance, problem, MaxIterations(1), 0)
    assert makespan(instance, start) < makespan(instance, construct(instance))


def test_the_seed_decides_the_start() -> None:
    """Where the clock plays no part the same seed gives the same routes."""
    instance = instances("mtsp", 97, 3, seed=5)[0]
    problem = prepare(instance, 0.1)
    starts = [tour_start(instance, problem, MaxIterations(5), seed) for seed in (1, 1)]
    assert starts[0] == starts[1]


@pytest.mark.parametrize("iterations", [1, 200_000])
def test_lanes_try_other_tours_side_by_side(iterations: int) -> None:
    """One lane is the start of one worker; of three each gives a plan, all the same the next time."""
    instance = instances("mtsp", 131, 4, seed=6)[0]
    problem, stop = prepare(instance, 0.1), MaxIterations(iterations)
    assert tour_starts(instance, problem, stop, 2, Interrupt(), 1) == [tour_start(instance, problem, stop, 2)]
    starts = [tour_starts(instance, problem, stop, 2, Interrupt(), 3) for _ in range(2)]
    assert starts[0] == starts[1]
    assert len(set(starts[0])) > 1
    assert all(violations(instance, start) == [] for start in starts[0])


def test_a_start_that_is_short_enough_is_taken_at_once() -> None:
    """Any plan is short enough here, so the first tour is the start: the one of the smallest budget."""
    instance = instances("mtsp", 160, 3, distribution="clustered", seed=4)[0]
    problem = prepare(instance, 0.1)
    found = tour_start(instance, problem, MaxIterations(200_000), 0, enough=1e9)
    assert found == tour_start(instance, problem, MaxIterations(1), 0)


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("problem", ["mdvrp", "fmdvrp"])
def test_several_depots_are_served_within_their_limits(problem: str, limited: bool) -> None:
    """Better than the greedy start, with room for all at each depot and with just one vehicle for each."""
    instance = instances(problem, 160, 4, num_depots=4, distribution="clustered", seed=8)[0]
    if limited:
        instance = replace(instance, vehicles_per_depot=np.ones(4, dtype=np.int64))
    start = tour_start(instance, prepare(instance, 0.1), MaxIterations(1), 0)
    assert violations(instance, start) == []
    assert makespan(instance, start) < makespan(instance, construct(instance))


def test_the_search_is_never_worse_than_its_own_start() -> None:
    """One iteration with the tour is at least as good as the tour; without it, as the greedy start."""
    instance = instances("mtsp", 151, 3, distribution="drilled", seed=2)[0]
    with_tour = minimise_makespan(instance, MaxIterations(1)).makespan
    alone = minimise_makespan(instance, MaxIterations(1), own_start=False).makespan
    assert with_tour < alone <= makespan(instance, construct(instance))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"num_vehicles": 4}, False),
        ({"num_depots": 2}, True),
        ({"num_depots": 2, "num_vehicles": 4}, False),
        ({"pairs": [[1, 2]]}, False),
    ],
)
def test_long_routes_are_those_without_pairs(fields: dict[str, object], expected: bool) -> None:
    """90 customers on 3 vehicles are just long enough, on 4 they are not."""
    shape: dict[str, object] = {"num_depots": 1, "num_vehicles": 3} | fields
    nodes = 90 + int(str(shape["num_depots"]))
    instance = Instance(np.random.default_rng(1).uniform(size=(nodes, 2)), **shape)  # type: ignore[arg-type]
    assert has_long_routes(prepare(instance, 1.0)) == expected
