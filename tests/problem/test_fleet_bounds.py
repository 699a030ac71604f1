"""The bounds of fleets are never above the optimum, and close to it where they should be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem import files
from minmaxvrp.problem.bounds import bounds, fleet_bounds, fleet_subset, lower_bound
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.fleet_brute import fleet_optimum
from tests.problem.fleet_small import RULES, random_fleet


def assert_below(instance: Instance, optimum: float) -> None:
    """No bound is above the optimum, except for rounding."""
    for name, value in bounds(instance).items():
        assert value <= optimum * (1 + 1e-9) + 1e-12, name


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6))
def test_bounds_are_never_above_the_optimum(seed: int) -> None:
    """Mixtures of all rules, all distances, pairs, service, against enumeration; whose plan is feasible."""
    instance = random_fleet(seed)
    optimum, solution = fleet_optimum(instance)
    assert violations(instance, solution) == []
    assert makespan(instance, solution) == pytest.approx(optimum)
    assert_below(instance, optimum)


@pytest.mark.parametrize("rule", RULES)
def test_subsets_of_the_customers_have_valid_bounds(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only two or three requests of up to six at a time, with and without other rules."""
    monkeypatch.setattr(fleet_subset, "SIZES", (2.0, 3.0))
    for seed in range(20):
        for rules in ((rule,), (rule, RULES[seed % len(RULES)], RULES[(seed + 1) % len(RULES)])):
            instance = random_fleet(seed, 6, rules)
            assert_below(instance, fleet_optimum(instance)[0])


def test_a_subset_of_all_customers_is_the_optimum() -> None:
    """With straight lines and up to seven customers nothing is left out: the bound is tight."""
    tight = 0
    for seed in range(60):
        instance = random_fleet(seed, 5)
        if instance.kind is Distance.EUCLIDEAN and len(instance.pairs) == 0:
            assert bounds(instance)["subset"] == pytest.approx(fleet_optimum(instance)[0])
            tight += 1
    assert tight > 5


def test_drivers_with_mixed_ends_have_a_gap_of_a_few_per_cent() -> None:
    """Home and depot, a day half driven, one open route: the makespan of a good plan is 10.83 km."""
    instance = files.read("examples/drivers.csv")
    assert 10.0 < lower_bound(instance) < 10.83


def test_only_so_many_routes_are_open() -> None:
    """Customers at one place, 10 away, 60 of service: one way out, two vehicles return, a third need not."""
    points = np.array([[0.0, 0.0], *[[10.0, 0.0]] * 30])
    fleet = (Vehicle(end="nowhere"), Vehicle(end="start"), Vehicle(end="start"))
    instance = Instance(points, 1, 3, fleet=fleet, service=np.full(30, 2.0))
    assert bounds(instance)["average"] == pytest.approx((10 + 2 * 10 + 60) / 3)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_alone_has_valid_bounds(rule: str) -> None:
    """25 tiny instances of each rule."""
    for seed in range(25):
        instance = random_fleet(seed, 5, (rule,))
        assert_below(instance, fleet_optimum(instance)[0])


def test_the_bounds_of_large_fleets_are_valid_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest customers instead of trees, also where they decide nothing."""
    monkeypatch.setattr(fleet_bounds, "TREE_NODES", 0)
    for seed in range(50):
        instance = random_fleet(seed)
        assert_below(instance, fleet_optimum(instance)[0])


@pytest.mark.parametrize(
    ("vehicle", "length"),
    [
        (Vehicle(), 10.0),
        (Vehicle(end="nowhere"), 5.0),
        (Vehicle(end="nowhere", speed=2.0), 2.5),
        (Vehicle(end="nowhere", speed=2.0, done=4.0), 6.5),
    ],
)
def test_the_trip_to_a_customer_is_that_of_its_vehicle(vehicle: Vehicle, length: float) -> None:
    """(3, 4) is 5 away: there and back, one way, twice as fast, after work of 4."""
    instance = Instance.mtsp([0, 0], [[3, 4]], 1, fleet=(vehicle,))
    found = bounds(instance)
    assert found["trip"] == pytest.approx(length)
    assert found["average"] == pytest.approx(length)


def test_work_done_is_a_bound_and_leaves_the_rest_to_the_others() -> None:
    """Nine hours of service for three vehicles, of which one has worked 20: 4.5 for each of the others."""
    points = np.zeros((10, 2))
    fleet = (Vehicle(done=20.0), Vehicle(), Vehicle())
    instance = Instance(points, 1, 3, fleet=fleet, service=np.ones(9))
    assert bounds(instance)["done"] == lower_bound(instance) == 20.0
    assert bounds(instance)["average"] == pytest.approx(4.5)


def test_customers_of_one_vehicle_are_its_own_load() -> None:
    """Six of nine customers pinned to one of three vehicles: their service is not shared."""
    instance = Instance(np.zeros((10, 2)), 1, 3, service=np.ones(9), allowed=dict.fromkeys(range(1, 7), (1,)))
    assert bounds(instance)["average"] == pytest.approx(6.0)
    assert fleet_optimum(Instance(np.zeros((6, 2)), 1, 2, service=np.ones(5), allowed={1: (0,)}))[0] == 3.0


@pytest.mark.parametrize("customers", [50, 200])
def test_open_routes_have_a_useful_bound(customers: int) -> None:
    """Robots at five places: the bound is a good part of a plan of strips."""
    rng = np.random.default_rng(customers)
    robots, stops = rng.uniform(size=(5, 2)), rng.uniform(size=(customers, 2))
    fleet = tuple(Vehicle(start=k) for k in range(5))
    instance = Instance.mdvrp(robots, stops, 5, fleet=fleet, return_to="nowhere")
    strips = np.array_split(5 + np.argsort(stops[:, 0]), 5)
    order = np.argsort(robots[:, 0])
    routes = [Route(0, (), -1)] * 5
    for robot, strip in zip(order, strips, strict=True):
        routes[robot] = Route(int(robot), tuple(sorted(strip.tolist(), key=lambda c: stops[c - 5, 1])), -1)
    plan = Solution(tuple(routes))
    assert violations(instance, plan) == []
    assert 0.3 * makespan(instance, plan) < lower_bound(instance) <= makespan(instance, plan)


def test_a_large_fleet_is_bounded_quickly_by_its_nearest_customers() -> None:
    """4,000 customers, open: every customer is entered from a neighbour."""
    rng = np.random.default_rng(3)
    instance = Instance.mtsp([0.5, 0.5], rng.uniform(size=(4000, 2)), 4, return_to="nowhere")
    assert 4.0 < lower_bound(instance) < 0.7124 * np.sqrt(4000) / 4


def test_a_matrix_without_the_triangle_inequality_is_bounded_by_detours() -> None:
    """To customer 2 by way of customer 1 in 1 + 1, although the direct leg is 9."""
    matrix = np.array([[0, 1, 9], [9, 0, 1], [9, 9, 0]], dtype=float)
    instance = Instance(
        matrix=matrix, num_vehicles=1, kind=Distance.MATRIX, return_to="nowhere", service=[5, 0]
    )
    assert fleet_optimum(instance)[0] == 7.0
    assert bounds(instance)["trip"] == 6.0  # customer 1, with its service


def test_pins_and_names_alone_leave_the_plain_bounds_in_force() -> None:
    """The town with three stops pinned: its bound is not below that of the town without pins."""
    town = files.read("examples/city.csv", vehicles=5)
    pinned = replace(town, allowed={3: (0,), 7: (1, 2), 9: (4,)})
    named = replace(pinned, fleet=tuple(Vehicle(f"van {k}", done=0.5 * k) for k in range(5)))
    for instance in (pinned, named):
        assert lower_bound(instance) >= lower_bound(town)


def test_what_makes_routes_shorter_has_no_plain_bound() -> None:
    """An open route, or a vehicle that is faster than the others; slow ones and other ends have one."""
    instance = Instance.mdvrp([[0, 0], [1, 0]], [[0, 3], [2, 2], [3, 0]], 2)
    for vehicle in (Vehicle(end="nowhere"), Vehicle(speed=1.5)):
        assert "alike" not in bounds(replace(instance, fleet=(vehicle, Vehicle())))
    for vehicle in (Vehicle(start=0, end=1), Vehicle(start=1), Vehicle(speed=0.5, done=1.0)):
        fleet = replace(instance, fleet=(vehicle, Vehicle(start=0)))
        assert 0.0 < bounds(fleet)["alike"] <= fleet_optimum(fleet)[0] + 1e-9
