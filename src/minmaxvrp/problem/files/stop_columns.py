"""The columns of a table of stops before they are judged: what the readers of CSV and GeoJSON fill."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..distance import Floats
from ..units import Units
from .source import Faults, Source


@dataclass(slots=True)
class Stops:
    """The columns of a table of stops; an empty text is an empty cell."""

    source: Source
    where: Callable[[int], str]
    """The place of a row in its file, such as `line 17`."""
    roles: list[str]
    points: Floats
    """[rows, 2], in the order an `Instance` has them."""
    names: list[str] = field(default_factory=list)
    """One per row, or an empty list for none."""
    pair: list[str] = field(default_factory=list)
    service: list[str] = field(default_factory=list)
    vehicles: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    """Of vehicles, as `speeds` and `done`."""
    speeds: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    are_lengths: bool = False
    """Whether `service` is in the unit of the distances and not a time, whatever that unit is."""
    in_minutes: bool = False
    """Whether the heading of `service` says that it is in minutes."""
    units: Units = field(default_factory=Units)
    """Of the distances that the stops will have."""
    placeless: frozenset[int] = frozenset()
    """Rows of vehicles without a place."""
    faults: Faults = None  # type: ignore[assignment]
    """What is wrong with the table; said at once by `build`."""

    def __post_init__(self) -> None:
        """Begin without faults where the reader brings none."""
        self.faults = self.faults or Faults(self.source)

    def length(self, what: str, cell: str, where: str, plain: bool = False) -> float:
        """A cell of service or work done, in the unit of the distances.

        A number without a colon is as the distances where they have no unit, else minutes. Raises
        `InputError` where a time is given and nothing says how far one drives in it.
        """
        if plain or (not self.units.unit and ":" not in cell):
            return self.source.number(what, cell, where)
        return self.source.length_of_time(what, cell, where, self.units)
