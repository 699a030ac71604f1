"""Random numbers inside kernels: a stream of its own per search, so a seed decides everything."""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel


def random_stream(seed: int, number: int = 0) -> NDArray[np.uint64]:
    """The state [1] of a new stream for a seed; streams of one seed differ by their number."""
    state = np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)
    return np.maximum(state, np.uint64(1))


@kernel
def uniform(rng: NDArray[np.uint64]) -> float:
    """A number in [0, 1): xorshift64* (Vigna 2016), its upper 53 bits."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def random_index(rng: NDArray[np.uint64], count: int) -> int:
    """A whole number from 0 to count - 1."""
    return int(uniform(rng) * count)
