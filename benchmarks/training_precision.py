"""Gradients with products in bfloat16 against float32: how they agree, and the CPU time of both, one thread.

    OMP_NUM_THREADS=1 python benchmarks/training_precision.py mdvrp-cpu-large start_from=mdvrp-large

The settings of a preset with REINFORCE; pieces of 16 instances. Both precisions get the same instances,
vehicle orders and rollouts, so that only rounding differs. For comparison: the cosine between the gradients,
in float32, of two pieces, i.e. what the choice of instances and rollouts does.
"""

import sys
import time
from itertools import pairwise

import torch
from torch import Tensor

from minmaxvrp.policy.half_products import half_products
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.rollout import roll_out
from minmaxvrp.policy.teacher_forcing import backpropagate
from minmaxvrp.training.batches import make_batch
from minmaxvrp.training.presets import load
from minmaxvrp.training.random_instances import Stream, draw_orders, draw_points, draw_shape, generator
from minmaxvrp.training.reinforce import aps_weight
from minmaxvrp.training.run_weights import read_weights
from minmaxvrp.training.train_config import TrainConfig

PIECES = 6


def gradients(network: Network, config: TrainConfig, piece: int) -> dict[str, tuple[Tensor, float]]:
    """The whole gradient of one piece, and CPU seconds without sampling, by precision."""
    shape = draw_shape(config, generator(config.seed, Stream.SHAPE, piece, 0))
    points = draw_points(shape, config.piece_size, generator(config.seed, Stream.INSTANCES, piece, 0))
    batch = make_batch(points, shape, config.network)
    drawn = draw_orders(shape.num_vehicles, config.rollouts, generator(config.seed, Stream.ORDERS, piece, 0))
    orders = torch.from_numpy(drawn)
    with torch.no_grad():
        encoded = network.encode(batch)
    rolled = roll_out(network, batch, encoded, orders, sample_seed=piece, threads=1)
    weight = aps_weight(rolled.makespan, config.normalise_advantage, config.leader).unsqueeze(-1)
    found = {}
    for precision in ("float32", "bfloat16"):
        network.zero_grad()
        start = time.process_time()
        with half_products(precision == "bfloat16"):
            cache = network(batch)
        backpropagate(network, cache, orders, rolled.actions, weight)
        spent = time.process_time() - start
        parts = [p.grad.flatten() for p in network.parameters() if p.grad is not None]
        found[precision] = torch.cat(parts), spent
    return found


def main() -> None:
    """Print a line per piece and the cosines between pieces."""
    torch.set_num_threads(1)
    config = load(sys.argv[1], sys.argv[2:])
    network = Network.initialised(config.network, config.seed)
    if config.start_from:
        read_weights(network, config.start_from)
    gradients(network, config, PIECES)  # loads the kernels
    whole = []
    for piece in range(PIECES):
        found = gradients(network, config, piece)
        (exact, slow), (half, fast) = found["float32"], found["bfloat16"]
        whole.append(exact)
        print(
            f"piece {piece}: cosine {cosine(exact, half):.4f}, "
            f"norms {exact.norm():.3f} and {half.norm():.3f}, "
            f"CPU ms {1e3 * slow:.0f} and {1e3 * fast:.0f}",
            flush=True,
        )
    between = [f"{cosine(a, b):.4f}" for a, b in pairwise(whole)]
    print("from one piece to the next:", ", ".join(between))


def cosine(a: Tensor, b: Tensor) -> float:
    """Of the angle between two vectors."""
    return float(a @ b / (a.norm() * b.norm()))


if __name__ == "__main__":
    main()
