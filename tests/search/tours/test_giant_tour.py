"""The giant tour stays a tour, gets shorter by what is predicted, and ends where no move helps."""

import numpy as np
import pytest

from minmaxvrp.problem.distance import Distance
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.arrays.distances import Problem
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.arrays.quadrants import MIXED, with_quadrants
from minmaxvrp.search.arrays.random_numbers import random_stream
from minmaxvrp.search.tours.giant_tour import giant_tour, kick, shorten
from minmaxvrp.search.tours.tour_array import GiantTour

KINDS = ["euclidean", "euc_2d", "att", "great_circle", "matrix"]


def _instance(customers: int, kind: str = "euclidean", seed: int = 0) -> Instance:
    points = np.random.default_rng(seed).uniform(size=(customers + 1, 2))
    if kind == "matrix":
        away = np.hypot(*(points[:, None] - points[None]).T)
        return Instance(points, 1, 2, kind=Distance.MATRIX, matrix=away)
    scale = 1.0 if kind == "euclidean" else 80.0
    return Instance(points * scale, 1, 2, kind=Distance(kind))


def _tour(instance: Instance, seed: int = 0, span: int = 50) -> tuple[Problem, GiantTour]:
    problem = prepare(instance, 1.0)
    near = with_quadrants(instance, problem.neighbours)[:, :MIXED].copy()
    order = np.random.default_rng(seed).permutation(np.array(instance.customers))
    return problem, giant_tour(order, near, random_stream(seed), span)


def _length(instance: Instance, order: np.ndarray) -> float:
    return float(instance.distance(order, np.roll(order, -1)).sum())


def _assert_tour(instance: Instance, tour: GiantTour) -> None:
    assert sorted(tour.order.tolist()) == list(instance.customers)
    assert (tour.order[tour.place[tour.order]] == tour.order).all()
    assert tour.info.waiting == 0
    assert not tour.waits.any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("customers", [8, 9, 23, 70])
@pytest.mark.parametrize("span", [50, 0])
def test_kicks_shorten_the_tour_by_what_they_say(kind: str, customers: int, span: int) -> None:
    """After every kick the tour is complete and shorter by the gain, measured from the instance."""
    instance = _instance(customers, kind)
    problem, tour = _tour(instance, span=span)
    before = _length(instance, tour.order)
    shorten(problem, tour)
    _assert_tour(instance, tour)
    assert _length(instance, tour.order) <= before + 1e-9
    for _ in range(60):
        before = _length(instance, tour.order)
        gain = kick(problem, tour, 1)
        _assert_tour(instance, tour)
        assert gain >= 0.0
        assert _length(instance, tour.order) == pytest.approx(before - gain, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("span", [50, 0])
def test_a_kick_that_does_not_help_leaves_the_tour_as_it_was(span: int) -> None:
    """On the optimal tour of a ring no kick helps: the legs are the same ones afterwards."""
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    instance = Instance(np.concatenate([[[0.0, 0.0]], np.stack([np.cos(angle), np.sin(angle)], 1)]), 1, 2)
    problem, tour = _tour(instance, span=span)
    tour.order[:] = np.array(instance.customers)
    tour.place[tour.order] = np.arange(40)
    shorten(problem, tour)
    assert kick(problem, tour, 50) == pytest.approx(0.0, abs=1e-9)
    assert set(np.abs(tour.order - np.roll(tour.order, -1)).tolist()) == {1, 39}


def test_no_2_opt_move_between_neighbours_shortens_the_tour_further() -> None:
    """All pairs of a customer and its listed neighbours, in both directions."""
    instance = _instance(120, seed=3)
    problem, tour = _tour(instance)
    shorten(problem, tour)
    order, away = tour.order, instance.distance_matrix()
    for at, one in enumerate(order):
        for two in tour.near[one]:
            for side in (1, -1):
                beside, other = order[(at + side) % 120], order[(tour.place[two] + side) % 120]
                removed = away[one, beside] + away[two, other]
                assert removed <= away[one, two] + away[beside, other] + 1e-8


def test_a_tour_of_all_customers_at_three_places_is_the_triangle() -> None:
    """Duplicate points: lists that know only their own place would leave the tour going to and fro."""
    places = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])
    instance = Instance(np.concatenate([[[9.0, 9.0]], np.repeat(places, 13, axis=0)]), 1, 2)
    problem, tour = _tour(instance)
    shorten(problem, tour)
    kick(problem, tour, 300)
    assert _length(instance, tour.order) == pytest.approx(12.0)


def test_a_circle_is_driven_round() -> None:
    """The optimum is known: the polygon."""
    angle = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    instance = Instance(np.concatenate([[[0.0, 0.0]], ring]), 1, 2)
    problem, tour = _tour(instance)
    shorten(problem, tour)
    kick(problem, tour, 500)
    assert _length(instance, tour.order) == pytest.approx(90 * 2.0 * np.sin(np.pi / 90))


@pytest.mark.parametrize("customers", [1, 2, 7])
def test_tiny_tours_are_left_alone(customers: int) -> None:
    """Below the least size nothing changes."""
    problem, tour = _tour(_instance(customers))
    before = tour.order.copy()
    shorten(problem, tour)
    assert kick(problem, tour, 5) == 0.0
    assert (tour.order == before).all()
