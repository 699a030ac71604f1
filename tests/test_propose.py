"""The network as a start: only where it is asked for, and only in its share of the time."""

import subprocess
import sys

import numpy as np
import pytest

from minmaxvrp import Instance, MaxRuntime, propose, solve
from minmaxvrp.problem.generate import uniform

TORCH_STAYS_OUT = """
import sys
import numpy as np
from minmaxvrp import InputError, Instance, MaxIterations, MaxRuntime, solve

points = np.random.default_rng(1).random((2_001, 2))
small, large = Instance.mtsp(points[0], points[1:8], 2), Instance.mtsp(points[0], points[1:], 7)
said = []
try:
    solve(small, MaxIterations(1_000), policy="nobody")
except InputError as error:
    assert "policy 'nobody': no such file, and not among the shipped weights (" in str(error), error
else:
    raise AssertionError("a policy that does not exist was taken")
assert "numba" not in sys.modules, "kernels were loaded before the name was looked at"
solve(small, MaxIterations(1_000))
solve(small, MaxRuntime(0.05), policy="auto", notice=said.append)
solve(large, MaxRuntime(1.0), bound=0.0, policy="auto", notice=said.append)
assert "torch" not in sys.modules, "torch was imported"
print("; ".join(said))
"""


def test_torch_is_loaded_only_where_the_network_is_asked_for_and_fits() -> None:
    """Not for a name that nobody has, not without a policy, nor where the time limit is too short for it."""
    run = subprocess.run([sys.executable, "-c", TORCH_STAYS_OUT], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.count("the network would take about") == 2
    assert "s of 0.05 s; starting without it" in run.stdout
    assert "s of 1 s; starting without it" in run.stdout


def test_the_estimate_grows_with_nodes_rollouts_and_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """And holds the time to load torch only while it is not loaded."""
    monkeypatch.setitem(sys.modules, "torch", None)
    rng = np.random.default_rng(2)
    small, large = (Instance.mtsp(rng.random(2), rng.random((n, 2)), 5) for n in (50, 900))
    pairs = Instance.mpdp(rng.random(2), rng.random((25, 2)), rng.random((25, 2)), 5)
    loaded = propose.estimate(small, 1, 1)
    assert loaded < propose.estimate(small, 8, 1) < propose.estimate(small, 8, 16)
    assert loaded < propose.estimate(large, 1, 1)
    assert loaded < propose.estimate(pairs, 1, 1)
    monkeypatch.delitem(sys.modules, "torch")
    assert propose.estimate(small, 1, 1) == pytest.approx(loaded + propose.LOAD_SECONDS)


@pytest.mark.parametrize(("limit", "expected"), [(1e9, (8, 16)), (1.5, (8, 1)), (0.6, (1, 1)), (0.05, None)])
def test_as_much_of_the_network_as_fits(
    limit: float, expected: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of the limit takes 128, 8 or one rollout of an instance, or none."""
    pytest.importorskip("torch")
    instance = uniform("mtsp", 200, 5, seed=4)[0]
    said: list[str] = []
    monkeypatch.setattr(propose, "_compile", lambda *arguments: 0.0)
    found = propose.load_proposer(instance, "auto", limit, said.append)
    assert (None if found is None else (found.symmetries, found.permutations)) == expected
    assert bool(said) == (expected is None)


def test_a_short_limit_with_a_policy_still_searches() -> None:
    """The network is left out with a notice."""
    said: list[str] = []
    result = solve(uniform("mtsp", 30, 3, seed=1)[0], MaxRuntime(0.01), policy="auto", notice=said.append)
    assert result.method == "search"
    assert "starting without it" in said[0]
