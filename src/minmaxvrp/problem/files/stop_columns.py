"""The columns of a table of stops before they are judged: what the readers of CSV and GeoJSON fill."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..distance import Floats
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
    placeless: frozenset[int] = frozenset()
    """Rows of vehicles without a place."""
    faults: Faults = None  # type: ignore[assignment]
    """What is wrong with the table; said at once by `build`."""

    def __post_init__(self) -> None:
        """Begin without faults where the reader brings none."""
        self.faults = self.faults or Faults(self.source)
