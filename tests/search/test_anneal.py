"""The arrays of the search stay consistent with the instance through any number of steps."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search.anneal import anneal
from minmaxvrp.search.arrays.distances import Problem
from minmaxvrp.search.arrays.load import load, unload, unload_best
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.arrays.routes import Routes
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.moves.local_search import Workspace, empty_workspace
from minmaxvrp.search.route_cost import LEAST_EXCESS, LIMIT_WEIGHT, MAKESPAN, RouteCost
from minmaxvrp.search.ruin_recreate.ruin import DRAWN, WALKED
from minmaxvrp.search.settings import SearchSettings

from .probes import (
    cost_of_two,
    draw_seed,
    propose_any_join,
    propose_exchange,
    propose_other_depot,
    propose_reconnection,
    ruin_and_recreate,
)
from .random_instances import random_instance

pytestmark = pytest.mark.usefixtures("probes")

Move = Callable[[Problem, Routes, Workspace, SearchSettings, float], float]


def _assert_consistent(instance: Instance, problem: Problem, routes: Routes, unit: float) -> None:
    """Links both ways, legs, lengths, sizes, the free vehicles, the depots' use, the longest route."""
    nodes, used = problem.num_nodes, np.zeros(problem.num_depots, dtype=np.int64)
    assert violations(instance, unload(problem, routes)) == []
    for vehicle in range(problem.num_vehicles):
        entry, length, count = nodes + vehicle, 0.0, 0
        size = routes.size[vehicle]
        while entry == nodes + vehicle or entry < nodes:
            follower = routes.after[entry]
            assert routes.before[follower] == entry
            assert routes.vehicle[follower] == vehicle
            if size > 0:
                leg = instance.distance(routes.node[entry], routes.node[follower]) / unit
                assert routes.leg[entry] == pytest.approx(leg, rel=1e-9, abs=1e-12)
                length += float(leg)
            if follower < nodes:
                length += instance.node_service[follower] / unit
                count += 1
            entry = follower
        assert count == size
        assert routes.length[vehicle] == pytest.approx(length, rel=1e-9, abs=1e-9)
        if size > 0:
            used[routes.node[nodes + vehicle]] += 1
        else:
            assert routes.free_vehicles[routes.free_position[vehicle]] == vehicle
    assert routes.used.tolist() == used.tolist()
    assert routes.state.num_free == (routes.size == 0).sum()
    assert routes.length[routes.tournament[1]] == routes.length.max()


def _loaded(instance: Instance, seed: int) -> tuple[Problem, Routes, Solution, float]:
    start = construct(instance, seed)
    unit = float(route_lengths(instance, start).sum()) / instance.num_nodes or 1.0
    problem = prepare(instance, unit)
    return problem, load(problem, start, random_stream(seed)), start, unit


@pytest.mark.parametrize("block", range(4))
def test_arrays_stay_consistent_and_feasible(block: int) -> None:
    """40 random instances per block, hot and cold steps, insertion by all positions and by neighbours, with
    and without stretches that move and choices that are overlooked."""
    for seed in range(40 * block, 40 * block + 40):
        instance = random_instance(seed)
        problem, routes, start, unit = _loaded(instance, seed)
        _assert_consistent(instance, problem, routes, unit)
        workspace = empty_workspace(problem.num_nodes)
        near = SearchSettings(full_scan_customers=0, full_scan_routes=3)
        wild = SearchSettings(stretch_share=0.5, overlook=0.3, blink=0.2)
        wild_near = wild._replace(full_scan_customers=0, full_scan_routes=3)
        for settings in (SearchSettings(), near, wild, wild_near):
            anneal(problem, routes, settings, workspace, MAKESPAN, 60, np.array([[0.0, 1.0]]), -1.0)
            _assert_consistent(instance, problem, routes, unit)
        found = unload_best(problem, routes)
        assert violations(instance, found) == []
        assert makespan(instance, found) / unit == pytest.approx(routes.state.best, rel=1e-9, abs=1e-9)
        assert makespan(instance, found) <= makespan(instance, start) * (1 + 1e-12)


def _one_depot(seed: int) -> Instance:
    """Where `propose_two_opt` and `propose_cross` are used: one depot, no pairs, a symmetric distance."""
    rng = np.random.default_rng(seed)
    customers = int(rng.integers(2, 25))
    kind = Distance(rng.choice(["euclidean", "euc_2d", "att", "great_circle"]))
    points = rng.uniform(size=(customers + 1, 2)) * (80.0 if kind is not Distance.EUCLIDEAN else 1.0)
    service = rng.uniform(size=customers) * points.max() * float(rng.integers(2))
    return Instance(points, 1, int(rng.integers(1, 6)), kind=kind, service=service)


@pytest.mark.parametrize(
    ("move", "several", "routes_changed"),
    [
        (propose_reconnection, False, (1, 2)),
        (propose_reconnection, True, (1, 2)),
        (propose_exchange, False, (2,)),
        (propose_exchange, True, (2,)),
        (propose_other_depot, True, (1, 2)),
    ],
)
def test_a_proposal_changes_the_objective_by_what_it_says(
    move: Move, several: bool, routes_changed: tuple[int, ...]
) -> None:
    """2-opt, 2-opt*, CROSS and other depots: makespan plus total length, measured by the checker."""
    made, settings = dict.fromkeys(routes_changed, 0), SearchSettings(length_weight=0.7)
    for seed in range(60):
        instance = _limited_depots(seed) if several else _one_depot(seed)
        problem, routes, _, unit = _loaded(instance, seed)
        workspace = empty_workspace(problem.num_nodes)
        for _ in range(25):
            before = {route.customers for route in unload(problem, routes).routes}
            lengths = route_lengths(instance, unload(problem, routes)) / unit
            predicted = move(problem, routes, workspace, settings, 1e9)
            _assert_consistent(instance, problem, routes, unit)
            after = route_lengths(instance, unload(problem, routes)) / unit
            rise = after.max() - lengths.max() + settings.length_weight * (after.sum() - lengths.sum())
            assert predicted == pytest.approx(rise, rel=1e-9, abs=1e-9)
            changed = len({route.customers for route in unload(problem, routes).routes} - before)
            made[changed] = made.get(changed, 0) + 1
    assert set(made) <= {0, *routes_changed}
    assert all(made[count] > 40 for count in routes_changed)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("move", [propose_reconnection, propose_exchange, propose_other_depot])
def test_a_proposal_above_the_limit_is_not_made(move: Move, several: bool) -> None:
    """What would raise the objective by more leaves everything as it was."""
    for seed in range(20):
        instance = _limited_depots(seed) if several else _one_depot(seed)
        problem, routes, start, _ = _loaded(instance, seed)
        workspace = empty_workspace(problem.num_nodes)
        assert move(problem, routes, workspace, SearchSettings(), -1e9) == 0.0
        assert unload(problem, routes) == start


def _cost(rule: RouteCost, lengths: NDArray[np.float64]) -> float:
    """What `refine` lowers, written anew: for all routes their cost and the price of what is too long."""
    full = lengths / rule.limit
    share = 1.0 + rule.packing * (1.0 - full)
    if rule.power != 1.0:
        share = full ** (rule.power - 1.0) + rule.linear
    over = np.maximum(lengths - rule.limit, 0.0)
    return float((lengths * share + LIMIT_WEIGHT * (over + LEAST_EXCESS * (over > 0.0))).sum())


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(("power", "packing"), [(1.0, 0.0), (1.0, 1.0), (8.0, 0.0)])
def test_a_join_changes_the_cost_by_what_it_says(power: float, packing: float, several: bool) -> None:
    """2-opt and 2-opt* in all directions, also two routes that become one, below and above the limit."""
    changes = dict.fromkeys(("none", "order", "tails", "fewer"), 0)
    for seed in range(60):
        instance = _several_depots(seed) if several else _one_depot(seed)
        problem, routes, _, unit = _loaded(instance, seed)
        workspace = empty_workspace(problem.num_nodes)
        rule = RouteCost(1.01 * float(routes.length.max()), power, 0.1, packing)
        for _ in range(25):
            before = unload(problem, routes)
            predicted = propose_any_join(problem, routes, workspace, rule, 1e9)
            _assert_consistent(instance, problem, routes, unit)
            after = unload(problem, routes)
            costs = [_cost(rule, route_lengths(instance, plan) / unit) for plan in (before, after)]
            assert predicted == pytest.approx(costs[1] - costs[0], rel=1e-9, abs=1e-5)
            changes[_kind_of_change(before, after)] += 1
    assert min(changes.values()) > 20


@pytest.mark.parametrize(("power", "packing"), [(1.0, 0.0), (1.0, 0.3), (1.0, 1.0), (8.0, 0.0)])
def test_no_two_routes_cost_less_than_the_least_for_both(power: float, packing: float) -> None:
    """Many ways to share a length between two routes, as far as the limit allows; one of them costs that."""
    rule = RouteCost(10.0, power, 0.1, packing)
    for both in (0.0, 3.0, 9.0, 10.0, 13.0, 19.0, 20.0):
        first = np.linspace(max(0.0, both - 10.0), min(both, 10.0), 201)
        costs = [_cost(rule, np.array([one, both - one])) for one in first]
        assert cost_of_two(rule, both) == pytest.approx(min(costs), abs=1e-9)


def _kind_of_change(before: Solution, after: Solution) -> str:
    """What a join has done: nothing, another order on a route, other tails, or one route less."""
    if len(after.routes) < len(before.routes):
        return "fewer"
    changed = len({r.customers for r in after.routes} - {r.customers for r in before.routes})
    return ("none", "order", "tails")[changed]


def _several_depots(seed: int) -> Instance:
    """Depots with vehicles enough, to return to or to end at any."""
    rng = np.random.default_rng(seed)
    depots, customers = int(rng.integers(2, 6)), int(rng.integers(2, 25))
    points = rng.uniform(size=(depots + customers, 2))
    return Instance(points, depots, int(rng.integers(1, 6)), return_to="any" if seed % 2 else "start")


def _limited_depots(seed: int) -> Instance:
    """In two of three cases just as many vehicles as routes may need, shared among the depots at random; with
    service in some. `propose_two_opt_depots` and `propose_depot` must keep to the limits."""
    instance, rng = _several_depots(seed), np.random.default_rng(seed)
    service = rng.uniform(size=instance.num_customers) * 0.3 * float(rng.integers(2))
    shares = np.full(instance.num_depots, 1.0 / instance.num_depots)
    limits = rng.multinomial(instance.num_vehicles, shares) if seed % 3 else None
    return replace(instance, service=service, vehicles_per_depot=limits)


@pytest.mark.parametrize("made", [_one_depot, _several_depots])
def test_inserting_is_given_up_only_for_what_ends_above_the_limit(made: Callable[[int], Instance]) -> None:
    """The same step to its end, with a limit just above its objective, and with one below."""
    given_up = 0
    for seed in range(60):
        instance = made(seed)

        def ends_at(limit: float, seed: int = seed, instance: Instance = instance) -> float:
            problem, routes, _, _ = _loaded(instance, seed)
            return ruin_and_recreate(problem, routes, SearchSettings(mean_length_weight=0.2), limit)

        end = ends_at(1e300)
        slack = 1e-9 if instance.kind is Distance.EUCLIDEAN else 2.0  # rounding may shorten by a detour
        assert ends_at(end + slack) == end
        given_up += ends_at(0.5 * end) == float("inf")
    assert given_up > 30


def test_the_best_is_kept_whichever_move_finds_it() -> None:
    """At no time is the solution at hand better than the best; joins find new ones as well as ruins."""
    instance = Instance.mtsp(np.zeros(2), np.random.default_rng(5).random((60, 2)), 2)
    problem, routes, _, _ = _loaded(instance, 0)
    workspace, settings = (
        empty_workspace(problem.num_nodes),
        SearchSettings(first_temperature=0.01, two_opt_proposals=4, blink=0.5),
    )
    for step in range(3_000):
        anneal(problem, routes, settings, workspace, MAKESPAN, 1, np.full((1, 2), step / 3_000), 0.0)
        assert routes.length[routes.tournament[1]] >= routes.state.best - 2e-9


@pytest.mark.parametrize("vehicles", [3, 8])
def test_every_customer_of_the_longest_route_may_be_the_seed(vehicles: int) -> None:
    """700 customers on 3 routes are drawn until one is on it, on 8 by steps along it; all about as often."""
    instance = Instance.mtsp(np.zeros(2), np.random.default_rng(5).random((700, 2)), vehicles)
    problem, routes, start, _ = _loaded(instance, 0)
    longest = start.routes[int(np.argmax(route_lengths(instance, start)))].customers
    assert (len(longest) > WALKED and len(longest) ** 2 > DRAWN * 700) == (vehicles == 3)
    settings = SearchSettings(longest_route_share=1.0)
    drawn = [draw_seed(problem, routes, settings) for _ in range(40 * len(longest))]
    counts = np.bincount(drawn)[list(longest)]
    assert set(drawn) == set(longest)
    assert 10 < counts.min() <= counts.max() < 80


def test_load_and_unload_are_inverse() -> None:
    """A solution read back from the arrays is the same solution."""
    for seed in range(30):
        instance = random_instance(seed)
        problem, routes, start, _ = _loaded(instance, seed)
        assert unload(problem, routes) == start
        assert unload_best(problem, routes) == start
