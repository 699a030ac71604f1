"""Numba is bent only in versions that were tested."""

import numba
import pytest

from minmaxvrp.jit import versions


def test_the_installed_version_is_one_that_was_tested() -> None:
    """So that the other tests here test what users get; 0.680 is not 0.68."""
    assert versions.is_tested(numba.__version__)
    assert not versions.is_tested("0.680.1")
    assert not versions.is_tested("0.67.9")


def test_another_version_is_left_alone_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """The warning names the version found and those expected."""
    monkeypatch.delenv("MINMAXVRP_PLAIN_NUMBA", raising=False)
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    with pytest.warns(RuntimeWarning, match=r"numba 0\.99\.0 was not tested, expected 0\.68\.x"):
        assert versions.use_plain_numba()


def test_plain_numba_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a warning."""
    monkeypatch.setenv("MINMAXVRP_PLAIN_NUMBA", "1")
    assert versions.use_plain_numba()
