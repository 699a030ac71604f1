"""The arrays of the search stay consistent with the instance through any number of steps."""

import numpy as np
import pytest

from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search.construct import construct
from minmaxvrp.search.draw import stream
from minmaxvrp.search.engine import anneal
from minmaxvrp.search.intensify import empty_desk
from minmaxvrp.search.layout import (
    AFTER,
    BEFORE,
    BEST,
    FREE,
    FREE_AT,
    FREE_LIST,
    PLACE,
    SIZE,
    VEHICLE,
    Routes,
)
from minmaxvrp.search.metric import Problem
from minmaxvrp.search.prepare import prepare
from minmaxvrp.search.routes import load, unload, unload_best
from minmaxvrp.search.settings import Settings

from .random_instances import random_instance


def _assert_consistent(instance: Instance, problem: Problem, routes: Routes, unit: float) -> None:
    """Links both ways, legs, lengths, sizes, the free vehicles, the depots' use, the longest route."""
    nodes, used = problem.num_nodes, np.zeros(problem.num_depots, dtype=np.int64)
    assert violations(instance, unload(problem, routes)) == []
    for vehicle in range(problem.num_vehicles):
        entry, length, count = nodes + vehicle, 0.0, 0
        size = routes.fleet[SIZE, vehicle]
        while entry == nodes + vehicle or entry < nodes:
            follower = routes.link[AFTER, entry]
            assert routes.link[BEFORE, follower] == entry
            assert routes.link[VEHICLE, follower] == vehicle
            if size > 0:
                leg = instance.distance(routes.link[PLACE, entry], routes.link[PLACE, follower]) / unit
                assert routes.leg[entry] == pytest.approx(leg, rel=1e-9, abs=1e-12)
                length += float(leg)
            if follower < nodes:
                length += instance.node_service[follower] / unit
                count += 1
            entry = follower
        assert count == size
        assert routes.length[vehicle] == pytest.approx(length, rel=1e-9, abs=1e-9)
        if size > 0:
            used[routes.link[PLACE, nodes + vehicle]] += 1
        else:
            assert routes.fleet[FREE_LIST, routes.fleet[FREE_AT, vehicle]] == vehicle
    assert routes.used.tolist() == used.tolist()
    assert routes.num[FREE] == (routes.fleet[SIZE] == 0).sum()
    assert routes.length[routes.top[1]] == routes.length.max()


def _loaded(instance: Instance, seed: int) -> tuple[Problem, Routes, Solution, float]:
    start = construct(instance, seed)
    unit = float(route_lengths(instance, start).sum()) / instance.num_nodes or 1.0
    problem = prepare(instance, unit)
    return problem, load(problem, start, stream(seed)), start, unit


@pytest.mark.parametrize("block", range(4))
def test_arrays_stay_consistent_and_feasible(block: int) -> None:
    """40 random instances per block, hot and cold steps, insertion by all positions and by neighbours."""
    for seed in range(40 * block, 40 * block + 40):
        instance = random_instance(seed)
        problem, routes, start, unit = _loaded(instance, seed)
        _assert_consistent(instance, problem, routes, unit)
        desk = empty_desk(problem.num_nodes)
        for settings in (Settings(), Settings(full_scan=0, pair_routes=3)):
            anneal(problem, routes, settings, desk, 60, 0.0, 1.0, -1.0)
            _assert_consistent(instance, problem, routes, unit)
        found = unload_best(problem, routes)
        assert violations(instance, found) == []
        assert makespan(instance, found) / unit == pytest.approx(routes.value[BEST], rel=1e-9, abs=1e-9)
        assert makespan(instance, found) <= makespan(instance, start) * (1 + 1e-12)


def test_load_and_unload_are_inverse() -> None:
    """A solution read back from the arrays is the same solution."""
    for seed in range(30):
        instance = random_instance(seed)
        problem, routes, start, _ = _loaded(instance, seed)
        assert unload(problem, routes) == start
        assert unload_best(problem, routes) == start
