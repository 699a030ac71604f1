"""Other projects' pickled test sets, read by an unpickler that refuses every class.

A pickle can run any code when it is loaded. Here only numbers, texts, plain containers and arrays of
numbers come out; any other class or function ends the reading with an `InputError`.
"""

import io
import pickle
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ..distance import Floats
from ..instance import Instance
from .npz import halves
from .pickled_arrays import STAND_INS
from .source import FileError, Options, Source, shown

DEPOT_KEYS, CUSTOMER_KEYS = ("depot", "depots"), ("loc", "locs", "customers")


# The unpickler written in Python: the C one reserves memory for any memo number a file names.
class _PlainUnpickler(pickle._Unpickler):
    """Unpickles numbers, texts, lists, tuples, dicts and sets, and nothing else."""

    def __init__(self, source: Source, data: bytes) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")
        self._source = source

    def find_class(self, module: str, name: str) -> Any:
        """A stand-in for an array's parts; refuse all else: it has no place in data."""
        if (module, name) in STAND_INS:
            return STAND_INS[module, name]
        if module.partition(".")[0] in ("numpy", "torch"):
            raise self._source.error(
                f"the pickle holds {module.partition('.')[0]} objects, which are not loaded; "
                "convert it to npz with arrays 'depots' [B, D, 2] and 'customers' [B, N, 2]"
            )
        raise self._source.error(f"the pickle names {shown(f'{module}.{name}')}; classes are not loaded")

    def persistent_load(self, pid: Any) -> NoReturn:
        """Refuse references to outside objects."""
        raise self._source.error("the pickle refers to objects outside the file")


class _Reader:
    """Turns plain containers into points, with a limit on their number.

    References inside a pickle can make a small file look like endless nested lists. Every honest
    number takes at least a byte of the file, so there are at most as many as bytes.
    """

    def __init__(self, source: Source, size: int) -> None:
        self.source, self.left = source, size

    def points(self, what: str, value: Any) -> Floats:
        """[n, 2] points from a list of pairs of numbers, or from one pair."""
        if _is_point(value):
            value = [value]
        if not isinstance(value, list | tuple) or not value:
            raise self.source.error(f"{what} is {shown(value)}, expected a list of points")
        self.left -= 2 * len(value)
        if self.left < 0:
            raise self.source.error("the pickle refers to its lists too often")
        for point in value:
            if not _is_point(point):
                raise self.source.error(f"{what}: {shown(point)}, expected a point [x, y]")
        return np.array(
            [[self.source.number("x", x, what), self.source.number("y", y, what)] for x, y in value]
        )


def read_set(source: Source, options: Options) -> list[Instance]:
    """The instances of a pickled list.

    Each entry is a list of points (the first is the depot), or a tuple or dict of the depot or
    depots and the customers; what follows them (demands, capacity) is not used, with a warning.
    """
    data = source.content()
    try:
        value = _PlainUnpickler(source, data).load()
    except FileError:
        raise
    except Exception as error:  # damaged pickles fail in too many ways to list
        raise source.error(f"not a readable pickle: {type(error).__name__}") from None
    if not isinstance(value, list | tuple) or not value:
        raise source.error(f"the pickle holds {shown(value)}, expected a list of instances")
    if isinstance(value[0], list | tuple) and _is_point(value[0]):
        value = [value]  # the points of a single instance
    reader, extra = _Reader(source, len(data)), set()
    instances = []
    for number, entry in enumerate(value):
        where = f"instance {number}"
        depots, customers, rest = _parts(source, entry, where)
        extra |= rest
        points = reader.points(where, depots), reader.points(where, customers)
        instances.append(_instance(source, *points, options, where))
    if extra:
        source.warn(f"{', '.join(sorted(extra)[:10])} in the instances: not used")
    return instances


def _parts(source: Source, entry: Any, where: str) -> tuple[Any, Any, set[str]]:
    """Depots, customers and the names of all else in one entry."""
    if isinstance(entry, dict):
        depot = next((key for key in DEPOT_KEYS if key in entry), None)
        customer = next((key for key in CUSTOMER_KEYS if key in entry), None)
        if depot is None or customer is None:
            raise source.error("a dict without 'depot' and 'loc'", where)
        rest = {shown(key) for key in entry if key not in (depot, customer)}
        return entry[depot], entry[customer], rest
    if not isinstance(entry, list | tuple) or len(entry) < 2:
        raise source.error(f"{shown(entry)}, expected points or (depot, customers)", where)
    if all(_is_point(point) for point in _first(entry, 3)):
        return entry[0], entry[1:], set()
    return entry[0], entry[1], {f"entry {k}" for k in range(2, min(len(entry), 10))}


def _first(entry: Any, count: int) -> Iterator[Any]:
    return (entry[k] for k in range(min(count, len(entry))))


def _is_point(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    )


def _instance(source: Source, depots: Floats, customers: Floats, options: Options, where: str) -> Instance:
    pairs = np.zeros((0, 2), dtype=np.int64)
    if options.paired:
        pairs = halves(source, len(depots), len(customers))
    with source.located():
        return Instance(
            np.concatenate([depots, customers]),
            len(depots),
            source.num_vehicles(options, None),
            pairs=pairs,
            name=where,
        )
