"""Rivals without their package: the message names the extra to install."""

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from minmaxvrp.baselines import lkh, pyvrp
from minmaxvrp.errors import InputError
from minmaxvrp.problem.generate import uniform

Hide = Callable[[pytest.MonkeyPatch], None]


def hide_pyvrp(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if PyVRP were not installed."""
    monkeypatch.setitem(sys.modules, "pyvrp", None)


def hide_elkai(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if neither elkai nor a binary were there."""
    monkeypatch.delenv(lkh.BINARY, raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.mark.parametrize(
    ("solver", "hide", "extra"),
    [(pyvrp, hide_pyvrp, r"minmaxvrp\[baselines\]"), (lkh, hide_elkai, r"minmaxvrp\[lkh\]")],
)
def test_a_missing_package_names_its_extra(
    solver: ModuleType, hide: Hide, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told before anything is computed, for PyVRP and for LKH-3."""
    hide(monkeypatch)
    (instance,) = uniform("mtsp", 7, 2, seed=5, count=1)
    with pytest.raises(InputError, match=f"is not installed, expected pip install '{extra}'"):
        solver.solve(instance, 0.1, 0)
