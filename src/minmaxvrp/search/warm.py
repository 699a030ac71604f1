"""Compiles the kernels by one iteration on a small instance; `compiled.compile_aside` calls it."""

import numpy as np

from ..problem.instance import Instance
from ..stop import MaxIterations
from .anneal import improve
from .compiled import compile_here
from .thrift import be_thrifty
from .whole import compile_whole


def fill_cache() -> None:
    """Compile all kernels, or load them from the cache."""
    compile_here()
    compile_whole()
    be_thrifty()
    corners = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    improve(Instance.mtsp(np.zeros(2), corners, 2), MaxIterations(1))
