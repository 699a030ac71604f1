"""Which numba this is, and whether its inner workings are known: see the package's docstring."""

import os
import warnings

import numba

TESTED = ("0.68",)
"""Releases (the first two numbers) that the other modules of this package were tested with."""


def is_tested(version: str) -> bool:
    """Whether a version of numba is one of a tested release."""
    return ".".join(version.split(".")[:2]) in TESTED


def use_plain_numba() -> bool:
    """Whether to leave numba as it is: on request, or with a warning for a version that was not tested."""
    if os.environ.get("MINMAXVRP_PLAIN_NUMBA") == "1":
        return True
    if is_tested(numba.__version__):
        return False
    tested = ", ".join(f"{release}.x" for release in TESTED)
    warnings.warn(
        f"numba {numba.__version__} was not tested, expected {tested}: compiling takes longer and the search "
        "is slower, with the same answers",
        RuntimeWarning,
        stacklevel=2,
    )
    return True


PLAIN = use_plain_numba()
"""Asked once, when the package is imported."""
