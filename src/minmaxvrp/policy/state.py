"""A construction in progress: what each rollout has done, may do next, and tells the decoder.

Immutable: `step` returns a new `State`. `rollout` drives it from `start` to `done`; `teacher_forcing`
computes the same decisions for all steps at once.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .batch import Batch


@dataclass(frozen=True, eq=False)
class Decisions:
    """Everything the decoder reads about R decisions of each of B instances."""

    current: Tensor
    """int64 [B, R] the token the vehicle stands at."""
    vehicle: Tensor
    """int64 [B, R] the vehicle now driving."""
    begun: Tensor
    """int64 [B, R] the depot where its route started, D before it has chosen; with one depot always 0."""
    way_back: Tensor
    """float32 [B, R] from the current token to that depot, 0 before it is chosen or with one depot."""
    features: Tensor
    """float32 [B, R, 2 + lengths]: vehicles to come, customers left, then the lengths."""
    allowed: Tensor
    """bool [B, R, S]"""
    unvisited: Tensor
    """bool [B, R, N]"""
    first: Tensor
    """bool [R] which decisions are the first of their rollout."""


@dataclass(frozen=True, eq=False)
class State:
    """B × K constructions after the same number of steps."""

    batch: Batch
    permutations: Tensor
    """int64 [B, K, M] the order in which the vehicles drive."""
    steps: int
    visited: Tensor
    """bool [B, K, N]"""
    current: Tensor
    """int64 [B, K]"""
    closed: Tensor
    """int64 [B, K] routes closed so far."""
    begun: Tensor
    """int64 [B, K] depot token where the open route started; -1 while it is still to be chosen."""
    length: Tensor
    """float32 [B, K] of the open route, without the way back."""
    longest: Tensor
    """float32 [B, K] of the closed routes."""
    left_reach: Tensor
    """float32 [B, K] largest distance to a depot of the customers unvisited before the last action."""
    carried: Tensor
    """float32 [B, K] pickup → delivery distances of the requests the open route has picked, summed."""
    starts: Tensor | None
    """int64 [B, K, D] routes started at each depot, where the instances limit them."""

    @classmethod
    def start(cls, batch: Batch, permutations: Tensor) -> "State":
        """Nothing visited yet. `permutations`: int64 [K, M] shared by all instances, or [B, K, M]."""
        order = permutations.expand(batch.size, -1, -1)  # [B, K, M]
        shape = order.shape[:2]
        zero = batch.customers.new_zeros(shape)
        count = order.new_zeros(shape)
        return cls(
            batch=batch,
            permutations=order,
            steps=0,
            visited=torch.zeros(*shape, batch.num_customers, dtype=torch.bool, device=order.device),
            current=order[:, :, 0] % batch.num_depot_tokens,
            closed=count,
            begun=count - 1 if batch.form == "multi" else count,
            length=zero,
            longest=zero,
            left_reach=batch.reach.amax(dim=1, keepdim=True).expand(shape),
            carried=zero,
            starts=None if batch.vehicles_per_depot is None else order.new_zeros((*shape, batch.num_depots)),
        )

    @property
    def done(self) -> bool:
        """Whether all routes are closed."""
        return self.steps == self.batch.num_steps

    @property
    def makespan(self) -> Tensor:
        """Length of the longest closed route: [B, K]."""
        return self.longest

    @property
    def vehicle(self) -> Tensor:
        """The vehicle now driving: int64 [B, K]."""
        turn = self.closed.clamp(max=self.batch.num_vehicles - 1)
        return self.permutations.gather(2, turn.unsqueeze(-1)).squeeze(-1)

    @property
    def may_close(self) -> Tensor:
        """Whether the open route may close: the last one only when it leaves no customer: [B, K]."""
        last = self.closed == self.batch.num_vehicles - 1
        free = ~last | self.visited.all(dim=-1)
        if self.batch.form == "pairs":
            pickups, deliveries = self.visited.chunk(2, dim=-1)
            free &= (pickups == deliveries).all(dim=-1)
        return free

    @property
    def allowed(self) -> Tensor:
        """Actions that keep the construction feasible: bool [B, K, S]; at least one while not done."""
        batch = self.batch
        customers = reachable(batch, ~self.visited)  # [B, K, N]
        token = torch.arange(batch.num_depot_tokens, device=self.current.device)  # [G]
        close = self.may_close.unsqueeze(-1)
        if batch.form != "multi":
            return torch.cat([(token == self.vehicle.unsqueeze(-1)) & close, customers], dim=-1)
        starting = (self.begun < 0).unsqueeze(-1)  # [B, K, 1]
        closing = close & (token == self.begun.unsqueeze(-1)) if batch.return_to == "start" else close
        depots = torch.where(starting, self._free_depots(), closing)
        return torch.cat([depots, customers & ~starting], dim=-1)

    def _free_depots(self) -> Tensor:
        """Depots where another route may start: bool [B, K, D], or [1, 1, D] without limits."""
        limit = self.batch.vehicles_per_depot
        if self.starts is None or limit is None:
            return torch.ones(1, 1, self.batch.num_depots, dtype=torch.bool, device=self.current.device)
        return self.starts < limit.unsqueeze(1)

    @property
    def features(self) -> Tensor:
        """Scalars of the context: float32 [B, K, 2 + lengths]."""
        batch = self.batch
        vehicles_left = 1.0 - (self.closed + 1) / batch.num_vehicles
        if batch.form == "pairs":
            return torch.stack([vehicles_left, *self._pair_features()], dim=-1)
        left = (~self.visited).sum(dim=-1) / batch.num_customers
        reach = batch.reach.amax(dim=1, keepdim=True).expand_as(self.length)
        return torch.stack([vehicles_left, left, self.length, reach, self.left_reach], dim=-1)

    def _pair_features(self) -> list[Tensor]:
        batch = self.batch
        unpicked, undelivered = (~self.visited).chunk(2, dim=-1)  # [B, K, Q]
        reach_p, reach_d = batch.reach.unsqueeze(1).chunk(2, dim=-1)  # [B, 1, Q]
        farthest = reach_p if self.steps == 0 else batch.detour.unsqueeze(1)
        to_come = (unpicked * batch.ride.unsqueeze(1)).sum(dim=-1)
        return [
            unpicked.sum(dim=-1) / (batch.num_customers / 2),
            self.length,
            (unpicked * farthest).amax(dim=-1),
            (undelivered * reach_d).amax(dim=-1),
            self.carried,
            to_come / (batch.num_vehicles - self.closed).clamp(min=1),
        ]

    @property
    def decisions(self) -> Decisions:
        """What the decoder reads, R = K."""
        first = torch.full(self.current.shape[1:], self.steps == 0, device=self.current.device)
        return Decisions(
            current=self.current,
            vehicle=self.vehicle,
            begun=self.begun.masked_fill(self.begun < 0, self.batch.num_depots),
            way_back=way_back(self.batch, self.current, self.begun),
            features=self.features,
            allowed=self.allowed,
            unvisited=~self.visited,
            first=first,
        )

    def step(self, action: Tensor) -> "State":
        """The state after `action` int64 [B, K], one allowed token per rollout."""
        batch = self.batch
        at_depot = action < batch.num_depot_tokens
        starting = self.begun < 0
        closing = at_depot & ~starting
        length = self.length + batch.distance(self.current, action).masked_fill(starting, 0.0)
        customer = torch.arange(batch.num_tokens, device=action.device)[batch.num_depot_tokens :]
        newly = customer == action.unsqueeze(-1)  # [B, K, N]
        carried, begun, starts = self.carried, self.begun, self.starts
        if batch.form == "pairs":
            carried = carried + (newly.chunk(2, dim=-1)[0] * batch.ride.unsqueeze(1)).sum(dim=-1)
        if batch.form == "multi":
            begun = torch.where(starting, action, self.begun).masked_fill(closing, -1)
            if starts is not None:
                token = torch.arange(batch.num_depots, device=action.device)
                starts = starts + (starting.unsqueeze(-1) & (token == action.unsqueeze(-1)))
        return State(
            batch=batch,
            permutations=self.permutations,
            steps=self.steps + 1,
            visited=self.visited | newly,
            current=action,
            closed=self.closed + closing,
            begun=begun,
            length=length.masked_fill(closing, 0.0),
            longest=torch.where(closing, torch.maximum(self.longest, length), self.longest),
            left_reach=(~self.visited * batch.reach.unsqueeze(1)).amax(dim=-1),
            carried=carried.masked_fill(closing, 0.0),
            starts=starts,
        )


def reachable(batch: Batch, unvisited: Tensor) -> Tensor:
    """The unvisited customers [..., N] that may come next: with pairs no delivery before its pickup."""
    if batch.form != "pairs":
        return unvisited
    pickups, deliveries = unvisited.chunk(2, dim=-1)
    return torch.cat([pickups, deliveries & ~pickups], dim=-1)


def way_back(batch: Batch, current: Tensor, begun: Tensor) -> Tensor:
    """From the tokens `current` to the depots `begun`, both int64 [B, R], 0 where that is -1: [B, R]."""
    if batch.form != "multi":
        return batch.customers.new_zeros(current.shape)
    return batch.distance(current, begun.clamp(min=0)).masked_fill(begun < 0, 0.0)
