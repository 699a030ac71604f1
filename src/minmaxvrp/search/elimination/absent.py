"""Requests that are on no route for the time being, and how often each of them has been."""

from typing import NamedTuple

import numpy as np

from ..arrays.routes import Floats, Ints, record


class AbsentInfo:
    """Single numbers of `Absent`: a numpy record."""

    count: int
    """Absent requests."""
    count_before: int
    """Before the step."""


class Absent(NamedTuple):
    """The absent requests of one elimination; a pair is named by its pickup."""

    requests: Ints
    """[n] a list."""
    before: Ints
    """[n] the same before the step."""
    absences: Floats
    """[n] after how many steps a request was absent, and 1."""
    info: AbsentInfo


def nobody_absent(num_nodes: int) -> Absent:
    """An empty list, with room for all requests."""
    requests, before = np.zeros(num_nodes, dtype=np.int64), np.zeros(num_nodes, dtype=np.int64)
    return Absent(requests, before, np.ones(num_nodes), record(AbsentInfo))
