"""Likely mistakes of an instance are named, and plain instances are not doubted."""

import numpy as np
import pytest

from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.generate import uniform
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.plausibility import doubts

TOWN = np.random.default_rng(5).uniform((52.4, 13.2), (52.6, 13.6), (15, 2))


def town(**changed: tuple[float, float]) -> Instance:
    """Stops of a town, some of them changed: `s3=(0, 0)`."""
    points = TOWN.copy()
    for key, place in changed.items():
        points[int(key[1:])] = place
    names = tuple(f"s{k}" for k in range(len(points)))
    return Instance(points, 1, 3, kind=Distance.GREAT_CIRCLE, names=names)


@pytest.mark.parametrize(
    ("instance", "doubt"),
    [
        (town(s3=(0.0, 0.0)), "s3: at latitude 0, longitude 0"),
        (town(s4=(13.4, 52.5)), "s4: would be near the others with latitude and longitude exchanged"),
        (town(s5=(48.1, 11.6)), "s5: much farther away than all others"),
        (town(s6=tuple(TOWN[7])), "s7: at the same place as another stop"),
        (Instance.mtsp([0, 0], [[1, 1], [2, 1], [1, 2], [900, 0]], 2), "customer 4: much farther away"),
    ],
)
def test_a_likely_mistake_is_named(instance: Instance, doubt: str) -> None:
    """Each by one sentence, and nothing else is doubted."""
    found = doubts(instance)
    assert len(found) == 1, found
    assert doubt in found[0]


@pytest.mark.parametrize(
    "place",
    [
        *((52.5, 13.4), (48.1, 11.6), (51.5, -0.1), (48.9, 2.4), (40.7, -74.0), (19.1, 72.9), (-23.5, -46.6)),
        *((48.2, 16.4), (41.9, 12.5), (50.1, 8.7)),
    ],
    ids=[
        "Berlin",
        "Munich",
        "London",
        "Paris",
        "NewYork",
        "Mumbai",
        "SãoPaulo",
        "Vienna",
        "Rome",
        "Frankfurt",
    ],
)
def test_all_places_exchanged_are_noticed(place: tuple[float, float]) -> None:
    """A town with latitudes and longitudes exchanged lies at sea or in the ice; as it is, it does not."""
    points = np.array(place) + 0.2 * (TOWN - TOWN.mean(axis=0))
    assert doubts(Instance(points, 1, 3, kind=Distance.GREAT_CIRCLE)) == []
    (doubt,) = doubts(Instance(points[:, ::-1], 1, 3, kind=Distance.GREAT_CIRCLE))
    assert "are all latitudes and longitudes exchanged?" in doubt


@pytest.mark.parametrize(
    "place",
    [(9.0, 38.7), (11.6, 43.1), (15.9, 48.8), (11.3, 49.2), (13.0, 42.74), (24.7, 46.7), (8.4, 48.5)],
    ids=["AddisAbaba", "Djibouti", "Seiyun", "Bosaso", "Assab", "Riyadh", "Garowe"],
)
def test_towns_where_exchanged_places_of_europe_lie_are_not_doubted(place: tuple[float, float]) -> None:
    """Their stops are where they should be, though Europe's would be there as well if exchanged."""
    points = np.array(place) + 0.2 * (TOWN - TOWN.mean(axis=0))
    assert doubts(Instance(points, 1, 3, kind=Distance.GREAT_CIRCLE)) == []


def test_plain_instances_are_not_doubted() -> None:
    """A town, and random instances of all problems."""
    assert doubts(town()) == []
    for problem in ("mtsp", "mpdp", "mdvrp"):
        assert doubts(uniform(problem, 20, 3, seed=4)[0]) == []
