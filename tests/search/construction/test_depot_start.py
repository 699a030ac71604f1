"""Parts of a tour get the depots and openings that cost least: compared with all choices."""

import itertools

import numpy as np
import pytest

from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.instance import Instance, ReturnTo
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.search.construction.depot_start import from_best_depots


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("limits", [None, (1, 1, 2), (0, 3, 5)])
@pytest.mark.parametrize("return_to", ["start", "any"])
def test_no_other_depots_or_openings_are_better(
    return_to: ReturnTo, limits: tuple[int, ...] | None, seed: int
) -> None:
    """Three parts of one to four customers, three depots: the total length is the least possible."""
    rng = np.random.default_rng(seed)
    instance = Instance(rng.uniform(size=(11, 2)), 3, 3, return_to=return_to, vehicles_per_depot=limits)
    parts = np.split(rng.permutation(np.array(instance.customers)), [1, 4])
    found = from_best_depots(instance, parts)
    assert violations(instance, found) == []
    room = limits or (3, 3, 3)
    best = min(
        sum(_shortest(instance, part, depot) for part, depot in zip(parts, depots, strict=True))
        for depots in itertools.product(range(3), repeat=3)
        if all(depots.count(depot) <= room[depot] for depot in range(3))
    )
    assert route_lengths(instance, found).sum() == pytest.approx(best)


def _shortest(instance: Instance, part: np.ndarray, depot: int) -> float:
    """The length of a round trip opened at its best leg, from a depot."""
    ends = range(3) if instance.return_to == "any" else [depot]
    plans = (Route.of(np.roll(part, turn), depot, end) for turn in range(len(part)) for end in ends)
    return min(float(route_lengths(instance, Solution((plan,)))[0]) for plan in plans)
