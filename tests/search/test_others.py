"""After the makespan, the other routes: the order of plans, brute force, limits, local optima."""

import itertools

import numpy as np
import pytest

from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.result import Then
from minmaxvrp.search.budget import portion, rest
from minmaxvrp.search.improve import improve
from minmaxvrp.search.others import comes_before, rank_of
from minmaxvrp.search.subproblem import restrict
from minmaxvrp.stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Progress, TargetReached

from .random_instances import random_instance


def best_rank(instance: Instance, then: Then) -> tuple[float, ...]:
    """The best of all plans of a tiny instance with one depot and no pairs, by trying everything."""
    customers, best = list(instance.customers), None
    for owner in itertools.product(range(instance.num_vehicles), repeat=len(customers)):
        routes = []
        for vehicle in set(owner):
            own = [c for c, v in zip(customers, owner, strict=True) if v == vehicle]
            plans = (Route.of(order) for order in itertools.permutations(own))
            routes.append(min(plans, key=lambda route: makespan(instance, Solution((route,)))))
        rank = rank_of(instance, Solution(tuple(routes)), then)
        if best is None or comes_before(rank, best):
            best = rank
    assert best is not None
    return best


@pytest.mark.parametrize("then", ["balance", "total"])
@pytest.mark.parametrize("seed", range(6))
def test_tiny_instances_end_at_the_best_plan_of_the_order(seed: int, then: Then) -> None:
    """Five customers and up to three vehicles, one of them far away, against all plans."""
    rng = np.random.default_rng(seed)
    points = rng.random((5, 2))
    points[0] *= 4.0
    instance = Instance.mtsp([0.5, 0.5], points, 2 + seed % 2)
    outcome = improve(instance, MaxIterations(4_000), lower_bound=lower_bound(instance), then=then)
    assert rank_of(instance, outcome.solution, then) == pytest.approx(best_rank(instance, then))


@pytest.mark.parametrize("then", ["balance", "total", "none"])
@pytest.mark.parametrize("seed", range(30))
def test_any_instance_gets_a_feasible_plan_no_worse_than_its_start(seed: int, then: Then) -> None:
    """All mixtures of depots, limits, pairs, kinds and service; the makespan is never given up."""
    instance = random_instance(seed)
    first = improve(instance, MaxIterations(100), seed=seed)
    outcome = improve(instance, MaxIterations(300), seed=seed, start=[first.solution], then=then)
    assert violations(instance, outcome.solution) == []
    before, after = (rank_of(instance, plan, then) for plan in (first.solution, outcome.solution))
    assert not comes_before(before, after)


@pytest.mark.parametrize(("then", "iterations"), [("balance", 3_000), ("total", 3_000), ("total", 60_000)])
def test_the_same_seed_gives_the_same_plan(then: Then, iterations: int) -> None:
    """With a limit of iterations, whatever the clock says; the total with one cooling, and with several."""
    instance = instances("mdvrp", 20, 6, num_depots=3, seed=5)[0]
    plans = {improve(instance, MaxIterations(iterations), seed=2, then=then).solution for _ in range(2)}
    assert len(plans) == 1


def test_balance_goes_on_when_the_makespan_is_proven() -> None:
    """One stop far away decides the makespan; the others are shared all the same."""
    rng = np.random.default_rng(3)
    instance = Instance.mtsp([0.5, 0.5], np.concatenate([rng.random((40, 2)), [[9.0, 9.0]]]), 4)
    bound = lower_bound(instance)
    outcome = improve(instance, MaxIterations(20_000), lower_bound=bound, then="balance")
    lengths = np.sort(route_lengths(instance, outcome.solution))[::-1]
    assert lengths[0] == pytest.approx(bound)
    alone = improve(instance, MaxIterations(20_000), lower_bound=bound, then="none")
    assert lengths[1] < np.sort(route_lengths(instance, alone.solution))[-2]
    assert lengths[1] < 1.05 * lengths[3]


def test_total_is_less_than_that_of_balance_within_the_same_makespan() -> None:
    """Vehicles stay at home where that saves, and no route exceeds the makespan."""
    instance = instances("mtsp", 120, 20, seed=4)[0]
    bound = lower_bound(instance)
    plans = {
        then: improve(instance, MaxIterations(30_000), lower_bound=bound, then=then).solution
        for then in ("balance", "total")
    }
    lengths = {then: route_lengths(instance, plan) for then, plan in plans.items()}
    assert lengths["total"].max() <= lengths["balance"].max() * (1.0 + 1e-6)
    assert lengths["total"].sum() < 0.9 * lengths["balance"].sum()
    assert len(plans["total"].routes) < len(plans["balance"].routes)


def shorter_by_a_move(instance: Instance, route: Route) -> bool:
    """Whether any 2-opt or Or-opt move (up to three customers) that keeps the rules shortens it."""
    now = makespan(instance, Solution((route,)))
    order = route.customers
    count, candidates = len(order), []
    for i, j in itertools.combinations(range(count + 1), 2):
        candidates.append(order[:i] + order[i:j][::-1] + order[j:])
        if j - i <= 3:
            moved, left = order[i:j], order[:i] + order[j:]
            for k in range(len(left) + 1):
                candidates += [left[:k] + moved + left[k:], left[:k] + moved[::-1] + left[k:]]
    for candidate in candidates:
        changed = Solution((Route.of(candidate, route.start, route.end),))
        late = [v for v in violations(instance, changed) if v.rule == "pickup after delivery"]
        if not late and makespan(instance, changed) < now * (1.0 - 1e-6):
            return True
    return False


@pytest.mark.parametrize("problem", ["mtsp", "mpdp", "mdvrp", "fmdvrp"])
@pytest.mark.parametrize("then", ["balance", "total", "none"])
def test_no_route_leaves_that_a_move_would_shorten(problem: str, then: Then) -> None:
    """Also after few iterations, when most routes have hardly been looked at."""
    instance = instances(problem, 30, 4, seed=6)[0]
    outcome = improve(instance, MaxIterations(40), then=then)
    assert not any(shorter_by_a_move(instance, route) for route in outcome.solution.routes)


def test_a_part_of_a_plan_is_an_instance_with_the_same_lengths() -> None:
    """Routes of the part, put back, are routes of the whole; its rules are the same."""
    for seed in range(20):
        instance = random_instance(seed)
        plan = improve(instance, MaxIterations(20), seed=seed).solution
        chosen = list(range(0, len(plan.routes), 2))
        part = restrict(instance, plan, chosen, max(len(chosen), instance.num_vehicles - 1))
        assert violations(part.instance, part.start) == []
        assert part.lift(part.start) == tuple(plan.routes[k] for k in chosen)
        whole = route_lengths(instance, plan)[chosen]
        assert route_lengths(part.instance, part.start) == pytest.approx(whole, rel=1e-9, abs=1e-9)


def test_what_a_criterion_leaves_for_the_other_routes() -> None:
    """Budgets are what is left of them, patience begins anew, a target is for the makespan."""
    spent = Progress(2.0, 300, 1.0, 250)
    assert portion(MaxRuntime(10.0), 0.8) == MaxRuntime(8.0)
    both = FirstOf((MaxRuntime(10.0), MaxIterations(1_000)))
    assert rest(both, spent) == FirstOf((MaxRuntime(8.0), MaxIterations(700)))
    assert rest(NoImprovement(50), spent) == FirstOf((NoImprovement(50),))
    assert rest(TargetReached(0.5), spent) == MaxIterations(0)


def test_what_criteria_watch_after_the_longest_route() -> None:
    """A target that is met leaves the other routes alone; patience goes on to them."""
    rng = np.random.default_rng(3)
    instance = Instance.mtsp([0.5, 0.5], np.concatenate([rng.random((40, 2)), [[9.0, 9.0]]]), 4)
    bound = lower_bound(instance)
    target = TargetReached(bound * 1.001)
    none = improve(instance, target, lower_bound=bound, then="none")
    met = improve(instance, target, lower_bound=bound, then="balance")
    patient = improve(instance, NoImprovement(2_000), lower_bound=bound, then="balance")
    assert met.solution == none.solution
    assert met.iterations == none.iterations
    second = [np.sort(route_lengths(instance, outcome.solution))[-2] for outcome in (met, patient)]
    assert second[1] < 0.9 * second[0]
    assert patient.makespan == pytest.approx(bound)


def test_plans_are_compared_number_by_number() -> None:
    """The first difference beyond rounding decides; fewer routes come first."""
    assert comes_before((3.0, 2.0, 1.0), (3.0, 2.5, 0.1))
    assert not comes_before((3.0 + 1e-12, 2.0), (3.0, 2.0))
    assert comes_before((3.0,), (3.0, 1.0))
