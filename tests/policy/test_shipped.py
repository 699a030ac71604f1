"""The weights that come with the package."""

import numpy as np
import pytest

from minmaxvrp.policy import Policy
from minmaxvrp.policy.policy import WEIGHTS
from minmaxvrp.policy.weights_file import read_header
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.generate import uniform
from minmaxvrp.search.construct import construct

SHIPPED = Policy.available()


def test_the_package_comes_with_weights() -> None:
    """At least those for one depot."""
    assert "mtsp" in SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_are_small_and_say_how_they_were_made(name: str) -> None:
    """At most 20 MB, with a note and the training's settings, and no folder of any machine."""
    path = WEIGHTS / f"{name}.safetensors"
    assert path.stat().st_size <= 20e6
    provenance = read_header(path).provenance
    assert provenance["note"]
    assert provenance["progress"]["instances"] > 0
    assert not {"start_from", "label_folder"} & set(provenance["training"])


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_have_learnt_their_problem(name: str) -> None:
    """The network alone is better than the greedy plan, on instances that no training saw."""
    instances = uniform(name, 50, 5, num_depots=6 if "md" in name else None, seed=4711, count=6)
    policy = Policy.load(name)
    found = policy.construct(instances, symmetries=8, permutations=4)
    for instance, solutions in zip(instances, found, strict=True):
        assert not violations(instance, solutions[0])
        chosen = Policy.for_instance(instance)
        assert chosen is not None
        assert chosen.name == name
    ours = np.mean([makespan(i, s[0]) for i, s in zip(instances, found, strict=True)])
    greedy = np.mean([makespan(i, construct(i, 0)) for i in instances])
    assert ours < greedy
