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

COMPILE_ROLLOUTS = """
from minmaxvrp.policy import Policy
from minmaxvrp.policy.first_use import compile_kernels, kernels_kept

for permutations in (16, 1):
    if not kernels_kept(permutations):
        compile_kernels(Policy.load("mtsp"), permutations)
"""
"""Program of a process that compiles the network's rollouts; it fails where there is no torch."""


@pytest.fixture
def shared() -> Path:
    """The folder of public reference data beside the repository; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "conformance").is_dir():
        pytest.skip("needs the folder 'shared' with public reference data beside the repository")
    return folder


@pytest.fixture
def conformance(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Where the vectors of a problem are that the published program computed; skips where they are absent.

    Those of mTSP, mPDP and MDVRP are in `tests/policy/conformance`, those of FMDVRP, whose network is that of
    MDVRP with other weights, in the folder 'shared' beside the repository.
    """

    def find(problem: str) -> Path:
        own = Path(__file__).parent / "policy" / "conformance" / f"{problem}.npz"
        if own.is_file():
            return own
        shared: Path = request.getfixturevalue("shared")
        return shared / "conformance" / f"{problem}.npz"

    return find


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what users compile on first use, once for all test processes, all programs at a time."""
    if hasattr(session.config, "workerinput"):  # a process of pytest-xdist
        return
    from minmaxvrp.search.compilation import FLEET, PLAIN, kernels_cached, start_compiling, wait_for

    begun = [(start_compiling(program), program) for program in (PLAIN, FLEET) if not kernels_cached(program)]
    if session.config.getoption("numprocesses", 0):  # else the first test that needs them compiles them
        subprocess.run([sys.executable, "-c", COMPILE_ROLLOUTS], stderr=subprocess.DEVNULL, check=False)
    for process, program in begun:
        wait_for(process, program)
