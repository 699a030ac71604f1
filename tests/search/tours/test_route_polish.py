"""Routes shortened one by one keep their customers, never get longer, and end near the optimum."""

import numpy as np
import pytest

from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.tours.route_polish import EACH, NEAREST, empty_lists, list_near, shorten_routes
from minmaxvrp.stop import MaxIterations


def _instance(kind: str = "euclidean", customers: int = 120) -> Instance:
    points = np.random.default_rng(4).uniform(size=(customers + 1, 2))
    if kind == "matrix":
        away = np.hypot(*(points[:, None] - points[None]).T)
        return Instance(points, 1, 4, kind=Distance.MATRIX, matrix=away)
    return Instance(points * (1.0 if kind == "euclidean" else 80.0), 1, 4, kind=Distance(kind))


def _plan(instance: Instance, sizes: tuple[int, ...]) -> Solution:
    """Customers at random on routes of these sizes."""
    order = np.random.default_rng(7).permutation(np.array(instance.customers))
    return Solution(tuple(Route.of(part.tolist()) for part in np.split(order, np.cumsum(sizes)[:-1])))


@pytest.mark.parametrize("kind", ["euclidean", "euc_2d", "great_circle", "matrix"])
def test_each_route_keeps_its_customers_and_is_at_most_as_long(kind: str) -> None:
    """Long routes, one too short to look at, and one just long enough."""
    instance = _instance(kind)
    plan = _plan(instance, (60, 45, 8, 7))
    before = route_lengths(instance, plan)
    for kicks in (0.0, 5.0):
        shorter = shorten_routes(prepare(instance, 0.05), plan, kicks, random_stream(1))
        assert violations(instance, shorter) == []
        for old, new in zip(plan.routes, shorter.routes, strict=True):
            assert sorted(old.customers) == sorted(new.customers)
        assert (route_lengths(instance, shorter) <= before + 1e-9).all()
        assert (route_lengths(instance, shorter)[:2] < 0.7 * before[:2]).all()
        assert shorter.routes[3] == plan.routes[3]


def test_a_shorter_plan_stays_as_it_is_short() -> None:
    """Once more from the answer: no route gets longer."""
    instance, rng = _instance(), random_stream(3)
    problem = prepare(instance, 0.05)
    once = shorten_routes(problem, _plan(instance, (60, 60)), 2.0, rng)
    twice = shorten_routes(problem, once, 2.0, rng)
    assert (route_lengths(instance, twice) <= route_lengths(instance, once) + 1e-9).all()


def test_a_ring_through_the_depot_is_driven_round() -> None:
    """The depot is one of the nodes of the round trip: the optimum is the polygon."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    instance = Instance(np.stack([np.cos(angle), np.sin(angle)], axis=1), 1, 1)
    plan = shorten_routes(prepare(instance, 0.1), _plan(instance, (59,)), 20.0, random_stream(0))
    assert route_lengths(instance, plan)[0] == pytest.approx(60 * 2.0 * np.sin(np.pi / 60))


def _quadrants(away: np.ndarray) -> list[np.ndarray]:
    """Which points are in each of the four quadrants."""
    right, above = away[:, 0] > 0.0, away[:, 1] > 0.0
    return [right & above, right & ~above, ~right & above, ~right & ~above]


def test_lists_hold_the_nearest_of_the_route_in_each_quadrant_and_the_depot() -> None:
    """Nearest first, no customer of another route, no node itself."""
    instance = _instance()
    problem = prepare(instance, 1.0)
    order = np.arange(0, instance.num_nodes, 3)
    near = empty_lists(problem)
    list_near(problem, order, near)
    for node in order.tolist():
        others = order[order != node]
        nearest = others[np.argsort(instance.distance(node, others), kind="stable")]
        assert set(nearest[:NEAREST].tolist()) <= set(near[node].tolist())
        for quadrant in _quadrants(instance.coordinates[nearest] - instance.coordinates[node]):
            assert set(nearest[quadrant][:EACH].tolist()) <= set(near[node].tolist())
        away = instance.distance(node, near[node])
        assert (np.diff(away) >= 0.0).all()
        assert node not in near[node]
        assert set(near[node].tolist()) <= set(order.tolist())
        assert node == 0 or 0 in near[node]


def test_cycles_with_kicks_are_repeatable_and_feasible() -> None:
    """The same seed and iterations give the same plan; the answer is never worse than the start."""
    instance = Instance(np.random.default_rng(9).uniform(size=(152, 2)), 1, 3)
    settings = {"cycles": 4, "reheat": 0.5, "polish_kicks": 3.0}
    found = [minimise_makespan(instance, MaxIterations(400), 5, settings=settings) for _ in range(2)]
    assert found[0].solution == found[1].solution
    assert violations(instance, found[0].solution) == []
    assert found[0].makespan <= found[0].trace[0].makespan
    assert [p.makespan for p in found[0].trace] == sorted((p.makespan for p in found[0].trace), reverse=True)
