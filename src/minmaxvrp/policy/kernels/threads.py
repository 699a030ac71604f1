"""Instances of a batch spread over torch's threads, for the kernels that train."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch


def over_instances(run: Callable[[range], None], size: int) -> None:
    """Call `run` with parts of the instances 0 to size - 1, one part for each of torch's threads.

    What it computes for an instance must not depend on the others.
    """
    count = min(torch.get_num_threads(), size)
    if count <= 1:
        run(range(size))
        return
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, [range(first, size, count) for first in range(count)]))
