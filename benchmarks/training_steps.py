"""A few REINFORCE steps with their CPU time, loss and gradient norm, to compare two versions of the code.

    python benchmarks/training_steps.py mpdp-cpu-large start_from=mpdp customers=[20,100] learning_rate=2e-4
    PYTHONPATH=OLD/src python benchmarks/training_steps.py ...      # an older checkout, the same steps

One thread, from given weights; instances, orders and draws depend on the seed of the preset alone, so the
losses of two versions that compute the same agree to rounding. The first step includes loading the kernels.
"""

import sys
import time

import torch

from minmaxvrp.policy.network import Network
from minmaxvrp.training.checkpoint import Counters
from minmaxvrp.training.loop import _one_step
from minmaxvrp.training.optimiser import Optimiser
from minmaxvrp.training.parallel import ProcessGroup
from minmaxvrp.training.presets import load
from minmaxvrp.training.run_weights import read_weights

STEPS = 4


def main() -> None:
    """Train a few steps of the preset and settings given, without labels."""
    torch.set_num_threads(1)
    config = load(sys.argv[1], ["imitation_steps=0", *sys.argv[2:]])
    network, progress = Network.initialised(config.network, config.seed), Counters()
    if config.start_from:
        read_weights(network, config.start_from)
    optimiser = Optimiser(network, config)
    for step in range(STEPS):
        progress.step, start = step, time.process_time()
        entry = _one_step(network, optimiser, config, progress, ProcessGroup(), None)
        optimiser.step(step)
        spent = time.process_time() - start
        told = " ".join(f"{key} {entry[key]:.5f}" for key in ("loss", "makespan", "gradient_norm"))
        print(
            f"step {step}: {spent:.2f} CPU s, {config.batch_size / spent:.1f} instances/s, {told}", flush=True
        )


if __name__ == "__main__":
    main()
