"""Fixtures shared by all tests, and how hypothesis searches."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# `same`: the same examples in every run; `free`: new ones (make test-all), and what they find becomes a test
settings.register_profile("same", deadline=None, derandomize=True, database=None)
settings.register_profile("free", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("MINMAXVRP_HYPOTHESIS", "same"))

ROOT = Path(__file__).resolve().parents[1]
ROLLOUTS = """
from minmaxvrp.jit.cache import is_kept
from minmaxvrp.policy.kernels.group import roll_out_group
from minmaxvrp.policy.kernels.single import roll_out_single

if not is_kept([roll_out_group, roll_out_single]):
    from minmaxvrp.policy import Policy
    from minmaxvrp.policy.first_use import compile_kernels

    for permutations in (16, 1):
        compile_kernels(Policy.load("mtsp"), permutations)
"""
PROBES = """
from tests.search.probes import compile_probes, probes_kept

if not probes_kept():
    compile_probes()
"""
"""Programs of processes that compile the network's rollouts, and kernels that tests call one by one."""


@pytest.fixture
def shared() -> Path:
    """The folder of public reference data beside the repository; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "figures").is_dir():
        pytest.skip("needs the folder 'shared' with public reference data beside the repository")
    return folder


@pytest.fixture
def conformance() -> Callable[[str], Path]:
    """Where the vectors of a problem are that the published program computed."""
    folder = Path(__file__).parent / "policy" / "conformance"
    return lambda problem: folder / f"{problem}.npz"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what users compile on first use, as they do, before the first test.

    With several test processes all that their tests need is compiled here, side by side and once for all of
    them; with one the first test that needs it does so.
    """
    if hasattr(session.config, "workerinput"):  # a process of pytest-xdist
        return
    from minmaxvrp.search.compilation import kernels_cached
    from minmaxvrp.search.programs import ELIMINATION, FLEET, PLAIN, ensure_compiled, start_compiling

    if not session.config.getoption("numprocesses", None):
        ensure_compiled()
        return
    programs = (PLAIN, ELIMINATION, FLEET)
    begun = [start_compiling(program) for program in programs if not kernels_cached(program)]
    for text in (ROLLOUTS, PROBES):  # should one fail, for there is no torch, the tests that need it tell
        begun.append(subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, stderr=subprocess.DEVNULL))
    for process in begun:
        process.wait()
