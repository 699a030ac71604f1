"""The judge rejects each broken rule by name, accepts what is legal, and measures right."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.problem.check import Rule, makespan, route_length, route_lengths, violations
from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.fleet import Vehicle
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from tests.problem.brute import optimum
from tests.problem.small import random_instance

MTSP = Instance.mtsp([0, 0], [[1, 0], [2, 0], [0, 1]], 2)
MPDP = Instance.mpdp([0, 0], [[1, 0], [2, 0]], [[0, 1], [0, 2]], 2)  # pairs 1→3 and 2→4
MDVRP = Instance.mdvrp([[0, 0], [5, 0]], [[1, 0], [4, 0]], 3, vehicles_per_depot=[2, 1])
FMDVRP = Instance.fmdvrp([[0, 0], [5, 0]], [[1, 0], [4, 0]], 3)
FLEET = Instance.mdvrp(
    [[0, 0], [5, 0]],
    [[1, 0], [4, 0]],
    2,
    fleet=(Vehicle("Anna", start=0, end=1), Vehicle("Ben", start=1, end="nowhere")),
    allowed={3: (1,)},
)
OPEN = Instance.mtsp([0, 0], [[1, 0], [2, 0], [0, 1]], 2, return_to="nowhere")
LIMITED = Instance.mtsp([0, 0], [[1, 0], [2, 0], [0, 1]], 2, max_length=4)

BROKEN: list[tuple[Instance, list[Any], Rule, str]] = [
    (MTSP, [[1, 2]], Rule.MISSING, "customer 3 is on no route"),
    (MTSP, [], Rule.MISSING, "customer 1 is on no route"),
    (MTSP, [[1, 2], [3, 2]], Rule.TWICE, "customer 2 is visited 2 times"),
    (MTSP, [[1, 2, 2, 3]], Rule.TWICE, "customer 2 is visited 2 times"),
    (MTSP, [[1, 2], [3, 4]], Rule.UNKNOWN_NODE, "route 2 has node 4; customers are 1 to 3"),
    (MTSP, [[1, 0, 2], [3]], Rule.UNKNOWN_NODE, "route 1 has node 0; customers are 1 to 3"),
    (MTSP, [[-1, 1, 2, 3]], Rule.UNKNOWN_NODE, "route 1 has node -1"),
    (MTSP, [Route.of([1, 2, 3], start=1)], Rule.UNKNOWN_NODE, "route 1 has node 1; depots are 0 to 0"),
    (MTSP, [Route.of([1, 2, 3], end=-1)], Rule.UNKNOWN_NODE, "route 1 has node -1; depots are 0 to 0"),
    (MTSP, [[1], [2], [3]], Rule.ROUTES, "3 routes for 2 vehicles"),
    (MTSP, [[1, 2, 3], [], []], Rule.ROUTES, "3 routes for 2 vehicles"),
    (MPDP, [[3, 1, 2, 4]], Rule.ORDER, "pickup customer 1 and delivery customer 3 on route 1"),
    (MPDP, [[1, 2, 4], [3]], Rule.SPLIT, "pickup customer 1 and delivery customer 3 are on routes 1 and 2"),
    (MDVRP, [Route.of([2, 3], 0, 1)], Rule.RETURN, "route 1 starts at depot 0 and ends at depot 1"),
    (
        MDVRP,
        [Route.of([2], 1), Route.of([3], 1)],
        Rule.DEPOT,
        "2 routes start at depot 1, which has 1 vehicles",
    ),
    (
        FLEET,
        [Route(0, (2,), 0), Route(1, (3,), -1)],
        Rule.RETURN,
        "Anna ends at depot 0, expected at depot 1",
    ),
    (FLEET, [Route(0, (2,), -1), Route(1, (3,), -1)], Rule.RETURN, "Anna ends at its last customer"),
    (FLEET, [Route(0, (2,), 1), Route(1, (3,), 1)], Rule.RETURN, "depot 1, expected at its last customer"),
    (FLEET, [Route(1, (2,), 1), Route(1, (3,), -1)], Rule.START, "Anna starts at depot 1, expected depot 0"),
    (FLEET, [Route(0, (2,), 1), Route(0, (3,), -1)], Rule.START, "Ben starts at depot 0, expected depot 1"),
    (FLEET, [Route(0, (2, 3), 1), Route(1, (), -1)], Rule.ALLOWED, "route of Anna, expected Ben"),
    (OPEN, [Route(0, (1, 2, 3), -1)], Rule.FLEET, "1 routes for 2 vehicles, expected one for each"),
    (OPEN, [Route(0, (k,), -1) for k in (1, 2, 3)], Rule.ROUTES, "3 routes for 2 vehicles"),
    (OPEN, [Route(0, (1, 2), 0), Route(0, (3,), -1)], Rule.RETURN, "vehicle 1 ends at depot 0"),
    (LIMITED, [[1, 2, 3], []], Rule.TOO_LONG, "route 1 is 5.23607 long, the limit is 4"),
]


@pytest.mark.parametrize(("instance", "routes", "rule", "detail"), BROKEN)
def test_a_broken_rule_is_named(instance: Instance, routes: list[Any], rule: Rule, detail: str) -> None:
    """Each broken solution is rejected with its rule, and with no other one."""
    found = violations(instance, Solution.of(routes))
    assert {v.rule for v in found} == {rule}
    assert detail in found[0].detail
    assert str(found[0]).startswith(f"{rule.value}: ")


def test_every_rule_has_a_broken_example() -> None:
    """The table above covers all rules there are."""
    assert {rule for *_, rule, _ in BROKEN} == set(Rule)


def test_several_broken_rules_are_all_listed() -> None:
    """One look at the list is enough to repair a plan."""
    found = violations(MPDP, Solution.of([[3, 1, 2], [], [1]]))
    assert [v.rule for v in found] == [Rule.MISSING, Rule.TWICE, Rule.SPLIT, Rule.ROUTES]


@pytest.mark.parametrize(
    ("instance", "routes"),
    [
        (MTSP, [[1, 2], [3]]),
        (MTSP, [[1, 2, 3]]),
        (MTSP, [[3, 2, 1], []]),
        (MPDP, [[1, 2, 3, 4]]),
        (MPDP, [[2, 1, 4, 3]]),
        (MPDP, [[2, 4], [1, 3]]),
        (MDVRP, [Route.of([2]), Route.of([3], 1)]),
        (MDVRP, [Route.of([2]), Route.of([3])]),
        (FMDVRP, [Route.of([2, 3], 0, 1)]),
        (FMDVRP, [Route.of([2], 1, 0), Route.of([3], 1, 1)]),
        (FLEET, [Route(0, (2,), 1), Route(1, (3,), -1)]),
        (FLEET, [Route(0, (), 0), Route(1, (3, 2), -1)]),
        (FLEET, [Route(0, (), 1), Route(1, (3, 2), -1)]),
        (OPEN, [Route(0, (1, 2), -1), Route(0, (3,), -1)]),
        (LIMITED, [[1, 2], [3]]),
    ],
)
def test_a_legal_plan_breaks_no_rule(instance: Instance, routes: list[Any]) -> None:
    """Idle vehicles, empty routes, any order, any start with vehicles, any end if allowed, at the limit."""
    assert violations(instance, Solution.of(routes)) == []


def test_names_appear_in_violations() -> None:
    """A user reads the names of the stops."""
    instance = Instance.mtsp([0, 0], [[1, 0]], 1, names=("Hub", "Bakery"))
    assert str(violations(instance, Solution.of([]))[0]) == "missing customer: Bakery is on no route"


def test_lengths_are_legs_plus_service() -> None:
    """0→1→2→0 is 1 + 1 + 2 long, plus 10 and 20 of service; an empty route is 0 long."""
    instance = Instance.mtsp([0, 0], [[1, 0], [2, 0], [0, 1]], 3, service=[10, 20, 30])
    solution = Solution.of([[1, 2], [], [3]])
    assert route_lengths(instance, solution).tolist() == [34.0, 0.0, 32.0]
    assert route_length(instance, solution.routes[2]) == 32.0
    assert makespan(instance, solution) == 34.0
    assert makespan(instance, Solution.of([])) == 0.0
    assert route_lengths(instance, Solution.of([])).shape == (0,)


def test_lengths_of_a_fleet_have_speed_done_and_no_way_back_where_open() -> None:
    """3 + (1 + 1) / 2 + 30 for the fast one, 2 + 20 there and back for the other, 7 for the idle one."""
    fleet = (Vehicle(speed=2.0, done=3.0, end="nowhere"), Vehicle(), Vehicle(done=7.0, speed=0.5))
    instance = Instance.mtsp([0, 0], [[1, 0], [2, 0], [0, 1]], 3, service=[10, 20, 20], fleet=fleet)
    solution = Solution.of([Route(0, (1, 2), -1), Route.of([3]), Route.of([])])
    assert route_lengths(instance, solution).tolist() == [34.0, 22.0, 7.0]
    assert [route_length(instance, r, k) for k, r in enumerate(solution.routes)] == [34.0, 22.0, 7.0]
    assert makespan(instance, solution) == 34.0


def test_a_vehicle_that_stays_does_not_drive_to_its_end() -> None:
    """An empty route between two places is as long as the work done before."""
    instance = Instance.mdvrp(
        [[0, 0], [5, 0]], [[1, 0]], 2, fleet=(Vehicle(start=0, end=1), Vehicle(start=0))
    )
    assert route_lengths(instance, Solution.of([Route(0, (), 1), Route.of([2])])).tolist() == [0.0, 2.0]


def test_an_asymmetric_matrix_is_read_from_row_to_column() -> None:
    """Forwards 1 + 2 + 3, backwards 10 + 20 + 30."""
    matrix = [[0, 1, 30], [10, 0, 2], [3, 20, 0]]
    instance = Instance(np.zeros((3, 2)), 1, 1, kind=Distance.MATRIX, matrix=np.array(matrix, dtype=float))
    assert makespan(instance, Solution.of([[1, 2]])) == 6.0
    assert makespan(instance, Solution.of([[2, 1]])) == 60.0


def plain_distance(kind: Distance, a: list[float], b: list[float]) -> float:
    """The kinds once more, one pair at a time with the math module."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    if kind is Distance.GREAT_CIRCLE:
        p, q = math.radians(a[0]), math.radians(b[0])
        cosine = math.sin(p) * math.sin(q) + math.cos(p) * math.cos(q) * math.cos(math.radians(dy))
        return 6371.0088 * math.acos(max(-1.0, min(1.0, cosine)))
    if kind is Distance.GEO:
        pi = 3.141592
        rad = [pi * (int(v) + 5.0 * (v - int(v)) / 3.0) / 180.0 for v in (*a, *b)]
        q1, q2, q3 = math.cos(rad[1] - rad[3]), math.cos(rad[0] - rad[2]), math.cos(rad[0] + rad[2])
        return int(6378.388 * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)
    if kind is Distance.ATT:
        exact = math.sqrt((dx * dx + dy * dy) / 10.0)
        return round(exact) + (1 if round(exact) < exact else 0)
    straight = math.sqrt(dx * dx + dy * dy)
    if kind is Distance.EUC_2D:
        return int(straight + 0.5)
    return math.ceil(straight) if kind is Distance.CEIL_2D else straight


@pytest.mark.parametrize("kind", [k for k in Distance if k is not Distance.MATRIX])
def test_lengths_equal_plain_loops(kind: Distance) -> None:
    """Vectorised lengths agree with one leg after the other in plain Python, for every kind."""
    rng = np.random.default_rng(5)
    points = rng.uniform(-80, 80, (43, 2))
    service = rng.uniform(0, 3, 40)
    instance = Instance(points, 3, 9, return_to="any", kind=kind, service=service)
    order = np.array_split(3 + rng.permutation(40), 7)
    routes = [Route.of(part, int(rng.integers(3)), int(rng.integers(3))) for part in order]
    places = points.tolist()
    expected = [
        sum(plain_distance(kind, places[a], places[b]) for a, b in zip(r.nodes, r.nodes[1:], strict=False))
        + sum(float(service[c - 3]) for c in r.customers)
        for r in routes
    ]
    assert route_lengths(instance, Solution.of(routes)) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(0, 2 * math.pi), st.floats(0.01, 100))
def test_turning_and_scaling_the_map_scales_the_makespan(seed: int, angle: float, factor: float) -> None:
    """Euclidean lengths do not depend on where north is, and grow with the map."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(9, 2))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    solution = Solution.of([Route.of(part) for part in np.array_split(1 + rng.permutation(8), 3)])
    before = makespan(Instance(points, 1, 3), solution)
    after = makespan(Instance(points @ turn * factor + 7.0, 1, 3), solution)
    assert after == pytest.approx(factor * before, rel=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_renumbering_the_customers_changes_nothing(seed: int) -> None:
    """The same plan under other numbers has the same lengths and breaks no rule either."""
    instance = random_instance(seed, 5)
    _, solution = optimum(instance)
    rng = np.random.default_rng(seed)
    first = instance.num_depots
    new = np.concatenate([np.arange(first), first + rng.permutation(instance.num_customers)])  # old → new
    old = np.argsort(new)
    other = Instance(
        instance.coordinates[old],
        first,
        instance.num_vehicles,
        pairs=new[instance.pairs],
        return_to=instance.return_to,
        kind=instance.kind,
        matrix=None if instance.matrix is None else instance.matrix[np.ix_(old, old)],
        vehicles_per_depot=instance.vehicles_per_depot,
        service=instance.node_service[old][first:],
    )
    moved = Solution.of([Route.of(new[list(r.customers)], r.start, r.end) for r in solution.routes])
    assert violations(instance, solution) == violations(other, moved) == []
    assert route_lengths(other, moved) == pytest.approx(route_lengths(instance, solution), rel=1e-12)


def test_the_order_of_routes_does_not_matter() -> None:
    """Routes belong to vehicles that are all alike."""
    assert makespan(MTSP, Solution.of([[1, 2], [3]])) == makespan(MTSP, Solution.of([[3], [1, 2]]))


def test_a_large_plan_is_judged() -> None:
    """100,000 customers in pairs on 100 routes: feasible, and one exchanged pair is found."""
    rng = np.random.default_rng(0)
    half = 50_000
    instance = Instance.mpdp([0.5, 0.5], rng.uniform(size=(half, 2)), rng.uniform(size=(half, 2)), 100)
    parts = [
        np.stack([1 + part, 1 + half + part], axis=1).ravel() for part in np.array_split(np.arange(half), 100)
    ]
    assert violations(instance, Solution.of([Route.of(part) for part in parts])) == []
    parts[3][[0, 1]] = parts[3][[1, 0]]
    found = violations(instance, Solution.of([Route.of(part) for part in parts]))
    assert [v.rule for v in found] == [Rule.ORDER]


@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e9])
def test_degenerate_maps_are_measured(scale: float) -> None:
    """All points in one place, or a map of tiny or huge size."""
    instance = Instance(np.array([[0, 0], [3, 0], [0, 4]]) * scale, 1, 1)
    assert makespan(instance, Solution.of([[1, 2]])) == pytest.approx(12.0 * scale)
