"""The map of all files: read and write instances, sets of instances and solutions.

The format follows from the ending of the name, for text files also from the content. Every
reader gives an `Instance`, validated once, or raises `InputError` with one line that says where.
One file per format; `docs/formats.md` describes them, units first.
"""

from dataclasses import replace
from pathlib import Path

from ...errors import InputError
from ..distance import Distance
from ..instance import Instance, ReturnTo
from ..solution import Solution
from . import csvfile, jsonfile, jsonsolution
from .atomic import write_bytes, write_text
from .source import FormatWarning, Options, Source

__all__ = ["FormatWarning", "read", "read_solution", "write", "write_bytes", "write_solution", "write_text"]


def read(
    path: str | Path,
    *,
    vehicles: int | None = None,
    matrix: str | Path | None = None,
    rounded: bool = False,
    return_to: ReturnTo | None = None,
) -> Instance:
    """The instance in a file."""
    source, options = Source(Path(path)), Options(vehicles=vehicles)
    readers = {".json": jsonfile.read, ".csv": csvfile.read}
    if source.path.suffix.lower() not in readers:
        raise source.error("unknown ending, expected .json or .csv")
    instance = readers[source.path.suffix.lower()](source, options)
    if rounded and instance.kind is Distance.EUCLIDEAN:
        instance = replace(instance, kind=Distance.EUC_2D)
    return instance if return_to is None else replace(instance, return_to=return_to)


def write(instance: Instance, path: str | Path) -> None:
    """Write an instance."""
    path = Path(path)
    write_text(path, jsonfile.text(instance) if path.suffix == ".json" else csvfile.write(path, instance))


def read_solution(path: str | Path, instance: Instance) -> Solution:
    """The solution in a file."""
    return jsonsolution.read(Source(Path(path)), instance)


def write_solution(
    path: str | Path,
    instance: Instance,
    solution: Solution,
    *,
    lower_bound: float | None = None,
    method: str | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> None:
    """Write a solution."""
    facts = {
        "lower_bound": lower_bound,
        "method": method,
        "seed": seed,
        "iterations": iterations,
        "seconds": seconds,
    }
    if Path(path).suffix != ".json":
        raise InputError(f"{path}: expected .json")
    write_text(path, jsonsolution.text(instance, solution, facts))
