"""A fleet's fields: what is refused, what is filled in, who may serve whom."""

import pickle
from typing import Any

import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.fleet import NOWHERE, Vehicle, possible_ends, possible_starts
from minmaxvrp.problem.instance import Instance

DEPOTS, CUSTOMERS = [[0, 0], [5, 0]], [[1, 0], [2, 0], [3, 0]]


def make(**fields: Any) -> Instance:
    """Two depots, three customers, two vehicles."""
    return Instance.mdvrp(DEPOTS, CUSTOMERS, 2, **fields)


def pair_of(**fields: Any) -> tuple[Vehicle, ...]:
    """Two vehicles, the second with these fields."""
    return (Vehicle(), Vehicle(**fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"fleet": (Vehicle(),)}, "fleet: 1 vehicles, expected num_vehicles = 2"),
        ({"fleet": ("Anna", "Ben")}, "fleet: 'Anna', expected a Vehicle"),
        ({"fleet": pair_of(name=3)}, "vehicle 2.*name = 3, expected a text"),
        ({"fleet": pair_of(name="vehicle 1")}, "2 vehicles are called 'vehicle 1'"),
        ({"fleet": (Vehicle("Anna"), Vehicle("Anna"))}, "2 vehicles are called 'Anna'"),
        ({"fleet": pair_of(start=2)}, "vehicle 2: start = 2, expected a depot, 0 to 1"),
        ({"fleet": pair_of(start="start")}, "vehicle 2: start = 'start', expected a depot"),
        ({"fleet": pair_of(name="Ben", end=-1)}, r"vehicle 2 \(Ben\): end = -1, expected a depot, 0 to 1 or"),
        (
            {"fleet": pair_of(end="home")},
            "end = 'home', expected a depot, 0 to 1 or 'start', 'any', 'nowhere'",
        ),
        ({"fleet": pair_of(end=True)}, "end = True"),
        ({"fleet": pair_of(speed=0)}, "vehicle 2: speed = 0, expected 1e-06 to"),
        ({"fleet": pair_of(speed=float("nan"))}, "speed = nan, expected a number"),
        ({"fleet": pair_of(done=-1)}, "vehicle 2: done = -1, expected 0 or more"),
        ({"fleet": pair_of(done="2h")}, "done = '2h', expected a number"),
        ({"fleet": pair_of(), "vehicles_per_depot": [1, 1]}, "give each vehicle a start instead"),
        ({"return_to": "nowhere", "vehicles_per_depot": [1, 1]}, "give each vehicle a start instead"),
        ({"allowed": [(2, 0)]}, "allowed: expected customer node"),
        ({"allowed": {1: (0,)}}, "allowed: node 1 is not a customer, expected 2 to 4"),
        ({"allowed": {"2": (0,)}}, "allowed: node '2' is not a customer"),
        ({"allowed": {2: ()}}, "no vehicle may serve customer 2, expected one or more"),
        ({"allowed": {2: (2,)}}, "customer 2: vehicle 2, expected a number from 0 to 1"),
        ({"allowed": {2: "01"}}, "customer 2: '01', expected numbers of vehicles"),
        ({"allowed": {2: 1}}, "customer 2: 1, expected numbers of vehicles"),
        ({"allowed": {2: (0,), 3: (1,)}, "pairs": [[2, 3]]}, "no vehicle may serve both pickup customer 2"),
        ({"max_length": 0}, "max_length = 0, expected more than 0"),
        ({"max_length": float("inf")}, "max_length = inf, expected a number"),
        ({"max_length": "8h"}, "max_length = '8h', expected a number"),
    ],
)
def test_a_field_out_of_range_is_refused(fields: dict[str, Any], message: str) -> None:
    """Each message says what, got and expected."""
    with pytest.raises(InputError, match=message):
        make(**fields)


def test_a_plain_instance_has_vehicles_that_are_all_alike() -> None:
    """A limit alone tells no vehicles apart; neither does permission for all of them."""
    for instance in (make(), make(max_length=3), make(allowed={}), make(allowed={2: (1, 0)})):
        assert not instance.has_fleet
        assert instance.vehicles == (Vehicle("vehicle 1", end="start"), Vehicle("vehicle 2", end="start"))
    assert all(
        i.has_fleet for i in (make(fleet=pair_of()), make(allowed={2: [1]}), make(return_to="nowhere"))
    )


def test_vehicles_have_names_and_ends_and_with_one_depot_a_start() -> None:
    """What a vehicle leaves open comes from the instance."""
    fleet = (Vehicle("Anna", end=0), Vehicle(end="any"), Vehicle())
    instance = Instance.mtsp([0, 0], CUSTOMERS, 3, fleet=fleet, return_to="nowhere")
    assert [v.name for v in instance.vehicles] == ["Anna", "vehicle 2", "vehicle 3"]
    assert [v.end for v in instance.vehicles] == [0, "any", "nowhere"]
    assert [v.start for v in instance.vehicles] == [0, 0, 0]


def test_starts_and_ends_follow_the_rules() -> None:
    """A free start is any depot; an end is a depot, the start, any, or nowhere."""
    fleet = (Vehicle(start=1, end=0), Vehicle())
    one, other = make(fleet=fleet).vehicles
    assert (list(possible_starts(make(), one)), list(possible_starts(make(), other))) == ([1], [0, 1])
    assert [list(possible_ends(make(), one, 1)), list(possible_ends(make(), other, 1))] == [[0], [1]]
    free, open_ = make(fleet=(Vehicle(end="any"), Vehicle(end="nowhere"))).vehicles
    assert [list(possible_ends(make(), free, 1)), list(possible_ends(make(), open_, 1))] == [
        [0, 1],
        [NOWHERE],
    ]


def test_a_pair_is_served_by_who_may_serve_both() -> None:
    """Permissions of pickup and delivery are one; depots and other customers are free."""
    instance = Instance.mdvrp(DEPOTS, CUSTOMERS, 3, pairs=[[3, 4]], allowed={3: (0, 2), 4: (2, 1)})
    assert instance.may_serve.tolist() == [[True] * 3] * 3 + [[False, False, True]] * 2


def test_an_instance_with_a_fleet_can_be_sent_to_another_process() -> None:
    """All fields survive pickling."""
    instance = make(fleet=pair_of(name="Ben", done=2), allowed={3: (1,)}, max_length=9)
    other = pickle.loads(pickle.dumps(instance))
    assert (other.fleet, other.allowed, other.max_length) == (instance.fleet, {3: (1,)}, 9.0)
