"""No lower bound is above the exact optimum, in any variant, and each is as good as it claims."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.problem.bounds import average, bounds, lower_bound, shortest_paths, subset
from minmaxvrp.problem.bounds.average import average_route
from minmaxvrp.problem.bounds.dynamic_program import least_makespan
from minmaxvrp.problem.bounds.farthest import farthest_route
from minmaxvrp.problem.bounds.requests import depot_ends
from minmaxvrp.problem.bounds.shortest_paths import ShortestPaths
from minmaxvrp.problem.bounds.subset import subset_route
from minmaxvrp.problem.bounds.two_nearest import two_nearest
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.generate import uniform
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.brute import optimum
from tests.problem.small import random_instance


def assert_below(instance: Instance, best: float) -> None:
    """Every bound is at most the optimum."""
    for name, bound in bounds(instance).items():
        assert bound <= best + 1e-9 * max(1.0, best), f"{name} of {instance}"


def far(instance: Instance) -> float:
    """The bound of the farthest request."""
    ways = ShortestPaths(instance)
    return farthest_route(instance, ways, depot_ends(instance, ways))


@pytest.mark.parametrize("block", range(8))
def test_no_bound_is_above_the_optimum(block: int) -> None:
    """400 random instances of all variants, kinds, caps, services and pairs against enumeration."""
    for seed in range(50 * block, 50 * block + 50):
        instance = random_instance(seed, 7)
        assert_below(instance, optimum(instance)[0])


@pytest.mark.parametrize("block", range(6))
def test_the_bounds_of_large_instances_are_valid_too(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways taken above certain sizes, forced onto 300 tiny instances."""
    monkeypatch.setattr(shortest_paths, "SEARCHED_NODES", 0)
    monkeypatch.setattr(average, "TREE_NODES", 0)
    monkeypatch.setattr(subset, "SAMPLE", 4 * 8)
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        instance = random_instance(seed, 6)
        assert_below(instance, optimum(instance)[0])


@pytest.mark.parametrize("size", [2.0, 3.5, 5.0])
def test_a_part_of_the_requests_is_never_above_the_whole(
    size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With smaller parts the exact solution of a part is still a bound, for 180 instances."""
    monkeypatch.setattr(subset, "SUBSET_SIZE", size)
    monkeypatch.setattr(subset, "POOL", 5)
    for seed in range(2000, 2060):
        instance = random_instance(seed, 7)
        assert_below(instance, optimum(instance)[0])


@pytest.mark.parametrize("seed", range(40))
def test_the_subset_bound_of_a_tiny_instance_is_its_optimum(seed: int) -> None:
    """If all requests fit into the part and no depot is short of vehicles, the bound is exact."""
    rng = np.random.default_rng(seed)
    fields: dict[str, Any] = {"service": rng.uniform(size=6), "return_to": ["start", "any"][seed % 2]}
    if seed % 3 == 0:
        num_depots = 1 + seed % 4
        fields["pairs"] = num_depots + rng.permutation(6)[:4].reshape(2, 2)
    else:
        num_depots = 1 + seed % 2
    instance = Instance(rng.uniform(size=(num_depots + 6, 2)), num_depots, 1 + seed % 3, **fields)
    ways = ShortestPaths(instance)
    assert subset_route(instance, ways, depot_ends(instance, ways)) == pytest.approx(optimum(instance)[0])


def test_the_farthest_customer_goes_there_and_back() -> None:
    """Customer (3, 4) is 5 away, plus its service of 2."""
    assert far(Instance.mtsp([0, 0], [[1, 0], [3, 4]], 2)) == 10.0
    assert far(Instance.mtsp([0, 0], [[1, 0], [3, 4]], 2, service=[0, 2])) == 12.0


def test_the_farthest_pair_is_driven_in_order() -> None:
    """Depot to (3, 0) to (0, 4) and back is 3 + 5 + 4, plus both services."""
    assert far(Instance.mpdp([0, 0], [[3, 0]], [[0, 4]], 1, service=[1, 0.5])) == 13.5


def test_several_depots_count_as_the_instance_says() -> None:
    """A customer at 4 between depots at 0 and 10: 4 + 4 from the nearest; other variants differ."""
    depots, customer = [[0, 0], [10, 0]], [[4, 0]]
    assert far(Instance.mdvrp(depots, customer, 1)) == 8.0
    assert far(Instance.fmdvrp(depots, customer, 1)) == 8.0
    # Without vehicles at the nearer depot a route starts at the other one and returns there, or to any.
    assert far(Instance.mdvrp(depots, customer, 1, vehicles_per_depot=[0, 1])) == 12.0
    assert far(Instance.fmdvrp(depots, customer, 1, vehicles_per_depot=[0, 1])) == 10.0


def test_an_asymmetric_matrix_counts_both_ways() -> None:
    """There 2, back 5; the direct leg of 9 to the other customer is avoided by the detour of 2 + 1."""
    matrix = np.array([[0, 2, 9], [5, 0, 1], [6, 9, 0]], dtype=float)
    instance = Instance(np.zeros((3, 2)), 1, 2, kind=Distance.MATRIX, matrix=matrix)
    assert far(instance) == 9.0  # to customer 2 in 2 + 1, back in 6
    assert lower_bound(instance) == optimum(instance)[0] == 9.0


def test_rounded_distances_allow_for_detours() -> None:
    """(2, 2) is 3 away directly, but 2 by way of (1, 1): the direct leg is no bound."""
    instance = Instance.mtsp([0, 0], [[1, 1], [2, 2], [3, 3]], 1, kind=Distance.EUC_2D)
    assert far(instance) == 6.0  # 3 there and 3 back in steps of 1; the direct leg is 4
    assert optimum(instance)[0] == 7.0


def test_identical_points_have_the_bound_zero() -> None:
    """Nothing to drive."""
    assert lower_bound(Instance(np.full((6, 2), 0.3), 1, 2)) == 0.0


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_bounds_scale_with_the_map(scale: float) -> None:
    """Tiny and huge coordinates change the unit only."""
    points = np.random.default_rng(3).uniform(size=(20, 2))
    small, large = bounds(Instance(points, 1, 3)), bounds(Instance(points * scale, 1, 3))
    assert {k: v * scale for k, v in small.items()} == pytest.approx(large, rel=1e-9)


@pytest.mark.parametrize("effort", [0.0, 0.5, 3.0])
def test_any_effort_is_valid_and_repeatable(effort: float) -> None:
    """Little effort gives a bound too, and the same effort gives the same bound."""
    instance = random_instance(12, 7)
    first = lower_bound(instance, effort)
    assert first == lower_bound(instance, effort)
    assert 0.0 < first <= optimum(instance)[0] + 1e-9


def test_the_average_of_a_ring_is_its_perimeter() -> None:
    """One vehicle around 24 stops on a circle: the penalties make the tree bound tight."""
    angle = np.arange(24) * 2 * np.pi / 24
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    instance = Instance(ring, 1, 1)
    perimeter = makespan(instance, Solution.of([list(range(1, 24))]))
    assert average_route(instance) == pytest.approx(perimeter, rel=1e-9)


def test_service_is_shared_by_the_vehicles() -> None:
    """Four hours of service on the spot for two vehicles: two each."""
    instance = Instance(np.zeros((5, 2)), 1, 2, service=np.ones(4))
    assert bounds(instance) == {"farthest": 1.0, "subset": 2.0, "average": 2.0}


@pytest.mark.parametrize("vehicles", [1, 2, 3, 4, 6, 10])
@pytest.mark.parametrize("seed", range(4))
def test_giving_up_early_costs_nothing(seed: int, vehicles: int) -> None:
    """The best bound is the same whether the others are worked out or not, whichever is the best."""
    rng = np.random.default_rng(seed)
    pairs = np.arange(1, 41).reshape(20, 2) if seed == 1 else np.zeros((0, 2), dtype=np.int64)
    service = rng.uniform(size=40) if seed == 2 else np.zeros(40)
    instance = Instance(rng.uniform(size=(41, 2)), 1, vehicles, pairs=pairs, service=service)
    every = bounds(instance)
    assert lower_bound(instance) == max(every.values())
    assert bounds(instance, only_best=True)["average"] <= every["average"]


def test_a_hopeless_average_is_given_up() -> None:
    """With many vehicles the farthest customer decides, and the average stays rough."""
    instance = Instance(np.random.default_rng(0).uniform(size=(101, 2)), 1, 20)
    assert bounds(instance, only_best=True)["average"] < 0.95 * bounds(instance)["average"]


@pytest.mark.parametrize("seed", range(24))
def test_feasible_plans_are_never_shorter(seed: int) -> None:
    """Middle-sized instances of all four problems: a sweep around the depot respects every bound."""
    rng = np.random.default_rng(seed)
    num_depots = 1 if seed % 4 < 2 else 3
    points = rng.uniform(size=(num_depots + 40, 2))
    pairs = num_depots + np.arange(40).reshape(20, 2) if seed % 4 == 1 else np.zeros((0, 2), dtype=np.int64)
    vehicles = 1 + seed % 6
    instance = Instance(
        points, num_depots, vehicles, pairs=pairs, return_to="any" if seed % 4 == 3 else "start"
    )
    middle = points[:num_depots].mean(axis=0)
    first = pairs[:, 0] if len(pairs) else np.arange(num_depots, num_depots + 40)
    angle = np.arctan2(*(points[first] - middle).T)
    order = first[np.argsort(angle)]
    stops = [
        np.stack([p, p + 1], axis=1).ravel() if len(pairs) else p for p in np.array_split(order, vehicles)
    ]
    solution = Solution.of([Route.of(s, int(rng.integers(num_depots))) for s in stops])
    assert violations(instance, solution) == []
    assert_below(instance, makespan(instance, solution))


@pytest.mark.parametrize("kind", [k for k in Distance if k is not Distance.MATRIX])
def test_two_nearest_are_never_too_far(kind: Distance) -> None:
    """Against all distances: nothing above the truth, and Euclidean ones exact; also in clusters."""
    rng = np.random.default_rng(1)
    spread = rng.uniform(-60, 60, (500, 2))
    clusters = np.concatenate([rng.normal(centre, 0.01, (150, 2)) for centre in (0.0, 5.0, 50.0)])
    same = np.full((60, 2), 3.0)
    for points in (spread, clusters, np.concatenate([spread, same]), same):
        instance = Instance(np.concatenate([[[0.0, 0.0]], points]), 1, 1, kind=kind)
        exact = instance.distance_matrix()[1:, 1:].copy()
        np.fill_diagonal(exact, np.inf)
        exact = np.partition(exact, 1, axis=1)[:, :2]
        found = two_nearest(instance)
        assert (found <= exact + 1e-9 * exact).all()
        assert (found >= exact - 1.0 - 1e-4 * exact).all()
        if kind is Distance.EUCLIDEAN:
            np.testing.assert_allclose(found, exact, rtol=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
def test_both_searches_for_shortest_paths_agree(symmetric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs at once and scipy's Dijkstra agree, with legs of length 0 and with service."""
    rng = np.random.default_rng(11)
    matrix = rng.integers(0, 50, (13, 13)).astype(float)
    if symmetric:
        matrix = np.minimum(matrix, matrix.T)
    fields: dict[str, Any] = {"kind": Distance.MATRIX, "matrix": matrix, "service": rng.integers(0, 9, 11)}
    instance = Instance(rng.uniform(size=(13, 2)), 2, 3, **fields)
    nodes = np.array([0, 1, 4, 12])
    small = ShortestPaths(instance)
    out, back = small.out(nodes), small.back(nodes)
    monkeypatch.setattr(shortest_paths, "ALL_PAIRS_NODES", 0)
    large = ShortestPaths(instance)
    np.testing.assert_allclose(large.out(nodes), out)
    np.testing.assert_allclose(large.back(nodes), back)
    assert (out < matrix[nodes][:, 2:]).any()
    assert symmetric == np.array_equal(out, back)


def test_the_average_of_a_large_instance_is_useful() -> None:
    """20,000 customers: below a plan of strips, but not by more than half."""
    points = np.random.default_rng(2).uniform(size=(20_001, 2))
    instance = Instance(points, 1, 10)
    strip = np.floor(points[1:, 0] * 100)
    along = np.where(strip % 2 == 0, points[1:, 1], -points[1:, 1])
    order = 1 + np.lexsort((along, strip))
    plan = makespan(instance, Solution.of([Route.of(part) for part in np.array_split(order, 10)]))
    assert 0.5 * plan < average_route(instance) < plan
    assert lower_bound(instance) == average_route(instance)


def test_proven_optima_of_the_literature_are_confirmed(shared: Path) -> None:
    """Best known makespans marked as proven equal the bound; no best known makespan is below it."""
    confirmed = 0
    with (shared / "figures" / "best_known.csv").open() as rows:
        cases = [row for row in csv.DictReader(rows) if row["problem"] == "mtsp"]
    for row in cases:
        instance = read_set1(shared, row["instance"], int(row["vehicles"]))
        if instance is None:
            continue
        best = float(row["best_known"])
        bound = lower_bound(instance, effort=0.2)
        assert bound <= best + 0.01
        if row["proven_optimal"] == "yes":
            assert bound == pytest.approx(best, abs=0.01)
            confirmed += 1
    assert confirmed > 0


def read_set1(shared: Path, name: str, vehicles: int) -> Instance | None:
    """The first of the benchmark's instances of a name, whichever number of salesmen its file is for."""
    files = sorted((shared / "data" / "mtsp_set1").glob(f"{name}*"))
    if not files:
        return None
    rows = [line.split() for line in files[0].read_text().splitlines()[1:] if line.strip()]
    points = np.array([[float(v) for v in row[1:3]] for row in rows if len(row) >= 3])
    kind = Distance.ATT if name.startswith("att") else Distance.EUCLIDEAN
    return Instance(points, 1, vehicles, kind=kind)


def test_without_time_no_better_subset_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """One exact solution instead of eighty: the bound of a short limit is quick, and still a bound."""
    instance = uniform("mtsp", 80, 5, seed=6)[0]
    solved: list[int] = []
    exact = least_makespan

    def counted(*given: Any) -> float:
        solved.append(1)
        return exact(*given)

    monkeypatch.setattr(subset, "least_makespan", counted)
    quick = lower_bound(instance, seconds=0.0)
    assert len(solved) <= 1
    solved.clear()
    assert 0.0 < quick <= lower_bound(instance)
    assert len(solved) > 20
