"""Routes without some customers stay consistent, and no fewer routes are possible than elimination leaves."""

import itertools
import signal
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from minmaxvrp.interrupt import Interrupt
from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.arrays.load import unload
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.routes import OFF
from minmaxvrp.search.budget import MAKESPAN_SHARE, portion
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.elimination.fewer_routes import Elimination
from minmaxvrp.search.improve import improve
from minmaxvrp.search.one_search import Goal, ProgressHook
from minmaxvrp.search.programs import ELIMINATION, ensure_compiled
from minmaxvrp.search.route_cost import RouteCost
from minmaxvrp.search.settings import SearchSettings
from minmaxvrp.stop import MaxIterations, Progress

from ..random_instances import random_instance


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """As users have it."""
    ensure_compiled()
    ensure_compiled(ELIMINATION)


def _elimination(
    instance: Instance, plan: Solution, limit: float, iterations: int, emptied: int = 0, seed: int = 0
) -> Elimination:
    problem = prepare(instance, 1.0)
    joins = 2 if problem.symmetric and not problem.has_pairs else 0
    settings = SearchSettings(first_temperature=0.1 * limit, two_opt_proposals=joins, mean_removed=3.0)
    goal = Goal(MaxIterations(iterations), 0.0, 1.0, 0.0, Interrupt())
    kept = Solution(tuple(route for k, route in enumerate(plan.routes) if k != emptied))
    rule = RouteCost(limit, 1.0, 0.0)
    return Elimination(problem, goal, settings, kept, len(kept.routes), seed, 0, rule)


def _assert_consistent(instance: Instance, search: Elimination, limit: float) -> None:
    """Links both ways, legs, lengths within the limit; each customer on a route or absent, pairs whole."""
    problem, routes, served = search.problem, search.routes, set()
    nodes = problem.num_nodes
    for vehicle in range(problem.num_vehicles):
        entry, length = nodes + vehicle, 0.0
        while entry == nodes + vehicle or entry < nodes:
            follower = routes.after[entry]
            assert routes.before[follower] == entry
            assert routes.vehicle[follower] == vehicle
            if routes.size[vehicle] > 0:
                leg = float(instance.distance(routes.node[entry], routes.node[follower]))
                assert routes.leg[entry] == pytest.approx(leg, rel=1e-9, abs=1e-9)
                length += leg
            if follower < nodes:
                length += float(instance.node_service[follower])
                served.add(int(follower))
            entry = follower
        assert routes.length[vehicle] == pytest.approx(length, rel=1e-9, abs=1e-6)
        assert length <= limit * (1 + 1e-6)
    absent = search.absent.requests[: search.absent.info.count].tolist()
    absent += [int(problem.partner[request]) for request in absent if problem.partner[request] >= 0]
    assert sorted([*served, *absent]) == list(instance.customers)
    for customer in absent:
        assert routes.vehicle[customer] == problem.num_vehicles
        assert routes.before[customer] == customer
        assert routes.leg[customer] == OFF
    rules = {v.rule for v in violations(instance, unload(problem, routes))}
    assert rules <= ({"missing customer"} if absent else set())


@pytest.mark.parametrize("block", range(4))
def test_arrays_stay_consistent_whoever_is_absent(block: int) -> None:
    """30 random instances per block of every shape, with a limit as tight as the plan, or a little wider."""
    absent = saved = 0
    for seed in range(30 * block, 30 * block + 30):
        instance = random_instance(seed)
        plan = construct(instance, seed).without_empty()
        if len(plan.routes) < 2:
            continue
        limit = makespan(instance, plan) * (1.0, 1.2)[seed % 2] * (1.0 + 1e-9)
        for emptied in range(min(3, len(plan.routes))):
            search = _elimination(instance, plan, limit, 60, emptied, seed)
            for _ in range(6):
                search.run_chunks(10, np.array([[0.0, 1.0]]))
                _assert_consistent(instance, search, limit)
            absent += not search.reached
            saved += search.reached
            if search.reached:
                assert violations(instance, search.solution()) == []
    assert absent > 5
    assert saved > 5


def _fewest(instance: Instance, limit: float) -> int:
    """The least number of routes within a limit of an instance with one depot, by trying everything."""
    customers = list(instance.customers)
    sets = [s for size in range(1, len(customers) + 1) for s in itertools.combinations(customers, size)]
    fits = set()
    for chosen in sets:
        orders = (Solution((Route.of(order),)) for order in itertools.permutations(chosen))
        if any(makespan(instance, plan) <= limit for plan in orders):
            fits.add(frozenset(chosen))
    fewest = {frozenset[int](): 0}
    for chosen in sets:
        whole = frozenset(chosen)
        others = (
            {chosen[0], *more}
            for size in range(len(chosen))
            for more in itertools.combinations(chosen[1:], size)
        )
        fewest[whole] = min(
            (1 + fewest[whole - part] for part in others if frozenset(part) in fits), default=10**6
        )
    return fewest[frozenset(customers)]


@pytest.mark.parametrize("seed", range(10))
def test_tiny_instances_keep_as_few_routes_as_possible(seed: int) -> None:
    """From one route for each of seven customers, against all ways to share them out."""
    rng = np.random.default_rng(seed)
    instance = Instance.mtsp([0.5, 0.5], rng.random((7, 2)), 7)
    if seed % 2:
        instance = replace(instance, service=0.3 * rng.random(7))
    plan = Solution.of([[customer] for customer in instance.customers])
    limit = makespan(instance, plan) * float(rng.uniform(1.0, 1.4)) * (1.0 + 1e-9)
    while len(plan.routes) > 1:
        search = _elimination(instance, plan, limit, 3_000, seed=seed)
        search.run()
        if not search.reached:
            break
        plan = search.solution()
        assert violations(instance, plan) == []
        assert float(route_lengths(instance, plan).max()) <= limit
    assert len(plan.routes) == _fewest(instance, limit)


def test_the_same_seed_leaves_the_same_plan() -> None:
    """In chunks of any size, as the temperature hangs on the share of the cooling alone."""
    rng = np.random.default_rng(3)
    instance = Instance.mtsp([0.5, 0.5], rng.random((60, 2)), 12)
    plan = construct(instance, 0).without_empty()
    limit = makespan(instance, plan) * 1.3
    found = []
    for _ in range(2):
        search = _elimination(instance, plan, limit, 5_000)
        search.run()
        found.append((search.iterations, search.absent.info.count, search.solution()))
    assert found[0] == found[1]
    assert found[0][:2] < (5_000, 1)


def test_a_signal_ends_it() -> None:
    """Before the next chunk."""
    instance = Instance.mtsp([0.5, 0.5], np.random.default_rng(3).random((60, 2)), 12)
    plan = construct(instance, 0).without_empty()
    search = _elimination(instance, plan, makespan(instance, plan), 10**9)
    search.goal.interrupt.signals.append(2)
    search.run()
    assert search.iterations == 0
    assert search.absent.info.count > 0


def _best_total(instance: Instance) -> tuple[float, float]:
    """Least makespan, and the least total length with it, of an instance with one depot, by trying all."""
    customers, best = list(instance.customers), {}
    sets = [s for size in range(1, len(customers) + 1) for s in itertools.combinations(customers, size)]
    for chosen in sets:
        orders = (Solution((Route.of(order),)) for order in itertools.permutations(chosen))
        best[frozenset(chosen)] = min(makespan(instance, plan) for plan in orders)
    found = (inf, inf)
    for owner in itertools.product(range(instance.num_vehicles), repeat=len(customers)):
        groups = [frozenset(c for c, v in zip(customers, owner, strict=True) if v == k) for k in set(owner)]
        lengths = [best[group] for group in groups]
        longest, total = max(lengths), sum(lengths)
        if longest < found[0] * (1 - 1e-9) or (longest < found[0] * (1 + 1e-9) and total < found[1]):
            found = longest, total
    return found


@pytest.mark.parametrize("seed", range(8))
def test_tiny_instances_end_at_the_least_total_of_the_shortest_makespan(seed: int) -> None:
    """Seven customers, one of them far away, and four vehicles, of which some had better stay at home."""
    points = np.random.default_rng(seed).random((7, 2))
    points[0] *= 2.0
    instance = Instance.mtsp([0.5, 0.5], points, 4)
    outcome = improve(instance, MaxIterations(20_000), lower_bound=lower_bound(instance), then="total")
    lengths = route_lengths(instance, outcome.solution)
    assert (lengths.max(), lengths.sum()) == pytest.approx(_best_total(instance))


SHAPES = [
    ("mtsp", 80, 16, 1, 0.0),
    ("mpdp", 40, 10, 1, 0.0),
    ("mdvrp", 60, 15, 3, 3.0),
    ("fmdvrp", 60, 15, 3, 2.5),
]


@pytest.mark.parametrize(("problem", "size", "vehicles", "depots", "stay"), SHAPES)
def test_the_same_seed_gives_the_same_total(
    problem: str, size: int, vehicles: int, depots: int, stay: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With routes saved on the way, where one long stay leaves room on the others; none gets longer."""
    instance = instances(problem, size, vehicles, num_depots=depots, seed=5)[0]
    instance = replace(instance, service=np.eye(instance.num_customers)[0] * stay)
    tried: list[int] = []
    run = Elimination.run

    def noted(search: Elimination, on_progress: ProgressHook) -> None:
        run(search, on_progress)
        tried.append(search.iterations)

    monkeypatch.setattr(Elimination, "run", noted)
    bound = lower_bound(instance)
    plans = {}
    for _ in range(2):
        outcome = improve(instance, MaxIterations(100_000), seed=2, lower_bound=bound, then="total")
        assert violations(instance, outcome.solution) == []
        plans[outcome.solution] = outcome.makespan
    assert len(plans) == 1
    assert tried
    none = improve(instance, portion(MaxIterations(100_000), MAKESPAN_SHARE), seed=2, lower_bound=bound)
    assert outcome.makespan <= none.makespan * (1 + 1e-9)


@pytest.mark.parametrize("call", [5, 20, 40, 60])
def test_ctrl_c_leaves_the_best_plan_so_far(call: int) -> None:
    """At any time, and also while customers are absent."""
    instance, seen = instances("mtsp", 80, 16, seed=5)[0], []

    def on_progress(progress: Progress) -> None:
        seen.append(progress.iterations)
        if len(seen) == call:
            signal.raise_signal(signal.SIGINT)

    bound = lower_bound(instance)
    outcome = improve(
        instance, MaxIterations(100_000), lower_bound=bound, then="total", on_progress=on_progress
    )
    assert outcome.interrupted
    assert len(seen) <= call + 2
    assert violations(instance, outcome.solution) == []
