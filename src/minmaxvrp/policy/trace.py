"""All steps of complete rollouts at once: what each of them knew and was allowed to do.

The twin of `state`, which goes step by step; tests compare them. `teacher_forcing` and the compiled `replay`
read it.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .batch import Batch
from .state import Decisions, reachable, way_back


@dataclass(frozen=True, eq=False)
class Contexts:
    """What each step of complete rollouts knows, apart from the masks of the customers: [B, K, T]."""

    current: Tensor
    vehicle: Tensor
    begun: Tensor
    """Depot where the open route started, -1 while it is still to be chosen."""
    way_back: Tensor
    features: Tensor
    """[B, K, T, F]"""
    depots: Tensor
    """bool [B, K, T, G] which depot tokens may be chosen."""


def contexts(batch: Batch, order: Tensor, actions: Tensor) -> Contexts:
    """The contexts of complete rollouts, `order` int64 [B, K, M], `actions` int64 [B, K, T]."""
    num_depot_tokens = batch.num_depot_tokens
    at_depot = actions < num_depot_tokens  # [B, K, T]
    before = _before(at_depot.long())
    if batch.form == "multi":  # depot actions alternate: start, close, start, …
        starting, closed = before % 2 == 0, before // 2
    else:
        starting, closed = torch.zeros_like(at_depot), before
    closing = at_depot & ~starting
    current = torch.cat([order[:, :, :1] % num_depot_tokens, actions[:, :, :-1]], dim=-1)
    vehicle = order.gather(2, closed)
    leg = batch.distance(current.flatten(1), actions.flatten(1)).view(actions.shape)
    length = _since_close(leg.masked_fill(starting, 0.0), closing)
    left = batch.num_customers - _before((~at_depot).long())
    lengths = _pair_lengths if batch.form == "pairs" else _plain_lengths
    features = [
        1.0 - (closed + 1) / batch.num_vehicles,
        *lengths(batch, actions, closing, closed, left, length),
    ]
    begun = _begun(batch, actions, starting)
    return Contexts(
        current=current,
        vehicle=vehicle,
        begun=begun,
        way_back=way_back(batch, current.flatten(1), begun.flatten(1)).view(actions.shape),
        features=torch.stack(features, dim=-1),
        depots=_allowed_depots(batch, vehicle, closed, left, begun, actions),
    )


def trace(batch: Batch, order: Tensor, actions: Tensor) -> Decisions:
    """The decisions of complete rollouts, R = K·T with the step running fastest.

    `order` int64 [B, K, M], `actions` int64 [B, K, T].
    """
    found = contexts(batch, order, actions)
    unvisited = _unvisited(batch, actions)
    customers = reachable(batch, unvisited)
    if batch.form == "multi":
        customers = customers & (found.begun >= 0).unsqueeze(-1)
    steps = torch.arange(actions.shape[1] * actions.shape[2], device=actions.device)
    return Decisions(
        current=found.current.flatten(1),
        vehicle=found.vehicle.flatten(1),
        begun=found.begun.masked_fill(found.begun < 0, batch.num_depot_tokens).flatten(1),
        way_back=found.way_back.flatten(1),
        features=found.features.flatten(1, 2),
        allowed=torch.cat([found.depots, customers], dim=-1).flatten(1, 2),
        unvisited=unvisited.flatten(1, 2),
        first=steps % actions.shape[2] == 0,
    )


def _before(values: Tensor) -> Tensor:
    """Sum over the earlier steps: [B, K, T]."""
    return values.cumsum(dim=-1) - values


def _since_close(values: Tensor, closing: Tensor) -> Tensor:
    """Sum of `values` ≥ 0 over the earlier steps of the same route, in double inside: [B, K, T]."""
    total = values.double().cumsum(dim=-1)
    closed = torch.where(closing, total, 0.0).cummax(dim=-1).values  # totals never fall
    return F.pad((total - closed)[..., :-1], (1, 0)).float()


def _still_to_come(values: Tensor) -> Tensor:
    """Largest of `values` ≥ 0 over this and the later steps: [B, K, T]."""
    return values.flip(-1).cummax(dim=-1).values.flip(-1)


def _of_customers(batch: Batch, values: Tensor, actions: Tensor, first: int = 0) -> Tensor:
    """`values` [B, n] of the customers first .. first + n - 1 where they are visited, else 0: [B, K, T]."""
    before = batch.num_depot_tokens + first
    table = F.pad(values, (before, batch.num_tokens - before - values.shape[1]))  # [B, S]
    return table.gather(1, actions.flatten(1)).view(actions.shape)


def _plain_lengths(
    batch: Batch, actions: Tensor, closing: Tensor, closed: Tensor, left: Tensor, length: Tensor
) -> list[Tensor]:
    reach = _still_to_come(_of_customers(batch, batch.reach, actions))
    lagging = torch.cat([reach[..., :1], reach[..., :-1]], dim=-1)
    return [left / batch.num_customers, length, reach[..., :1].expand_as(reach), lagging]


def _pair_lengths(
    batch: Batch, actions: Tensor, closing: Tensor, closed: Tensor, left: Tensor, length: Tensor
) -> list[Tensor]:
    num_pairs = batch.num_customers // 2
    reach_p, reach_d = batch.reach.chunk(2, dim=1)  # [B, Q]
    customer = actions - batch.num_depot_tokens
    picks = ((customer >= 0) & (customer < num_pairs)).long()
    ride = _of_customers(batch, batch.ride, actions)
    farthest = _still_to_come(_of_customers(batch, batch.detour, actions))
    farthest[..., 0] = reach_p.amax(dim=1, keepdim=True)
    to_come = batch.ride.sum(dim=1)[:, None, None] - _before(ride.double())
    return [
        (num_pairs - _before(picks)) / num_pairs,
        length,
        farthest,
        _still_to_come(_of_customers(batch, reach_d, actions, num_pairs)),
        _since_close(ride, closing),
        (to_come / (batch.num_vehicles - closed)).float(),
    ]


def _begun(batch: Batch, actions: Tensor, starting: Tensor) -> Tensor:
    """Depot where the open route started, -1 while it is still to be chosen: int64 [B, K, T]."""
    if batch.form != "multi":
        return torch.zeros_like(actions)
    step = torch.arange(actions.shape[-1], device=actions.device)
    last = torch.where(actions < batch.num_depots, step, 0).cummax(dim=-1).values  # latest depot action
    begun = actions.gather(2, torch.cat([last[..., :1], last[..., :-1]], dim=-1))
    return begun.masked_fill(starting, -1)


def _unvisited(batch: Batch, actions: Tensor) -> Tensor:
    """Customers not visited yet: bool [B, K, T, N]."""
    step = torch.arange(actions.shape[-1], device=actions.device)
    when = torch.zeros(*actions.shape[:2], batch.num_tokens, dtype=torch.long, device=actions.device)
    when.scatter_(2, actions, step.expand_as(actions))
    return when[:, :, None, batch.num_depot_tokens :] >= step[:, None]


def _allowed_depots(
    batch: Batch, vehicle: Tensor, closed: Tensor, left: Tensor, begun: Tensor, actions: Tensor
) -> Tensor:
    """bool [B, K, T, G], the depot tokens that `State.allowed` gives step by step."""
    may_close = (closed < batch.num_vehicles - 1) | (left == 0)  # [B, K, T]
    if batch.form == "pairs":
        customer = actions - batch.num_depot_tokens
        picks = ((customer >= 0) & (customer < batch.num_customers // 2)).long()
        visits = (customer >= 0).long()
        may_close = may_close & (2 * _before(picks) == _before(visits))  # nothing on board
    token = torch.arange(batch.num_depot_tokens, device=actions.device)
    close = may_close.unsqueeze(-1)
    if batch.form != "multi":
        return (token == vehicle.unsqueeze(-1)) & close
    closing = close.expand(*close.shape[:-1], len(token))
    if batch.return_to == "start":
        closing = close & (token == begun.unsqueeze(-1))
    starting = begun < 0
    return torch.where(starting.unsqueeze(-1), _free_depots(batch, actions, starting, token), closing)


def _free_depots(batch: Batch, actions: Tensor, starting: Tensor, token: Tensor) -> Tensor:
    """Depots where a route may start: bool [B, K, T, D], or [D] without limits."""
    if batch.vehicles_per_depot is None:
        return torch.ones_like(token, dtype=torch.bool)
    starts = (starting.unsqueeze(-1) & (actions.unsqueeze(-1) == token)).long()  # [B, K, T, D]
    return starts.cumsum(dim=2) - starts < batch.vehicles_per_depot[:, None, None]
