"""Tiny instances of all mixtures end at the optimum: a sample of what benchmarks/tiny.py counts."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp.problem.bounds import lower_bound
from minmaxvrp.problem.check import violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Route, Solution
from minmaxvrp.result import Then
from minmaxvrp.search.exact import best_plan
from minmaxvrp.search.improve import improve
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.search.others import rank_of
from minmaxvrp.stop import MaxIterations

TINY: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "tiny.py"))
SEED = 77
"""Of the sample; the benchmark has others."""


@pytest.mark.parametrize("then", ["none", "balance", "total"])
def test_enumeration_finds_the_best_plan_of_every_order(then: Then) -> None:
    """Up to six customers, against a brute force written apart."""
    for number in range(150):
        instance = TINY["tiny_instance"](SEED, number)
        answer = TINY["answer"](instance, then, 0, False)
        assert TINY["missed"](answer, TINY["optimum"](instance, then)) == "", number


@pytest.mark.parametrize("then", ["balance", "total"])
def test_the_search_finds_the_best_plan_of_every_order(then: Then) -> None:
    """Seven and eight customers, which are not enumerated; the longest route alone would not be enough.

    One of them, with a matrix of very different legs, misses the makespan; the others of its order are never
    missed.
    """
    drawn = (TINY["tiny_instance"](SEED, number, 8) for number in range(100))
    some = [instance for instance in drawn if instance.num_customers > 6]
    assert len(some) > 20
    misses, enough = [], 0
    for instance in some:
        best = TINY["optimum"](instance, then)
        misses.append(TINY["missed"](TINY["answer"](instance, then, 6_000, False), best))
        alone = improve(instance, MaxIterations(2_000), lower_bound=lower_bound(instance)).solution
        reached = [length for length in best if length > 0.0]
        rank = list(rank_of(instance, alone, then))
        enough += len(rank) == len(reached) and rank == pytest.approx(reached, rel=1e-6)
    assert "others" not in misses
    assert misses.count("makespan") <= 1
    assert enough < len(some)


def test_the_steps_of_the_search_reach_the_optimum_by_themselves() -> None:
    """Without enumeration: no kind of plan is out of reach."""
    for number in range(1000, 1150):
        instance = TINY["tiny_instance"](SEED, number)
        answer = TINY["answer"](instance, "none", 6_000, True)
        assert TINY["missed"](answer, TINY["optimum"](instance, "none")) == "", number


def test_larger_instances_are_not_enumerated() -> None:
    """Seven customers, or limits that leave too many ways to choose depots."""
    rng = np.random.default_rng(1)
    assert best_plan(Instance(rng.random((8, 2)), 1, 3), "none") is None
    limited = Instance(rng.random((10, 2)), 4, 6, vehicles_per_depot=np.array([2, 2, 2, 1]))
    assert best_plan(limited, "none") is None
    plan = improve(limited, MaxIterations(50)).solution
    assert violations(limited, plan) == []


def test_routes_exchange_depots_that_are_full() -> None:
    """Two routes, each at the depot of the other, and no depot with room: many customers for each, so that
    they cannot all change places at once."""
    rng = np.random.default_rng(2)
    places = np.array([[0.0, 0.0], [10.0, 0.0]])
    points = np.concatenate([places, places[0] + rng.random((30, 2)), places[1] + rng.random((30, 2))])
    instance = Instance(points, 2, 2, vehicles_per_depot=np.array([1, 1]))
    near, far = list(range(2, 32)), list(range(32, 62))
    start = Solution.of([Route.of(near, 1), Route.of(far, 0)])
    outcome = minimise_makespan(instance, MaxIterations(200), start=[start])
    assert outcome.makespan < 15.0
