"""The search's interface: optimal on tiny instances, repeatable, interruptible, honest about its start."""

import itertools
import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.search.budget import Cooling
from minmaxvrp.search.construction.construct import construct
from minmaxvrp.search.improve import improve
from minmaxvrp.stop import FirstOf, MaxIterations, MaxRuntime, NoImprovement, Progress, TargetReached

from .brute_force import optimum
from .random_instances import random_instance

CASES: dict[str, dict[str, Any]] = {
    "mtsp": {"num_depots": 1, "num_vehicles": 2},
    "mtsp with more vehicles than customers": {"num_depots": 1, "num_vehicles": 9},
    "mpdp": {"num_depots": 1, "num_vehicles": 2, "pairs": [[1, 4], [5, 2]]},
    "mdvrp": {"num_depots": 2, "num_vehicles": 3},
    "mdvrp with vehicles per depot": {"num_depots": 2, "num_vehicles": 3, "vehicles_per_depot": [1, 2]},
    "fmdvrp": {"num_depots": 2, "num_vehicles": 2, "return_to": "any"},
    "fmdvrp with pairs": {"num_depots": 2, "num_vehicles": 2, "return_to": "any", "pairs": [[3, 2]]},
    "service": {"num_depots": 1, "num_vehicles": 2, "service": [0.9, 0.0, 0.5, 0.1, 0.3]},
    "asymmetric": {"num_depots": 1, "num_vehicles": 2, "kind": "matrix"},
    "asymmetric depots and pairs": {"num_depots": 2, "num_vehicles": 2, "kind": "matrix", "pairs": [[2, 6]]},
}


def _tiny(case: str, seed: int) -> Instance:
    """Five customers with the fields of a case."""
    rng = np.random.default_rng(seed)
    fields = dict(CASES[case])
    nodes = fields["num_depots"] + 5
    if fields.get("kind") == "matrix":
        fields["matrix"] = rng.uniform(size=(nodes, nodes))
    return Instance(rng.uniform(size=(nodes, 2)), **fields)


def _mtsp(num_nodes: int = 60, num_vehicles: int = 4) -> Instance:
    return Instance(np.random.default_rng(5).uniform(size=(num_nodes, 2)), 1, num_vehicles)


@pytest.mark.parametrize("case", CASES)
def test_tiny_instances_are_solved_to_the_optimum(case: str) -> None:
    """2,000 iterations find what trying everything finds, on three instances of each case."""
    for seed in range(3):
        instance = _tiny(case, seed)
        outcome = improve(instance, MaxIterations(2000), seed=seed)
        assert violations(instance, outcome.solution) == []
        assert outcome.makespan == pytest.approx(optimum(instance), rel=1e-9)


@pytest.mark.parametrize("workers", [1, 2])
def test_same_seed_and_iterations_give_the_same_answer(workers: int) -> None:
    """On plain, paired and multi-depot instances, with one search or two at a time."""
    for seed in (3, 8, 21):
        instance = random_instance(seed, num_customers=30)
        stop = FirstOf((MaxIterations(1500), NoImprovement(1000)))
        first, second = (improve(instance, stop, seed=4, workers=workers) for _ in range(2))
        assert first.solution == second.solution
        assert first.iterations == second.iterations


def test_another_seed_searches_differently() -> None:
    """Two seeds leave different solutions behind after few iterations."""
    instance = _mtsp()
    found = {improve(instance, MaxIterations(50), seed=seed).solution for seed in range(4)}
    assert len(found) > 1


def test_iterations_are_counted_exactly() -> None:
    """1,234 iterations asked, 1,234 done; two workers do as many each."""
    assert improve(_mtsp(), MaxIterations(1234)).iterations == 1234
    assert improve(_mtsp(), MaxIterations(1234), workers=2).iterations == 2 * 1234


def test_the_start_is_never_made_worse() -> None:
    """With no or few iterations the answer is at least as good as the best start given."""
    instance = _mtsp()
    good = improve(instance, MaxIterations(3000)).solution
    poor = construct(instance)
    for iterations in (0, 1, 20):
        outcome = improve(instance, MaxIterations(iterations), start=[poor, good])
        assert outcome.makespan <= makespan(instance, good)


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_tells_the_bound_and_the_best_solution(workers: int) -> None:
    """Asked inside the callback, the solution is feasible and has the makespan that is told with it."""
    instance, heard = _mtsp(), []

    def hear(progress: Progress) -> None:
        assert progress.solution is not None
        assert violations(instance, progress.solution) == []
        assert makespan(instance, progress.solution) == pytest.approx(progress.makespan, rel=1e-9)
        assert progress.lower_bound == 0.5
        heard.append(progress.makespan)

    outcome = improve(instance, MaxIterations(20_000), workers=workers, lower_bound=0.5, on_progress=hear)
    assert heard == sorted(heard, reverse=True)
    assert heard[-1] == pytest.approx(outcome.makespan)


def test_no_workers_is_an_error() -> None:
    """0 workers cannot search."""
    with pytest.raises(InputError, match="workers = 0, expected 1 or more"):
        improve(_mtsp(), MaxIterations(10), workers=0)


@pytest.mark.parametrize("workers", [1, 2])
def test_reaching_the_lower_bound_ends_the_search(workers: int) -> None:
    """With a vehicle for each customer the farthest one alone is the bound; it ends a long budget."""
    instance = _mtsp(num_nodes=9, num_vehicles=8)
    bound = 2.0 * float(instance.distance(0, np.arange(1, 9)).max())
    outcome = improve(instance, MaxIterations(10**12), lower_bound=bound, workers=workers)
    assert outcome.makespan == pytest.approx(bound, rel=1e-12)


def test_a_target_ends_the_search() -> None:
    """The search ends with the first solution that is good enough."""
    instance = _mtsp()
    target = makespan(instance, construct(instance)) * 0.95
    outcome = improve(instance, TargetReached(target))
    assert outcome.makespan <= target * (1 + 1e-12)


def test_patience_ends_the_search() -> None:
    """The search ends exactly 2,000 iterations after the last improvement."""
    seen: list[Progress] = []
    improve(_mtsp(), NoImprovement(2000), on_progress=seen.append)
    assert seen[-1].iterations - seen[-1].last_improvement == 2000


def test_the_trace_falls_from_the_start_to_the_answer() -> None:
    """Makespans of the trace go down strictly, iterations and seconds up."""
    instance = _mtsp()
    outcome = improve(instance, MaxIterations(3000))
    spans = [point.makespan for point in outcome.trace]
    assert spans[0] == pytest.approx(makespan(instance, construct(instance)))
    assert spans[-1] == pytest.approx(outcome.makespan)
    assert all(later < earlier for earlier, later in itertools.pairwise(spans))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_ends_the_search_with_the_best_so_far(number: signal.Signals, workers: int) -> None:
    """An hour's budget ends soon after the signal, with a feasible answer; handlers are put back."""
    instance = _mtsp()
    before = signal.getsignal(number)
    timer = threading.Timer(0.4, os.kill, (os.getpid(), number))
    timer.start()
    outcome = improve(instance, MaxRuntime(3600.0), workers=workers)
    timer.join()
    assert outcome.interrupted
    assert violations(instance, outcome.solution) == []
    assert outcome.makespan <= makespan(instance, construct(instance))
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("factor", [1e9, 1e-9, 1e140])
def test_the_unit_of_the_coordinates_does_not_matter(factor: float) -> None:
    """Scaling by a power of ten leaves the makespan the same, up to the unit and the last digits."""
    points = np.random.default_rng(5).uniform(size=(30, 2))
    plain = improve(Instance(points, 1, 3), MaxIterations(3000)).makespan
    scaled = improve(Instance(points * factor, 1, 3), MaxIterations(3000)).makespan
    assert scaled / factor == pytest.approx(plain, rel=0.01)


def test_many_customers_improve_without_a_square_matrix() -> None:
    """6,000 customers, pairs among them and three depots: feasible and better than the start."""
    points = np.random.default_rng(6).uniform(size=(6_003, 2))
    instance = Instance(points, 3, 40, pairs=np.arange(3, 1003).reshape(-1, 2))
    outcome = improve(instance, MaxIterations(3000))
    assert violations(instance, outcome.solution) == []
    assert outcome.makespan < makespan(instance, construct(instance))


def test_a_budget_is_one_cooling_or_several() -> None:
    """Each of the later ones begins part of the way down; all end cold."""
    one, two = Cooling(MaxIterations(100)), Cooling(MaxIterations(100), reheat=0.3)
    four = Cooling(MaxIterations(100), reheat=0.2, cycles=4)
    at = [Progress(0.0, iterations, 1.0, 0) for iterations in (0, 25, 50, 75, 100)]
    assert [one.fraction(progress) for progress in at] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert [two.fraction(progress) for progress in at] == pytest.approx([0.0, 0.5, 0.3, 0.65, 1.0])
    assert [four.fraction(progress) for progress in at] == pytest.approx([0.0, 0.2, 0.2, 0.2, 1.0])
    assert [four.cycle(progress) for progress in at] == [0, 1, 2, 3, 3]
    assert {one.cycle(progress) for progress in at} == {0}
