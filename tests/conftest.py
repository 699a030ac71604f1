"""Fixtures shared by all tests."""

from pathlib import Path

import pytest


@pytest.fixture
def shared() -> Path:
    """The folder of public reference data beside the repository; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "conformance").is_dir():
        pytest.skip("needs the folder 'shared' with public reference data beside the repository")
    return folder


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the search as users have it, once for all test processes."""
    if not hasattr(session.config, "workerinput"):  # not in the processes of pytest-xdist
        from minmaxvrp.search.compilation import ensure_compiled

        ensure_compiled()
