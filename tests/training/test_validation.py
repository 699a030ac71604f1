"""Validation: a fixed set, checked solutions, a gap."""

from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.errors import InternalError
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy import Policy
from minmaxvrp.problem.solution import Solution
from minmaxvrp.training.validation import Validation, reference, reference_file, validate, validation_set

from .small import FORMS, small_config


@pytest.mark.parametrize("form", FORMS)
def test_validation_measures_every_form_against_the_search(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An untrained network is worse than the search; a second reading of the reference is the same."""
    monkeypatch.setenv("MINMAXVRP_CACHE_DIR", str(tmp_path))
    config = small_config(form, validation_reference=300, validation_vehicles=[2, 3])
    found = validate(Network.initialised(config.network, 1), config)
    assert found.makespan.keys() == {2, 3}
    assert found.gap is not None
    assert found.gap > 0.05
    assert reference_file(config, 2).is_relative_to(tmp_path)
    assert reference(config) == found.reference


def test_the_set_does_not_depend_on_the_seed_of_the_run() -> None:
    """Runs with other seeds can be compared."""
    one, two = (validation_set(small_config(seed=seed), 2) for seed in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.coordinates, b.coordinates)


def test_the_gap_is_the_mean_of_the_gaps() -> None:
    """By hand: 10 % and 30 %."""
    found = Validation({3: 1.1, 5: 2.6}, {3: 1.0, 5: 2.0})
    assert found.gap == pytest.approx(0.2)
    assert found.mean == pytest.approx(1.85)
    assert Validation({3: 1.1}).gap is None


def test_a_broken_solution_stops_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the policy returns is judged by the checker."""
    config = small_config()
    monkeypatch.setattr(
        Policy, "construct", lambda self, instances, **options: [[Solution(())] for _ in instances]
    )
    with pytest.raises(InternalError, match="missing customer"):
        validate(Network.initialised(config.network, 1), config)
