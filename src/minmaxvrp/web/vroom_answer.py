"""Answers in VROOM's response format: a solution as summary, routes and steps, in whole seconds and metres.

`problem.files.vroom` reads the request; the makespan, the bound and the speed that was assumed stand in
one member of our own, `minmaxvrp`.
"""

from collections.abc import Callable
from pathlib import Path

from ..errors import InputError
from ..problem.files.json_document import finite
from ..problem.files.source import Source
from ..problem.files.vroom import Place, Request, read_request
from ..problem.solution import Route
from ..result import Result
from .tasks import Fields, Send, check_size, improve

SOURCE = Source(Path("request"))
"""What errors of a request begin with."""


def accept(request: Fields, limits: Fields) -> Fields:
    """Whether a request can be answered: its size and options, or `InputError`."""
    vroom = _read(request)
    found, options = check_size(vroom.instance, limits), _options(vroom, request)
    options["workers"] = min(options["workers"], limits["workers"])  # a wish, not part of the problem
    if options["seconds"] > limits["seconds"]:
        raise InputError(f"{options['seconds']:g} seconds, expected at most {limits['seconds']:g}")
    return {"customers": found.num_customers, "vehicles": found.num_vehicles, "options": options}


def solve(request: Fields, limits: Fields, send: Send, asked: Callable[[], bool]) -> Fields:
    """Solve a request; `asked` says whether the client has gone."""
    vroom = _read(request)
    return {"answer": answer(vroom, improve(vroom.instance, None, request["options"], send, asked))}


def _read(request: Fields) -> Request:
    return read_request(SOURCE, request["vroom"], speed=request["speed"])


def _options(vroom: Request, request: Fields) -> Fields:
    """Our options; `options.l` and `options.t` of the request come first."""
    given, options = vroom.options, request["options"]
    wanted = {"seconds": given.get("l", options["seconds"]), "workers": given.get("t", options["workers"])}
    if wanted["seconds"] < 0:
        raise InputError(f"options.l = {wanted['seconds']:g}, expected 0 or more seconds")
    return {**options, **wanted}


def answer(request: Request, result: Result) -> Fields:
    """VROOM's response to a request."""
    routes = [_route(request, route, number) for number, route in _driven(request, result)]
    totals = ("cost", "setup", "service", "duration", "waiting_time", "priority", "distance")
    sums = {key: sum(route[key] for route in routes) for key in totals if all(key in r for r in routes)}
    seconds = request.seconds_per_length
    return {
        "code": 0,
        "summary": {
            **sums,
            "routes": len(routes),
            "unassigned": 0,
            "violations": [],
            "computing_times": {"loading": 0, "solving": round(1_000 * result.seconds), "routing": 0},
        },
        "unassigned": [],
        "routes": routes,
        "minmaxvrp": {
            "longest_route_seconds": result.makespan * seconds,
            "lower_bound_seconds": result.lower_bound * seconds,
            "gap": finite(result.gap),
            "travel_times": "matrices" if request.speed is None else "great circle",
            **({} if request.speed is None else {"speed_kmh": request.speed}),
        },
    }


def _driven(request: Request, result: Result) -> list[tuple[int, Route]]:
    """The routes with tasks and the number of the vehicle of each: its own, or one that starts there."""
    routes = list(enumerate(result.solution.routes))
    if result.instance.has_fleet:
        return [(number, route) for number, route in routes if route.customers]
    free: dict[int | None, list[int]] = {}
    for number, vehicle in enumerate(request.vehicles):
        free.setdefault(vehicle.start, []).append(number)
    return [(free[route.start].pop(0), route) for _, route in routes if route.customers]


def _route(request: Request, route: Route, number: int) -> Fields:
    """One route with its steps, for the vehicle of this number."""
    vehicle, instance = request.vehicles[number], request.instance
    steps: list[Fields] = []
    travel = service = metres = 0.0
    priority = 0
    last = route.start
    for place, node in enumerate(route.nodes):
        if node == request.anywhere:  # the route begins with its first task
            continue
        if node != last:
            travel += float(instance.distance(last, node)) * request.seconds_per_length / vehicle.speed
            metres += _metres(request, last, node)
        step: Fields = {"arrival": round(travel + service), "duration": round(travel)}
        if instance.num_depots <= node:
            task = request.tasks[node - instance.num_depots]
            spent = {"setup": 0, "service": round(task.service), "waiting_time": 0}
            head = {"type": task.kind, "id": task.id, **_described(task.description)}
            step = {**head, **_located(task.place), **spent, **step}
            service += task.service
            priority += task.priority
        else:
            kind = "start" if place == 0 else "end"
            step = {"type": kind, **_located(request.depots[node]), "setup": 0, "service": 0, **step}
            step["waiting_time"] = 0
        if _knows_metres(request):
            step["distance"] = round(metres)
        steps.append({**step, "violations": []})
        last = node
    fields: Fields = {
        "vehicle": vehicle.id,
        "cost": round(travel),
        "setup": 0,
        "service": round(service),
        "duration": round(travel),
        "waiting_time": 0,
        "priority": priority,
        **_described(vehicle.description),
        "steps": steps,
        "violations": [],
    }
    return {**fields, "distance": round(metres)} if _knows_metres(request) else fields


def _knows_metres(request: Request) -> bool:
    return request.metres is not None or request.speed is not None


def _metres(request: Request, start: int, end: int) -> float:
    if request.metres is not None:
        return float(request.metres[start, end])
    return 0.0 if request.speed is None else 1_000.0 * float(request.instance.distance(start, end))


def _described(text: str) -> Fields:
    return {"description": text} if text else {}


def _located(place: Place) -> Fields:
    location = {} if place.location is None else {"location": list(place.location)}
    return location if place.index is None else {**location, "location_index": place.index}
