"""The search is as good as it was: makespans of a fixed seed and number of iterations, recorded.

    python -m tests.search.test_quality

records them anew, for a change that is meant to alter the answers; say in the commit why.
"""

import json
from pathlib import Path

import pytest

from minmaxvrp import MaxIterations
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search.improve import improve

COUNT = 20
SEED = 4900
"""Of the instances: neither published nor used to choose settings."""
ITERATIONS = 4_000
TOLERANCE = 0.003
CASES = {"mtsp": (60, 4, None), "mpdp": (40, 4, None), "mdvrp": (50, 5, 4), "fmdvrp": (50, 5, 4)}
"""Customers, vehicles and depots of each problem."""
FILE = Path(__file__).with_name("recorded_makespans.json")


def _makespans(problem: str, **settings: float) -> list[float]:
    """What the search finds on the instances of a problem."""
    customers, vehicles, depots = CASES[problem]
    instances = uniform(problem, customers, vehicles, num_depots=depots, seed=SEED, count=COUNT)
    return [improve(i, MaxIterations(ITERATIONS), seed=1, settings=settings).makespan for i in instances]


def _worse(problem: str, **settings: float) -> int:
    """On how many instances that is more than the tolerance above the recorded makespan."""
    recorded = json.loads(FILE.read_text(encoding="utf-8"))[problem]
    found = _makespans(problem, **settings)
    return sum(new > (1.0 + TOLERANCE) * old for new, old in zip(found, recorded, strict=True))


@pytest.mark.parametrize("problem", CASES)
def test_no_makespan_is_worse_than_the_recorded_one(problem: str) -> None:
    """20 instances of each problem, each within 0.3 %."""
    assert _worse(problem) == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("last_temperature", 0.5), ("excess_weight", 0.0), ("mean_removed", 1.0), ("longest_route_share", 0.0)],
)
def test_a_bad_constant_would_be_noticed(name: str, value: float) -> None:
    """Such as a search that never cools, or that ignores which route is longest."""
    assert _worse("mtsp", **{name: value}) > 0


if __name__ == "__main__":
    recorded = {problem: [round(value, 9) for value in _makespans(problem)] for problem in CASES}
    FILE.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
