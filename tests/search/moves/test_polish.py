"""The last step: routes become local optima, and a limit of time is kept on long ones."""

import numpy as np
import pytest

from minmaxvrp.problem.check import route_lengths
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.load import load, unload
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.improve import improve
from minmaxvrp.search.moves import polish as last_step
from minmaxvrp.search.moves.local_search import empty_workspace
from minmaxvrp.search.moves.polish import polish
from minmaxvrp.stop import MaxIterations


def town(customers: int, vehicles: int) -> Instance:
    """Random customers around a depot."""
    points = np.random.default_rng(customers).uniform(size=(customers, 2))
    return Instance.mtsp([0.5, 0.5], points, vehicles)


def polished(instance: Instance, plan: Solution, seconds: float) -> Solution:
    """A plan after the last step."""
    problem = prepare(instance, 1.0)
    routes = load(problem, plan, random_stream(0, 0))
    polish(problem, routes, empty_workspace(problem.num_nodes), seconds)
    return unload(problem, routes)


def test_without_time_only_the_first_routes_are_polished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Routes in random order, one at a time: with 0 seconds the longest only, without a limit all of them."""
    monkeypatch.setattr(last_step, "CUSTOMERS", 1)
    instance = town(24, 3)
    plan = Solution(tuple(Route.of(range(first, first + 8)) for first in (1, 9, 17)))
    before = route_lengths(instance, plan)
    at_once = route_lengths(instance, polished(instance, plan, 0.0))
    at_last = route_lengths(instance, polished(instance, plan, float("inf")))
    assert (at_once < before).tolist() == [k == before.argmax() for k in range(3)]
    assert (at_last < before).all()


def test_iterations_are_counted_where_chunks_end_at_incumbents() -> None:
    """One route of 600 customers: as many iterations as asked for, and the same plan twice."""
    one, two = (improve(town(600, 1), MaxIterations(150), seed=4) for _ in range(2))
    assert one.iterations == two.iterations == 150
    assert one.solution == two.solution
