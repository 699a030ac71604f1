"""No kernel reads or writes beyond an array."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numba, numpy as np
from random_instances import random_instance
from minmaxvrp.search.anneal import improve
from minmaxvrp.problem.check import violations
from minmaxvrp.problem.instance import Instance
from minmaxvrp.stop import MaxIterations

@numba.njit
def beyond(values, place):
    return values[place]

try:
    beyond(np.zeros(3), 3)
except IndexError:
    print("checked")

rng = np.random.default_rng(0)
large = [
    Instance(rng.uniform(size=(200, 2)), 1, 3),
    Instance(rng.uniform(size=(300, 2)), 1, 20),
    Instance(rng.uniform(size=(301, 2)), 1, 20, pairs=np.arange(1, 301).reshape(2, -1).T),
    Instance(rng.uniform(size=(304, 2)), 4, 20),
    Instance(rng.uniform(size=(304, 2)), 4, 20, return_to="any"),
    Instance(rng.uniform(size=(1104, 2)), 4, 20, vehicles_per_depot=[2, 5, 9, 4]),
]
for instance in [*(random_instance(seed) for seed in range(60)), *large]:
    outcome = improve(instance, MaxIterations(150))
    assert violations(instance, outcome.solution) == []
print("done")
"""


def test_kernels_stay_within_their_arrays() -> None:
    """All kinds of instances under NUMBA_BOUNDSCHECK=1, in a process of its own (cached separately)."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == ["checked", "done"]
