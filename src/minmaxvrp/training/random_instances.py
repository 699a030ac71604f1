"""Random numbers and instances of a run, each a function of the seed and a counter alone.

Nothing here has a state, so a resumed run draws what the interrupted one would have drawn, and several
processes agree on a batch without talking. Comes before `batches` and `loop`.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ..policy.policy_config import PolicyConfig
from ..problem.instance import Instance
from .train_config import Range, TrainConfig

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Stream(IntEnum):
    """What a random number is for; streams never share numbers."""

    SHAPE = 0
    INSTANCES = 1
    ORDERS = 2
    SAMPLING = 3
    KIND = 4
    LABEL_SHAPE = 5
    LABEL_INSTANCES = 6
    LABEL_CHOICE = 7
    LABEL_COPY = 8
    VALIDATION = 9


def generator(seed: int, stream: Stream, *counters: int) -> np.random.Generator:
    """The random numbers of one purpose at one place of the run."""
    return np.random.default_rng([seed, int(stream), *counters])


@dataclass(frozen=True)
class Shape:
    """N, M and D of the instances of one piece."""

    num_customers: int
    num_vehicles: int
    num_depots: int


@dataclass(frozen=True)
class Pieces:
    """How a batch is cut: pieces of `size` instances (the last may be smaller)."""

    batch_size: int
    size: int

    @property
    def count(self) -> int:
        """Number of pieces."""
        return -(-self.batch_size // self.size)

    def length(self, piece: int) -> int:
        """Instances of one piece."""
        return min(self.size, self.batch_size - piece * self.size)


def draw_shape(config: TrainConfig, rng: np.random.Generator) -> Shape:
    """N and D uniform in the config's ranges, M as it says; N even with pairs."""
    step = 2 if config.network.form == "pairs" else 1
    draw_vehicles = _log_between if config.fleet_sizes == "log" else _between
    return Shape(
        _between(config.customers, rng, step),
        draw_vehicles(config.vehicles, rng),
        _between(config.depots, rng),
    )


def _between(bounds: Range, rng: np.random.Generator, step: int = 1) -> int:
    low, high = bounds
    return int(low + step * rng.integers((high - low) // step + 1))


def _log_between(bounds: Range, rng: np.random.Generator) -> int:
    """A whole number k in `bounds` with a probability in proportion to log((k + 1) / k)."""
    low, high = bounds
    return int(low * ((high + 1) / low) ** rng.random())


def draw_points(shape: Shape, count: int, rng: np.random.Generator) -> Floats:
    """Depots, then customers, uniform in the unit square: [count, D+N, 2]."""
    points = rng.random((count, shape.num_depots + shape.num_customers, 2), dtype=np.float32)
    return points.astype(np.float64)


def draw_orders(num_vehicles: int, count: int, rng: np.random.Generator) -> Indices:
    """Uniformly random orders of the vehicles: int64 [count, M]."""
    return rng.permuted(np.tile(np.arange(num_vehicles), (count, 1)), axis=1)


def make_instance(points: Floats, shape: Shape, network: PolicyConfig) -> Instance:
    """The instance of `points` [D+N, 2], customers in the order of `batches.make_batch`."""
    half = shape.num_customers // 2
    first = shape.num_depots + np.arange(half if network.form == "pairs" else 0)
    return Instance(
        points,
        shape.num_depots,
        shape.num_vehicles,
        pairs=np.stack([first, first + half], axis=1),
        return_to=network.return_to,
    )
