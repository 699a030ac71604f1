"""Routes and solutions: what every solver returns and the checker judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .fleet import NOWHERE, Vehicle


@dataclass(frozen=True, slots=True)
class Route:
    """One vehicle's trip, as nodes: its start depot, its customers in order, its end or `NOWHERE`."""

    start: int
    customers: tuple[int, ...]
    end: int

    @classmethod
    def of(cls, customers: Iterable[int], start: int = 0, end: int | None = None) -> "Route":
        """A route from `start` through `customers` back to `end` (by default to `start`)."""
        return cls(int(start), tuple(int(c) for c in customers), int(start if end is None else end))

    @classmethod
    def idle(cls, vehicle: Vehicle) -> "Route":
        """The route of one of `Instance.vehicles` that stays where it is."""
        start = vehicle.start or 0
        return cls(start, (), NOWHERE if vehicle.end == "nowhere" else start)

    @property
    def is_open(self) -> bool:
        """Whether the route ends at its last customer."""
        return self.end == NOWHERE

    @property
    def nodes(self) -> tuple[int, ...]:
        """All nodes in order: start depot, customers, and the end depot unless the route is open."""
        ends = () if self.is_open else (self.end,)
        return (self.start, *self.customers, *ends)

    def __len__(self) -> int:
        return len(self.customers)


@dataclass(frozen=True, slots=True)
class Solution:
    """The routes of all vehicles. Empty routes are allowed; a vehicle without a route is unused.

    Where vehicles are told apart (`Instance.has_fleet`), there is one route for each, in their order.
    """

    routes: tuple[Route, ...]

    @classmethod
    def of(cls, routes: Iterable[Route | Sequence[int]]) -> "Solution":
        """A solution from routes; a plain list of customers starts and ends at depot 0."""
        return cls(tuple(r if isinstance(r, Route) else Route.of(r) for r in routes))

    def without_empty(self) -> "Solution":
        """The same solution without routes that visit no customer; for vehicles that are all alike."""
        return Solution(tuple(r for r in self.routes if r.customers))
