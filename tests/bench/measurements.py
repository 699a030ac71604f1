"""Measurements for tests."""

from typing import Any

from minmaxvrp.bench.store import Measurement

PLAIN: dict[str, Any] = {
    "suite": "mtsp50",
    "problem": "mtsp",
    "size": 50,
    "depots": 1,
    "vehicles": 3,
    "set_seed": 3333,
    "index": 0,
    "name": "",
    "instance": "abcd",
    "method": "search",
    "policy": None,
    "seed": 0,
    "time": 1.0,
    "code": "c0de",
    "objective": 2.5,
    "lower_bound": 2.0,
    "seconds": 1.0,
    "iterations": 100,
    "trace": ((0.1, 3.0), (0.5, 2.5)),
}


def measurement(**changes: Any) -> Measurement:
    """A measurement of mtsp50 with 3 vehicles, with some fields changed."""
    return Measurement(**{**PLAIN, **changes})
