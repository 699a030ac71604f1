"""Coarse instances keep every customer, and their plans become plans of the whole instance."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from minmaxvrp.interrupt import Interrupt
from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.distributions import DISTRIBUTIONS
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.construction.coarse import CHORD_SHARE, coarsen, expand
from minmaxvrp.search.construction.tour_start import search_coarsely
from minmaxvrp.stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Stop, TargetReached


def _drawn(seed: int) -> tuple[Instance, np.ndarray, int]:
    """A small instance of some kind, a random tour through it and how many stretches to make of it."""
    rng = np.random.default_rng(seed)
    depots, customers = int(rng.integers(1, 4)), int(rng.integers(1, 40))
    kind = (Distance.EUCLIDEAN, Distance.EUC_2D, Distance.GREAT_CIRCLE)[seed % 3]
    points = rng.uniform(size=(depots + customers, 2)) * (1.0 if kind is Distance.EUCLIDEAN else 80.0)
    service = rng.uniform(size=customers) * float(rng.integers(2))
    instance = Instance(points, depots, 3, kind=kind, service=service)
    return instance, rng.permutation(np.array(instance.customers)), int(rng.integers(1, customers + 1))


@pytest.mark.parametrize("seed", range(60))
def test_stretches_follow_each_other_along_the_tour(seed: int) -> None:
    """Put together they are the tour, entered somewhere; there are at least as many as asked for."""
    instance, tour, count = _drawn(seed)
    coarse = coarsen(instance, tour, count)
    joined = np.concatenate(coarse.stretches)
    turn = int(np.flatnonzero(tour == joined[0])[0])
    assert (joined == np.roll(tour, -turn)).all()
    assert count <= len(coarse.stretches) == coarse.instance.num_customers


@pytest.mark.parametrize("seed", range(60))
def test_a_stretch_stands_at_its_middle_customer_and_counts_its_length(seed: int) -> None:
    """Coordinates are those of a customer; service is way and service inside, less a share of the chord."""
    instance, tour, count = _drawn(seed)
    coarse = coarsen(instance, tour, count)
    for number, stretch in enumerate(coarse.stretches):
        place = coarse.instance.coordinates[instance.num_depots + number]
        assert (place == instance.coordinates[stretch[len(stretch) // 2]]).all()
        inner = sum(float(instance.distance(a, b)) for a, b in itertools.pairwise(stretch.tolist()))
        chord = float(instance.distance(stretch[0], stretch[-1]))
        own = float(instance.node_service[stretch].sum())
        expected = max(0.0, inner - CHORD_SHARE * chord) + own
        assert coarse.instance.node_service[instance.num_depots + number] == pytest.approx(expected)


def test_the_shortest_legs_are_joined() -> None:
    """On a line with gaps of 1 and 5 in turn, half as many stretches are the pairs."""
    x = np.cumsum([0.0, *([5.0, 1.0] * 10)])
    instance = Instance(np.stack([x, np.zeros(21)], axis=1), 1, 2)
    coarse = coarsen(instance, np.arange(1, 21), 10)
    assert sorted(sorted(s.tolist()) for s in coarse.stretches) == [[k, k + 1] for k in range(1, 21, 2)]


def test_no_stretch_is_long() -> None:
    """However short the legs of a cluster, its stretches have at most twice the mean share of the tour."""
    instance = instances("mtsp", 400, 3, distribution="drilled", seed=9)[0]
    tour = np.argsort(instance.coordinates[1:, 0], kind="stable") + 1
    coarse = coarsen(instance, tour, 100)
    total = float(instance.distance(tour, np.roll(tour, -1)).sum())
    for stretch in coarse.stretches:
        assert float(instance.distance(stretch[:-1], stretch[1:]).sum()) <= 2.0 * total / 100 + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_expanded_plans_serve_every_customer_once(seed: int) -> None:
    """Random plans of the coarse instance are feasible ones of the whole."""
    instance, tour, count = _drawn(seed)
    coarse = coarsen(instance, tour, count)
    order = np.random.default_rng(seed).permutation(np.array(coarse.instance.customers))
    parts = [part for part in np.array_split(order, 3) if len(part)]
    plan = expand(instance, coarse, Solution(tuple(Route.of(part.tolist()) for part in parts)))
    assert violations(instance, plan) == []


def test_with_single_customers_nothing_changes() -> None:
    """As many stretches as customers: routes are as long in the coarse instance as in the whole."""
    instance = instances("mtsp", 30, 2, seed=4)[0]
    instance = replace(instance, service=np.linspace(0.0, 1.0, 29))
    coarse = coarsen(instance, np.random.default_rng(1).permutation(np.arange(1, 30)), 29)
    plan = Solution((Route.of(list(range(1, 12))), Route.of(list(range(12, 30)))))
    expanded = expand(instance, coarse, plan)
    assert route_lengths(instance, expanded) == pytest.approx(route_lengths(coarse.instance, plan))


def test_a_stretch_is_entered_at_its_nearer_end() -> None:
    """The depot stands left of the line, so the stretch is turned round."""
    instance = Instance(np.array([[0.0, 0.0], [3.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), 1, 1)
    coarse = coarsen(instance, np.array([1, 2, 3]), 1)
    number = [len(stretch) for stretch in coarse.stretches].index(2)
    served = expand(instance, coarse, Solution((Route.of([1 + number]),))).routes[0].customers
    assert served in ((2, 1), (3, 2))


@pytest.mark.parametrize(
    "stop", [MaxIterations(3000), NoImprovement(50), FirstOf(MaxRuntime(0.5), TargetReached(1e9))]
)
@pytest.mark.parametrize("distribution", ["uniform", "drilled", "duplicates"])
def test_found_plans_are_feasible(distribution: str, stop: Stop) -> None:
    """With a budget, without one, and with a target that any coarse plan would meet."""
    assert distribution in DISTRIBUTIONS
    instance = instances("mtsp", 300, 3, distribution=distribution, seed=2)[0]
    plan = search_coarsely(instance, np.arange(1, 300), stop, 0, Interrupt())
    assert violations(instance, plan) == []


def test_the_seed_decides_the_plan() -> None:
    """Where the clock plays no part the same seed gives the same routes; other seeds give others."""
    instance = instances("mtsp", 300, 3, distribution="clustered", seed=3)[0]
    found = [
        search_coarsely(instance, np.arange(1, 300), MaxIterations(20_000), seed, Interrupt())
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


def test_a_signal_ends_it() -> None:
    """A budget of hours ends at once when a signal has come."""
    instance = instances("mtsp", 300, 3, seed=3)[0]
    plan = search_coarsely(instance, np.arange(1, 300), MaxRuntime(3600.0), 0, Interrupt([2]))
    assert violations(instance, plan) == []
