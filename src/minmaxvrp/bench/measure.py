"""Measure: solve the cases of a suite, several at a time, every answer through the checker.

Between `suites` (what) and `report` (how good). Each worker is a process of its own with one thread,
so that a second per instance means a second of one core.
"""

import hashlib
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ..engines import Engine, FinishedTask
from ..engines.process_engine import ProcessEngine
from ..errors import InputError, InternalError, MinmaxvrpError
from ..problem import check
from ..problem.bounds import lower_bound
from ..problem.instance import Instance
from .fingerprint import commit
from .methods import (
    CLOCKS,
    METHODS,
    USUAL_DECODING,
    Answer,
    Budget,
    Decoding,
    Method,
    Settings,
    find_method,
    fingerprint,
)
from .store import Measurement, Store
from .suites import Case

TRACE_POINTS = 24
"""At most so many points of a trace are kept, spread evenly over the logarithm of time."""


@dataclass(frozen=True)
class RunOptions:
    """How every case of a run is solved."""

    method: str
    seconds: float = 1.0
    """Budget per instance."""
    per_customer: float | None = None
    """Seconds per customer, instead of `seconds`."""
    seed: int = 0
    policy: str = "auto"
    workers: int = 1
    decoding: Decoding = USUAL_DECODING
    clock: str = "wall"
    """Whether budget and time used are seconds on the wall, or of CPU time (`cpu`)."""
    settings: Settings = ()
    """Of the search, in place of its defaults."""

    def __post_init__(self) -> None:
        budget = self.seconds if self.per_customer is None else self.per_customer
        if not 0 < budget < float("inf"):
            raise InputError(f"time = {budget:g} s, expected a number above 0")
        if self.workers < 1:
            raise InputError(f"workers = {self.workers}, expected 1 or more")
        if self.clock not in CLOCKS:
            raise InputError(f"clock = {self.clock!r}, expected one of {', '.join(CLOCKS)}")
        if self.settings and not find_method(self.method).has_settings:
            able = ", ".join(name for name, method in METHODS.items() if method.has_settings)
            raise InputError(f"settings of the search with method = {self.method!r}, expected one of {able}")
        find_method(self.method)

    def budget(self, instance: Instance) -> Budget:
        """What the method may use for this instance."""
        seconds = self.seconds
        if self.per_customer is not None:
            seconds = round(self.per_customer * instance.num_customers, 6)
        return Budget(seconds, self.seed, self.policy, self.decoding, self.clock, self.settings)


def measure(
    cases: Sequence[Case],
    options: RunOptions,
    store: Store | None = None,
    on_done: Callable[[Measurement], None] = lambda measurement: None,
    engine: Engine | None = None,
) -> list[Measurement]:
    """The measurements of all cases, in their order; see `measure_all`."""
    return measure_all([(cases, options)], store, on_done, engine)


def measure_all(
    plans: "Sequence[tuple[Sequence[Case], RunOptions]]",
    store: Store | None = None,
    on_done: Callable[[Measurement], None] = lambda measurement: None,
    engine: Engine | None = None,
) -> list[Measurement]:
    """The measurements of several runs with the same workers; those already in `store` are not done again.

    Failures in `store` are tried again. Every new measurement is on the disk before `on_done` hears of it;
    without a `store` nothing is kept. Raises `InternalError` when an answer of ours breaks a rule, and
    `WorkerLost` when workers die over and over at the same instance; a rival's failure is its result. Ctrl-C
    ends the workers and is passed on. Without an `engine` the workers are processes of this machine, as many
    as the largest of the runs asks for.
    """
    kept = {} if store is None else store.done
    done = {key: measurement for key, measurement in kept.items() if not measurement.failure}
    head = commit()
    wanted: list[tuple[Measurement, Case, RunOptions]] = []
    codes: dict[tuple[str, str], str] = {}
    for cases, options in plans:
        which = (options.method, options.policy)
        if which not in codes:
            codes[which] = fingerprint(find_method(options.method), options.policy)
        code = codes[which]
        wanted += [(replace(_planned(case, options, code), commit=head), case, options) for case in cases]
    for planned, _, _ in wanted:
        if planned.key in done:
            on_done(done[planned.key])
    jobs = [(p, case.instance, options) for p, case, options in wanted if p.key not in done]
    if engine is None:
        engine = ProcessEngine(max((options.workers for _, options in plans), default=1))
    with closing(engine.run(_measured, jobs)) as finished:
        for job in finished:
            found = _failed(job) if job.value is None else job.value
            if store is not None:
                store.append(found)
            done[found.key] = found
            on_done(found)
    return [_with_best(done[planned.key], case) for planned, case, _ in wanted]


MeasurementJob = tuple[Measurement, Instance, RunOptions]


def _failed(job: FinishedTask[MeasurementJob, Measurement]) -> Measurement:
    """What a rival did to its worker (it died, or an error of no kind of ours), as its result.

    Raises the error of any other job.
    """
    planned, _, options = job.task
    assert job.error is not None
    if find_method(options.method).rival and isinstance(job.error, InternalError):
        return replace(_noted(planned), failure=str(job.error))
    raise job.error


def _noted(planned: Measurement) -> Measurement:
    """With date and processor."""
    return replace(planned, date=datetime.now(UTC).strftime("%Y-%m-%d"), cpu=_cpu())


def _planned(case: Case, options: RunOptions, code: str) -> Measurement:
    """The measurement to be made of a case, its results still missing."""
    instance, budget = case.instance, options.budget(case.instance)
    return _with_best(
        Measurement(
            suite=case.suite,
            problem=instance.problem,
            size=case.size,
            depots=instance.num_depots,
            vehicles=instance.num_vehicles,
            set_seed=case.set_seed,
            index=case.index,
            name=case.name,
            instance=_digest(instance),
            method=options.method,
            policy=options.decoding.label(options.policy) if "policy" in options.method else None,
            seed=options.seed,
            time=budget.seconds,
            clock=options.clock,
            settings=", ".join(f"{name}={value!r}" for name, value in options.settings),
            code=code,
            objective=float("nan"),
            lower_bound=float("nan"),
            seconds=float("nan"),
        ),
        case,
    )


def _with_best(measurement: Measurement, case: Case) -> Measurement:
    if case.best is None:
        return measurement
    best = case.best
    return replace(
        measurement, best_known=best.makespan, proven_optimal=best.proven_optimal, rounded=best.rounded
    )


def _digest(instance: Instance) -> str:
    digest = hashlib.sha256()
    for part in (instance.coordinates, instance.matrix, instance.vehicles_per_depot, instance.node_service):
        digest.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    digest.update(instance.pairs.tobytes())
    digest.update(f"{instance.kind} {instance.return_to} {instance.num_vehicles}".encode())
    for field in (instance.fleet, instance.allowed, instance.max_length):
        digest.update(b"" if field is None else repr(field).encode())  # plain instances keep their digest
    return digest.hexdigest()[:8]


def _measured(job: MeasurementJob) -> Measurement:
    """What a worker makes of a job."""
    return _measure(*job)


_called_before: set[tuple[object, ...]] = set()
"""Methods, with their weights and decoding, that this worker process has called before."""


def _measure(planned: Measurement, instance: Instance, options: RunOptions) -> Measurement:
    """Solve one instance, judge the answer, note the time; runs in a worker."""
    method, budget = find_method(options.method), options.budget(instance)
    where = f"{options.method} on {planned.name or f'{planned.suite} #{planned.index}'}"
    noted = _noted(planned)
    try:
        kind = (options.method, options.policy, options.decoding, instance.problem)
        if method.warm_up and kind not in _called_before:
            (method.first_call or method.solve)(instance, replace(budget, seconds=0.01))
        _called_before.add(kind)
        answer, seconds = _answer(method, instance, budget)
    except InternalError as error:
        if method.rival:
            return replace(noted, failure=str(error))
        raise InternalError(f"{where} with {planned.vehicles} vehicles: {error}") from None
    except MinmaxvrpError as error:
        raise type(error)(f"{where} with {planned.vehicles} vehicles: {error}") from None
    makespan = check.makespan(instance, answer.solution)
    return replace(
        noted,
        objective=makespan,
        lower_bound=lower_bound(instance) if answer.lower_bound is None else answer.lower_bound,
        seconds=round(seconds, 4),
        iterations=answer.iterations,
        trace=_thin(answer.trace or ((seconds, makespan),)),
    )


def _answer(method: Method, instance: Instance, budget: Budget) -> tuple[Answer, float]:
    """The method's answer and the seconds it took; raises `InternalError` for one that breaks a rule."""
    began, cpu_began = time.perf_counter(), _cpu_seconds()
    answer = method.solve(instance, budget)
    seconds, cpu = time.perf_counter() - began, _cpu_seconds() - cpu_began
    found = check.violations(instance, answer.solution)
    if found:
        raise InternalError(f"the answer breaks {len(found)} rules: {found[0]}")
    if budget.clock == "wall":
        return answer, seconds
    slower = cpu / seconds if seconds > 0 else 1.0  # the trace is on the wall clock
    return replace(answer, trace=tuple((s * slower, m) for s, m in answer.trace)), cpu


def _cpu_seconds() -> float:
    """CPU time of this process and of those that it has run and waited for."""
    return time.process_time() + sum(os.times()[2:4])


def _thin(trace: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """A few points of a trace, the first and the last among them."""
    if len(trace) > TRACE_POINTS:
        times = np.log(np.maximum([s for s, _ in trace], 1e-4))
        wanted = np.searchsorted(times, np.linspace(times[0], times[-1], TRACE_POINTS))
        trace = [trace[k] for k in sorted({0, *np.minimum(wanted, len(trace) - 1).tolist(), len(trace) - 1})]
    return tuple((round(s, 4), round(m, 6)) for s, m in trace)


def _cpu() -> str:
    """The processor's name, for the record."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
