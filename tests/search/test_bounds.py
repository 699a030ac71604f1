"""No kernel reads or writes beyond an array, and the code kept for users gives the same answers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minmaxvrp.search.compilation import kernels_cached

SCRIPT = """
import sys
import numba, numpy as np
from random_instances import random_instance
from minmaxvrp.interrupt import Interrupt
from minmaxvrp.search.arrays.prepare import prepare
from minmaxvrp.search.elimination.fewer_routes import Elimination
from minmaxvrp.search.improve import improve
from minmaxvrp.search.one_search import Goal
from minmaxvrp.search.route_cost import RouteCost
from minmaxvrp.search.settings import SearchSettings
from minmaxvrp.search.makespan import minimise_makespan
from minmaxvrp.problem.check import route_lengths, violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.problem.solution import Solution
from minmaxvrp.stop import MaxIterations

if "first use" in sys.argv:
    from minmaxvrp.search.compilation import fill_cache, fill_elimination_cache
    fill_cache()
    fill_elimination_cache()
if "plain" in sys.argv:
    from minmaxvrp.jit.wraparound import refuse_negative_indices
    from minmaxvrp.search.programs import compile_here
    compile_here()
    refuse_negative_indices()
if "checked" in sys.argv:
    for place in (3, -1):
        try:
            numba.njit(lambda values, place: values[place])(np.zeros(3), place)
        except IndexError:
            print("checked")

rng = np.random.default_rng(0)
large = [
    Instance(rng.uniform(size=(200, 2)), 1, 3),
    Instance(rng.uniform(size=(300, 2)), 1, 20),
    Instance(rng.uniform(size=(301, 2)), 1, 30, pairs=np.arange(1, 301).reshape(2, -1).T),
    Instance(rng.uniform(size=(304, 2)), 4, 20),
    Instance(rng.uniform(size=(304, 2)), 4, 20, return_to="any"),
    Instance(rng.uniform(size=(1104, 2)), 4, 20, vehicles_per_depot=[2, 5, 9, 4]),
    Instance(
        rng.uniform(size=(163, 2)), 3, 9, pairs=np.arange(3, 103).reshape(2, -1).T, kind="matrix",
        matrix=rng.uniform(size=(163, 163)), vehicles_per_depot=[2, 5, 3],
    ),
]
for seed, instance in enumerate([*(random_instance(seed) for seed in range(60)), *large]):
    outcome = minimise_makespan(instance, MaxIterations(150))
    assert violations(instance, outcome.solution) == []
    print(outcome.makespan)
    then = ("balance", "total", "none")[seed % 3]
    outcome = improve(instance, MaxIterations(150), start=[outcome.solution], then=then)
    assert violations(instance, outcome.solution) == []
    print(float(route_lengths(instance, outcome.solution).sum()))
    goal, settings = Goal(MaxIterations(150), 0.0, 1.0, 0.0, Interrupt()), SearchSettings()
    rule = RouteCost(outcome.makespan * (1 + 1e-9), 1.0, 0.0)
    kept = Solution(outcome.solution.routes[1:])
    if kept.routes:
        fewer = Elimination(prepare(instance, 1.0), goal, settings, kept, len(kept.routes), 0, 0, rule)
        fewer.run()
        print(fewer.iterations, float(fewer.routes.length.sum()))
"""


@pytest.mark.parametrize("how", ["first use", pytest.param("plain", marks=pytest.mark.slow)])
def test_kernels_stay_within_their_arrays(tmp_path: Path, how: str) -> None:
    """All kinds of instances under NUMBA_BOUNDSCHECK=1, in a process with a cache of its own.

    What comes after the makespan in turn. The kernels that users have, which the beginning of the test
    session has compiled, end with the same lengths: without checks, and compared with plain numba also
    though compiled as one program.
    """
    modules = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | {"PYTHONPATH": modules}
    checks = {"NUMBA_BOUNDSCHECK": "1", "MINMAXVRP_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    checked = _lengths([how, "checked"], environment | checks | {"NUMBA_OPT": "1"})
    assert checked[:2] == ["checked", "checked"]  # beyond the end, and below 0
    assert len(checked) > 2 + 3 * 67
    assert kernels_cached()
    assert _lengths([], environment) == checked[2:]


def _lengths(arguments: list[str], environment: dict[str, str]) -> list[str]:
    program = [sys.executable, "-c", SCRIPT, *arguments]
    run = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.split()
