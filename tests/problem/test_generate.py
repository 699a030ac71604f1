"""Generated instances are what their name says, repeat with their seed, and match the published sets."""

from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.bounds.farthest import farthest_route
from minmaxvrp.problem.bounds.requests import depot_ends
from minmaxvrp.problem.bounds.shortest_paths import ShortestPaths
from minmaxvrp.problem.distributions import DISTRIBUTIONS
from minmaxvrp.problem.generate import PROBLEMS, instances, published_set, uniform
from minmaxvrp.problem.instance import Instance


def mean_farthest(made: list[Instance]) -> float:
    """Mean over a set of the longest request served alone."""
    ways = [ShortestPaths(instance) for instance in made]
    return float(np.mean([farthest_route(w.instance, w, depot_ends(w.instance, w)) for w in ways]))


@pytest.mark.parametrize(
    ("problem", "size", "expected"),
    [
        ("mtsp", 50, 1.9290),
        ("mtsp", 100, 1.9479),
        ("mtsp", 200, 1.9628),
        ("mtsp", 500, 2.0061),
        ("mtsp", 1000, 2.0448),
        ("mpdp", 50, 2.4050),
        ("mpdp", 100, 2.4736),
        ("mpdp", 200, 2.5686),
        ("mpdp", 500, 2.6571),
        ("mpdp", 1000, 2.7084),
    ],
)
def test_published_sets_have_their_known_mean_bound(problem: str, size: int, expected: float) -> None:
    """The mean of the farthest request over each published set, known from the published files."""
    made = published_set(problem, size, 5)
    assert len(made) == 100
    assert mean_farthest(made) == pytest.approx(expected, abs=5e-5)


def test_published_coordinates_are_bit_for_bit_those_of_the_recipe() -> None:
    """One stream for all instances: nodes for mtsp; depots of all, then customers of all, otherwise."""
    stream = np.random.RandomState(3333)
    nodes = stream.uniform(size=(100, 50, 2))
    assert np.array_equal(published_set("mtsp", 50, 3)[71].coordinates, nodes[71])
    stream = np.random.RandomState(3333)
    depots, customers = stream.uniform(size=(100, 6, 2)), stream.uniform(size=(100, 50, 2))
    for problem in ("mdvrp", "fmdvrp"):
        instance = published_set(problem, 50, 3, num_depots=6)[71]
        assert np.array_equal(instance.coordinates, np.concatenate([depots[71], customers[71]]))
    stream = np.random.RandomState(3333)
    depot, stops = stream.uniform(size=(100, 2)), stream.uniform(size=(100, 50, 2))
    instance = published_set("mpdp", 50, 3)[71]
    assert np.array_equal(instance.coordinates, np.concatenate([depot[71:72], stops[71]]))
    assert instance.pairs.tolist() == [[1 + k, 26 + k] for k in range(25)]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_instances_have_the_shape_asked_for(problem: str, distribution: str) -> None:
    """Sizes count as in the paper, everything lies in the unit square, the problem is the one asked for."""
    made = instances(problem, 20, 4, distribution=distribution, seed=5, count=3)
    assert len(made) == 3
    for instance in made:
        assert instance.problem == problem
        assert instance.num_vehicles == 4
        assert instance.num_customers == (19 if problem == "mtsp" else 20)
        assert instance.num_depots == (1 if problem in ("mtsp", "mpdp") else 6)
        assert ((instance.coordinates >= 0.0) & (instance.coordinates <= 1.0)).all()
        distinct = len(np.unique(instance.coordinates, axis=0))
        assert (distinct == instance.num_nodes) == (distribution != "duplicates")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_seed_decides(distribution: str) -> None:
    """The same seed gives the same instances, more of them begin alike, another seed gives others."""

    def points(seed: int, count: int) -> Any:
        made = instances("mdvrp", 7, 2, distribution=distribution, num_depots=3, seed=seed, count=count)
        return np.stack([i.coordinates for i in made])

    assert np.array_equal(points(8, 2), points(8, 2))
    assert np.array_equal(points(8, 2), points(8, 4)[:2])
    assert not np.array_equal(points(8, 2), points(9, 2))


def cells(distribution: str, size: int = 1000, side: int = 10) -> float:
    """Mean share of the cells of a square lattice that have a point, over 20 instances."""
    made = instances("mtsp", size, 2, distribution=distribution, seed=3, count=20)
    full = [len(np.unique(np.floor(i.coordinates * (side - 0.001)), axis=0)) for i in made]
    return float(np.mean(full)) / side**2


def test_distributions_look_like_their_names() -> None:
    """A normal cloud is dense in the middle; an explosion leaves a hole; a rotation leaves two sheets.

    1,000 uniform points leave hardly one of 100 cells empty, a grid none; clusters, boards, rings and roads
    leave most; a city has a few farms almost everywhere.
    """
    share = {distribution: cells(distribution) for distribution in DISTRIBUTIONS}
    assert share["uniform"] > 0.995
    assert share["grid"] == 1.0
    assert max(share[d] for d in ("gaussian", "explosion", "rotation")) < 0.9
    assert max(share[d] for d in ("clustered", "drilled", "ring")) < 0.6
    assert share["line"] < 0.25
    assert 0.4 < share["city"] < 0.8
    spread = [
        i.coordinates.std() for i in instances("mtsp", 1000, 2, distribution="gaussian", seed=3, count=20)
    ]
    assert np.mean(spread) < 0.2  # uniform: 0.289


def test_dense_places_are_denser_than_uniform_ones() -> None:
    """Nearest points of clusters, boards and roads are far closer than uniform ones, a grid's are not."""

    def nearest(distribution: str) -> float:
        points = instances("mtsp", 800, 2, distribution=distribution, seed=4)[0].coordinates
        away = np.hypot(*(points[:, None] - points[None]).T) + np.eye(len(points))
        return float(np.median(away.min(axis=1)))

    assert nearest("duplicates") == 0.0
    assert max(nearest(d) for d in ("clustered", "drilled", "ring", "line", "city")) < 0.6 * nearest(
        "uniform"
    )
    assert nearest("grid") > 1.2 * nearest("uniform")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_any_size_can_be_drawn(distribution: str) -> None:
    """One customer, and thousands."""
    for size in (2, 3, 5_001):
        made = instances("mtsp", size, 2, distribution=distribution, seed=2)[0]
        assert made.num_nodes == size
        assert np.isfinite(made.coordinates).all()


def test_uniform_is_the_uniform_distribution() -> None:
    """The short form draws the same as the long one."""
    short, long = uniform("mpdp", 6, 2, seed=1)[0], instances("mpdp", 6, 2, seed=1)[0]
    assert np.array_equal(short.coordinates, long.coordinates)


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"problem": "tsp"}, "problem = 'tsp', expected one of mtsp, mpdp, mdvrp, fmdvrp"),
    ({"distribution": "zipf"}, "distribution = 'zipf', expected one of uniform, gaussian"),
    ({"size": 1}, "size = 1, expected 2 or more for mtsp"),
    ({"size": 2.5}, "size = 2.5, expected a whole number"),
    ({"problem": "mpdp", "size": 7}, "size = 7, expected an even number for mpdp"),
    ({"num_depots": 2}, "num_depots = 2, expected 1 for mtsp"),
    ({"problem": "mdvrp", "num_depots": 0}, "num_depots = 0, expected 1 or more for mdvrp"),
    ({"num_vehicles": 0}, "num_vehicles = 0, expected 1 or more"),
    ({"seed": -1}, "seed = -1, expected 0 to"),
    ({"seed": True}, "seed = True, expected a whole number"),
    ({"count": -1}, "count = -1, expected 0 or more"),
]


@pytest.mark.parametrize(("fields", "message"), BROKEN, ids=[message[:30] for _, message in BROKEN])
def test_broken_requests_are_refused(fields: dict[str, Any], message: str) -> None:
    """What cannot be generated raises `InputError` that says what, got and expected."""
    start: dict[str, Any] = {"problem": "mtsp", "size": 5, "num_vehicles": 1}
    with pytest.raises(InputError, match=message):
        instances(**(start | fields))


def test_a_published_set_needs_a_seed_of_32_bits() -> None:
    """The legacy generator takes no larger one; a count below 0 is refused too."""
    with pytest.raises(InputError, match="count = -3, expected 0 or more"):
        published_set("mtsp", 50, 3, count=-3)
    with pytest.raises(InputError, match="seed = 4294967296, expected 0 to 4294967295"):
        published_set("mtsp", 50, 3, seed=2**32)
