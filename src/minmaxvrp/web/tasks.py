"""What the worker processes do for the server: read a file, check a plan, write an export, solve.

Each task takes the fields of a request and returns what JSON can hold; `InputError` is for the client.
Files come and go as bytes; where a writer wants a path it gets one in a temporary folder.
"""

import base64
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..problem import check, files
from ..problem.files import solution_json
from ..problem.files.json_document import finite
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..result import Result
from ..stop import FirstOf, MaxRuntime, Progress
from .examples import EXAMPLES
from .first_plan import MOST_CUSTOMERS, first_plan

Fields = dict[str, Any]
Send = Callable[[str, Fields], None]

TICK_SECONDS = 0.5
"""Between two signs of life of a search."""
IMPROVEMENT_SECONDS = 0.1
"""Between two plans at least: ten a second are enough for the eye."""
FIRST_VEHICLES = 3
"""Where neither a file nor the client says how many."""

INSTANCE_ENDINGS = (*(e for e in files.INSTANCE_ENDINGS.split(", ") if e != ".npz"), ".atsp")
"""Files of instances that may be sent; npz and pickled sets are for the command line."""


@contextmanager
def noticing() -> Iterator[list[str]]:
    """Collect what the readers and writers warn about."""
    notices: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", files.FormatWarning)
        yield notices
    notices += [str(w.message) for w in caught if issubclass(w.category, files.FormatWarning)]


def instance_of(document: Fields, limits: Fields, vehicles: int | None = None) -> Instance:
    """The instance of a JSON document (docs/formats.md), within the limits."""
    instance = files.read("instance.json", data=json.dumps(document).encode(), vehicles=vehicles)
    return check_size(instance, limits)


def solution_of(plan: Fields | str, instance: Instance, name: str = "plan.json") -> Solution:
    """The solution of a JSON document (docs/formats.md), or of the text of a file of this name."""
    if isinstance(plan, str):
        name = Path(name.replace("\\", "/")).name or "plan"
        return files.read_solution(name, instance, data=plan.encode())
    return files.read_solution("plan.json", instance, data=json.dumps(plan).encode())


def document_of(instance: Instance) -> Fields:
    """An instance as JSON document."""
    text = written("instance.json", lambda path: files.write(instance, path))
    return dict(json.loads(text))


def read(
    name: str, data: str, limits: Fields, vehicles: int | None = None, speed: float | None = None
) -> Fields:
    """The instance document of a file in base64; `vehicles` where the file does not say how many.

    With a `speed` its routes are durations.
    """
    name = Path(name.replace("\\", "/")).name or "file"
    ending = Path(name).suffix.lower()
    if ending and ending not in INSTANCE_ENDINGS:
        raise InputError(f"{name}: ending {ending!r}, expected one of {', '.join(INSTANCE_ENDINGS)}")
    content = base64.b64decode(data)
    with noticing() as notices:
        try:
            instance = files.read(name, data=content, speed=speed)
        except files.NoVehicles:
            vehicles = vehicles or FIRST_VEHICLES
            instance = files.read(name, data=content, vehicles=vehicles, speed=speed)
            notices.append(f"{name}: says no number of vehicles, {vehicles} taken")
    return {"instance": document_of(check_size(instance, limits)), "notices": notices}


def example(name: str, limits: Fields) -> Fields:
    """The instance document of an example."""
    return {"instance": document_of(EXAMPLES[name].instance()), "notices": []}


def accept(request: Fields, limits: Fields) -> Fields:
    """Whether a job can be solved at all: its size, notices and `first` plan, or `InputError`."""
    options = request["options"]
    for what in ("seconds", "workers"):
        if options[what] > limits[what]:
            raise InputError(f"options.{what} = {options[what]:g}, expected at most {limits[what]:g}")
    with noticing() as notices:
        instance = instance_of(request["instance"], limits, options.get("vehicles"))
        start = _start(instance, options)
    facts = {"customers": instance.num_customers, "vehicles": instance.num_vehicles, "notices": notices}
    if instance.num_customers > MOST_CUSTOMERS:
        return facts
    first = start or first_plan(instance, options["seed"])
    made = {"method": "greedy" if start is None else "given", "seconds": 0.0, "iterations": 0}
    return {**facts, "first": _ended(instance, first, made)}


def judge(request: Fields, limits: Fields) -> Fields:
    """What the checker says about a plan, with its lengths and the lower bound."""
    from ..problem.bounds import lower_bound

    with noticing() as notices:
        instance = instance_of(request["instance"], limits)
        solution = solution_of(request["plan"], instance, request.get("name", "plan.json"))
    found = check.violations(instance, solution)
    known = not any(violation.rule is check.Rule.UNKNOWN_NODE for violation in found)
    bound = lower_bound(instance)
    return {
        "ok": not found,
        "violations": [
            {"rule": str(v.rule), "text": v.detail, "nodes": list(v.nodes), "route": v.route} for v in found
        ],
        "lower_bound": bound,
        "notices": notices,
        **(measured(instance, solution, bound) if known else {}),
        **({"gap": None} if found else {}),
    }


def measured(instance: Instance, solution: Solution, bound: float) -> Fields:
    """The routes of a solution and how long they are; travel and service apart, without work done before."""
    lengths = check.route_lengths(instance, solution)
    service = np.array([instance.node_service[list(route.nodes)].sum() for route in solution.routes])
    before = [vehicle.done if instance.has_fleet else 0.0 for vehicle in instance.vehicles]
    before += [0.0] * max(0, len(service) - len(before))  # more routes than vehicles break a rule
    travel = lengths - service - before[: len(service)]
    makespan = float(lengths.max(initial=0.0))
    return {
        "makespan": makespan,
        "lower_bound": bound,
        "gap": finite(check.gap(makespan, bound)),
        "routes": [list(route.nodes) for route in solution.routes],
        "lengths": lengths.tolist(),
        "travel": travel.tolist(),
        "service": service.tolist(),
    }


def solve(request: Fields, limits: Fields, send: Send, asked: Callable[[], bool]) -> Fields:
    """Solve a job: plans as they get better through `send`, the best in the end.

    `asked` says whether the client wants the search to end now.
    """
    with noticing():
        instance = instance_of(request["instance"], limits, request["options"].get("vehicles"))
        start = _start(instance, request["options"])
    return final(improve(instance, start, request["options"], send, asked))


def improve(
    instance: Instance, start: Solution | None, options: Fields, send: Send, asked: Callable[[], bool]
) -> Result:
    """Search from a start, or from the first plan, which is shown before `solve` works out the bound."""
    from .. import solve as solver

    reporter = Reporter(instance, send)
    first = start or first_plan(instance, options["seed"])
    if instance.num_customers > MOST_CUSTOMERS:  # else it is known since the request was accepted
        reporter.show(first, 0.0)
    return solver(
        instance,
        FirstOf((MaxRuntime(options["seconds"]), Asked(asked))),
        seed=options["seed"],
        start=first,
        policy=None,
        workers=options["workers"],
        then=options.get("then", "balance"),
        on_progress=reporter.hear,
    )


def final(result: Result) -> Fields:
    """The last words about a job: the plan as a document of docs/formats.md, and its figures."""
    facts: Fields = {
        "lower_bound": result.lower_bound,
        "method": result.method,
        "seed": result.seed,
        "iterations": result.iterations,
        "seconds": round(result.seconds, 3),
    }
    over = result.over_limit
    return {
        **_ended(result.instance, result.solution, facts),
        **({} if over is None else {"over_limit": asdict(over)}),
    }


def _ended(instance: Instance, solution: Solution, facts: Fields) -> Fields:
    """A plan that may be a job's last: its figures, and its document with facts about how it was found."""
    return {
        **measured(instance, solution, facts.get("lower_bound", 0.0)),
        "seconds": facts["seconds"],
        "iterations": facts["iterations"],
        "plan": json.loads(solution_json.text(instance, solution, facts)),
    }


class Asked:
    """A stop criterion: the client has asked for the end."""

    def __init__(self, asked: Callable[[], bool]) -> None:
        self.asked = asked

    def __call__(self, progress: Progress) -> bool:
        """Whether to stop now."""
        return self.asked()

    def fraction(self, progress: Progress) -> float:
        """Always 0: when the client will ask is not known."""
        return 0.0


class Reporter:
    """Turns the progress of a search into messages: plans when they improve, else a tick now and then."""

    def __init__(self, instance: Instance, send: Send) -> None:
        self.instance, self.send = instance, send
        self.began = time.perf_counter()
        self.spoke = self.showed = self.began
        self.makespan, self.bound = float("inf"), 0.0
        self.shown: Solution | None = None

    def show(self, solution: Solution, bound: float, iterations: int = 0) -> None:
        """Send a plan."""
        plan = measured(self.instance, solution, bound)
        self.makespan, self.bound, self.shown = plan["makespan"], bound, solution
        self._say({"iterations": iterations, **plan})
        self.showed = self.spoke

    def hear(self, progress: Progress) -> None:
        """Send what is new, if it is time."""
        now = time.perf_counter()
        better = progress.makespan < self.makespan and now - self.showed >= IMPROVEMENT_SECONDS
        if better or progress.lower_bound > self.bound:  # the bound is known from the first progress on
            solution = progress.solution
            if solution is not None:
                self.show(solution, progress.lower_bound, progress.iterations)
                self.makespan = min(self.makespan, progress.makespan)  # may differ in the last digits
        elif now - self.spoke >= TICK_SECONDS:
            solution = progress.solution  # the other routes get better while the longest stays
            if solution is not None and solution != self.shown:
                self.show(solution, progress.lower_bound, progress.iterations)
            else:
                self._say({"iterations": progress.iterations})

    def _say(self, fields: Fields) -> None:
        self.spoke = time.perf_counter()
        self.send("progress", {"seconds": round(self.spoke - self.began, 3), **fields})


def _start(instance: Instance, options: Fields) -> Solution | None:
    """The plan to begin with; `InputError` if it breaks a rule."""
    if options.get("start") is None:
        return None
    solution = solution_of(json.dumps(options["start"]), instance, "start.json")
    found = check.broken_rules(instance, solution)
    if found:
        raise InputError(f"start.json: breaks a rule: {found[0]}")
    return solution


def check_size(instance: Instance, limits: Fields) -> Instance:
    """The instance, if it is within the limits."""
    for what, count in (("customers", instance.num_customers), ("vehicles", instance.num_vehicles)):
        if count > limits[what]:
            raise InputError(f"{count:,} {what}, expected at most {limits[what]:,}")
    return instance


def written(name: str, write: Callable[[Path], None]) -> bytes:
    """The bytes that a writer puts into a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()
