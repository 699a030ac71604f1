"""What a baseline that knows customers and routes only needs: legs between customers, and ways to and from
depots.

`lkh`, `cross` and `hga` take these matrices and give back orders of customers; `routes_of` adds the depots.
Half of a customer's service counts on each side of it, so that the matrices stay symmetric.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Route, Solution

Floats = NDArray[np.float64]


def refuse_fleet(instance: Instance, who: str) -> None:
    """Raise `InputError` where vehicles are told apart, routes are open or have a limit."""
    if instance.has_fleet:
        raise InputError(f"{who} knows no fleets and open routes, expected vehicles all alike that return")
    if instance.max_length is not None:
        raise InputError(f"{who} knows no limit on routes, expected an instance without max_length")


def require_plain(instance: Instance, who: str) -> None:
    """Raise `InputError` for a fleet, pairs, limits of vehicles per depot or one-way distances."""
    refuse_fleet(instance, who)
    if len(instance.pairs):
        raise InputError(f"{who} knows no pairs of pickup and delivery, expected an instance without pairs")
    if instance.num_depots > 1 and instance.vehicles_per_depot is not None:
        raise InputError(f"{who} knows no limit of vehicles per depot, expected an instance without one")
    if not instance.is_symmetric:
        raise InputError(
            f"{who} needs distances that are the same both ways, got a matrix that is not symmetric"
        )


def leg_matrix(instance: Instance) -> Floats:
    """[N, N] legs between customers (the first is customer 0 here), half of both services included."""
    nodes = np.array(instance.customers)
    half = instance.node_service[nodes] / 2.0
    return np.asarray(instance.distance(nodes[:, None], nodes[None, :]) + half[:, None] + half[None, :])


def closing_matrix(instance: Instance) -> Floats:
    """[N, N] from the best depot to the first customer (row) and from the last (column) to the best end."""
    to_depots = _to_depots(instance)
    if instance.num_depots == 1 or instance.return_to == "any":
        way = to_depots.min(axis=0)
        return np.asarray(way[:, None] + way[None, :])
    best = np.full((instance.num_customers, instance.num_customers), np.inf)
    for way in to_depots:
        np.minimum(best, way[:, None] + way[None, :], out=best)
    return best


def depot_ways(instance: Instance) -> Floats:
    """[N] from a customer to the nearest depot, where any depot ends a route (or there is one only)."""
    if instance.num_depots > 1 and instance.return_to != "any":
        raise InputError("several depots to return to the start of, expected one depot or free ends")
    return np.asarray(_to_depots(instance).min(axis=0))


def routes_of(instance: Instance, orders: Iterable[Sequence[int]]) -> Solution:
    """The solution of some orders of customers (numbered from 0), each with its best depots."""
    shift = instance.num_depots
    return Solution(
        tuple(with_depots(instance, [shift + int(c) for c in order]) for order in orders if len(order))
    )


def with_depots(instance: Instance, customers: Sequence[int], start: int | None = None) -> Route:
    """The route of some customers (node numbers) with its best depots, or the best end for a given start."""
    depots = np.arange(instance.num_depots)
    out = instance.distance(depots, customers[0])
    back = instance.distance(customers[-1], depots)
    if instance.return_to == "any":
        first = int(out.argmin()) if start is None else start
        return Route(first, tuple(customers), int(back.argmin()))
    depot = int((out + back).argmin()) if start is None else start
    return Route(depot, tuple(customers), depot)


def _to_depots(instance: Instance) -> Floats:
    """[D, N] distance of each depot to each customer, with half of the customer's service."""
    nodes = np.array(instance.customers)
    depots = np.arange(instance.num_depots)
    return np.asarray(instance.distance(depots[:, None], nodes[None, :]) + instance.node_service[nodes] / 2.0)
