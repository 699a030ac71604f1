"""npz sets: many instances of one size as plain numpy arrays, and the safe reading of arrays.

Nothing is ever unpickled, and an array is refused by its header before memory is taken for it.
"""

import io
import math
import sys
import warnings
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..distance import Distance, Floats
from ..instance import Instance
from .source import LARGEST_FILE, FileError, Options, Source, shown

Arrays = dict[str, NDArray[Any]]
VERSION = 1
KNOWN = (
    *("version", "depots", "customers", "vehicles", "pairs", "return_to", "distance", "matrix"),
    *("vehicles_per_depot", "service", "names", "name", "max_length", "unit", "speed", "kilometres"),
)


def load(source: Source) -> Arrays:
    """All arrays of an npz file, or the one of an npy file under the name `matrix`."""
    data = source.content()
    try:
        if data.startswith(b"\x93NUMPY"):
            return {"matrix": _array(source, "matrix", data)}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise source.error(f"arrays of more than {LARGEST_FILE} bytes")
            names = [entry.filename for entry in archive.infolist()]
            if len(set(names)) < len(names):
                raise source.error("an array appears twice")
            return {n.removesuffix(".npy"): _array(source, n, archive.read(n)) for n in names}
    except FileError:
        raise
    except Exception as error:  # zip, compression and header parsers fail in too many ways to list
        raise source.error(f"not a readable npz file: {type(error).__name__}") from None


def read_set(source: Source, arrays: Arrays, options: Options) -> list[Instance]:
    """The instances of a set."""
    unknown = sorted(set(arrays) - set(KNOWN))
    if unknown:
        source.warn(f"unknown array {', '.join(shown(name) for name in unknown[:10])}: not used")
    if "version" in arrays and arrays["version"].tolist() != VERSION:
        raise source.error(f"version = {shown(arrays['version'].tolist())}, expected {VERSION}")
    depots, customers = _points(source, arrays, "depots"), _points(source, arrays, "customers")
    if len(depots) != len(customers):
        raise source.error(f"depots of {len(depots)} and customers of {len(customers)} instances")
    points = np.concatenate([depots, customers], axis=1)  # [B, D+N, 2]
    columns = {key: _each(source, arrays, key, len(points)) for key in KNOWN[3:]}
    with source.located():
        return [
            _instance(source, points[row], depots.shape[1], {k: v[row] for k, v in columns.items()}, options)
            for row in range(len(points))
        ]


def dump(instances: Sequence[Instance]) -> bytes:
    """The bytes of a set; `InputError` unless all instances have the same fields and sizes."""
    first = instances[0]
    if any(i.fleet is not None or i.allowed is not None for i in instances):
        raise InputError("a set cannot hold a fleet or allowed vehicles; write each instance as .json")
    shape = (first.num_depots, first.num_nodes, first.kind, first.return_to, first.pairs.shape)
    if any((i.num_depots, i.num_nodes, i.kind, i.return_to, i.pairs.shape) != shape for i in instances):
        raise InputError("instances of a set must have the same size, pairs, distance and return_to")
    columns: dict[str, list[Any]] = {
        "depots": [i.coordinates[: i.num_depots] for i in instances],
        "customers": [i.coordinates[i.num_depots :] for i in instances],
        "vehicles": [i.num_vehicles for i in instances],
        "return_to": [i.return_to for i in instances],
        "distance": [i.kind.value for i in instances],
        "name": [i.name for i in instances],
        "unit": [i.unit for i in instances],
    }
    if len(first.pairs):
        columns["pairs"] = [i.pairs for i in instances]
    for key in ("matrix", "vehicles_per_depot", "service", "names", "max_length", "speed", "kilometres"):
        values = [getattr(i, key) for i in instances]
        if any((value is None) != (values[0] is None) for value in values):
            raise InputError(f"instances of a set must all have {key} or none")
        if values[0] is not None:
            columns[key] = values
    arrays: dict[str, Any] = {key: np.array(value) for key, value in columns.items()}
    if any("\0" in name for i in instances for name in (i.name, *(i.names or ()))):
        raise InputError("a name has a zero character, which npz cannot hold")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, version=np.array(VERSION), **arrays)
    return buffer.getvalue()


def _array(source: Source, name: str, data: bytes) -> NDArray[Any]:
    """One array from its bytes, whose header must agree with their number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # numpy's, of headers that Python 2 wrote
        return _checked_array(source, name, data)


def _checked_array(source: Source, name: str, data: bytes) -> NDArray[Any]:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise source.error(f"array {shown(name)} has npy version {version}, expected 1.0 or 2.0")
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    if dtype.hasobject or dtype.kind not in "fiuU":
        raise source.error(
            f"array {shown(name)} has type {dtype.kind!r}, expected numbers or text, not objects"
        )
    if math.prod(shape) * dtype.itemsize != len(data) - stream.tell() or any(n < 0 for n in shape):
        raise source.error(f"array {shown(name)} is damaged: {len(data)} bytes do not fit its shape")
    stream.seek(0)
    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def floats(source: Source, name: str, array: NDArray[Any]) -> Floats:
    """An array as float64."""
    if array.dtype.kind not in "fiu":
        raise source.error(f"array {shown(name)} has type {array.dtype.kind!r}, expected numbers")
    with np.errstate(all="ignore"):  # what overflows becomes inf and is refused with its place
        return array.astype(np.float64)


def _points(source: Source, arrays: Arrays, name: str) -> Floats:
    if name not in arrays:
        raise source.error(f"no array {name!r}")
    points = floats(source, name, arrays[name])
    if points.ndim != 3 or points.shape[2] != 2 or points.size == 0:
        raise source.error(f"array {name!r} has shape {points.shape}, expected (instances, {name}, 2)")
    return points


def _each(source: Source, arrays: Arrays, key: str, count: int) -> list[Any]:
    """One plain value per instance: arrays without a first axis of instances hold for all."""
    if key not in arrays:
        return [None] * count
    array = arrays[key]
    axes = {"pairs": 2, "matrix": 2, "kilometres": 2, "vehicles_per_depot": 1, "service": 1, "names": 1}
    single = axes.get(key, 0)
    if array.ndim not in (single, single + 1):
        raise source.error(f"array {key!r} has {array.ndim} axes, expected {single} or {single + 1}")
    if (array.dtype.kind == "U") != (key in ("return_to", "distance", "names", "name", "unit")):
        raise source.error(f"array {key!r} has type {array.dtype.kind!r}, expected another")
    if array.dtype.kind == "U" and array.nbytes > 0:  # Python makes strings of code points that do not exist
        codes = np.ascontiguousarray(array).reshape(-1).view(f"{array.dtype.str[0]}u4")
        if int(codes.max()) > sys.maxunicode:
            raise source.error(f"{key}: expected valid Unicode")
    if array.ndim == single:
        return [array] * count
    if len(array) != count:
        raise source.error(f"array {key!r} has {len(array)} entries, expected {count} instances")
    return list(array)


def _instance(
    source: Source, points: Floats, num_depots: int, fields: dict[str, Any], options: Options
) -> Instance:
    stated = fields["vehicles"]
    if stated is not None:
        stated = source.whole("vehicles", np.asarray(stated).item(), least=1)
    fleet = _wholes(source, "vehicles_per_depot", fields["vehicles_per_depot"])
    pairs = _wholes(source, "pairs", fields["pairs"])
    if pairs is None and options.paired:
        pairs = halves(source, num_depots, len(points) - num_depots)
    service, names = fields["service"], fields["names"]
    matrix, kilometres = (
        None if fields[key] is None else floats(source, key, fields[key]) for key in ("matrix", "kilometres")
    )
    return Instance(
        points,
        num_depots,
        source.num_vehicles(options, stated, None if fleet is None else fleet.tolist()),
        pairs=np.zeros((0, 2), dtype=np.int64) if pairs is None else pairs,
        return_to=_text(source, "return_to", fields["return_to"]) or "start",
        kind=_text(source, "distance", fields["distance"]) or Distance.EUCLIDEAN,
        matrix=matrix,
        vehicles_per_depot=fleet,
        service=None if service is None else floats(source, "service", service),
        names=None if names is None else tuple(_text(source, "name", name) for name in names),
        name=_text(source, "name", fields["name"]),
        max_length=_number(source, "max_length", fields["max_length"]),
        unit=_text(source, "unit", fields["unit"]),
        speed=_number(source, "speed", fields["speed"]),
        kilometres=kilometres,
    )


def halves(source: Source, num_depots: int, num_customers: int) -> NDArray[np.int64]:
    """[Q, 2] pairs by the convention of the literature's sets: customer i and customer i + N/2."""
    if num_customers % 2:
        raise source.error(f"{num_customers} customers, expected an even number for pairs")
    count = num_depots + np.arange(num_customers // 2)
    return np.stack([count, count + num_customers // 2], axis=1)


def _number(source: Source, key: str, value: Any) -> float | None:
    return None if value is None else float(floats(source, key, np.asarray(value)))


def _wholes(source: Source, key: str, array: NDArray[Any] | None) -> NDArray[np.int64] | None:
    if array is None:
        return None
    if array.dtype.kind not in "iu":
        raise source.error(f"array {key!r} has type {array.dtype.kind!r}, expected whole numbers")
    return array.astype(np.int64)


def _text(source: Source, key: str, value: Any) -> str:
    if value is None:
        return ""
    try:
        text = str(value)
    except (ValueError, SystemError):  # code points that do not exist
        raise source.error(f"{key}: expected valid Unicode") from None
    return source.label(key, text) if text else ""
