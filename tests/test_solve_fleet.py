"""Solving fleets, limits and plans that must be kept: what `solve` and `Result` say."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from minmaxvrp import Instance, MaxIterations, Route, Solution, carry_over, solve, violations
from minmaxvrp.errors import InputError
from minmaxvrp.problem.check import Rule
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.keep import Keep

POINTS = np.random.default_rng(3).uniform(size=(33, 2))
ROBOTS = Instance(POINTS, 3, 3, fleet=tuple(Vehicle(start=k, end="nowhere") for k in range(3)))
DEPOTS = Instance(POINTS, 3, 4, vehicles_per_depot=np.array([1, 0, 4]))
ONE_DEPOT = Instance(POINTS, 1, 4)
SHORT = MaxIterations(600)


def _places(solution: Solution) -> dict[int, int]:
    return {node: number for number, route in enumerate(solution.routes) for node in route.customers}


def _keeps_order(before: Solution, after: Solution) -> bool:
    """Whether stops of each route of `before` are on the same route of `after`, in their order."""
    for old, new in itertools.zip_longest(before.routes, after.routes, fillvalue=Route(0, (), 0)):
        stops = set(old.customers)
        if tuple(node for node in new.customers if node in stops) != old.customers:
            return False
    return True


def test_a_fleet_is_solved_and_the_network_left_out() -> None:
    """One route for each vehicle in their order; the answer says that it was searched."""
    said: list[str] = []
    result = solve(ROBOTS, SHORT, policy="auto", notice=said.append)
    assert violations(ROBOTS, result.solution) == []
    assert [route.start for route in result.solution.routes] == [0, 1, 2]
    assert result.method == "search"
    assert result.iterations == 600
    assert any("the network does not know vehicles that differ" in text for text in said)
    assert result.lower_bound <= result.makespan
    assert solve(ROBOTS, search=False).method == "greedy"


def test_plain_instances_load_no_kernels_for_fleets() -> None:
    """In a new process."""
    import subprocess
    import sys

    code = (
        "import sys, numpy as np; from minmaxvrp import *;"
        "solve(Instance(np.random.default_rng(0).uniform(size=(9, 2)), 1, 2), MaxIterations(20));"
        "print([name for name in sys.modules if 'search.fleet' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("instance", [ROBOTS, DEPOTS, ONE_DEPOT], ids=["fleet", "depots", "one depot"])
def test_a_plan_is_kept_as_asked(instance: Instance) -> None:
    """Five stops of the plan are missing, one is not of the instance: the others keep order, or vehicle."""
    whole = solve(instance, MaxIterations(50), seed=1, then="none").solution
    plan = Solution(
        tuple(
            Route(route.start, tuple(999 if n == 12 else n for n in route.customers if n % 6), route.end)
            for route in whole.routes
        )
    )
    gone = {node for node in _places(whole) if node % 6 == 0 or node == 12}
    kept = Solution(
        tuple(
            Route(route.start, tuple(n for n in route.customers if n not in gone), route.end)
            for route in whole.routes
        )
    )
    result = solve(instance, SHORT, start=plan, keep="order")
    assert violations(instance, result.solution) == []
    assert _keeps_order(kept, result.solution)
    assert result.moved == 0
    pinned = solve(instance, SHORT, start=plan, keep="vehicle")
    assert violations(instance, pinned.solution) == []
    assert _places(kept).items() <= _places(pinned.solution).items()
    assert pinned.moved == 0
    free = solve(instance, SHORT, start=plan, keep="nothing")
    assert violations(instance, free.solution) == []
    places = _places(free.solution)
    assert free.moved == sum(places[node] != number for node, number in _places(kept).items())
    assert free.makespan <= pinned.makespan * 1.05


@pytest.mark.parametrize("keep", ["order", "vehicle", "nothing"])
def test_keeping_all_of_a_good_plan_moves_nothing_that_need_not(keep: Keep) -> None:
    """On an instance that has not changed, the plan that was kept is never made worse."""
    good = solve(ONE_DEPOT, SHORT, then="none")
    again = solve(ONE_DEPOT, MaxIterations(0), start=good.solution, keep=keep, then="none")
    assert again.makespan <= good.makespan * (1 + 1e-9)
    assert again.moved == 0


def test_keep_needs_one_plan() -> None:
    """And knows three words."""
    with pytest.raises(InputError, match="keep = 'order', expected one plan as start"):
        solve(ROBOTS, SHORT, keep="order")
    with pytest.raises(InputError, match="keep = 'all', expected one of order, vehicle, nothing"):
        solve(ROBOTS, SHORT, start=Solution(()), keep="all")  # type: ignore[arg-type]


def test_a_limit_that_cannot_be_kept_is_told_with_the_stops_that_are_the_reason() -> None:
    """One stop is too far for any vehicle; without it, the routes over the limit are the reason."""
    points = [[0, 0], [1, 0], [0, 1], [9, 0]]
    far = solve(Instance(np.array(points), 1, 2, max_length=5.0), SHORT)
    assert far.over_limit is not None
    assert far.over_limit.impossible
    assert far.over_limit.stops == (3,)
    assert far.makespan == pytest.approx(18.0)
    line = [[0, 0], [1, 0], [1, 0.01], [1, 0.02]]
    service = [2.0, 2.0, 2.0]
    tight = solve(Instance(np.array(line), 1, 2, max_length=5.0, service=service), SHORT)
    (route,) = (r for r in tight.solution.routes if len(r) == 2)
    assert tight.over_limit is not None
    assert set(tight.over_limit.stops) == set(route.customers)
    loose = solve(Instance(np.array(points), 1, 2, max_length=18.5), SHORT)
    assert loose.over_limit is None
    assert Rule.TOO_LONG in {found.rule for found in violations(far.instance, far.solution)}


def test_a_limit_counts_pairs_speeds_and_work_done() -> None:
    """The pair is too far for the vehicle that may serve it, though not for the fast one."""
    fleet = (Vehicle(done=1.0), Vehicle(speed=10.0))
    points = np.array([[0.0, 0.0], [3.0, 0.0], [4.0, 0.0], [0.5, 0.0]])
    instance = Instance(
        points, 1, 2, fleet=fleet, pairs=np.array([[1, 2]]), allowed={1: (0,)}, max_length=8.5
    )
    result = solve(instance, SHORT)
    assert result.over_limit is not None
    assert result.over_limit.stops == (1,)  # the pickup stands for the pair
    assert result.makespan == pytest.approx(9.0)


def test_a_plan_is_carried_over_to_other_node_numbers_by_name() -> None:
    """A robot has moved on, x is reached and n is new: the plan keeps the names, and is kept."""
    fleet = (Vehicle(start=0, end="nowhere"), Vehicle(start=1, end="nowhere"))
    names = ("r", "s", "x", "y", "z")
    before = Instance(np.arange(10.0).reshape(5, 2), 2, 2, fleet=fleet, names=names)
    plan = Solution((Route(0, (2, 4), -1), Route(1, (3,), -1)))
    today = Instance(np.arange(10.0).reshape(5, 2), 2, 2, fleet=fleet, names=("r", "s", "n", "z", "y"))
    carried = carry_over(plan, before, today)
    assert [route.customers for route in carried.routes] == [(3,), (4,)]
    result = solve(today, SHORT, start=carried, keep="vehicle")
    assert {3: 0, 4: 1}.items() <= _places(result.solution).items()
    assert carry_over(plan, before, replace(today, names=None)) == plan
