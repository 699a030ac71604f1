"""From actions to routes and back; makespans of rollouts by the distance of the instance itself.

A rollout is a row of tokens; a solution is routes over node numbers. `policy` reads rollouts here;
training turns known good solutions into actions.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Route, Solution
from .batch import Batch
from .policy_config import Form

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenMap:
    """Which node of an instance each token stands for."""

    instance: Instance
    form: Form
    nodes: Indices
    """int64 [S]"""

    @classmethod
    def of(cls, instance: Instance, form: Form) -> "TokenMap":
        """The tokens of `instance` in a batch of `form`. Raises `InputError` where it does not fit."""
        reason = misfit(instance, form)
        if reason is not None:
            raise InputError(reason)
        customers = np.arange(instance.num_depots, instance.num_nodes)
        if form == "multi":
            return cls(instance, form, np.arange(instance.num_nodes))
        if form == "pairs":
            customers = instance.pairs.T.reshape(-1)  # all pickups, then their deliveries
        return cls(instance, form, np.concatenate([np.zeros(instance.num_vehicles, np.int64), customers]))

    @property
    def num_depot_tokens(self) -> int:
        """G."""
        return len(self.nodes) - self.instance.num_customers

    @property
    def shape(self) -> tuple[object, ...]:
        """What instances must share to be in one batch."""
        one = self.instance
        return one.num_customers, one.num_depots, one.num_vehicles, one.return_to

    def points(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Depots [D, 2] and customers [N, 2] in the unit square, aspect ratio kept."""
        plane = unit_square(self.instance.plane)
        depots = plane[: self.instance.num_depots]
        return depots.astype(np.float32), plane[self.nodes[self.num_depot_tokens :]].astype(np.float32)

    def solution(self, actions: Indices) -> Solution:
        """The routes of one rollout, `actions` int64 [T]; vehicles that stay unused included."""
        nodes = self.nodes[actions]
        stops = np.flatnonzero(actions < self.num_depot_tokens)
        if self.form == "multi":  # depot actions alternate: start, close
            spans = zip(stops[0::2], stops[1::2], strict=True)
            return Solution(tuple(Route.of(nodes[a + 1 : b], nodes[a], nodes[b]) for a, b in spans))
        begins = np.concatenate([[0], stops[:-1] + 1])
        return Solution(tuple(Route.of(nodes[a:b]) for a, b in zip(begins, stops, strict=True)))

    def makespans(self, actions: Indices) -> NDArray[np.float64]:
        """True makespan of each rollout, `actions` int64 [R, T], service included: [R].

        Vehicles without customers count nothing.
        """
        instance, nodes = self.instance, self.nodes[actions]
        at_depot = actions < self.num_depot_tokens  # [R, T]
        before: Indices = np.cumsum(at_depot, axis=1) - at_depot
        came_from = np.concatenate([np.zeros_like(nodes[:, :1]), nodes[:, :-1]], axis=1)
        leg = instance.distance(came_from, nodes) + instance.node_service[nodes]
        route = before
        if self.form == "multi":
            route = before // 2
            leg[before % 2 == 0] = 0.0  # choosing where to start costs nothing
        cell = (np.arange(len(nodes))[:, None] * instance.num_vehicles + route).ravel()
        count = len(nodes) * instance.num_vehicles
        lengths = np.bincount(cell, leg.ravel(), count)
        used = np.bincount(cell, ~at_depot.ravel(), count) > 0
        return np.asarray((lengths * used).reshape(len(nodes), -1).max(axis=1))


def misfit(instance: Instance, form: Form) -> str | None:
    """Why a policy of `form` cannot serve `instance`, or None when it can."""
    if instance.has_fleet:
        return "a policy serves vehicles that are all alike and return, got a fleet or open routes"
    num_pairs, num_depots = len(instance.pairs), instance.num_depots
    if form == "pairs":
        if num_depots != 1:
            return f"this policy serves one depot with pairs, got {num_depots} depots"
        if 2 * num_pairs != instance.num_customers:
            return (
                f"this policy serves pickup-delivery pairs only, got {num_pairs} pairs "
                f"for {instance.num_customers} customers"
            )
        return None
    if num_pairs:
        return f"this policy serves customers without pairs, got {num_pairs} pairs"
    if form == "single" and num_depots != 1:
        return f"this policy serves one depot, got {num_depots} depots"
    return None


def form_of(instance: Instance) -> Form:
    """The form made for `instance`: with pairs, one depot or several."""
    if len(instance.pairs):
        return "pairs"
    return "single" if instance.num_depots == 1 else "multi"


def unit_square(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """`points` [n, 2] moved and scaled into the unit square, one scale for both axes.

    Points that lie in the square already and span more than half of it stay as they are, like the
    instances that policies are trained on.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = (high - low).max()
    if low.min() >= 0.0 and high.max() <= 1.0 and span > 0.5:
        return points
    return np.asarray((points - low) / (span if span > 0.0 else 1.0))


def batch_of(token_maps: list[TokenMap], device: torch.device | str = "cpu") -> Batch:
    """One batch of instances of equal shape, coordinates normalised."""
    points = [token_map.points() for token_map in token_maps]
    one = token_maps[0]
    fleets = [token_map.instance.vehicles_per_depot for token_map in token_maps]
    limits = None
    if one.form == "multi" and any(fleet is not None for fleet in fleets):
        anywhere = np.full(one.instance.num_depots, one.instance.num_vehicles, dtype=np.int64)
        limits = torch.from_numpy(np.stack([anywhere if f is None else f for f in fleets]))
    return Batch(
        depots=torch.from_numpy(np.stack([depots for depots, _ in points])),
        customers=torch.from_numpy(np.stack([customers for _, customers in points])),
        num_vehicles=one.instance.num_vehicles,
        form=one.form,
        return_to="any" if one.instance.return_to == "any" else "start",
        vehicles_per_depot=limits,
    ).to(device)
