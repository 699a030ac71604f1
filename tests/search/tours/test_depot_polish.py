"""Routes of several depots shortened one by one: at most as long as before, within the depots' vehicles."""

from itertools import product

import numpy as np
import pytest

from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.instance import Instance, ReturnTo
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.moves.local_search import empty_workspace
from minmaxvrp.search.tours.depot_polish import shorten_depot_routes, with_one_depot
from minmaxvrp.stop import MaxIterations

DEPOTS, SIZES = 5, (60, 45, 8, 7)


def _instance(return_to: ReturnTo, limited: bool, customers: int = 120) -> Instance:
    points = np.random.default_rng(4).uniform(size=(DEPOTS + customers, 2))
    limits = (1, 2, 1, 0, 0) if limited else None
    return Instance(points, DEPOTS, len(SIZES), return_to=return_to, vehicles_per_depot=limits)


def _plan(instance: Instance) -> Solution:
    """Customers at random on routes from depots 0, 1, 1 and 2."""
    order = np.random.default_rng(7).permutation(np.array(instance.customers))
    parts = np.split(order, np.cumsum(SIZES)[:-1])
    return Solution(tuple(Route.of(p.tolist(), d) for p, d in zip(parts, (0, 1, 1, 2), strict=True)))


def _shorter(instance: Instance, plan: Solution, kicks: float) -> Solution:
    problem = prepare(instance, 0.05)
    return shorten_depot_routes(problem, plan, kicks, random_stream(1), empty_workspace(problem.num_nodes))


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("return_to", ["start", "any"])
def test_each_route_keeps_its_customers_and_is_at_most_as_long(return_to: ReturnTo, limited: bool) -> None:
    """Long routes, one just long enough for kicks, and one that only gets other depots."""
    instance = _instance(return_to, limited)
    plan = _plan(instance)
    for kicks in (0.0, 5.0):
        shorter = _shorter(instance, plan, kicks)
        assert violations(instance, shorter) == []
        for old, new in zip(plan.routes, shorter.routes, strict=True):
            assert sorted(old.customers) == sorted(new.customers)
        lengths = route_lengths(instance, shorter) / route_lengths(instance, plan)
        assert (lengths <= 1.0 + 1e-9).all()
        assert (lengths[:2] < 0.7).all()


@pytest.mark.parametrize("return_to", ["start", "any"])
def test_a_ring_is_opened_where_the_best_depot_is(return_to: ReturnTo) -> None:
    """One depot just beside a ring of customers, the route's own far away: all depots and legs are tried."""
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    beside = 1.05 * (ring[7] + ring[8]) / 2.0
    instance = Instance(np.concatenate([[[9.0, 9.0], beside], ring]), 2, 1, return_to=return_to)
    found = _shorter(instance, Solution((Route.of(instance.customers, 0),)), 0.0)
    best = min(
        route_lengths(instance, Solution((Route.of(np.roll(instance.customers, -first), start, end),)))[0]
        for first, start, end in product(range(40), range(2), range(2))
        if return_to == "any" or start == end
    )
    assert route_lengths(instance, found)[0] == pytest.approx(best)
    assert (found.routes[0].start, found.routes[0].end) == (1, 1)


def test_one_node_stands_for_the_nearest_depot() -> None:
    """Both ways; distances between customers stay."""
    instance = _instance("any", limited=False)
    problem = prepare(instance, 1.0)
    seen = with_one_depot(problem)
    customers = np.array(instance.customers)
    nearest = instance.distance_matrix()[:DEPOTS, DEPOTS:].min(axis=0)
    for depot in range(DEPOTS):
        assert seen.matrix[depot, customers] == pytest.approx(nearest)
        assert seen.matrix[customers, depot] == pytest.approx(nearest)
    assert (seen.matrix[np.ix_(customers, customers)] == problem.matrix[np.ix_(customers, customers)]).all()


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("return_to", ["start", "any"])
def test_cycles_with_kicks_are_repeatable_and_feasible(return_to: ReturnTo, limited: bool) -> None:
    """The same seed and iterations give the same plan; the answer is never worse than the start."""
    instance = _instance(return_to, limited, customers=130)
    settings = {"cycles": 4, "reheat": 0.5, "polish_kicks": 3.0, "depot_share": 0.5}
    found = [minimise_makespan(instance, MaxIterations(400), 5, settings=settings) for _ in range(2)]
    assert found[0].solution == found[1].solution
    assert violations(instance, found[0].solution) == []
    assert found[0].makespan <= found[0].trace[0].makespan
