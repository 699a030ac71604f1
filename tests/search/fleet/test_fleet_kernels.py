"""No kernel for fleets reads or writes beyond an array; the code kept for users gives the same answers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
import numpy as np
from random_fleets import random_fleet
from minmaxvrp.problem.check import violations
from minmaxvrp.search.fleet.fleet_search import construct_fleet
from minmaxvrp.search.fleet.improve_fleet import improve_fleet
from minmaxvrp.stop import MaxIterations

if "whole" in sys.argv:
    from minmaxvrp.search.compilation import fill_fleet_cache
    fill_fleet_cache()
else:
    from minmaxvrp.jit.wraparound import refuse_negative_indices
    from minmaxvrp.search.programs import compile_here
    compile_here()
    refuse_negative_indices()

tiny = [random_fleet(seed, None, 2 + seed % 29, 1 + seed % 7, 1 + seed % 4) for seed in range(60)]
large = [random_fleet(seed, None, 130 + seed, 3 + 9 * (seed % 5), 3) for seed in range(20)]
large += [random_fleet(3, ("starts", "pairs", "allowed"), 1100, 40, 6)]
for number, instance in enumerate([*tiny, *large]):
    start = construct_fleet(instance, number)
    fixed = set(range(instance.num_depots, instance.num_nodes, 3)) if number % 2 else set()
    then = ("none", "balance", "total")[number % 3]
    outcome = improve_fleet(instance, MaxIterations(150), start=[start], then=then, fixed=fixed)
    assert violations(instance, outcome.solution) == []
    print(outcome.makespan)
"""


@pytest.mark.slow
def test_kernels_for_fleets_stay_within_their_arrays(tmp_path: Path) -> None:
    """All kinds of fleets under NUMBA_BOUNDSCHECK=1, in a process of its own (cached separately).

    The same fleets with kernels compiled as on first use, as one program, end with the same makespans.
    """
    modules = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | {"PYTHONPATH": modules}
    fresh = environment | {"MINMAXVRP_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_DIR": "", "NUMBA_OPT": "1"}
    checked = _makespans([], environment | {"NUMBA_BOUNDSCHECK": "1"})
    assert len(checked) == 81
    assert _makespans(["whole"], fresh) == checked


def _makespans(arguments: list[str], environment: dict[str, str]) -> list[str]:
    program = [sys.executable, "-c", SCRIPT, *arguments]
    run = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.split()
