"""The judge: names every rule a solution breaks and measures its routes.

Written independently of every solver: it reads the instance and the routes, nothing else, and
every answer of the package passes through it before a user sees it.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..errors import InternalError
from .fleet import NOWHERE, possible_ends, possible_starts
from .instance import Instance
from .solution import Route, Solution

LIMIT_TOLERANCE = 1e-9
"""By which share a route may exceed `max_length`: sums of many legs are rounded."""


class Rule(StrEnum):
    """The rules a plan must keep, by the names that violations carry."""

    UNKNOWN_NODE = "unknown node"
    MISSING = "missing customer"
    TWICE = "visited twice"
    ORDER = "pickup after delivery"
    SPLIT = "pair split"
    RETURN = "wrong return depot"
    ROUTES = "too many routes"
    DEPOT = "too many vehicles at a depot"
    FLEET = "vehicle without a route"
    START = "wrong start"
    ALLOWED = "vehicle not allowed"
    TOO_LONG = "route too long"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule and where it is broken."""

    rule: Rule
    detail: str
    nodes: tuple[int, ...] = ()
    """The nodes concerned."""
    route: int | None = None
    """The route concerned, counted from 0; None where it is about several or none."""

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}"


def violations(instance: Instance, solution: Solution) -> list[Violation]:
    """Every rule of `instance` that `solution` breaks; an empty list means feasible."""
    unknown = _unknown_nodes(instance, solution)
    if unknown:  # node numbers that do not exist make the other rules meaningless
        return unknown
    nodes, route_of = _flatten(solution)
    return [
        *_visits(instance, nodes),
        *_pairs(instance, nodes, route_of),
        *_depots(instance, solution),
        *_fleet(instance, solution),
        *_too_long(instance, solution),
    ]


def broken_rules(instance: Instance, solution: Solution) -> list[Violation]:
    """Violations but those of the limit on lengths: the best plan there is may exceed it."""
    return [found for found in violations(instance, solution) if found.rule != Rule.TOO_LONG]


def judge(instance: Instance, solution: Solution, lower_bound: float) -> None:
    """Raise `InternalError` for a solver's answer that breaks a rule or is below the lower bound."""
    found = broken_rules(instance, solution)
    if found:
        raise InternalError(f"the solver's answer breaks {len(found)} rules, first {found[0]}")
    longest = makespan(instance, solution)
    if longest < lower_bound * (1.0 - 1e-9):
        raise InternalError(f"the solver's answer {longest!r} is below the lower bound {lower_bound!r}")


def route_lengths(instance: Instance, solution: Solution) -> NDArray[np.float64]:
    """Length of each route in the instance's unit: [number of routes].

    It is the travel plus the service of its customers. Where vehicles are told apart (`Instance.has_fleet`),
    the travel of route k is divided by the speed of vehicle k, an unused vehicle does not travel, and the
    work that it has done already counts.
    """
    legs = [np.asarray(r.nodes, dtype=np.int64) for r in solution.routes]
    if not legs:
        return np.zeros(0)
    sizes = np.array([len(leg) for leg in legs])
    nodes = np.concatenate(legs)
    ends = np.cumsum(sizes)
    step = instance.distance(nodes[:-1], nodes[1:])
    step[ends[:-1] - 1] = 0.0  # from the end of one route to the start of the next: not driven
    step = np.append(step, 0.0)
    service = instance.node_service[nodes]
    if not instance.has_fleet:
        return np.add.reduceat(step + service, ends - sizes)
    travel = np.add.reduceat(step, ends - sizes)
    travel[[not route.customers for route in solution.routes]] = 0.0
    vehicles = instance.vehicles[: len(legs)]  # more routes than vehicles break a rule, and are measured
    travel[: len(vehicles)] /= [vehicle.speed for vehicle in vehicles]
    travel[: len(vehicles)] += [vehicle.done for vehicle in vehicles]
    return np.asarray(travel + np.add.reduceat(service, ends - sizes))


def travel(instance: Instance, route: Route) -> float:
    """How far a route goes, without service, in kilometres where they are known; 0 if it serves nobody."""
    nodes = np.asarray(route.nodes, dtype=np.int64)
    return float(instance.way(nodes[:-1], nodes[1:]).sum()) if route.customers else 0.0


def route_length(instance: Instance, route: Route, vehicle: int = 0) -> float:
    """Length of one route, service included; in a fleet, driven by vehicle number `vehicle` (from 0)."""
    before = (Route(route.start, (), route.start),) * (vehicle if instance.has_fleet else 0)
    return float(route_lengths(instance, Solution((*before, route)))[-1])


def makespan(instance: Instance, solution: Solution) -> float:
    """Length of the longest route (the objective); 0 for no routes."""
    return float(route_lengths(instance, solution).max(initial=0.0))


def gap(longest: float, lower_bound: float) -> float:
    """How far a makespan can be above the optimum: makespan / lower bound − 1, at least 0.

    Infinite where the bound is 0 and says nothing.
    """
    if longest <= lower_bound:
        return 0.0
    return longest / lower_bound - 1.0 if lower_bound > 0 else math.inf


def _flatten(solution: Solution) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All customers in driving order, and the route that visits each."""
    nodes = np.array([c for r in solution.routes for c in r.customers], dtype=np.int64)
    route_of = np.repeat(np.arange(len(solution.routes)), [len(r) for r in solution.routes])
    return nodes, route_of


def _unknown_nodes(instance: Instance, solution: Solution) -> list[Violation]:
    found = []
    for number, route in enumerate(solution.routes, 1):
        ends = {route.start} if route.is_open and instance.has_fleet else {route.start, route.end}
        for depot in ends:
            if not 0 <= depot < instance.num_depots:
                last = instance.num_depots - 1
                found.append((number, depot, f"depots are 0 to {last}"))
        customers = np.asarray(route.customers, dtype=np.int64)
        wrong = (customers < instance.num_depots) | (customers >= instance.num_nodes)
        span = f"customers are {instance.num_depots} to {instance.num_nodes - 1}"
        found += [(number, int(node), span) for node in customers[wrong]]
    return [
        Violation(Rule.UNKNOWN_NODE, f"route {k} has node {n}; {s}", (int(n),), k - 1) for k, n, s in found
    ]


def _visits(instance: Instance, nodes: NDArray[np.int64]) -> list[Violation]:
    count = np.bincount(nodes, minlength=instance.num_nodes)
    customers = np.arange(instance.num_depots, instance.num_nodes)
    missing = customers[count[customers] == 0]
    twice = customers[count[customers] > 1]
    return [
        Violation(Rule.MISSING, f"{instance.label(c)} is on no route", (c,)) for c in missing.tolist()
    ] + [
        Violation(Rule.TWICE, f"{instance.label(c)} is visited {count[c]} times", (c,))
        for c in twice.tolist()
    ]


def _pairs(instance: Instance, nodes: NDArray[np.int64], route_of: NDArray[np.int64]) -> list[Violation]:
    if not len(instance.pairs):
        return []
    place = np.full(instance.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    pickup, delivery = instance.pairs[:, 0], instance.pairs[:, 1]
    both = (place[pickup] >= 0) & (place[delivery] >= 0)
    found = []
    for p, d in instance.pairs[both]:
        first, second = place[p], place[d]
        names = f"pickup {instance.label(int(p))} and delivery {instance.label(int(d))}"
        if route_of[first] != route_of[second]:
            where = f"routes {route_of[first] + 1} and {route_of[second] + 1}"
            found.append(Violation(Rule.SPLIT, f"{names} are on {where}", (int(p), int(d))))
        elif first > second:
            route = int(route_of[first])
            found.append(Violation(Rule.ORDER, f"{names} on route {route + 1}", (int(p), int(d)), route))
    return found


def _depots(instance: Instance, solution: Solution) -> list[Violation]:
    found = []
    if instance.return_to == "start" and not instance.has_fleet:
        for number, route in enumerate(solution.routes, 1):
            if route.start != route.end:
                detail = (
                    f"route {number} starts at {instance.label(route.start)} "
                    f"and ends at {instance.label(route.end)}"
                )
                found.append(Violation(Rule.RETURN, detail, (route.start, route.end), number - 1))
    if len(solution.routes) > instance.num_vehicles:
        detail = f"{len(solution.routes)} routes for {instance.num_vehicles} vehicles"
        found.append(Violation(Rule.ROUTES, detail))
    if instance.vehicles_per_depot is not None:
        starts = np.bincount([r.start for r in solution.routes], minlength=instance.num_depots)
        for depot in np.flatnonzero(starts > instance.vehicles_per_depot):
            detail = (
                f"{starts[depot]} routes start at {instance.label(int(depot))}, "
                f"which has {instance.vehicles_per_depot[depot]} vehicles"
            )
            found.append(Violation(Rule.DEPOT, detail, (int(depot),)))
    return found


def _fleet(instance: Instance, solution: Solution) -> list[Violation]:
    """The rules of vehicles that are told apart: one route each, in their order."""
    if not instance.has_fleet:
        return []
    found = []
    if len(solution.routes) < instance.num_vehicles:
        detail = f"{len(solution.routes)} routes for {instance.num_vehicles} vehicles, expected one for each"
        found.append(Violation(Rule.FLEET, detail))
    for k, (vehicle, route) in enumerate(zip(instance.vehicles, solution.routes, strict=False)):
        starts = possible_starts(instance, vehicle)
        if route.start not in starts:
            where, expected = instance.label(route.start), instance.label(starts[0])
            detail = f"{vehicle.name} starts at {where}, expected {expected}"
            found.append(Violation(Rule.START, detail, (route.start,), k))
        ends = possible_ends(instance, vehicle, route.start)
        if route.customers and route.end not in ends:  # a vehicle that stays where it is ends nowhere else
            where = f"ends {_place(instance, route.end)}, expected {_place(instance, ends[0], len(ends))}"
            found.append(Violation(Rule.RETURN, f"{vehicle.name} {where}", (route.end,), k))
        for node in route.customers:
            if instance.allowed and k not in instance.allowed.get(node, (k,)):
                names = ", ".join(instance.vehicles[v].name for v in instance.allowed[node])
                detail = f"{instance.label(node)} is on the route of {vehicle.name}, expected {names}"
                found.append(Violation(Rule.ALLOWED, detail, (node,), k))
    return found


def _place(instance: Instance, end: int, choices: int = 1) -> str:
    if end == NOWHERE:
        return "at its last customer"
    return f"at {instance.label(end)}" if choices == 1 else "at a depot"


def _too_long(instance: Instance, solution: Solution) -> list[Violation]:
    limit = instance.max_length
    if limit is None:
        return []
    lengths = route_lengths(instance, solution)
    found = []
    for k in np.flatnonzero(lengths > limit * (1.0 + LIMIT_TOLERANCE)).tolist():
        detail = f"route {k + 1} is {lengths[k]:.6g} long, the limit is {limit:g}"
        found.append(Violation(Rule.TOO_LONG, detail, solution.routes[k].customers, k))
    return found
