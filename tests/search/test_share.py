"""One annealing that several workers share: feasible, repeatable, never worse; parts are as in the whole."""

from typing import Any

import numpy as np
import pytest

from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search import share
from minmaxvrp.search.arrays.load import load
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.share import shares_routes
from minmaxvrp.search.subproblem import part_of
from minmaxvrp.stop import (
    FirstOf,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    Progress,
    Stop,
    StopWhen,
    TargetReached,
)

KINDS: dict[str, dict[str, Any]] = {
    "short routes": {"num_depots": 1},
    "pairs": {"num_depots": 1, "pairs": np.arange(1, 141).reshape(2, -1).T},
    "depots": {"num_depots": 3, "service": np.linspace(0.0, 0.1, 160)},
    "any return": {"num_depots": 3, "return_to": "any"},
    "limited depots": {"num_depots": 3, "vehicles_per_depot": [5, 2, 4]},
    "great circle": {"num_depots": 1, "kind": "great_circle"},
}


def _instance(kind: str, num_vehicles: int = 11) -> Instance:
    """160 customers of a kind, or a matrix with other ways back."""
    rng = np.random.default_rng(12)
    if kind == "other ways back":
        return Instance(num_vehicles=num_vehicles, num_depots=1, matrix=rng.uniform(1.0, 2.0, (161, 161)))
    fields = KINDS[kind]
    return Instance(rng.uniform(size=(fields["num_depots"] + 160, 2)), num_vehicles=num_vehicles, **fields)


@pytest.fixture(autouse=True)
def few_customers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instances as small as these are shared, too, by up to three workers."""
    monkeypatch.setattr(share, "LEAST_CUSTOMERS", 160)
    monkeypatch.setattr(share, "LEAST_ROUTES", 3)
    monkeypatch.setattr(share, "EFFORT", 1e9)


@pytest.mark.parametrize("kind", [*KINDS, "other ways back"])
@pytest.mark.parametrize("workers", [2, 3])
def test_seed_workers_and_iterations_decide_the_answer(kind: str, workers: int) -> None:
    """Twice the same plan, feasible, better than the start, with exactly the iterations asked for."""
    instance = _instance(kind)
    start = construct(instance)
    runs = [minimise_makespan(instance, MaxIterations(3_001), 4, [start], workers=workers) for _ in range(2)]
    assert runs[0].solution == runs[1].solution
    assert runs[0].iterations == runs[1].iterations == 3_001
    assert violations(instance, runs[0].solution) == []
    assert runs[0].makespan == pytest.approx(makespan(instance, runs[0].solution), rel=1e-12)
    assert runs[0].makespan < makespan(instance, start)


@pytest.mark.parametrize("kind", [*KINDS, "other ways back"])
def test_a_part_is_measured_as_in_the_whole(kind: str) -> None:
    """Its routes have the lengths that the checker says, and its neighbours are those of the whole inside."""
    instance = _instance(kind)
    plan, unit = construct(instance), 0.07
    problem = prepare(instance, unit)
    routes = plan.routes[1::2]
    limit = np.bincount([route.start for route in routes], minlength=instance.num_depots)
    part = part_of(problem, routes, len(routes) + 1, limit)
    lengths = load(part.problem, part.start, random_stream(1)).length[: len(routes)] * unit
    expected = route_lengths(instance, plan)[1::2]
    np.testing.assert_allclose(lengths, expected, rtol=1e-12)
    assert part.lift(part.start) == tuple(routes)
    inside = set(part.node[instance.num_depots :].tolist())
    for own, node in enumerate(part.node.tolist()):
        near = [other for other in problem.neighbours[node].tolist() if other in inside]
        found = part.node[part.problem.neighbours[own]].tolist()
        assert found[: len(near)] == near
        assert set(found[len(near) :]) <= {near[-1] if near else found[0]}
    partner = part.problem.partner
    for own, node in enumerate(part.node.tolist()):
        other = problem.partner[node]
        assert (partner[own] == -1) if other < 0 else part.node[partner[own]] == other


def test_it_ends_by_every_criterion() -> None:
    """A time limit, a target and a bound; progress tells the best plan."""
    instance = _instance("pairs")
    first = minimise_makespan(instance, MaxIterations(500), workers=2)
    heard: list[Progress] = []
    timed = minimise_makespan(instance, MaxRuntime(0.3), workers=2, on_progress=heard.append)
    assert timed.seconds < 3.0
    assert heard[-1].makespan <= heard[0].makespan
    assert heard[-1].solution is not None
    assert violations(instance, heard[-1].solution) == []
    aim = first.makespan
    target = FirstOf(TargetReached(aim), MaxIterations(10**9))
    assert minimise_makespan(instance, target, workers=2).makespan <= aim
    settled = minimise_makespan(instance, MaxIterations(10**9), 0, [first.solution], 2, first.makespan)
    assert settled.iterations == 0
    assert settled.makespan <= first.makespan


@pytest.mark.parametrize(
    ("stop", "workers", "expected"),
    [
        (MaxIterations(1), 2, True),
        (MaxRuntime(5.0), 2, True),
        (FirstOf(MaxRuntime(5.0), TargetReached(1.0)), 2, True),
        (MaxRuntime(5.0), 1, False),
        (MaxRuntime(5.0), 4, False),  # 11 routes, three for each worker
        (TargetReached(1.0), 2, False),
        (FirstOf(MaxRuntime(5.0), NoImprovement(10)), 2, False),
        (StopWhen(lambda progress: False), 2, False),
    ],
)
def test_workers_share_where_a_budget_says_how_to_cool(stop: Stop, workers: int, expected: bool) -> None:
    """Patience and endless searches have no schedule to cut into slices; few routes are not shared."""
    assert shares_routes(prepare(_instance("pairs"), 0.1), stop, workers) is expected


def test_a_long_budget_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """160 customers, 300 iterations for each, or a second counted as 100,000."""
    monkeypatch.setattr(share, "EFFORT", 300.0)
    problem = prepare(_instance("pairs"), 0.1)
    for short, long in ((MaxIterations(48_000), MaxIterations(48_001)), (MaxRuntime(0.48), MaxRuntime(0.49))):
        assert shares_routes(problem, short, 2)
        assert not shares_routes(problem, long, 2)


def test_small_instances_and_long_routes_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One customer fewer than the limit, or 30 customers a route."""
    stop = MaxRuntime(5.0)
    problem = prepare(_instance("depots"), 0.1)
    assert shares_routes(problem, stop, 2)
    monkeypatch.setattr(share, "LEAST_CUSTOMERS", 161)
    assert not shares_routes(problem, stop, 2)
    monkeypatch.setattr(share, "LEAST_CUSTOMERS", 160)
    (long,) = instances("mtsp", 301, 10, seed=1)
    assert not shares_routes(prepare(long, 0.1), stop, 2)
