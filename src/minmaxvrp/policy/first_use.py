"""Before the first rollouts on a machine: whether their kernels are compiled, and how to compile them.

`minmaxvrp.propose` asks, so that compiling takes none of a time limit.
"""

import numpy as np

from ..jit.cache import is_kept
from ..problem.instance import Instance
from .kernels.group import roll_out_group
from .kernels.rollouts import MOST_SINGLE
from .kernels.single import roll_out_single
from .policy import Policy


def kernels_kept(permutations: int) -> bool:
    """Whether the kernels for so many rollouts of an instance are in the cache."""
    return is_kept([roll_out_single if permutations <= MOST_SINGLE else roll_out_group])


def compile_kernels(policy: Policy, permutations: int) -> None:
    """Compile them by solving a small instance."""
    points = np.random.default_rng(0).random((6, 2))
    if policy.config.form == "pairs":
        small = Instance.mpdp(points[0], points[1:3], points[3:5], 2)
    elif policy.config.form == "multi":
        small = Instance.mdvrp(points[:2], points[2:], 2, return_to=policy.config.return_to)
    else:
        small = Instance.mtsp(points[0], points[1:], 2)
    policy.construct([small], symmetries=1, permutations=permutations, temperature=1.0)
