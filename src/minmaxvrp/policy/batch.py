"""Instances of one shape as tensors: what encoder, state and decoder read.

Legend of every tensor in this room:

    B  instances (symmetric copies included)      T  steps of one rollout
    K  rollouts per instance                      H  heads
    M  vehicles                                   E  embedding size
    D  depots                                     G  depot tokens: M with one depot, else D
    N  customers                                  S  tokens that can be chosen or looked at: G + N
    Q  pickup-delivery pairs, N = 2Q              R  decisions: K at one step, K·T with teacher forcing

Token order, which is also the order of actions. One depot: 0..M-1 are the vehicles (each a copy of
the depot; choosing the driving vehicle's own token closes its route), M.. are the customers. Several
depots: 0..D-1 are the depots (start or close), D.. are the customers. With pairs, customer i is
the pickup of customer i + Q. A rollout takes T = N + M steps, with several depots N + 2M.

`policy` makes batches from instances; training may make them from random coordinates.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from .policy_config import Form, ReturnRule


def euclidean(apart: Tensor) -> Tensor:
    """Lengths of the vectors `apart` [..., 2]: [...]."""
    length: Tensor = torch.linalg.vector_norm(apart, dim=-1)
    return length


@dataclass(frozen=True, eq=False)
class Batch:
    """B instances of one shape, coordinates in the unit square."""

    depots: Tensor
    """float32 [B, D, 2]"""
    customers: Tensor
    """float32 [B, N, 2]; with pairs: pickups, then their deliveries in the same order."""
    num_vehicles: int
    form: Form = "single"
    return_to: ReturnRule = "start"
    vehicles_per_depot: Tensor | None = None
    """int64 [B, D]: how many vehicles may start at each depot; None: any number."""

    @property
    def size(self) -> int:
        """B."""
        return len(self.customers)

    @property
    def num_customers(self) -> int:
        """N."""
        return self.customers.shape[1]

    @property
    def num_depots(self) -> int:
        """D."""
        return self.depots.shape[1]

    @property
    def num_depot_tokens(self) -> int:
        """G."""
        return self.num_depots if self.form == "multi" else self.num_vehicles

    @property
    def num_tokens(self) -> int:
        """S."""
        return self.num_depot_tokens + self.num_customers

    @property
    def num_steps(self) -> int:
        """T."""
        return self.num_customers + self.num_vehicles * (2 if self.form == "multi" else 1)

    @cached_property
    def tokens(self) -> Tensor:
        """Coordinates of every token: [B, S, 2]."""
        depots = self.depots if self.form == "multi" else self.depots.expand(-1, self.num_vehicles, -1)
        return torch.cat([depots, self.customers], dim=1)

    @cached_property
    def reach(self) -> Tensor:
        """Distance of each customer to its nearest depot: [B, N]."""
        apart = self.depots[:, :, None] - self.customers[:, None]  # [B, D, N, 2]
        return euclidean(apart).amin(dim=1)

    @cached_property
    def ride(self) -> Tensor:
        """Distance from each pickup to its delivery: [B, Q]."""
        pickups, deliveries = self.customers.chunk(2, dim=1)
        return euclidean(pickups - deliveries)

    @cached_property
    def detour(self) -> Tensor:
        """Depot → pickup plus depot → its delivery: [B, Q]."""
        pickups, deliveries = self.reach.chunk(2, dim=1)
        return pickups + deliveries

    def distance(self, start: Tensor, end: Tensor) -> Tensor:
        """Euclidean distance between tokens `start` and `end`, both int64 [B, R] → [B, R]."""
        index = torch.stack([start, end]).unsqueeze(-1).expand(-1, -1, -1, 2)  # [2, B, R, 2]
        a, b = (self.tokens.gather(1, part) for part in index)
        return euclidean(a - b)

    def part(self, rows: slice) -> "Batch":
        """The instances `rows`."""
        fleet = self.vehicles_per_depot
        return replace(
            self,
            depots=self.depots[rows],
            customers=self.customers[rows],
            vehicles_per_depot=None if fleet is None else fleet[rows],
        )

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        fleet = self.vehicles_per_depot
        return replace(
            self,
            depots=self.depots.to(device),
            customers=self.customers.to(device),
            vehicles_per_depot=None if fleet is None else fleet.to(device),
        )
