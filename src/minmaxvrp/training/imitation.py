"""Imitation: the log-probability of good solutions, as a warm start for REINFORCE.

A label says which customers share a route and in which order, not which vehicle drives it nor when. Routes
go to vehicles by angle, so that similar instances have similar labels; the order of vehicles and, where
it makes no difference, the direction of each route are random, and each use of a label is another of its
symmetric copies. So the network learns what the APS loss later trains. `loop` calls it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from ..jit import njit
from ..policy.half_products import half_products
from ..policy.network import Network
from ..policy.symmetry import NUM_SYMMETRIES, reflect
from ..policy.teacher_forcing import backpropagate
from .batches import make_batch
from .labels import SHARD, Shard, Workers, count_shards, ready_shards, wait_for_shard
from .parallel import ProcessGroup
from .random_instances import Floats, Indices, Pieces, Stream, draw_orders, generator
from .reinforce import PieceLoss
from .train_config import TrainConfig


class Imitation:
    """The labels of a run and the processes that make them."""

    def __init__(self, config: TrainConfig, workers: Workers | None) -> None:
        self.config = config
        self.shard = lru_cache(maxsize=4096)(lambda index: wait_for_shard(config, index, workers))

    @classmethod
    @contextmanager
    def open(cls, config: TrainConfig, team: ProcessGroup) -> Iterator["Imitation | None"]:
        """The labels of a config that imitates, else None; workers make them meanwhile."""
        if not config.imitates:
            yield None
            return
        workers = Workers(config, count_shards(config), team.rank, team.size)
        try:
            yield cls(config, workers)
        finally:
            workers.stop()

    def imitate(
        self, network: Network, imitated: int, step: int, piece: int, pieces: Pieces, share: float
    ) -> PieceLoss:
        """Add `share` times the gradient of −mean log p on one piece of a batch of labels.

        `imitated` instances were imitated before this step. The shard is drawn from those that must be
        there by now, so that the choice does not depend on how fast the workers are.
        """
        config = self.config
        ready = ready_shards(config, imitated)
        index = int(generator(config.seed, Stream.LABEL_CHOICE, step, piece).integers(ready))
        shard = self.shard(index)
        rng = generator(config.seed, Stream.LABEL_COPY, step, piece)
        chosen = rng.permutation(SHARD)[: pieces.length(piece)]
        points = random_copies(shard.points[chosen], rng)
        orders, actions = write_actions(shard, chosen, points, config, rng)
        batch = make_batch(points, shard.shape, config.network)
        weight = torch.full((1, 1, 1), -share / actions.size)
        with half_products(config.precision == "bfloat16"):
            cache = network(batch)
        log_p = backpropagate(network, cache, torch.from_numpy(orders), torch.from_numpy(actions), weight)
        return PieceLoss(-float(log_p.mean()), float(shard.makespan[chosen].mean()))


def random_copies(points: Floats, rng: np.random.Generator) -> Floats:
    """Each instance of `points` [B, D+N, 2] in one of its symmetric forms."""
    places = torch.from_numpy(points)
    copies = np.stack([reflect(places, k).numpy() for k in range(NUM_SYMMETRIES)])  # [8, B, D+N, 2]
    chosen: Floats = copies[rng.integers(NUM_SYMMETRIES, size=len(points)), np.arange(len(points))]
    return chosen


def write_actions(
    shard: Shard, chosen: Indices, points: Floats, config: TrainConfig, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Random vehicle orders int64 [B, K, M] and the actions [B, K, T] that drive the labels in them."""
    count, shape = config.imitation_orders, shard.shape
    multi = config.network.form == "multi"
    size = (len(chosen), count, shape.num_vehicles)
    orders = draw_orders(shape.num_vehicles, len(chosen) * count, rng).reshape(size)
    either = config.network.form != "pairs"
    turned = rng.random(size) < (0.5 if either else 0.0)
    num_steps = shape.num_customers + shape.num_vehicles * (2 if multi else 1)
    actions = np.empty((len(chosen), count, num_steps), dtype=np.int64)
    nodes = shard.nodes[chosen]
    route_of = match_routes(nodes, points, shape.num_depots, shape.num_vehicles)
    _write(nodes, route_of, orders, turned, shape.num_depots, multi, actions)
    return orders, actions


def match_routes(nodes: Indices, points: Floats, num_depots: int, num_vehicles: int) -> Indices:
    """Which route each vehicle drives [B, M]: by the angle of the route's centre, unused ones last.

    Around the depot; with several depots around the middle of the square.
    """
    centre = _centres(nodes, points, num_depots, num_vehicles)  # [B, M, 2]
    middle = points[:, :1] if num_depots == 1 else np.full((1, 1, 2), 0.5)
    angle = np.arctan2(centre[..., 1] - middle[..., 1], centre[..., 0] - middle[..., 0])
    return np.argsort(np.where(np.isnan(angle), np.inf, angle), axis=1, kind="stable")


@njit
def _centres(nodes: Indices, points: Floats, num_depots: int, num_vehicles: int) -> Floats:
    """Mean of each route's customers [B, M, 2]; not a number for a route without any."""
    out = np.zeros((len(nodes), num_vehicles, 2))
    for b in range(len(nodes)):
        route, count, inside = 0, 0, False
        for node in nodes[b]:
            if node >= num_depots:
                out[b, route, 0] += points[b, node, 0]
                out[b, route, 1] += points[b, node, 1]
                count += 1
            elif inside:
                out[b, route] /= count
                route, count, inside = route + 1, 0, False
            else:
                inside = True
    return out


@njit
def _write(
    nodes: Indices,
    route_of: Indices,
    orders: Indices,
    turned: NDArray[np.bool_],
    num_depots: int,
    multi: bool,
    actions: Indices,
) -> None:
    """Fill `actions` [B, K, T] with the tokens of the routes in the order of the vehicles."""
    num_vehicles = orders.shape[2]
    shift = 0 if multi else num_vehicles - num_depots  # from a customer's node number to its token
    first = np.empty(num_vehicles + 1, dtype=np.int64)
    for b in range(len(nodes)):
        route, inside = 0, False
        for place in range(nodes.shape[1]):
            if nodes[b, place] < num_depots:
                if not inside:
                    first[route] = place
                    route += 1
                inside = not inside
        first[num_vehicles] = nodes.shape[1]
        for k in range(orders.shape[1]):
            t = 0
            for turn in range(num_vehicles):
                vehicle = orders[b, k, turn]
                route = route_of[b, vehicle]
                begin, end = first[route], first[route + 1]
                for i in range(end - begin):
                    node = nodes[b, end - 1 - i] if turned[b, k, turn] else nodes[b, begin + i]
                    if node >= num_depots:
                        actions[b, k, t] = node + shift
                    elif multi:
                        actions[b, k, t] = node
                    elif i > 0:
                        actions[b, k, t] = vehicle
                    else:
                        continue
                    t += 1
