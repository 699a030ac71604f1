"""How good and how different a network's answers are: sampled and greedy, mean and best of 24 vehicle orders.

    OMP_NUM_THREADS=1 python benchmarks/diversity.py WEIGHTS…

40 instances of about 50 customers, 6 depots where there are several; M = 3 and 7. REINFORCE lowers the mean
of the samples; what counts for an answer is the best of the rollouts, and that needs them to differ.
"""

import sys

import numpy as np
import torch

from minmaxvrp.policy.rollout import roll_out
from minmaxvrp.policy.weights_file import load_weights
from minmaxvrp.training.batches import make_batch
from minmaxvrp.training.random_instances import Shape, draw_orders, draw_points

ORDERS = 24
SHAPES = {
    "single": lambda vehicles: Shape(49, vehicles, 1),
    "pairs": lambda vehicles: Shape(50, vehicles, 1),
    "multi": lambda vehicles: Shape(50, vehicles, 6),
}


def main() -> None:
    print("| weights | M | samples, mean | best | greedy, mean | best | deviation of samples |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for path in sys.argv[1:]:
        network, _ = load_weights(path)
        for vehicles in (3, 7):
            rng = np.random.default_rng(9)
            shape = SHAPES[network.config.form](vehicles)
            batch = make_batch(draw_points(shape, 40, rng), shape, network.config)
            orders = torch.from_numpy(draw_orders(vehicles, ORDERS, rng))
            with torch.inference_mode():
                encoded = network.encode(batch)
                sampled = roll_out(network, batch, encoded, orders, sample_seed=3).makespan  # [B, K]
                greedy = roll_out(network, batch, encoded, orders).makespan
            values = (sampled.mean(), sampled.amin(1).mean(), greedy.mean(), greedy.amin(1).mean())
            figures = " | ".join(f"{float(v):.3f}" for v in (*values, sampled.std(1).mean()))
            print(f"| {path} | {vehicles} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
