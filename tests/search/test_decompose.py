"""Very large instances by groups of routes: feasible, repeatable, never worse, and only the group changes."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from minmaxvrp.problem.check import makespan, route_lengths, violations
from minmaxvrp.problem.generate import instances
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.search import decompose, groups, phases
from minmaxvrp.search.arrays.neighbours import nearest_customers, nearest_points
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.construction.sweep_start import shorten_trips, sweep_starts
from minmaxvrp.search.decompose import minimise_by_groups
from minmaxvrp.search.groups import by_groups, choose_groups, find_borders, is_large, share_out
from minmaxvrp.search.improve import improve
from minmaxvrp.search.subproblem import Part
from minmaxvrp.stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Progress, TargetReached

KINDS: dict[str, dict[str, Any]] = {
    "one depot": {"num_depots": 1},
    "service": {"num_depots": 1, "service": np.linspace(0.0, 0.1, 240)},
    "pairs": {"num_depots": 1, "pairs": np.arange(1, 201).reshape(2, -1).T},
    "depots": {"num_depots": 3},
    "any return": {"num_depots": 3, "return_to": "any"},
    "limited depots": {"num_depots": 3, "vehicles_per_depot": [3, 2, 4]},
    "great circle": {"num_depots": 1, "kind": "great_circle"},
}


def _instance(kind: str, num_vehicles: int = 6) -> Instance:
    """240 customers of a kind: few, so that a group is a small part all the same with few customers."""
    fields = KINDS[kind]
    nodes = fields["num_depots"] + 240
    points = np.random.default_rng(11).uniform(size=(nodes, 2))
    return Instance(points, num_vehicles=num_vehicles, **fields)


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of about two routes of the instances here."""
    monkeypatch.setattr(groups, "MOST_CUSTOMERS", 90)


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2])
def test_seed_workers_and_iterations_decide_the_answer(kind: str, workers: int) -> None:
    """Twice the same plan, feasible, measured as the checker does, and better than the start."""
    instance = _instance(kind)
    start = construct(instance)
    runs = [minimise_by_groups(instance, MaxIterations(3_001), 4, [start], workers=workers) for _ in range(2)]
    assert runs[0].solution == runs[1].solution
    assert runs[0].iterations == 3_001
    assert violations(instance, runs[0].solution) == []
    assert runs[0].makespan == pytest.approx(makespan(instance, runs[0].solution), rel=1e-12)
    assert runs[0].makespan < makespan(instance, start)


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("kind", ["one depot", "pairs", "limited depots"])
def test_a_round_changes_only_the_routes_of_its_groups(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one group a round, each plan reported shares all routes but the group's with the one before."""
    around = phases.AROUND._replace(groups=1)
    for module in (decompose, phases):
        monkeypatch.setattr(module, "AROUND", around)
    instance = _instance(kind)
    plans: list[Solution] = []
    begun = minimise_by_groups(instance, MaxIterations(1), 1).solution

    def note(progress: Progress) -> None:
        assert progress.solution is not None
        if not plans or progress.solution != plans[-1]:
            plans.append(progress.solution)

    minimise_by_groups(instance, MaxIterations(4_000), 1, [begun], on_progress=note)
    first = next(k for k, plan in enumerate(plans) if plan == begun)
    assert len(plans) > first + 1
    largest = 1 + max(len(route) for route in begun.routes)
    for before, after in zip(plans[first:], plans[first + 1 :], strict=False):
        same = set(before.routes) & set(after.routes)
        assert sum(len(route) for route in same) >= instance.num_customers - 90 - 3 * largest
        lengths = [np.sort(route_lengths(instance, plan))[::-1].tolist() for plan in (before, after)]
        assert lengths[1] < lengths[0]


@pytest.mark.parametrize("most", [90, 4_500])
def test_groups_of_a_round_never_claim_the_same_vehicle_of_a_depot(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two workers several groups at a time, together with the other routes within the depots' limits;
    with groups of a few routes, and where all routes are shared out."""
    monkeypatch.setattr(groups, "MOST_CUSTOMERS", most)
    instance = _instance("limited depots", num_vehicles=9)
    limits = instance.vehicles_per_depot
    assert limits is not None
    choose, counts = decompose.GroupSearch._choose, []

    def note(search: decompose.GroupSearch) -> None:
        choose(search)
        inside = {number for task in search.tasks for number in task.chosen}
        starts = [route.start for k, route in enumerate(search.plan.routes) if k not in inside]
        claimed = np.bincount(starts, minlength=3)
        for task in search.tasks:
            assert isinstance(task.part, Part) is (most == 4_500)
            part = task.part
            limit = part.problem.depot_limit if isinstance(part, Part) else part.instance.vehicles_per_depot
            assert limit is not None
            claimed = claimed + limit
        assert (claimed <= limits).all()
        counts.append(len(search.tasks))

    monkeypatch.setattr(decompose.GroupSearch, "_choose", note)
    minimise_by_groups(instance, MaxIterations(4_000), 2, [construct(instance)], workers=2)
    assert max(counts) >= 2


def test_groups_are_disjoint_neighbours_around_the_longest_routes() -> None:
    """On a row of routes the first group holds the longest one, and each member touches another."""
    columns = np.repeat(np.arange(8.0), 10)
    points = np.column_stack([columns, np.tile(0.4 * np.arange(10.0), 8)])
    instance = Instance.mtsp(np.array([4.0, -1.0]), points, 8)
    plan = construct(instance)
    plan = type(plan).of([list(range(1 + 10 * k, 11 + 10 * k)) for k in range(8)])
    borders = find_borders(nearest_customers(instance, 15), plan)
    neighbours = [borders.other[borders.first[k] : borders.first[k + 1]].tolist() for k in range(8)]
    assert all(abs(one - two) <= 1 for one, near in enumerate(neighbours) for two in near)
    assert all(one in neighbours[two] for one, near in enumerate(neighbours) for two in near)
    lengths = route_lengths(instance, plan)
    chosen = choose_groups(borders, lengths, np.full(8, 10), 20, 3, np.random.default_rng(1))
    assert chosen[0][0] == int(np.argmax(lengths))
    assert abs(chosen[0][0] - chosen[0][1]) == 1
    assert all(len(group) == 2 for group in chosen)
    members = [route for group in chosen for route in group]
    assert len(members) == len(set(members))


def test_an_island_is_grouped_with_some_other_route() -> None:
    """Two routes far apart have no border, but only together can they be balanced."""
    points = np.concatenate([np.random.default_rng(k).uniform(size=(40, 2)) + 100.0 * k for k in range(2)])
    instance = Instance.mtsp(np.zeros(2), points, 2)
    plan = type(construct(instance)).of([list(range(1, 41)), list(range(41, 81))])
    borders = find_borders(nearest_customers(instance, 8), plan)
    assert not len(borders.other)
    lengths = route_lengths(instance, plan)
    found = choose_groups(borders, lengths, np.full(2, 40), 40, 5, np.random.default_rng(0))
    assert sorted(found[0]) == [0, 1]


@pytest.mark.parametrize("workers", [1, 2])
def test_never_worse_than_the_start_and_ends_by_every_criterion(workers: int) -> None:
    """A good start survives no time at all; a target, patience and a time limit end the search."""
    instance = _instance("one depot")
    start = improve(instance, MaxIterations(2_000)).solution
    best = makespan(instance, start)
    nothing = minimise_by_groups(instance, MaxRuntime(0.0), start=[start], workers=workers)
    assert nothing.makespan <= best
    assert minimise_by_groups(instance, TargetReached(best), start=[start], workers=workers).iterations == 0
    patient = minimise_by_groups(instance, NoImprovement(500), start=[start], workers=workers)
    assert patient.makespan <= best
    limited = minimise_by_groups(
        instance, FirstOf(MaxRuntime(0.2), MaxIterations(10**9)), start=[start], workers=workers
    )
    assert limited.iterations < 10**9
    settled = minimise_by_groups(instance, MaxIterations(10**9), start=[start], lower_bound=best)
    assert settled.iterations == 0


@pytest.mark.parametrize(
    ("customers", "vehicles", "expected"),
    [
        (groups.LARGE, 10, True),
        (groups.LARGE - 1, 10, False),
        (groups.LARGE, groups.LEAST_VEHICLES - 1, False),
        (groups.LARGE, groups.LARGE // groups.LONG + 1, False),
        (groups.LARGE, groups.LARGE // groups.LONG - 1, False),  # 0.7124·√5,000 / 165 = 0.31 < 0.5·√2
    ],
)
def test_large_instances_have_many_customers_on_several_long_routes(
    customers: int, vehicles: int, expected: bool
) -> None:
    """One customer or vehicle beyond each limit is not large, nor are routes that mostly drive to and fro."""
    points = np.random.default_rng(0).uniform(size=(customers + 1, 2))
    points[0] = 0.5
    assert is_large(Instance(points, 1, vehicles)) is expected
    assert not is_large(Instance(points, 1, vehicles, pairs=[[1, 2]]))


@pytest.mark.parametrize(
    ("customers", "effort", "workers", "expected"),
    [
        (groups.LARGE, 1e9, 1, True),
        (groups.MEDIUM, groups.EFFORT[0], 1, True),
        (groups.MEDIUM, groups.EFFORT[0] + 1, 1, False),
        (groups.MEDIUM, groups.EFFORT[1], 2, True),
        (groups.MEDIUM, groups.EFFORT[1] + 1, 2, False),
        (groups.MEDIUM - 1, 1.0, 2, False),
    ],
)
def test_medium_instances_go_by_groups_where_iterations_are_few(
    customers: int, effort: float, workers: int, expected: bool
) -> None:
    """Several workers have twice the iterations of one, and share them for longer budgets."""
    points = np.random.default_rng(0).uniform(size=(customers + 1, 2))
    assert by_groups(Instance(points, 1, 5), effort * customers, workers) is expected


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_improve_by_groups_of_a_medium_instance_is_repeatable(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same plan twice, feasible, not worse than a good start, and exactly the iterations asked for."""
    monkeypatch.setattr(groups, "MEDIUM", 240)
    instance = _instance("one depot", num_vehicles=7)
    start = improve(instance, MaxIterations(2_000), seed=9).solution
    runs = [improve(instance, MaxIterations(6_007), 4, [start], workers=workers) for _ in range(2)]
    assert runs[0].solution == runs[1].solution
    assert runs[0].iterations == runs[1].iterations == 6_007
    assert violations(instance, runs[0].solution) == []
    assert runs[0].makespan <= makespan(instance, start)


def test_few_routes_are_shared_out_evenly_among_workers() -> None:
    """Every route is in one group, no group has one route alone, and neighbours are together."""
    instance = instances("mtsp", 900, 9, seed=4)[0]
    plan = construct(instance)
    sizes = np.array([len(route) for route in plan.routes])
    borders = find_borders(nearest_customers(instance, 15), plan)
    for count in (1, 2, 3, 4):
        found = share_out(borders, sizes, count, np.random.default_rng(count))
        assert sorted(route for group in found for route in group) == list(range(len(sizes)))
        assert len(found) == count
        assert min(len(group) for group in found) >= 2
        assert max(sizes[group].sum() for group in found) <= sizes.sum() / count + sizes.max()


def test_shared_out_routes_begin_at_the_longest_that_is_free() -> None:
    """With the lengths of the routes, so that each group has routes to shorten and others with slack."""
    instance = instances("mtsp", 900, 9, seed=4)[0]
    plan = construct(instance)
    sizes, lengths = np.array([len(route) for route in plan.routes]), route_lengths(instance, plan)
    borders = find_borders(nearest_customers(instance, 15), plan)
    for seed in range(5):
        found = share_out(borders, sizes, 3, np.random.default_rng(seed), lengths)
        assert sorted(route for group in found for route in group) == list(range(len(sizes)))
        for k in range(2):
            free = [route for group in found[k:] for route in group]
            assert found[k][0] == max(free, key=lambda route: lengths[route])


@pytest.mark.parametrize(
    ("workers", "spent", "longest", "phase", "cooled"),
    [
        (1, 0.9, 2.0, phases.AROUND, 0.0),
        (2, 0.0, 2.0, phases.SHARE, 0.0),
        (2, 0.5, 2.0, phases.SHARE, 0.5),
        (2, 0.9, 1.001, phases.SHARE, 0.9),
        (2, 1.0, 2.0, phases.BALANCE, 1.0),
    ],
)
def test_workers_share_out_all_routes_then_balance_them(
    workers: int, spent: float, longest: float, phase: phases.Phase, cooled: float
) -> None:
    """One worker goes around the longest routes all the time, as many do where groups cannot hold all."""
    sizes, lengths = np.full(10, 100), np.array([longest, *[1.0] * 9])
    found, temperature = phases.choose_phase(sizes, lengths, workers, spent)
    assert found is phase
    assert temperature == pytest.approx(phases.FIRST_TEMPERATURE * phases.COOLING**cooled)
    assert phases.choose_phase(10 * sizes, lengths, workers, spent)[0] is phases.AROUND


def test_large_instances_are_improved_by_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """`improve` gives the answer of the groups, and with balance spends the whole budget there."""
    monkeypatch.setattr(groups, "LARGE", 1_200)  # fewer, for the time that the test takes
    instance = instances("mtsp", groups.LARGE + 1, 8, seed=3)[0]
    assert is_large(instance)
    found = improve(instance, MaxIterations(300), seed=2, then="balance")
    assert found.solution == minimise_by_groups(instance, MaxIterations(300), seed=2).solution
    assert found.iterations == 300
    total = improve(instance, MaxIterations(300), seed=2, then="total")
    assert violations(instance, total.solution) == []
    assert total.iterations == 300


def test_wedges_are_shorter_than_the_greedy_start() -> None:
    """3,000 customers, 8 vehicles, depots in the middle and in a corner: every customer once."""
    for depot in ([0.5, 0.5], [0.02, 0.97]):
        points = np.random.default_rng(6).uniform(size=(3_000, 2))
        instance = Instance.mtsp(np.array(depot), points, 8)
        problem = prepare(instance, 0.02)
        *_, start = sweep_starts(instance, problem, 0, lambda: False)
        assert violations(instance, start) == []
        lengths = route_lengths(instance, start)
        assert lengths.max() < 1.05 * lengths.mean()
        assert makespan(instance, start) < makespan(instance, construct(instance))
        parts = [np.array(route.customers) for route in start.routes]
        shorter = shorten_trips(instance, problem, parts, 2, 0)
        assert [sorted(a.customers) for a in shorter.routes] == [sorted(a.customers) for a in start.routes]
        assert (route_lengths(instance, shorter) <= route_lengths(instance, start) + 1e-9).all()


def test_nearest_points_are_those_of_all_distances() -> None:
    """37 points, the 5 nearest of each, never itself."""
    points = np.random.default_rng(8).uniform(size=(37, 2))
    square = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    assert (nearest_points(points, 5) == np.argsort(square, axis=1)[:, :5]).all()
    assert (nearest_points(np.zeros((12, 2)), 4) != np.arange(12)[:, None]).all()


def test_memory_is_linear_in_the_customers() -> None:
    """Twice the customers, at most 2.5 times the memory at its peak."""
    minimise_by_groups(instances("mtsp", 300, 5, seed=1)[0], MaxIterations(10))  # loads what is loaded once
    peaks = []
    for size in (2_000, 4_000):
        instance = instances("mtsp", size, 20, seed=1)[0]
        tracemalloc.start()
        minimise_by_groups(instance, MaxIterations(10))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0]
