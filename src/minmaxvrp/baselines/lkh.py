"""LKH-3 (Helsgaun 2017) on the min-max mTSP: a baseline for `bench`.

It comes with the package `elkai` (`pip install 'minmaxvrp[lkh]'`), or is a binary of your own named by the
environment variable MINMAXVRP_LKH. LKH is free for academic and non-commercial use only: see its licence.
Several depots with free ends are one depot as near as the nearest of them; LKH-3 knows no other min-max
problem of ours.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InternalError
from ..problem.instance import Instance
from ..problem.solution import Solution
from .legs import depot_ways, leg_matrix, require_plain, routes_of

BINARY = "MINMAXVRP_LKH"
"""Environment variable with the path of an LKH binary."""
RESOLUTION = 1_000_000
"""The longest distance in LKH's whole numbers, which it multiplies by 100 within 31 bits."""
GRACE = 20.0
"""A run is ended after its time × this + as many seconds: LKH counts its own processor time."""
PROGRAM = """
import json, sys
from elkai import _elkai
parameters, problem = json.load(sys.stdin)
tour = _elkai.solve_problem(parameters, problem)
print(json.dumps(list(tour)))
"""


def solve(
    instance: Instance, seconds: float, seed: int = 0, clock: Callable[[], float] = time.perf_counter
) -> Solution:
    """The best solution found in `seconds` of processor time, whatever the `clock`: LKH has its own.

    Raises `InputError` where LKH is not installed or does not know the problem, `InternalError` when it
    crashes, runs over its time or returns no tour.
    """
    if instance.num_customers <= instance.num_vehicles:
        return routes_of(instance, [[c] for c in range(instance.num_customers)])
    require_plain(instance, "LKH")
    weights = _weights(instance)
    problem = _problem_text(weights)
    parameters = _parameter_text(instance.num_vehicles, seconds, seed)
    binary = os.environ.get(BINARY)
    limit = GRACE * seconds + GRACE
    tour = (
        _run_binary(binary, parameters, problem, limit) if binary else _run_elkai(parameters, problem, limit)
    )
    return routes_of(instance, _orders(tour, len(weights)))


def _weights(instance: Instance) -> NDArray[np.int64]:
    """[N+1, N+1] legs in whole numbers; the depot comes first."""
    ways = depot_ways(instance)
    legs = np.zeros((len(ways) + 1, len(ways) + 1))
    legs[1:, 1:] = leg_matrix(instance)
    legs[0, 1:] = legs[1:, 0] = ways
    longest = float(legs.max())
    scaled: NDArray[np.int64] = np.rint(legs * (RESOLUTION / longest if longest > 0 else 1.0)).astype(
        np.int64
    )
    return scaled


def _problem_text(weights: NDArray[np.int64]) -> str:
    rows = "\n".join(" ".join(str(w) for w in row) for row in weights.tolist())
    head = f"NAME : minmaxvrp\nTYPE : TSP\nDIMENSION : {len(weights)}\n"
    kind = "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
    return f"{head}{kind}EDGE_WEIGHT_SECTION\n{rows}\nEOF\n"


def _parameter_text(vehicles: int, seconds: float, seed: int) -> str:
    """SPECIAL is the set of options that LKH-3's author recommends for problems with penalties.

    Measured on 100 nodes: without it a trial takes a hundred times longer.
    """
    lines = [
        "SPECIAL",
        f"SALESMEN = {vehicles}",
        "DEPOT = 1",
        "MTSP_OBJECTIVE = MINMAX",
        "MTSP_MIN_SIZE = 1",
        "INITIAL_TOUR_ALGORITHM = MTSP",
        "MAX_TRIALS = 1000000000",
        "RUNS = 1",
        f"TIME_LIMIT = {seconds:g}",
        f"SEED = {seed + 1}",
        "TRACE_LEVEL = 0",
    ]
    return "\n".join(lines) + "\n"


def _run_elkai(parameters: str, problem: str, limit: float) -> list[int]:
    """In a process of its own: wrong parameters make LKH's code end the process it runs in."""
    if importlib.util.find_spec("elkai") is None:
        raise InputError(
            f"LKH-3 is not installed, expected pip install 'minmaxvrp[lkh]' or a binary named by {BINARY}"
        )
    text = json.dumps(["PROBLEM_FILE = :stdin:\n" + parameters, problem])
    done = _finished([sys.executable, "-c", PROGRAM], limit, text)
    try:
        return [int(node) for node in json.loads(done.splitlines()[-1])]
    except (IndexError, ValueError, TypeError):
        raise InternalError(f"LKH returned no tour: {done[-200:]!r}") from None


def _run_binary(binary: str, parameters: str, problem: str, limit: float) -> list[int]:
    if not os.access(binary, os.X_OK):
        raise InputError(f"{BINARY} = {binary!r}, expected a program that can be run")
    with tempfile.TemporaryDirectory(prefix="minmaxvrp-lkh-") as name:
        folder = Path(name)
        (folder / "problem.tsp").write_text(problem, encoding="utf-8")
        files = "PROBLEM_FILE = problem.tsp\nTOUR_FILE = best.tour\n"
        # SPECIAL must come first: it sets what later lines may change
        (folder / "run.par").write_text(
            parameters.replace("SPECIAL\n", "SPECIAL\n" + files), encoding="utf-8"
        )
        said = _finished([str(Path(binary).resolve()), "run.par"], limit, folder=folder)
        try:
            words = (folder / "best.tour").read_text(encoding="utf-8").split("TOUR_SECTION", 1)[1].split()
            return [int(word) for word in words[: words.index("-1")]]
        except (OSError, IndexError, ValueError):
            raise InternalError(f"LKH wrote no tour: {said[-200:]!r}") from None


def _finished(command: list[str], limit: float, text: str = "", folder: Path | None = None) -> str:
    """What the command says; raises `InternalError` when it fails or takes longer than `limit` seconds."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=limit, cwd=folder)
    except subprocess.TimeoutExpired:
        raise InternalError(f"LKH was still running after {limit:g} s") from None
    except OSError as error:
        raise InternalError(f"LKH cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise InternalError(
            f"LKH crashed with exit code {done.returncode}: {said[-1] if said else 'no message'}"
        )
    return done.stdout


def _orders(tour: list[int], nodes: int) -> list[list[int]]:
    """The tour (nodes from 1, copies of the depot above `nodes`) cut at the depots."""
    orders: list[list[int]] = [[]]
    first = next((k for k, node in enumerate(tour) if node == 1 or node > nodes), 0)
    for node in tour[first:] + tour[:first]:
        if node == 1 or node > nodes:
            orders.append([])
        else:
            orders[-1].append(node - 2)
    return [order for order in orders if order]
