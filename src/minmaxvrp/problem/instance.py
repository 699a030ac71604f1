"""What is asked: one immutable `Instance` for all four problems, validated once.

mTSP, mPDP, MDVRP and FMDVRP differ only in the fields: `num_depots`, `pairs`, `return_to`.
Readers and generators come before it; checker, bounds, policy and search read its fields.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from .distance import Distance, Floats, is_geographic, pairwise, radians
from .fleet import ReturnTo, Vehicle, resolved
from .instance_fields import InstanceFields, refuse_unknown
from .units import Units
from .valid_fields import Indices, as_floats, as_points, read_only, validate

__all__ = ["Indices", "Instance", "ReturnTo"]


@dataclass(frozen=True, eq=False, init=False)
class Instance:
    """Depots, customers and vehicles. Nodes 0..D-1 are the depots, D..D+N-1 the customers.

    Raises `InputError` when a field is out of its range. Arrays are copied and made read-only; lists will do.
    A `matrix` of distances is enough: the points are then a layout for pictures.
    """

    coordinates: Floats
    """[D+N, 2]: x, y; for geographic kinds latitude, longitude."""
    num_depots: int
    num_vehicles: int
    pairs: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    """[Q, 2] node numbers of pickup and delivery; a customer outside every pair is a plain one."""
    return_to: ReturnTo = "start"
    """Where a route ends: at the depot it started from, at any depot, or at its last customer."""
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
    fleet: tuple[Vehicle, ...] | None = None
    """[M] vehicles that are told apart: names, places of their own, speeds, work already done."""
    allowed: Mapping[int, tuple[int, ...]] | None = None
    """Customer node -> numbers of the vehicles (from 0) that may serve it; the others: any vehicle."""
    max_length: float | None = None
    """No route may be longer than this; work already done counts."""
    unit: str = ""
    """Of the distances: km, m, mi, s, min, h or none; geographic kinds are in km."""
    speed: float | None = None
    """In `unit` per hour, where that is a length: routes are then durations."""
    kilometres: Floats | None = None
    """[D+N, D+N] how far it is, where the distances are times: shown beside durations, never optimised."""

    def __init__(
        self,
        coordinates: ArrayLike | None = None,
        num_depots: int = 1,
        num_vehicles: int | None = None,
        **fields_given: Unpack[InstanceFields],
    ) -> None:
        """Take the fields, in any form that numpy makes arrays of."""
        refuse_unknown(fields_given)
        if num_vehicles is None:
            raise InputError("num_vehicles is missing, expected how many vehicles there are")
        given: dict[str, object] = {"coordinates": coordinates, "num_depots": num_depots}
        given |= {"num_vehicles": num_vehicles, **fields_given}
        for known in fields(self):
            value = given.get(known.name, known.default)
            if value is MISSING:
                value = () if known.default_factory is MISSING else known.default_factory()
            object.__setattr__(self, known.name, value)
        validate(self)

    @classmethod
    def mtsp(
        cls, depot: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Unpack[InstanceFields]
    ) -> "Instance":
        """A min-max mTSP: one depot [2], customers [N, 2]."""
        points = _stack(_depot(depot), customers)
        return cls(points, 1, num_vehicles, **fields)

    @classmethod
    def mpdp(
        cls,
        depot: ArrayLike,
        pickups: ArrayLike,
        deliveries: ArrayLike,
        num_vehicles: int,
        **fields: Unpack[InstanceFields],
    ) -> "Instance":
        """A min-max mPDP: pickup i [Q, 2] belongs to delivery i [Q, 2]; nodes: depot, pickups, deliveries."""
        picks, drops = as_points("pickups", pickups), as_points("deliveries", deliveries)
        if len(picks) != len(drops):
            raise InputError(f"{len(picks)} pickups and {len(drops)} deliveries, expected as many")
        points = _stack(_depot(depot), np.concatenate([picks, drops]))
        count = np.arange(len(picks))
        fields["pairs"] = np.stack([1 + count, 1 + len(picks) + count], axis=1)
        return cls(points, 1, num_vehicles, **fields)

    @classmethod
    def mdvrp(
        cls, depots: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Unpack[InstanceFields]
    ) -> "Instance":
        """A min-max MDVRP: depots [D, 2]; every route returns to the depot it started from."""
        points = as_points("depots", depots)
        return cls(_stack(points, customers), len(points), num_vehicles, **fields)

    @classmethod
    def fmdvrp(
        cls, depots: ArrayLike, customers: ArrayLike, num_vehicles: int, **fields: Unpack[InstanceFields]
    ) -> "Instance":
        """A min-max FMDVRP: as MDVRP, but a route may end at any depot."""
        fields.setdefault("return_to", "any")
        return cls.mdvrp(depots, customers, num_vehicles, **fields)

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
        return "fmdvrp" if self.return_to == "any" else "mdvrp"

    @property
    def has_fleet(self) -> bool:
        """Whether vehicles are told apart or routes are open: then `Solution.routes[k]` is vehicle k's."""
        return self.fleet is not None or self.allowed is not None or self.return_to == "nowhere"

    @cached_property
    def vehicles(self) -> tuple[Vehicle, ...]:
        """[M] all vehicles, with names and with ends that are not None: the fleet, or as many alike."""
        return resolved(self.fleet or (Vehicle(),) * self.num_vehicles, self.num_depots, self.return_to)

    @cached_property
    def may_serve(self) -> NDArray[np.bool_]:
        """[D+N, M] which vehicles may serve each customer; a pair: those that may serve both of its stops."""
        may = np.ones((self.num_nodes, self.num_vehicles), dtype=bool)
        for node, vehicles in (self.allowed or {}).items():
            may[node] = np.isin(np.arange(self.num_vehicles), vehicles)
        pickup, delivery = self.pairs.T
        may[pickup] = may[delivery] = may[pickup] & may[delivery]
        return read_only(may)

    @cached_property
    def units(self) -> Units:
        """The unit and the speed: turns lengths into times and texts."""
        return Units(self.unit, self.speed, self.kilometres is not None)

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
        return read_only(times)

    @cached_property
    def plane(self) -> Floats:
        """[D+N, 2] x to the right, y up, to scale: for pictures and for the policy."""
        if not is_geographic(self.kind):
            return self.coordinates
        latitude, longitude = radians(self.kind, self.coordinates).T
        stretch = np.cos((latitude.min() + latitude.max()) / 2.0)
        return read_only(np.asarray(np.degrees(np.stack([longitude * stretch, latitude], axis=1))))

    def distance(self, start: Any, end: Any) -> Floats:
        """Distances from nodes `start` to nodes `end` (numbers or arrays, broadcast together)."""
        if self.matrix is not None:
            return np.array(self.matrix[start, end])
        return np.array(pairwise(self.kind, self.coordinates[start], self.coordinates[end]))

    def way(self, start: Any, end: Any) -> Floats:
        """How far it is from nodes `start` to nodes `end`: kilometres if they are known, else distances."""
        if self.kilometres is not None:
            return np.array(self.kilometres[start, end])
        return self.distance(start, end)

    def distance_matrix(self) -> Floats:
        """[D+N, D+N] all distances; for small instances, as it takes 8·(D+N)² bytes."""
        if self.matrix is not None:
            return self.matrix
        return pairwise(self.kind, self.coordinates[:, None], self.coordinates[None, :])

    def route_label(self, number: int) -> str:
        """What to call a route, counted from 0: its vehicle's name, or `route k` where all are alike."""
        named = self.has_fleet and number < self.num_vehicles
        return self.vehicles[number].name if named else f"route {number + 1}"

    def label(self, node: int) -> str:
        """What to call a node in messages and tables: its name, or `depot k` / `customer k`."""
        if self.names is not None:
            return self.names[node]
        return f"depot {node}" if node < self.num_depots else f"customer {node}"


def _depot(depot: ArrayLike) -> Floats:
    """[1, 2] the place of the only depot."""
    point = as_floats("depot", depot)
    return as_points("depot", point[None] if point.ndim == 1 else point)


def _stack(depots: Floats, customers: ArrayLike) -> Floats:
    points = as_floats("customers", customers)
    if points.size == 0:
        raise InputError("no customers")
    return np.concatenate([depots, as_points("customers", points)])
