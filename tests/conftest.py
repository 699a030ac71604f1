"""Fixtures shared by all tests, and how hypothesis searches."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# `same`: the same examples in every run; `free`: new ones (make test-all), and what they find becomes a test
settings.register_profile("same", deadline=None, derandomize=True, database=None)
settings.register_profile("free", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("MINMAXVRP_HYPOTHESIS", "same"))


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
    """Compile the search as users have it, once for all test processes."""
    if not hasattr(session.config, "workerinput"):  # not in the processes of pytest-xdist
        from minmaxvrp.search.compilation import ensure_compiled

        ensure_compiled()
