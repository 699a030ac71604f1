"""A plan that changes: what of yesterday's plan must stay in today's, and what has changed in the end.

`solve` asks for it before the search; `repair` makes a plan fit the instance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ..errors import InputError
from .fleet import Vehicle
from .instance import Instance
from .repair import cleaned, completed
from .solution import Route, Solution

Keep = Literal["order", "vehicle", "nothing"]
"""What stays of a plan: stops in their order on their vehicle, stops on their vehicle, nothing."""
StartLike = Solution | Sequence[Solution] | None
"""What a search may be given to begin with."""

GONE = -1
"""Number of a stop that the instance does not have."""


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """What to search, from where, and what the search may not change."""

    instance: Instance
    """The instance to search: stops that stay on their vehicle are allowed for no other."""
    start: StartLike
    """The plan made to fit, complete; of vehicles that are told apart one route for each. Where nothing is
    to be kept, the starts as they were given."""
    fixed: frozenset[int] = frozenset()
    """Customers that keep their vehicle and their order."""


def keep_plan(instance: Instance, plan: StartLike, keep: Keep) -> KeptPlan:
    """What `keep` leaves of a plan. It may lack customers, or visit some that the instance does not have.

    To keep something, vehicles must be told apart: in a plain instance the vehicles of routes in use then
    stay at their depots. Raises `InputError` for another `keep`, or where there is not just one plan.
    """
    if keep not in get_args(Keep):
        raise InputError(f"keep = {keep!r}, expected one of {', '.join(get_args(Keep))}")
    if not isinstance(plan, Solution):
        raise InputError(f"keep = {keep!r}, expected one plan as start")
    routes = cleaned(instance, plan.routes)
    if keep == "nothing":
        return KeptPlan(instance, completed(instance, routes))
    today = instance if instance.has_fleet else _with_fleet(instance, routes)
    start = completed(today, routes)
    if keep == "order":
        return KeptPlan(today, start, frozenset(node for route in routes for node in route.customers))
    allowed = dict(today.allowed or {})
    for number, route in enumerate(routes):
        allowed |= dict.fromkeys(route.customers, (number,))
    return KeptPlan(replace(today, allowed=allowed or None), start)


def _with_fleet(instance: Instance, routes: Sequence[Route]) -> Instance:
    """A plain instance with its vehicles told apart."""
    bound = instance.vehicles_per_depot is not None
    fleet = tuple(Vehicle(start=route.start if route.customers or bound else None) for route in routes)
    return replace(instance, fleet=fleet, vehicles_per_depot=None)


def count_moved(instance: Instance, before: Solution, after: Solution) -> tuple[int, Solution]:
    """How many stops that are in both plans changed their vehicle, and the second plan.

    Vehicles that are all alike have no names: the routes of the second plan are then put in the order in
    which fewest stops change.
    """
    number_of = {node: number for number, route in enumerate(after.routes) for node in route.customers}
    size = max(len(before.routes), len(after.routes))
    shared = np.zeros((size, size))
    for number, route in enumerate(before.routes):
        for node in route.customers:
            if node in number_of:
                shared[number, number_of[node]] += 1.0
    if instance.has_fleet:
        return int(shared.sum() - np.trace(shared)), after
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(shared, maximize=True)
    ordered = tuple(after.routes[k] for k in columns.tolist() if k < len(after.routes))
    return int(shared.sum() - shared[rows, columns].sum()), Solution(ordered)


def carry_over(plan: Solution, before: Instance, instance: Instance) -> Solution:
    """A plan for `before` in the node numbers of `instance`, whose stops have the same names; see `solve`.

    Stops that are gone are left out. Where one of them has no names, nodes keep their numbers. Routes begin
    where the plan says if that is a depot of the same name, else at the first depot: `solve` puts vehicles
    with a start of their own there. Routes of vehicles that are told apart go to those of the same name; the
    routes of vehicles that are gone come last, and `solve` gives their stops to others.
    """
    if before.names is None or instance.names is None:
        return plan
    node_of = {name: node for node, name in enumerate(instance.names)}
    number = [node_of.get(name, GONE) for name in before.names]
    routes = []
    for route in plan.routes:
        customers = tuple(number[node] for node in route.customers if number[node] >= instance.num_depots)
        start = number[route.start] if 0 <= number[route.start] < instance.num_depots else 0
        end = route.end if route.is_open else number[route.end]
        if not route.is_open and not 0 <= end < instance.num_depots:
            end = start
        routes.append(Route(start, customers, end))
    return Solution(tuple(_by_vehicle(routes, before, instance)))


def _by_vehicle(routes: list[Route], before: Instance, instance: Instance) -> list[Route]:
    """The routes in the order of the vehicles of `instance` with the same names, if both have a fleet."""
    if before.fleet is None or instance.fleet is None:
        return routes
    left = {vehicle.name: route for vehicle, route in zip(before.vehicles, routes, strict=False)}
    ordered = [left.pop(vehicle.name, Route.idle(vehicle)) for vehicle in instance.vehicles]
    return [*ordered, *left.values()]
