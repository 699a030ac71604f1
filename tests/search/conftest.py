"""The kernels that tests of the search call one by one are compiled before the first test."""

import pytest


@pytest.fixture(scope="session")
def probes() -> None:
    """Compiled by another process, unless the beginning of the session has done so.

    Where that fails, as from another folder, the first call compiles, which takes longer.
    """
    from .probes import compile_probes, probes_kept

    if not probes_kept():
        compile_probes()
