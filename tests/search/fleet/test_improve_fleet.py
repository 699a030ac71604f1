"""The search for fleets: optimal on tiny ones of every rule, repeatable, interruptible."""

import os
import signal
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.result import Then
from minmaxvrp.search.fleet.fleet_search import construct_fleet
from minmaxvrp.search.fleet.improve_fleet import improve_fleet
from minmaxvrp.stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Progress, TargetReached

from .fleet_brute_force import best_lengths, optimal_makespan
from .random_fleets import RULES, random_fleet

FLEETS = {rule: (rule,) for rule in RULES} | {
    "none": (),
    "robots": ("starts", "open"),
    "a day half driven": ("starts", "ends", "done", "speeds", "service"),
    "couriers": ("pairs", "allowed", "starts", "free ends", "matrix"),
}


def _robots(customers: int = 60, seed: int = 5) -> Instance:
    """Robots of two speeds at five places that need not return."""
    points = np.random.default_rng(seed).uniform(size=(5 + customers, 2))
    fleet = tuple(Vehicle(start=k, speed=2.0 if k == 3 else 1.0, done=0.1 * k) for k in range(5))
    return Instance(points, 5, 5, fleet=fleet, return_to="nowhere", allowed={9: (2,), 11: (0, 4)})


@pytest.mark.parametrize("case", FLEETS)
def test_tiny_fleets_are_solved_to_the_optimum(case: str) -> None:
    """3,000 iterations find what trying everything finds, on three instances of each rule and mixture."""
    for seed in range(3):
        instance = random_fleet(seed, FLEETS[case])
        outcome = improve_fleet(instance, MaxIterations(3000), seed=seed)
        assert violations(instance, outcome.solution) == []
        assert outcome.makespan == pytest.approx(optimal_makespan(instance), rel=1e-9)


def test_random_mixtures_are_solved_to_the_optimum() -> None:
    """1 to 5 customers, 1 to 3 vehicles, 1 to 3 depots: in the order of all lengths, and in total."""
    for seed in range(30):
        customers, vehicles, depots = 1 + seed % 5, 1 + seed // 5 % 3, 1 + seed // 3 % 3
        instance = random_fleet(
            100 + seed, None if customers > 1 else ("starts", "done"), customers, vehicles, depots
        )
        plans = best_lengths(instance)
        best = min(plans)
        balanced = improve_fleet(instance, MaxIterations(4000), seed=seed, then="balance").solution
        assert violations(instance, balanced) == []
        assert sorted(route_lengths(instance, balanced), reverse=True) == pytest.approx(best)
        short = improve_fleet(instance, MaxIterations(4000), seed=seed, then="total").solution
        total = min(sum(lengths) for lengths in plans if lengths[0] <= best[0] * (1.0 + 1e-9))
        assert makespan(instance, short) == pytest.approx(best[0])
        assert route_lengths(instance, short).sum() == pytest.approx(total)


def test_fixed_customers_keep_their_vehicle_and_order() -> None:
    """The others go where trying everything puts them; pairs are fixed as a whole."""
    for seed in range(12):
        rules = ("starts", "ends", "matrix" if seed % 2 else "speeds", *(["pairs"] if seed % 3 == 0 else []))
        instance = random_fleet(seed, rules)
        start = construct_fleet(instance, seed)
        fixed = {node for node in instance.customers if node % 2 == seed % 2}
        for pair in instance.pairs.tolist():
            fixed |= set(pair) if fixed & set(pair) else set()
        order = {
            k: tuple(node for node in route.customers if node in fixed)
            for k, route in enumerate(start.routes)
        }
        outcome = improve_fleet(instance, MaxIterations(3000), start=[start], fixed=fixed, then="none")
        assert violations(instance, outcome.solution) == []
        for k, route in enumerate(outcome.solution.routes):
            assert tuple(node for node in route.customers if node in fixed) == order[k]
        assert outcome.makespan == pytest.approx(optimal_makespan(instance, order), rel=1e-9)


def test_with_all_customers_fixed_the_start_is_the_answer() -> None:
    """There is nothing to search; the number of iterations says so."""
    instance = _robots(20)
    start = construct_fleet(instance)
    outcome = improve_fleet(instance, MaxIterations(500), start=[start], fixed=set(instance.customers))
    assert outcome.solution == start
    assert outcome.iterations == 0


@pytest.mark.parametrize("then", ["none", "balance", "total"])
def test_same_seed_and_iterations_give_the_same_answer(then: Then) -> None:
    """Iterations are counted exactly, over all parts of the search."""
    instance = _robots()
    first, second = (improve_fleet(instance, MaxIterations(1234), seed=4, then=then) for _ in range(2))
    assert first.solution == second.solution
    assert first.iterations == second.iterations == 1234
    assert violations(instance, first.solution) == []


def test_two_workers_give_the_same_answer_each_time() -> None:
    """Each with all iterations; the better plan wins."""
    instance = _robots()
    first, second = (improve_fleet(instance, MaxIterations(700), workers=2) for _ in range(2))
    assert first.solution == second.solution
    assert first.iterations == 2 * 700


def test_the_start_is_never_made_worse() -> None:
    """With no or few iterations the answer is at least as good as the best start given."""
    instance = _robots()
    good, poor = improve_fleet(instance, MaxIterations(3000)).solution, construct_fleet(instance)
    assert makespan(instance, good) < makespan(instance, poor)
    for iterations in (0, 1, 20):
        outcome = improve_fleet(instance, MaxIterations(iterations), start=[poor, good])
        assert outcome.makespan <= makespan(instance, good)


def test_progress_tells_the_bound_and_the_best_plan() -> None:
    """Asked inside the callback, the plan is feasible and has the makespan that is told with it."""
    instance, heard = _robots(), []

    def hear(progress: Progress) -> None:
        assert progress.solution is not None
        assert violations(instance, progress.solution) == []
        assert makespan(instance, progress.solution) == pytest.approx(progress.makespan, rel=1e-9)
        assert progress.lower_bound == 0.5
        heard.append(progress.makespan)

    improve_fleet(instance, MaxIterations(3000), lower_bound=0.5, on_progress=hear, then="balance")
    assert heard == sorted(heard, reverse=True)
    assert len(heard) > 2


def test_the_lower_bound_a_target_or_patience_end_the_search() -> None:
    """Work done is a bound that the other vehicles can stay below."""
    points = np.random.default_rng(2).uniform(size=(9, 2))
    instance = Instance(points, 1, 3, fleet=(Vehicle(done=50.0), Vehicle(), Vehicle()))
    assert improve_fleet(instance, MaxIterations(10**12), lower_bound=50.0).makespan == 50.0
    robots = _robots()
    target = 0.95 * makespan(robots, construct_fleet(robots))
    assert improve_fleet(robots, TargetReached(target)).makespan <= target * (1 + 1e-12)
    seen: list[Progress] = []
    improve_fleet(robots, FirstOf(NoImprovement(900), MaxIterations(10**9)), on_progress=seen.append)
    assert seen[-1].iterations - seen[-1].last_improvement == 900


@pytest.fixture
def signal_soon() -> Iterator[None]:
    """Ctrl-C in a moment."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    yield
    timer.join()


def test_a_signal_ends_the_search_with_the_best_so_far(signal_soon: None) -> None:
    """An hour's budget ends soon after the signal, with a feasible answer."""
    instance = _robots()
    outcome = improve_fleet(instance, MaxRuntime(3600.0), then="balance")
    assert outcome.interrupted
    assert violations(instance, outcome.solution) == []


def test_many_customers_of_every_distance_without_a_square_matrix() -> None:
    """1,500 customers and 40 vehicles, pairs and pinned customers among them: feasible and better."""
    points = np.random.default_rng(6).uniform(size=(1503, 2)) * 50.0
    fleet = tuple(Vehicle(start=k % 3 if k < 20 else None, end="any" if k % 2 else None) for k in range(40))
    for kind in ("euclidean", "great_circle", "att"):
        instance = Instance(
            points,
            3,
            40,
            kind=Distance(kind),
            pairs=np.arange(3, 403).reshape(-1, 2),
            fleet=fleet,
            allowed={node: (node % 40, (node + 7) % 40) for node in range(500, 600)},
        )
        start = construct_fleet(instance)
        outcome = improve_fleet(instance, MaxIterations(500), start=[start])
        assert violations(instance, outcome.solution) == []
        assert outcome.makespan < makespan(instance, start)


def test_a_fleet_of_equal_vehicles_is_as_good_as_the_plain_search() -> None:
    """On 60 customers both end within 1 % of each other."""
    from minmaxvrp.search.improve import improve

    points = np.random.default_rng(8).uniform(size=(61, 2))
    plain = improve(Instance(points, 1, 4), MaxIterations(20_000)).makespan
    fleet = Instance(points, 1, 4, fleet=(Vehicle(),) * 4)
    assert improve_fleet(fleet, MaxIterations(20_000)).makespan == pytest.approx(plain, rel=0.01)
