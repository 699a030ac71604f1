"""Every field of a new `Instance` in its range, or an `InputError` that says what, got and expected.

`instance.py` calls `validate` once for every instance; who reads an instance afterwards can trust it. The
rules of the fleet's fields are in `fleet.py`.
"""

from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .distance import Distance, Floats, is_geographic
from .fleet import LARGEST, ReturnTo, valid_allowed, valid_fleet, valid_max_length
from .multidimensional_scaling import scaled_points
from .units import Units

if TYPE_CHECKING:
    from .instance import Instance

Array = TypeVar("Array", bound=NDArray[Any])
Indices = NDArray[np.int64]


def validate(instance: "Instance") -> None:
    """Check and freeze every field of a new instance."""

    def put(key: str, value: object) -> None:
        object.__setattr__(instance, key, value)

    if instance.matrix is not None and instance.kind == Distance.EUCLIDEAN:
        put("kind", Distance.MATRIX)  # a matrix is given to be used
    if instance.coordinates is None and instance.matrix is not None:
        put("coordinates", scaled_points(as_floats("distance matrix", instance.matrix)))
    if instance.coordinates is None:
        raise InputError("no coordinates and no matrix, expected one of them")
    coordinates = as_points("coordinates", instance.coordinates)
    all_finite("coordinates", coordinates)
    put("coordinates", read_only(coordinates))
    put("kind", _distance_kind(instance.kind))
    put("num_depots", as_whole("num_depots", instance.num_depots, 1))
    put("num_vehicles", as_whole("num_vehicles", instance.num_vehicles, 1))
    if instance.num_customers < 1:
        raise InputError(f"no customers: {len(coordinates)} nodes of which {instance.num_depots} are depots")
    if instance.return_to not in get_args(ReturnTo):
        raise InputError(f"return_to = {instance.return_to!r}, expected 'start', 'any' or 'nowhere'")
    put("pairs", _valid_pairs(instance))
    put("matrix", _valid_matrix(instance))
    put("kilometres", _valid_kilometres(instance))
    _valid_range(instance)
    put("vehicles_per_depot", _valid_vehicles_per_depot(instance))
    put("service", _valid_service(instance))
    put("names", _valid_names(instance))
    put("latlon", _valid_latlon(instance))
    put("allowed", valid_allowed(instance))
    put("fleet", valid_fleet(instance))
    put("max_length", valid_max_length(instance))
    if is_geographic(instance.kind):
        if instance.unit not in ("", "km"):
            raise InputError(f"unit = {instance.unit!r}, expected 'km' with {instance.kind.value!r}")
        put("unit", "km")
    Units(instance.unit, instance.speed, instance.kilometres is not None)


def _distance_kind(kind: Any) -> Distance:
    try:
        return Distance(kind)
    except ValueError:
        known = ", ".join(Distance)
        raise InputError(f"distance = {kind!r}, expected one of {known}") from None


def _valid_pairs(instance: "Instance") -> Indices:
    try:
        pairs = as_integers(instance.pairs).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        raise InputError("pairs: expected a list of [pickup, delivery] node numbers") from None
    wrong = (pairs < instance.num_depots) | (pairs >= instance.num_nodes)
    if wrong.any():
        raise InputError(
            f"pairs: node {pairs[wrong][0]} is not a customer, expected "
            f"{instance.num_depots} to {instance.num_nodes - 1}"
        )
    nodes, count = np.unique(pairs, return_counts=True)
    if (count > 1).any():
        node = int(nodes[count > 1][0])
        raise InputError(f"pairs: node {node} is in more than one pair")
    return read_only(pairs)


def _valid_matrix(instance: "Instance") -> Floats | None:
    if (instance.matrix is None) != (instance.kind is not Distance.MATRIX):
        raise InputError(
            f"distance = {instance.kind.value!r} with "
            f"{'no matrix' if instance.matrix is None else 'a matrix'}, expected a matrix with 'matrix' only"
        )
    if instance.matrix is None:
        return None
    return _square("distance matrix", instance.matrix, instance.num_nodes)


def _valid_kilometres(instance: "Instance") -> Floats | None:
    if instance.kilometres is None:
        return None
    matrix = _square("kilometres", instance.kilometres, instance.num_nodes)
    if matrix.max(initial=0.0) > LARGEST:
        raise InputError(f"kilometres: {matrix.max():g}, expected at most {LARGEST:g}")
    return matrix


def _square(what: str, values: Any, size: int) -> Floats:
    """A matrix of numbers of 0 or more between all nodes, 0 from a node to itself."""
    matrix = as_floats(what, values)
    if matrix.shape != (size, size):
        raise InputError(f"{what} has shape {matrix.shape}, expected {(size, size)}")
    all_finite(what, matrix)
    if (matrix < 0).any():
        row, column = np.argwhere(matrix < 0)[0]
        raise InputError(f"{what} row {row} column {column} = {matrix[row, column]:g}, expected 0 or more")
    np.fill_diagonal(matrix, 0.0)
    return read_only(matrix)


def _valid_range(instance: "Instance") -> None:
    largest = np.abs(instance.coordinates).max(initial=0.0)
    if instance.matrix is not None:
        largest = max(largest, instance.matrix.max(initial=0.0))
    if largest > LARGEST:
        raise InputError(f"a coordinate or distance of {largest:g}, expected at most {LARGEST:g}")
    if not is_geographic(instance.kind):
        return
    for column, what, bound in ((0, "latitude", 90.0), (1, "longitude", 180.0)):
        values = instance.coordinates[:, column]
        wrong = np.flatnonzero(np.abs(values) > bound)
        if len(wrong):
            node = int(wrong[0])
            raise InputError(f"node {node}: {what} = {values[node]:g}, expected -{bound:g} to {bound:g}")


def _valid_vehicles_per_depot(instance: "Instance") -> Indices | None:
    if instance.vehicles_per_depot is None:
        return None
    try:
        fleet = as_integers(instance.vehicles_per_depot)
    except (TypeError, ValueError, OverflowError):
        raise InputError("vehicles per depot: expected a list of whole numbers") from None
    if fleet.shape != (instance.num_depots,):
        raise InputError(
            f"vehicles per depot: {fleet.size} numbers, expected one for each of {instance.num_depots} depots"
        )
    if (fleet < 0).any():
        raise InputError(f"vehicles per depot: {fleet.min()}, expected 0 or more")
    if sum(int(v) for v in fleet) < instance.num_vehicles:
        raise InputError(
            f"num_vehicles = {instance.num_vehicles}, but the depots have only {fleet.sum()} vehicles"
        )
    return read_only(fleet)


def _valid_service(instance: "Instance") -> Floats | None:
    if instance.service is None:
        return None
    service = as_floats("service", instance.service)
    if service.shape != (instance.num_customers,):
        raise InputError(
            f"service: {service.size} times, expected one for each of {instance.num_customers} customers"
        )
    all_finite("service", service)
    if (service < 0).any():
        raise InputError(f"service = {service.min():g}, expected 0 or more")
    if service.max() > LARGEST:
        raise InputError(f"service = {service.max():g}, expected at most {LARGEST:g}")
    return read_only(service)


def _valid_names(instance: "Instance") -> tuple[str, ...] | None:
    if instance.names is None:
        return None
    names = tuple(instance.names)
    if len(names) != instance.num_nodes:
        raise InputError(f"{len(names)} names, expected one for each of {instance.num_nodes} nodes")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"name = {name!r}, expected a text that is not empty")
        if name in seen:
            raise InputError(f"name {name!r} is used twice, expected different names")
        seen.add(name)
    return names


def _valid_latlon(instance: "Instance") -> Floats | None:
    if instance.latlon is None or instance.kind is not Distance.MATRIX:
        return None  # other kinds have them as coordinates, or none
    points = as_points("latlon", instance.latlon)
    if len(points) != instance.num_nodes:
        raise InputError(f"latlon: {len(points)} places, expected one for each of {instance.num_nodes} nodes")
    all_finite("latlon", points)
    if (np.abs(points) > (90.0, 180.0)).any():
        raise InputError("latlon: expected latitudes of -90 to 90 and longitudes of -180 to 180")
    return read_only(points)


def as_whole(what: str, value: Any, least: int) -> int:
    """A whole number of at least `least`. Raises `InputError`, which calls it `what`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{what} = {value!r}, expected a whole number")
    if value < least:
        raise InputError(f"{what} = {value}, expected {least} or more")
    return int(value)


def as_integers(values: Any) -> Indices:
    """Whole numbers; raises `ValueError` for others, which a plain conversion would cut off."""
    numbers = np.array(values, dtype=np.float64)
    if not (np.floor(numbers) == numbers).all() or (np.abs(numbers) > 2**53).any():
        raise ValueError("not whole numbers")
    return numbers.astype(np.int64)


def as_floats(what: str, values: Any) -> Floats:
    """A new array of numbers. Raises `InputError`."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: expected numbers") from None


def as_points(what: str, values: Any) -> Floats:
    """A new array of points [n, 2]. Raises `InputError`."""
    points = as_floats(what, values)
    if points.ndim != 2 or points.shape[1] != 2:
        hint = ": x and y alone" if points.ndim == 2 and points.shape[1] > 2 else ""
        raise InputError(f"{what} has shape {points.shape}, expected (number of points, 2){hint}")
    return points


def all_finite(what: str, values: Floats) -> None:
    """Raise `InputError` for a number that is infinite or none."""
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        place = ", ".join(str(int(k)) for k in wrong[0])
        raise InputError(f"{what}[{place}] = {values[tuple(wrong[0])]}, expected a finite number")


def read_only(values: Array) -> Array:
    """The same array, which nobody can write to any more."""
    values.setflags(write=False)
    return values
