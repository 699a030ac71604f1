"""Random instances by seed: for training, for tests, and the test sets of the DPN paper.

`instances` draws any problem from any of `distributions`; `published_set` repeats the recipe of the paper's
test sets number by number. All coordinates lie in the unit square.
"""

from typing import Any

import numpy as np

from ..errors import InputError
from .distance import Floats
from .distributions import DISTRIBUTIONS
from .instance import Instance

PROBLEMS = ("mtsp", "mpdp", "mdvrp", "fmdvrp")
DEFAULT_DEPOTS = 6
"""Depots of a multi-depot instance unless said otherwise: those of the paper's smaller tables."""


def uniform(
    problem: str, size: int, num_vehicles: int, num_depots: int | None = None, seed: int = 0, count: int = 1
) -> list[Instance]:
    """`count` instances with nodes uniform in the unit square; see `instances`."""
    return instances(problem, size, num_vehicles, num_depots=num_depots, seed=seed, count=count)


def instances(
    problem: str,
    size: int,
    num_vehicles: int,
    *,
    distribution: str = "uniform",
    num_depots: int | None = None,
    seed: int = 0,
    count: int = 1,
) -> list[Instance]:
    """`count` random instances of a problem (mtsp, mpdp, mdvrp, fmdvrp) from a distribution.

    `size` counts as in the paper: for mtsp the nodes including the depot, otherwise the customers.
    Depots come from the same distribution as the customers. Raises `InputError` for an unknown
    name or a size that is too small, or odd for mpdp.
    """
    draw = DISTRIBUTIONS.get(distribution)
    if draw is None:
        raise InputError(f"distribution = {distribution!r}, expected one of {', '.join(DISTRIBUTIONS)}")
    depots, customers = _shape(problem, size, num_depots)
    _check_count(count)
    rng = np.random.default_rng(_seed(seed, 2**63))
    made = []
    for index in range(count):
        points = rng.permutation(draw(rng, depots + customers))  # depots are nodes like any other
        label = f"{problem}{size}-{distribution}-{seed}-{index}"
        made.append(_build(problem, points[:depots], points[depots:], num_vehicles, label))
    return made


def published_set(
    problem: str,
    size: int,
    num_vehicles: int,
    num_depots: int | None = None,
    seed: int = 3333,
    count: int = 100,
) -> list[Instance]:
    """The paper's test set of a problem and size, bit for bit where it is published (mtsp, mpdp).

    One legacy `RandomState` draws all coordinates of the set: for mtsp the nodes of all instances,
    the first one being the depot; otherwise first the depots of all instances, then the customers. The
    multi-depot sets are not public: the same recipe gives others of the same distribution. Another
    `count` gives another set.
    """
    depots, customers = _shape(problem, size, num_depots)
    _check_count(count)
    random = np.random.RandomState(_seed(seed, 2**32))  # what the published sets came from
    if problem == "mtsp":
        points = random.uniform(size=(count, depots + customers, 2))
        starts, stops = points[:, :depots], points[:, depots:]
    else:
        starts = random.uniform(size=(count, depots, 2))
        stops = random.uniform(size=(count, customers, 2))
    label = f"{problem}{size}-published-{seed}"
    return [
        _build(problem, starts[index], stops[index], num_vehicles, f"{label}-{index}")
        for index in range(count)
    ]


def _build(problem: str, depots: Floats, customers: Floats, num_vehicles: int, name: str) -> Instance:
    """An instance of a problem from its points; the first half of an mpdp's customers are the pickups."""
    if problem == "mtsp":
        return Instance.mtsp(depots[0], customers, num_vehicles, name=name)
    if problem == "mpdp":
        half = len(customers) // 2
        return Instance.mpdp(depots[0], customers[:half], customers[half:], num_vehicles, name=name)
    make = Instance.mdvrp if problem == "mdvrp" else Instance.fmdvrp
    return make(depots, customers, num_vehicles, name=name)


def _shape(problem: str, size: int, num_depots: int | None) -> tuple[int, int]:
    """Numbers of depots and customers."""
    if problem not in PROBLEMS:
        raise InputError(f"problem = {problem!r}, expected one of {', '.join(PROBLEMS)}")
    single = problem in ("mtsp", "mpdp")
    depots = num_depots if num_depots is not None else 1 if single else DEFAULT_DEPOTS
    if _whole("num_depots", depots) < 1 or (single and depots != 1):
        raise InputError(f"num_depots = {depots}, expected {'1' if single else '1 or more'} for {problem}")
    least = 1 if problem in ("mdvrp", "fmdvrp") else 2
    if _whole("size", size) < least:
        raise InputError(f"size = {size}, expected {least} or more for {problem}")
    if problem == "mpdp" and size % 2:
        raise InputError(f"size = {size}, expected an even number for mpdp: pickups and deliveries")
    return depots, size - 1 if problem == "mtsp" else size


def _whole(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{what} = {value!r}, expected a whole number")
    return int(value)


def _check_count(count: Any) -> None:
    if _whole("count", count) < 0:
        raise InputError(f"count = {count}, expected 0 or more")


def _seed(seed: Any, limit: int) -> int:
    if not 0 <= _whole("seed", seed) < limit:
        raise InputError(f"seed = {seed}, expected 0 to {limit - 1}")
    return int(seed)
