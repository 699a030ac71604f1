"""What is asked: one immutable `Instance` for all four problems, validated once.

mTSP, mPDP, MDVRP and FMDVRP differ only in the fields: `num_depots`, `pairs`, `return_to`.
Readers and generators come before it; checker, bounds, policy and search read its fields.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from .distance import Distance, Floats, is_geographic, pairwise, radians

Array = TypeVar("Array", bound=NDArray[Any])
ReturnTo = Literal["start", "any"]
Indices = NDArray[np.int64]

LARGEST = 1e150
"""Of coordinates, distances and service: their squares and sums must stay finite."""


@dataclass(frozen=True, eq=False)
class Instance:
    """Depots, customers and vehicles. Nodes 0..D-1 are the depots, D..D+N-1 the customers.

    Raises `InputError` when a field is out of its range. Arrays are copied and made read-only.
    """

    coordinates: Floats
    """[D+N, 2]: x, y; for geographic kinds latitude, longitude."""
    num_depots: int
    num_vehicles: int
    pairs: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    """[Q, 2] node numbers of pickup and delivery; a customer outside every pair is a plain one."""
    return_to: ReturnTo = "start"
    """Where a route ends: at the depot it started from, or at any depot."""
    kind: Distance = Distance.EUCLIDEAN
    matrix: Floats | None = None
    """[D+N, D+N] distances from row to column, with `kind` MATRIX only."""
    vehicles_per_depot: Indices | None = None
    """[D] how many vehicles may start at each depot; None: any number."""
    service: Floats | None = None
    """[N] time at each customer, in the unit of the distances, part of a route's length."""
    names: tuple[str, ...] | None = None
    """[D+N] names of the stops, all different."""
    name: str = ""
    latlon: Floats | None = None
    """[D+N, 2] latitude, longitude in degrees, where the distances are a matrix: for maps only."""

    @classmethod
    def mtsp(cls, depot: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Any) -> "Instance":
        """A min-max mTSP: one depot [2], customers [N, 2]."""
        points = _stack(np.reshape(_floats("depot", depot), (-1, 2)), customers)
        return cls(points, 1, num_vehicles, **fields)

    @classmethod
    def mpdp(
        cls,
        depot: ArrayLike,
        pickups: ArrayLike,
        deliveries: ArrayLike,
        num_vehicles: int,
        **fields: Any,
    ) -> "Instance":
        """A min-max mPDP: pickup i [Q, 2] belongs to delivery i [Q, 2]; nodes: depot, pickups, deliveries."""
        picks, drops = _points("pickups", pickups), _points("deliveries", deliveries)
        if len(picks) != len(drops):
            raise InputError(f"{len(picks)} pickups and {len(drops)} deliveries, expected as many")
        points = _stack(np.reshape(_floats("depot", depot), (-1, 2)), np.concatenate([picks, drops]))
        count = np.arange(len(picks))
        pairs = np.stack([1 + count, 1 + len(picks) + count], axis=1)
        return cls(points, 1, num_vehicles, pairs=pairs, **fields)

    @classmethod
    def mdvrp(cls, depots: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Any) -> "Instance":
        """A min-max MDVRP: depots [D, 2]; every route returns to the depot it started from."""
        points = _points("depots", depots)
        return cls(_stack(points, customers), len(points), num_vehicles, **fields)

    @classmethod
    def fmdvrp(cls, depots: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Any) -> "Instance":
        """A min-max FMDVRP: as MDVRP, but a route may end at any depot."""
        return cls.mdvrp(depots, customers, num_vehicles, return_to="any", **fields)

    def __post_init__(self) -> None:
        _validate(self)

    @property
    def num_nodes(self) -> int:
        """Depots and customers together."""
        return len(self.coordinates)

    @property
    def num_customers(self) -> int:
        """Customers, pickups and deliveries."""
        return self.num_nodes - self.num_depots

    @property
    def customers(self) -> range:
        """Node numbers of the customers."""
        return range(self.num_depots, self.num_nodes)

    @property
    def problem(self) -> str:
        """The name of this kind of problem in the literature: mtsp, mpdp, mdvrp or fmdvrp."""
        if len(self.pairs):
            return "mpdp"
        if self.num_depots == 1:
            return "mtsp"
        return "mdvrp" if self.return_to == "start" else "fmdvrp"

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether every distance is the same both ways."""
        return self.matrix is None or bool(np.array_equal(self.matrix, self.matrix.T))

    @cached_property
    def node_service(self) -> Floats:
        """[D+N] service time per node, 0 at depots."""
        times = np.zeros(self.num_nodes)
        if self.service is not None:
            times[self.num_depots :] = self.service
        return _read_only(times)

    @cached_property
    def plane(self) -> Floats:
        """[D+N, 2] x to the right, y up, to scale: for pictures and for the policy."""
        if not is_geographic(self.kind):
            return self.coordinates
        latitude, longitude = radians(self.kind, self.coordinates).T
        stretch = np.cos((latitude.min() + latitude.max()) / 2.0)
        return _read_only(np.asarray(np.degrees(np.stack([longitude * stretch, latitude], axis=1))))

    def distance(self, start: Any, end: Any) -> Floats:
        """Distances from nodes `start` to nodes `end` (numbers or arrays, broadcast together)."""
        if self.matrix is not None:
            return np.array(self.matrix[start, end])
        return np.array(pairwise(self.kind, self.coordinates[start], self.coordinates[end]))

    def distance_matrix(self) -> Floats:
        """[D+N, D+N] all distances; for small instances, as it takes 8·(D+N)² bytes."""
        if self.matrix is not None:
            return self.matrix
        return pairwise(self.kind, self.coordinates[:, None], self.coordinates[None, :])

    def label(self, node: int) -> str:
        """What to call a node in messages and tables: its name, or `depot k` / `customer k`."""
        if self.names is not None:
            return self.names[node]
        return f"depot {node}" if node < self.num_depots else f"customer {node}"


def _validate(instance: Instance) -> None:
    """Check and freeze every field of a new instance."""

    def put(key: str, value: object) -> None:
        object.__setattr__(instance, key, value)

    coordinates = _points("coordinates", instance.coordinates)
    _finite("coordinates", coordinates)
    put("coordinates", _read_only(coordinates))
    put("kind", _distance_kind(instance.kind))
    put("num_depots", _whole("num_depots", instance.num_depots, 1))
    put("num_vehicles", _whole("num_vehicles", instance.num_vehicles, 1))
    if instance.num_customers < 1:
        raise InputError(f"no customers: {len(coordinates)} nodes of which {instance.num_depots} are depots")
    if instance.return_to not in ("start", "any"):
        raise InputError(f"return_to = {instance.return_to!r}, expected 'start' or 'any'")
    put("pairs", _valid_pairs(instance))
    put("matrix", _valid_matrix(instance))
    _valid_range(instance)
    put("vehicles_per_depot", _valid_fleet(instance))
    put("service", _valid_service(instance))
    put("names", _valid_names(instance))
    put("latlon", _valid_latlon(instance))


def _distance_kind(kind: Any) -> Distance:
    try:
        return Distance(kind)
    except ValueError:
        known = ", ".join(Distance)
        raise InputError(f"distance = {kind!r}, expected one of {known}") from None


def _valid_pairs(instance: Instance) -> Indices:
    try:
        pairs = _integers(instance.pairs).reshape(-1, 2)
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
    return _read_only(pairs)


def _valid_matrix(instance: Instance) -> Floats | None:
    if (instance.matrix is None) != (instance.kind is not Distance.MATRIX):
        raise InputError(
            f"distance = {instance.kind.value!r} with "
            f"{'no matrix' if instance.matrix is None else 'a matrix'}, expected a matrix with 'matrix' only"
        )
    if instance.matrix is None:
        return None
    matrix = _floats("distance matrix", instance.matrix)
    shape = (instance.num_nodes, instance.num_nodes)
    if matrix.shape != shape:
        raise InputError(f"distance matrix has shape {matrix.shape}, expected {shape}")
    _finite("distance matrix", matrix)
    if (matrix < 0).any():
        row, column = np.argwhere(matrix < 0)[0]
        raise InputError(
            f"distance matrix row {row} column {column} = {matrix[row, column]:g}, expected 0 or more"
        )
    np.fill_diagonal(matrix, 0.0)
    return _read_only(matrix)


def _valid_range(instance: Instance) -> None:
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


def _valid_fleet(instance: Instance) -> Indices | None:
    if instance.vehicles_per_depot is None:
        return None
    try:
        fleet = _integers(instance.vehicles_per_depot)
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
    return _read_only(fleet)


def _valid_service(instance: Instance) -> Floats | None:
    if instance.service is None:
        return None
    service = _floats("service", instance.service)
    if service.shape != (instance.num_customers,):
        raise InputError(
            f"service: {service.size} times, expected one for each of {instance.num_customers} customers"
        )
    _finite("service", service)
    if (service < 0).any():
        raise InputError(f"service = {service.min():g}, expected 0 or more")
    if service.max() > LARGEST:
        raise InputError(f"service = {service.max():g}, expected at most {LARGEST:g}")
    return _read_only(service)


def _valid_names(instance: Instance) -> tuple[str, ...] | None:
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


def _valid_latlon(instance: Instance) -> Floats | None:
    if instance.latlon is None or instance.kind is not Distance.MATRIX:
        return None  # other kinds have them as coordinates, or none
    points = _points("latlon", instance.latlon)
    if len(points) != instance.num_nodes:
        raise InputError(f"latlon: {len(points)} places, expected one for each of {instance.num_nodes} nodes")
    _finite("latlon", points)
    if (np.abs(points) > (90.0, 180.0)).any():
        raise InputError("latlon: expected latitudes of -90 to 90 and longitudes of -180 to 180")
    return _read_only(points)


def _whole(what: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{what} = {value!r}, expected a whole number")
    if value < least:
        raise InputError(f"{what} = {value}, expected {least} or more")
    return int(value)


def _integers(values: Any) -> Indices:
    """Whole numbers; raises `ValueError` for others, which a plain conversion would cut off."""
    numbers = np.array(values, dtype=np.float64)
    if not (np.floor(numbers) == numbers).all() or (np.abs(numbers) > 2**53).any():
        raise ValueError("not whole numbers")
    return numbers.astype(np.int64)


def _floats(what: str, values: Any) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: expected numbers") from None


def _points(what: str, values: Any) -> Floats:
    points = _floats(what, values)
    if points.ndim != 2 or points.shape[1] != 2:
        raise InputError(f"{what} has shape {points.shape}, expected (number of points, 2)")
    return points


def _stack(depots: Floats, customers: ArrayLike) -> Floats:
    points = _floats("customers", customers)
    if points.size == 0:
        raise InputError("no customers")
    return np.concatenate([depots, _points("customers", points)])


def _finite(what: str, values: Floats) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        place = ", ".join(str(int(k)) for k in wrong[0])
        raise InputError(f"{what}[{place}] = {values[tuple(wrong[0])]}, expected a finite number")


def _read_only(values: Array) -> Array:
    values.setflags(write=False)
    return values
