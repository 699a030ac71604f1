"""Small random instances, batches and networks of every form for the tests of this room."""

from typing import Any

import numpy as np
import torch

from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import Form, PolicyConfig, ReturnRule
from minmaxvrp.problem.instance import Instance

KINDS: dict[str, tuple[Form, ReturnRule]] = {
    "mtsp": ("single", "start"),
    "mpdp": ("pairs", "start"),
    "mdvrp": ("multi", "start"),
    "fmdvrp": ("multi", "any"),
}


def random_instance(
    kind: str, rng: np.random.Generator, customers: int, vehicles: int, depots: int = 3, **fields: Any
) -> Instance:
    """An instance of the problem `kind` in the unit square; `customers` is made even for pairs."""
    if kind == "mtsp":
        return Instance.mtsp(rng.random(2), rng.random((customers, 2)), vehicles, **fields)
    if kind == "mpdp":
        half = (customers + 1) // 2
        return Instance.mpdp(rng.random(2), rng.random((half, 2)), rng.random((half, 2)), vehicles, **fields)
    make = Instance.mdvrp if kind == "mdvrp" else Instance.fmdvrp
    return make(rng.random((depots, 2)), rng.random((customers, 2)), vehicles, **fields)


def random_batch(
    kind: str, size: int, customers: int, vehicles: int, depots: int = 3, seed: int = 0
) -> Batch:
    """A batch of uniform random instances."""
    form, return_to = KINDS[kind]
    generator = torch.Generator().manual_seed(seed)
    num_depots = depots if form == "multi" else 1
    return Batch(
        torch.rand(size, num_depots, 2, generator=generator),
        torch.rand(size, customers, 2, generator=generator),
        vehicles,
        form=form,
        return_to=return_to,
    )


def small_network(kind: str, seed: int = 0, **choices: Any) -> Network:
    """A network with random weights whose distributions are not peaked."""
    form, return_to = KINDS[kind]
    sizes: dict[str, Any] = {"embed": 32, "num_layers": 2, "num_heads": 4, "hidden": 48, **choices}
    network = Network.initialised(PolicyConfig(form=form, return_to=return_to, **sizes), seed)
    with torch.no_grad():
        network.decoder.out.weight.mul_(0.1)
        if network.decoder.distance_scalar is not None:
            network.decoder.distance_scalar.fill_(0.05)
    return network


def random_orders(num_vehicles: int, count: int, seed: int = 0) -> torch.Tensor:
    """Uniform vehicle orders, int64 [count, M]."""
    generator = torch.Generator().manual_seed(seed)
    return torch.stack([torch.randperm(num_vehicles, generator=generator) for _ in range(count)])
