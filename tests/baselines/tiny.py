"""Tiny instances that a baseline is compared with enumeration on."""

import numpy as np

from minmaxvrp.problem.instance import Instance


def points(seed: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Random points of the unit square."""
    return np.random.default_rng(seed).uniform(size=(count, 2))


PLAIN = {
    "mtsp": Instance.mtsp([0.5, 0.5], points(1, 7), 3),
    "mtsp with service": Instance.mtsp(
        [0.1, 0.2], points(21, 6), 2, service=np.random.default_rng(3).uniform(size=6)
    ),
    "fmdvrp": Instance.fmdvrp(points(6, 3), points(7, 6), 2),
}
"""Problems of one depot, or of several that count as one."""
MDVRP = Instance.mdvrp(points(4, 3), points(5, 6), 2)
MPDP = Instance.mpdp([0.5, 0.5], points(2, 3), points(3, 3), 2)
FIXED_FLEET = Instance.mdvrp(points(8, 2), points(9, 6), 3, vehicles_per_depot=np.array([1, 2]))
