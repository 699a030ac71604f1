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
