"""Results on disk: one JSON line per measured instance, appended as it comes, safe against kill -9.

`measure` writes through a `Store` and skips what it finds there; `report` and `benchmarks/` read the lines.
"""

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import InputError
from ..problem.files.json_lines import JsonLines, read_lines

Key = tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What is asked of a method: the fields that a measurement and a row of a table share."""

    suite: str
    problem: str
    size: int
    """Nodes for mTSP and files, customers for the other suites: the literature's convention."""
    depots: int
    vehicles: int
    set_seed: int | None
    """Of random instances; None for files."""
    method: str
    policy: str | None
    seed: int
    time: float
    """Budget per instance in seconds."""
    clock: str = "wall"
    """Whose seconds: `wall`, or `cpu` for CPU time."""
    settings: str = ""
    """Settings of the search that were changed, such as `blink=0.02`; empty for the defaults."""


@dataclass(frozen=True, kw_only=True)
class Measurement(Experiment):
    """One instance solved by one method: what was asked, what came out. Times are seconds."""

    index: int
    name: str
    """Of the file's instance; empty for random ones."""
    instance: str
    """Digest of the instance, so that a changed file is measured again."""
    code: str
    """Digest of the method's code and weights."""
    commit: str = ""
    """Where that code was checked out from; empty where it is not known."""
    objective: float
    lower_bound: float
    seconds: float
    """Time used."""
    iterations: int = 0
    trace: tuple[tuple[float, float], ...] = ()
    """(seconds, best makespan)"""
    best_known: float | None = None
    proven_optimal: bool = False
    rounded: bool = False
    """Whether the best known makespan is a rounded one."""
    date: str = ""
    cpu: str = ""
    failure: str = ""
    """Why a rival has no answer; its objective is then not a number."""

    @property
    def key(self) -> Key:
        """What makes a measurement this one: a second one with the same key would tell nothing new."""
        where = (self.suite, self.set_seed, self.vehicles, self.index, self.name, self.instance)
        return (*where, self.method, self.policy, self.seed, self.time, self.clock, self.settings, self.code)


class Store:
    """A file of measurements, open for appending; use it in a `with` block.

    Raises `InputError` for a file that holds something else, or that another process is writing.
    """

    def __init__(self, path: Path) -> None:
        self.file = JsonLines(path, "bench")
        self.done: dict[Key, Measurement] = {}

    def __enter__(self) -> "Store":
        self.done = {measurement.key: measurement for measurement in self.file.resume(_parse)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.__exit__(kind, error, trace)

    def append(self, measurement: Measurement) -> None:
        """Write one line; when this returns it is on the disk."""
        self.file.append(
            {k: None if v != v else v for k, v in asdict(measurement).items()}
        )  # JSON knows no NaN
        self.done[measurement.key] = measurement


def read_measurements(path: Path) -> list[Measurement]:
    """All measurements of a file; an unfinished last line is left out.

    Raises `InputError` with the line for anything else that is not a measurement.
    """
    return [_parse(where, line) for where, line in read_lines(path)]


def _parse(where: str, line: bytes) -> Measurement:
    try:
        values: dict[str, Any] = json.loads(line)
        values["trace"] = tuple((float(s), float(m)) for s, m in values["trace"])
        if values.get("failure"):
            values |= dict.fromkeys(("objective", "lower_bound", "seconds"), math.nan)
        known = {f.name for f in fields(Measurement)}
        return Measurement(**{k: v for k, v in values.items() if k in known})
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{where}: not a measurement of bench ({error})") from None
