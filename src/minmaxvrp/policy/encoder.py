"""From coordinates to embeddings: initial embeddings, then the P&N encoder or its alternatives.

Comes after `batch`; `decoder` reads the result. The paper's navigation part is the first block of a
layer (customers among themselves); its partition part is what follows (vehicles, depots, customers).
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .batch import Batch
from .layers import (
    Attention,
    Block,
    CrossedQueryAttention,
    HeterogeneousAttention,
    RotatedKeyAttention,
    RotatedQueryAttention,
)
from .policy_config import PolicyConfig
from .positional_encoding import rotate, sinusoidal


@dataclass(frozen=True, eq=False)
class Encoded:
    """What the encoder hands to the decoder."""

    vehicles: Tensor
    """[B, M, E]"""
    nodes: Tensor
    """[B, S, E] all tokens that the glimpse sees; see `batch` for their order."""

    def part(self, rows: slice) -> "Encoded":
        """The instances `rows`."""
        return Encoded(self.vehicles[rows], self.nodes[rows])


class VehicleEmbedding(nn.Module):
    """Vehicles that start from one depot: its embedding plus a positional encoding per vehicle."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.position = config.position
        self.depot_token = config.depot_token
        self.depot = nn.Linear(2, config.embed)
        if config.position == "rotation":
            self.agent = nn.Linear(2, config.embed)
        self.project = nn.Linear(config.embed, config.embed, bias=False)
        self.alpha = nn.Parameter(torch.ones(1))

    def forward(self, depot: Tensor, num_vehicles: int) -> tuple[Tensor, Tensor | None]:
        """`depot` [B, 1, 2] → vehicles [B, M, E] and the extra depot token [B, 1, E] or None."""
        place = self.depot(depot)  # [B, 1, E]
        if self.position == "rotation":
            turned = rotate(self.agent(depot).expand(-1, num_vehicles, -1))  # [B, M, E]
            return place + self.alpha * self.project(turned), place if self.depot_token else None
        waves = sinusoidal(0, num_vehicles + 1, place.shape[-1], place)  # [M+1, E]
        tokens = place + self.project(waves) * (self.alpha / num_vehicles)  # [B, M+1, E]
        return tokens[:, 1:], tokens[:, :1] if self.depot_token else None


class SingleEncoder(nn.Module):
    """One depot, with or without pairs: P&N layers, P&N without navigation, or joint self-attention."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.paired = config.form == "pairs"
        self.joint = config.encoder == "equity"
        self.vehicle = VehicleEmbedding(config)
        if self.paired:
            self.pickup = nn.Linear(4, config.embed)
            self.delivery = nn.Linear(2, config.embed)
        else:
            self.customer = nn.Linear(2, config.embed)
        layer = JointLayer if self.joint else PartitionNavigationLayer
        self.layers = nn.ModuleList(layer(config) for _ in range(config.num_layers))

    def embed_customers(self, customers: Tensor) -> Tensor:
        """Customers [B, N, 2] → [B, N, E]; a pickup's embedding also sees its delivery."""
        if not self.paired:
            plain: Tensor = self.customer(customers)
            return plain
        pickups, deliveries = customers.chunk(2, dim=1)
        both = torch.cat([pickups, deliveries], dim=-1)  # [B, N/2, 4]
        return torch.cat([self.pickup(both), self.delivery(deliveries)], dim=1)

    def forward(self, batch: Batch) -> Encoded:
        """Encode a batch."""
        m = batch.num_vehicles
        vehicles, depot = self.vehicle(batch.depots, m)  # [B, M, E]
        customers = self.embed_customers(batch.customers)  # [B, N, E]
        num_pairs = batch.num_customers // 2 if self.paired else 0
        if self.joint:
            x = torch.cat([vehicles, customers] if depot is None else [depot, vehicles, customers], dim=1)
            for layer in self.layers:
                x = layer(x, num_pairs)
            lead = 0 if depot is None else 1
            depot = None if depot is None else x[:, :1]
            vehicles, customers = x[:, lead : lead + m], x[:, lead + m :]
        else:
            for layer in self.layers:
                vehicles, customers = layer(vehicles, customers, num_pairs)
        tokens = [vehicles, customers] if depot is None else [vehicles, customers, depot]
        return Encoded(vehicles, torch.cat(tokens, dim=1))


class PartitionNavigationLayer(nn.Module):
    """One P&N layer for one depot: navigation, then vehicles ← customers, customers ← vehicles (sharp)."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.paired = config.form == "pairs"
        self.navigation: Block | None = None
        if config.encoder != "pn-no-navigation":
            inner = HeterogeneousAttention(config) if self.paired else Attention(config)
            self.navigation = Block(config, inner)
        self.gather = Block(config, Attention(config))
        back = CrossedQueryAttention if self.paired else Attention
        self.assign = Block(config, back(config, sharp=True))

    def forward(self, vehicles: Tensor, customers: Tensor, num_pairs: int) -> tuple[Tensor, Tensor]:
        """Vehicles [B, M, E] and customers [B, N, E], updated."""
        if self.navigation is not None:
            customers = self.navigation(customers, num_pairs if self.paired else customers)
        vehicles = self.gather(vehicles, customers)
        return vehicles, self.assign(customers, vehicles)


class JointLayer(nn.Module):
    """One Equity-Transformer layer: self-attention over all tokens together, plain residuals."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.paired = config.form == "pairs"
        inner = HeterogeneousAttention(config) if self.paired else Attention(config)
        self.joint = Block(config, inner, scalars=False)

    def forward(self, tokens: Tensor, num_pairs: int) -> Tensor:
        """Tokens [B, n, E], customers last, updated."""
        out: Tensor = self.joint(tokens, num_pairs if self.paired else tokens)
        return out


class MultiEncoder(nn.Module):
    """Several depots: a vehicle has no coordinates, only a learnt vector rotated by its number."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.depot = nn.Linear(2, config.embed)
        self.customer = nn.Linear(2, config.embed)
        self.beta = nn.Parameter(torch.empty(config.embed).uniform_(-1.0, 1.0))
        self.project = nn.Linear(config.embed, config.embed, bias=False)
        self.alpha = nn.Parameter(torch.ones(1))
        self.layers = nn.ModuleList(MultiDepotLayer(config) for _ in range(config.num_layers))

    def forward(self, batch: Batch) -> Encoded:
        """Encode a batch."""
        depots, customers = self.depot(batch.depots), self.customer(batch.customers)
        turned = rotate(self.beta.expand(batch.num_vehicles, -1))  # [M, E]
        vehicles = (self.alpha * self.project(turned)).expand(len(depots), -1, -1)  # [B, M, E]
        for layer in self.layers:
            vehicles, depots, customers = layer(vehicles, depots, customers)
        return Encoded(vehicles, torch.cat([depots, customers], dim=1))


class MultiDepotLayer(nn.Module):
    """One P&N layer for several depots: navigation, depot-customer, agent-depot, agent-customer parts."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.navigation: Block | None = None
        if config.encoder != "pn-no-navigation":
            self.navigation = Block(config, Attention(config))
        self.depots_from_customers = Block(config, Attention(config))
        self.customers_from_depots = Block(config, Attention(config, sharp=True))
        self.vehicles_from_depots = Block(config, RotatedQueryAttention(config, sharp=True))
        self.depots_from_vehicles = Block(config, RotatedKeyAttention(config))
        self.vehicles_from_customers = Block(config, RotatedQueryAttention(config))
        self.customers_from_vehicles = Block(config, RotatedKeyAttention(config, sharp=True))

    def forward(self, vehicles: Tensor, depots: Tensor, customers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Vehicles [B, M, E], depots [B, D, E] and customers [B, N, E], updated in the published order."""
        if self.navigation is not None:
            customers = self.navigation(customers, customers)
        depots = self.depots_from_customers(depots, customers)
        customers = self.customers_from_depots(customers, depots)
        vehicles = self.vehicles_from_depots(vehicles, depots)
        depots = self.depots_from_vehicles(depots, vehicles)
        vehicles = self.vehicles_from_customers(vehicles, customers)
        customers = self.customers_from_vehicles(customers, vehicles)
        return vehicles, depots, customers
