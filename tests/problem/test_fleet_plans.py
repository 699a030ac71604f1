"""A fleet's plan that changes, and limits that cannot be kept."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.problem import files
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.fleet import NOWHERE, Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.keep import carry_over, count_moved
from minmaxvrp.problem.repair import repaired
from minmaxvrp.problem.route_limit import over_limit
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.fleet_brute import fleet_optimum
from tests.problem.fleet_small import random_fleet

LINE = Instance.mtsp(
    *([0, 0], [[1, 0], [2, 0], [-3, 0]], 2),
    names=("d", "a", "b", "c"),
    fleet=(Vehicle("Anna", end="nowhere"), Vehicle("Ben", end="nowhere")),
)
PLAN = Solution((Route(0, (1, 2), NOWHERE), Route(0, (3,), NOWHERE)))


@pytest.mark.parametrize("seed", range(80))
def test_any_plan_of_a_fleet_is_made_to_fit(seed: int) -> None:
    """From nothing, from half of the best plan, and from a plan of other vehicles: all rules are kept."""
    instance = random_fleet(seed)
    _, best = fleet_optimum(instance)
    assert repaired(instance, best.routes) == (best, 0)
    half = [Route(r.start, r.customers[: len(r) // 2], r.end) for r in best.routes]
    for routes in ((), half, best.routes[::-1]):
        solution, _ = repaired(instance, routes)
        assert violations(instance, solution) == []


def test_a_new_stop_goes_to_the_end_of_an_open_route_or_to_who_may_serve_it() -> None:
    """b behind a costs one more way, not there and back; restricted to Ben it is on Ben's route."""
    missing = (Route(0, (1,), NOWHERE), Route(0, (3,), NOWHERE))
    assert repaired(LINE, missing) == (PLAN, 1)
    pinned = replace(LINE, allowed={2: (1,)})
    assert repaired(pinned, missing)[0].routes[1].customers == (2, 3)


def test_a_start_follows_the_names_of_vehicles(tmp_path: Path) -> None:
    """Today Ben is the first and Anna has gone: his stops stay with him, hers are inserted."""
    path = tmp_path / "plan.json"
    files.write_solution(path, LINE, PLAN)
    today = replace(LINE, fleet=(Vehicle("Ben", end="nowhere"), Vehicle("Cleo", end="nowhere")))
    with pytest.warns(files.FormatWarning, match="2 inserted"):
        start = files.read_start(path, today)
    assert violations(today, start) == []
    assert 3 in start.routes[0].customers
    assert json.loads(path.read_text())["routes"][1]["vehicle"] == "Ben"


def test_a_start_that_is_too_long_is_still_a_start(tmp_path: Path) -> None:
    """A limit is what the search works for, not a reason to take the plan apart."""
    path = tmp_path / "plan.json"
    files.write_solution(path, LINE, PLAN)
    assert files.read_start(path, replace(LINE, max_length=1.5)) == PLAN


def test_stops_too_far_alone_are_the_reason() -> None:
    """c is 3 away: over a limit of 2.5 whoever goes there; the others are not to blame."""
    limited = replace(LINE, max_length=2.5)
    over = over_limit(limited, PLAN, lower_bound(limited))
    assert over is not None
    assert (over.limit, over.makespan, over.impossible, over.alone, over.stops) == (
        2.5,
        3.0,
        True,
        True,
        (3,),
    )


def test_stops_of_routes_over_the_limit_are_the_reason_otherwise() -> None:
    """Each customer could be reached; whether all can is known where the lower bound says so."""
    points = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]], dtype=float)
    instance = Instance(points, 1, 2, max_length=3.0)
    plan = Solution.of([[1, 2], [3, 4]])
    over = over_limit(instance, plan, lower_bound(instance))
    assert over is not None
    assert (over.impossible, over.alone, over.stops) == (True, False, (1, 2, 3, 4))
    loose = over_limit(instance, Solution.of([[1], [2, 3, 4]]), 2.0)
    assert loose is not None
    assert (loose.impossible, loose.stops) == (False, (2, 3, 4))
    assert over_limit(replace(instance, max_length=4.0), plan, 2.0) is None
    assert over_limit(replace(instance, max_length=None), plan, 2.0) is None
    assert route_lengths(instance, plan).max() == pytest.approx(2 + np.sqrt(2))


def test_a_plan_is_carried_over_by_the_names_of_vehicles(tmp_path: Path) -> None:
    """Ben comes first today and Anna has gone: her route is the last one, for which there is no vehicle."""
    today = replace(LINE, fleet=(Vehicle("Ben", end="nowhere"), Vehicle("Cleo", end="nowhere")))
    carried = carry_over(PLAN, LINE, today)
    assert [route.customers for route in carried.routes] == [(3,), (), (1, 2)]
    path = tmp_path / "plan.json"
    files.write_solution(path, LINE, PLAN)
    with pytest.warns(files.FormatWarning, match="2 inserted"):
        assert files.read_start(path, today, complete=False) == carried
    moved, _ = count_moved(today, carried, repaired(today, carried.routes)[0])
    assert moved == 2
