"""Units of lengths and times: what a route's length means, and how people write it.

An instance has one unit, that of its distances. With a unit of time, or with a speed, routes are durations:
service, given as time, is stored in the unit of the distances. `Instance.units` is made here; readers turn
times into lengths with it, tables, pictures and exports turn lengths into texts.
"""

from dataclasses import dataclass
from typing import Any

from ..errors import InputError

LENGTHS = ("km", "m", "mi")
HOURS = {"s": 1.0 / 3600.0, "min": 1.0 / 60.0, "h": 1.0}
"""How many hours one of a unit of time is."""
UNITS = ("", *LENGTHS, *HOURS)


@dataclass(frozen=True, slots=True)
class Units:
    """The unit of the distances, and the speed at which they are driven where they are lengths."""

    unit: str = ""
    speed: float | None = None
    """In units per hour."""
    has_kilometres: bool = False
    """Whether the kilometres are known beside distances that are times."""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"unit = {self.unit!r}, expected one of {', '.join(UNITS[1:])}, or none")
        if self.has_kilometres and self.unit not in HOURS:
            there = f"in {self.unit}" if self.unit else "without a unit"
            raise InputError(f"kilometres beside distances {there}, expected times in {', '.join(HOURS)}")
        if self.speed is None:
            return
        if isinstance(self.speed, bool) or not isinstance(self.speed, int | float) or not self.speed > 0:
            raise InputError(f"speed = {self.speed!r}, expected a number above 0")
        if self.unit in HOURS:
            raise InputError(f"speed = {self.speed:g} with distances in {self.unit}, expected lengths")
        if not self.unit:
            raise InputError(
                f"speed = {self.speed:g}, but the distances have no unit: expected one (--unit km, unit='km')"
            )

    @property
    def per_hour(self) -> float | None:
        """How much length an hour is; None where lengths are no durations."""
        return 1.0 / HOURS[self.unit] if self.unit in HOURS else self.speed

    @property
    def knows_way(self) -> bool:
        """Whether routes are durations and how far they go is known as well."""
        return self.has_kilometres or self.speed is not None

    def of_minutes(self, minutes: float) -> float:
        """The length of a time; raises `InputError` where the units do not say how."""
        if self.per_hour is None:
            there = f"distances in {self.unit}" if self.unit else "distances without a unit"
            usual = 40_000 if self.unit == "m" else 40
            raise InputError(
                f"times and {there}, expected a speed (--speed {usual}, in {self.unit or 'km'} per hour"
                + ("" if self.unit else ", with --unit km")
                + ") or distances in s, min or h"
            )
        return minutes / 60.0 * self.per_hour

    def minutes(self, length: float) -> float | None:
        """How long a length takes; None where it is no duration."""
        return None if self.per_hour is None else 60.0 * length / self.per_hour

    def text(self, length: float, largest: float | None = None) -> str:
        """A length for people: as h:mm where it is a duration, else with its unit if it has one.

        In a column the `largest` length decides on the format of all.
        """
        minutes = self.minutes(length)
        if minutes is None:
            return self.way_text(length, largest)
        return clock_text(minutes, None if largest is None else self.minutes(largest))

    def way_text(self, length: float, largest: float | None = None) -> str:
        """A way as such, at least four digits, with its unit if it has one; in a column as its `largest`."""
        unit = "km" if self.has_kilometres else self.unit
        size = abs(length if largest is None else largest)
        if size >= 1e7 or 0 < size < 1e-3:
            text = f"{length:.4g}"
        elif unit or size >= 100:
            text = f"{length:.2f}"
        else:
            text = f"{length:.4f}"
        return f"{text} {unit}".strip()


def clock_text(minutes: float, largest: float | None = None) -> str:
    """Minutes as h:mm, rounded; below ten minutes, or where the `largest` is, with seconds, as h:mm:ss."""
    if 0.0 < (minutes if largest is None else largest) < 10.0:
        seconds = round(60.0 * minutes)
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    whole = round(minutes)
    return f"{whole // 60}:{whole % 60:02d}"


def parse_minutes(value: Any) -> float:
    """A time as people write it, in minutes: `12`, `7.5`, `1:30` (h:mm) or `0:07:30`; raises `ValueError`."""
    text = str(value).strip()
    parts = text.split(":")
    if len(parts) > 3 or "_" in text:
        raise ValueError(text)
    if len(parts) == 1:
        found = float(text)
    else:
        hours, minutes = int(parts[0]), int(parts[1])
        seconds = int(parts[2]) if len(parts) == 3 else 0
        if not (0 <= minutes < 60 and 0 <= seconds < 60):
            raise ValueError(text)
        found = 60.0 * hours + minutes + seconds / 60.0
    if not 0.0 <= found < float("inf"):
        raise ValueError(text)
    return found
