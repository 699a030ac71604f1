"""A plan of yesterday for the instance of today: stops that are gone are dropped, new ones inserted.

`solve` makes a plan to start from fit through it, `keep` says what of it must stay; the checker and the
search come after.
"""

from collections.abc import Sequence

import numpy as np

from .check import route_length
from .fleet import possible_ends, possible_starts
from .instance import Instance
from .solution import Route, Solution


def repaired(instance: Instance, routes: Sequence[Route]) -> tuple[Solution, int]:
    """A feasible solution close to `routes`, and how many customers had to be inserted; see the two steps."""
    kept = cleaned(instance, routes)
    return completed(instance, kept), instance.num_customers - sum(len(route) for route in kept)


def cleaned(instance: Instance, routes: Sequence[Route]) -> list[Route]:
    """What of a plan keeps the rules, one route for every vehicle.

    Unknown customers, second visits, halves of broken pairs, customers that the vehicle may not serve and
    routes beyond the number of vehicles are dropped. Where vehicles are told apart, route k is that of
    vehicle k.
    """
    kept = _kept_by_vehicle(instance, routes) if instance.has_fleet else _kept(instance, routes)
    return kept + _empty_routes(instance, kept)


def completed(instance: Instance, routes: Sequence[Route]) -> Solution:
    """What `cleaned` has left, with every customer that is missing (a pair as a whole) inserted where the
    longest route grows least, among those where the routes together grow least."""
    kept = list(routes)
    visited = {customer for route in kept for customer in route.customers}
    pairs = [(int(p), int(d)) for p, d in instance.pairs]
    plain = sorted(set(instance.customers) - {node for pair in pairs for node in pair} - visited)
    missing: list[tuple[int, ...]] = [(node,) for node in plain]
    missing += [pair for pair in pairs if pair[0] not in visited]
    lengths = [route_length(instance, route, vehicle) for vehicle, route in enumerate(kept)]
    for request in missing:
        _insert(instance, kept, lengths, request)
    return Solution(tuple(kept))


def _kept(instance: Instance, routes: Sequence[Route]) -> list[Route]:
    """The routes as far as they keep the rules."""
    room = _room(instance)
    seen: set[int] = set()
    found: list[Route] = []
    for route in routes:
        start = route.start if 0 <= route.start < instance.num_depots else 0
        end = route.end if 0 <= route.end < instance.num_depots else start
        if len(found) == instance.num_vehicles or not room[start]:
            continue
        room[start] -= 1
        customers = []
        for node in route.customers:
            if node in instance.customers and node not in seen:
                seen.add(node)
                customers.append(node)
        end = end if instance.return_to == "any" else start
        found.append(Route(start, tuple(_whole_pairs(instance, customers)), end))
    return found


def _kept_by_vehicle(instance: Instance, routes: Sequence[Route]) -> list[Route]:
    """The same where vehicles are told apart: route k is that of vehicle k."""
    seen: set[int] = set()
    found: list[Route] = []
    for number, vehicle in enumerate(instance.vehicles):
        route = routes[number] if number < len(routes) else Route.idle(vehicle)
        starts = possible_starts(instance, vehicle)
        start = route.start if route.start in starts else starts[0]
        ends = possible_ends(instance, vehicle, start)
        end = route.end if route.end in ends else ends[0]
        customers = []
        for node in route.customers:
            if node in instance.customers and node not in seen and instance.may_serve[node, number]:
                seen.add(node)
                customers.append(node)
        found.append(Route(start, tuple(_whole_pairs(instance, customers)), end))
    return found


def _whole_pairs(instance: Instance, customers: list[int]) -> list[int]:
    """The customers without pickups and deliveries whose pair is not in order on this route."""
    place = {node: k for k, node in enumerate(customers)}
    broken = {
        int(node)
        for pair in instance.pairs
        for node in pair
        if not (-1 < place.get(int(pair[0]), len(place)) < place.get(int(pair[1]), -1))
    }
    return [node for node in customers if node not in broken]


def _room(instance: Instance) -> list[int]:
    """How many routes may start at each depot."""
    if instance.vehicles_per_depot is None:
        return [instance.num_vehicles] * instance.num_depots
    return [int(number) for number in instance.vehicles_per_depot]


def _empty_routes(instance: Instance, routes: list[Route]) -> list[Route]:
    """A route for every vehicle that has none, at depots with room, one after the other."""
    room = _room(instance)
    for route in routes:
        room[route.start] -= 1
    added: list[Route] = []
    while len(routes) + len(added) < instance.num_vehicles:
        start = max(range(instance.num_depots), key=lambda depot: room[depot])
        room[start] -= 1
        added.append(Route(start, (), start))
    return added


def _insert(instance: Instance, routes: list[Route], lengths: list[float], request: tuple[int, ...]) -> None:
    """Insert a customer or a pair at the best place of all routes."""
    longest = max(lengths)
    options = [
        (*_best_place(instance, route, request, k), k)
        for k, route in enumerate(routes)
        if instance.may_serve[request[0], k]
    ]
    added, customers, number = min(
        options, key=lambda option: (max(longest, lengths[option[2]] + option[0]), option[0])
    )
    routes[number] = Route(routes[number].start, customers, routes[number].end)
    lengths[number] += added


def _best_place(
    instance: Instance, route: Route, request: tuple[int, ...], vehicle: int
) -> tuple[float, tuple[int, ...]]:
    """What the request adds to a vehicle's route where it adds least, and the customers then."""
    total, customers, after = 0.0, route.customers, 0
    speed = instance.vehicles[vehicle].speed
    for node in request:  # the delivery behind its pickup, each where it is cheapest
        nodes = np.array([route.start, *customers, *([] if route.is_open else [route.end])])
        added = instance.distance(nodes, node)
        if not route.is_open:
            added = added[:-1]
        added[: len(nodes) - 1] += instance.distance(node, nodes[1:])
        if customers or not instance.has_fleet:  # a vehicle of a fleet without customers stays at its start
            added[: len(nodes) - 1] -= instance.distance(nodes[:-1], nodes[1:])
        place = after + int(added[after:].argmin())
        total += float(added[place]) / speed + float(instance.node_service[node])
        customers = (*customers[:place], node, *customers[place:])
        after = place + 1
    return total, customers
