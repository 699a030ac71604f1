"""Where input comes from: the bytes of one file, and errors and warnings that say where in it.

Every reader of this package starts from a `Source` and turns its text into numbers here.
"""

import math
import os
import reprlib
import stat
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import InputError
from ..distance import Distance, is_geographic
from ..units import Units, parse_minutes

LARGEST_FILE = 2**31
"""Bytes; longer files are refused instead of filling the memory."""
LARGEST_WHOLE = 2**53
"""Whole numbers beyond this are refused: they are damage, and no float64 holds them."""


CONTROLS = set(range(32)) - set(b"\t\n\r\f")
"""Bytes that no text file has."""

SHORT = reprlib.Repr()
"""Shows the beginning of a value without walking through all of it: nesting can be endless."""
SHORT.maxlevel = 2
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 40


class FormatWarning(UserWarning):
    """Something in a file was not used, or something of an instance does not fit into a format."""


class FileError(InputError):
    """An `InputError` whose message already names the file."""

    detail = ""
    """The message without the name of the file."""


class NoVehicles(FileError):
    """A file that does not say how many vehicles there are, and neither did the caller."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller says about a file where the file itself is silent."""

    vehicles: int | None = None
    num_depots: int | None = None
    paired: bool = False
    """Whether customer i and customer i + N/2 are a pair."""
    has_matrix: bool = False
    """Whether the distances come from another file."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Headings of the columns of a table of stops, where they are not among those known."""
    unit: str = ""
    """Of the distances, where the file cannot say."""
    speed: float | None = None
    """In that unit per hour, instead of the file's."""

    def units(self, kind: Distance, unit: str = "", speed: float | None = None) -> Units:
        """The units of an instance of this kind; `unit` and `speed` are what the file says."""
        own = "km" if is_geographic(kind) and not self.has_matrix else ""
        return Units(self.unit or unit or own, speed if self.speed is None else self.speed)


@dataclass(frozen=True, slots=True)
class Source:
    """One input file, or bytes that came without one."""

    path: Path
    data: bytes | None = None
    """The content, where it does not come from a file; `path` then says the format and stands in messages."""
    lenient: bool = False
    """Whether a plan may name stops that the instance does not have."""

    def error(self, message: str, where: str = "") -> FileError:
        """An error located in this file, to be raised: `stops.csv line 17: …`."""
        place = f"{self.path} {where}" if where else str(self.path)
        error = FileError(" ".join(f"{place}: {message}".splitlines()))
        error.detail = " ".join((f"{where}: {message}" if where else message).splitlines())
        return error

    def warn(self, message: str, where: str = "") -> None:
        """Warn about something in this file with a `FormatWarning`."""
        place = f"{self.path} {where}" if where else str(self.path)
        warnings.warn(f"{place}: {message}", FormatWarning, stacklevel=2)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the name of the file to every `InputError` raised inside."""
        try:
            yield
        except FileError:
            raise
        except InputError as error:
            raise self.error(str(error)) from None

    def content(self) -> bytes:
        """All bytes; `InputError` for what is missing, not a file, not allowed, too long or empty."""
        data = self._from_disk() if self.data is None else self.data
        if len(data) > LARGEST_FILE:
            raise self.error(f"longer than {LARGEST_FILE} bytes")
        if not data.strip():
            raise self.error("empty file")
        return data

    def _from_disk(self) -> bytes:
        try:
            with open(self.path, "rb") as handle:
                mode = os.fstat(handle.fileno()).st_mode
                if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                    raise self.error("a device, expected a file")
                return handle.read(LARGEST_FILE + 1)
        except IsADirectoryError:
            raise self.error("a folder, expected a file") from None
        except FileNotFoundError:
            raise self.error("no such file") from None
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror}") from None
        except ValueError as error:  # a path with a zero byte
            raise InputError(f"{str(self.path)!r}: cannot be read: {error}") from None

    def text(self) -> str:
        """The whole text, UTF-8 with or without byte order mark."""
        data = self.content()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.error(
                f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8", f"line {line}"
            ) from None
        if not text.strip():
            raise self.error("empty file")
        return text

    def table_text(self) -> str:
        """The whole text of a spreadsheet's export: UTF-8, UTF-16 with its mark, or Windows-1252."""
        data = self.content()
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            with suppress(UnicodeDecodeError):
                return data.decode("utf-16")
        with suppress(UnicodeDecodeError):
            data.decode("utf-8-sig")
            return self.text()
        if not set(data) & CONTROLS:
            with suppress(UnicodeDecodeError):
                text = data.decode("cp1252")
                self.warn("not UTF-8: read as Windows-1252 (Western European)")
                return text
        return self.text()

    def length_of_time(self, what: str, text: object, where: str, measures: Units) -> float:
        """A time such as `12` (minutes) or `1:30` (h:mm) as a length of the instance."""
        try:
            minutes = parse_minutes(text)
        except ValueError:
            message = f"{what} = {shown(text)}, expected minutes such as 12, or h:mm such as 1:30"
            raise self.error(message, where) from None
        try:
            return measures.of_minutes(minutes)
        except InputError as error:
            raise self.error(f"{what} = {shown(text)}: {error}", where) from None

    def number(self, what: str, value: object, where: str = "") -> float:
        """A finite number from a text or a JSON value."""
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise ValueError
            if isinstance(value, str) and "_" in value:  # float() would take 1_000
                raise ValueError
            number = float(value)
        except (ValueError, OverflowError):
            raise self.error(f"{what} = {shown(value)}, expected a number", where) from None
        if not math.isfinite(number):
            raise self.error(f"{what} = {shown(value)}, expected a finite number", where)
        return number

    def whole(self, what: str, value: object, where: str = "", least: int = 0) -> int:
        """A whole number of at least `least` from a text or a JSON value."""
        number = self.number(what, value, where)
        if number != int(number) or abs(number) >= LARGEST_WHOLE:
            raise self.error(f"{what} = {shown(value)}, expected a whole number", where)
        if number < least:
            raise self.error(f"{what} = {shown(value)}, expected {least} or more", where)
        return int(number)

    def label(self, what: str, value: object, where: str = "") -> str:
        """A text that is not empty and can be written again."""
        if not isinstance(value, str) or not value:
            raise self.error(f"{what} = {shown(value)}, expected a text that is not empty", where)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.error(f"{what} = {shown(value)}, expected valid Unicode", where) from None
        return value

    def kind(self, word: object, options: Options, has_matrix: bool = False) -> Distance:
        """The kind of distance that a file names; Euclidean where another file brings the matrix."""
        if not isinstance(word, str) or word not in list(Distance):
            raise self.error(f"distance = {shown(word)}, expected one of {', '.join(Distance)}")
        if word == Distance.MATRIX and not has_matrix:
            if not options.has_matrix:
                raise self.error("distance = 'matrix', but no matrix in the file: give --matrix (matrix=)")
            return Distance.EUCLIDEAN
        return Distance(word)

    def num_vehicles(self, options: Options, stated: int | None, fleet: Sequence[int] | None = None) -> int:
        """The number of vehicles: as the caller says, as the file says, or all that the depots have."""
        if options.vehicles is not None:
            return options.vehicles
        if stated is not None:
            return stated
        if fleet is not None:
            return sum(fleet)
        raise NoVehicles(f"{self.path}: no number of vehicles in the file: give --vehicles (vehicles=)")


class Faults:
    """What is wrong with a file, collected so that all of it is said at once."""

    MOST = 20
    """Faults that a message lists."""

    def __init__(self, source: Source) -> None:
        """No faults yet."""
        self.source = source
        self.found: list[FileError] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep a `FileError` raised inside for later."""
        try:
            yield
        except FileError as error:
            self.found.append(error)

    def add(self, message: str, where: str = "") -> None:
        """Note a fault."""
        self.found.append(self.source.error(message, where))

    def raise_any(self) -> None:
        """Raise one error with all faults, in one line."""
        if not self.found:
            return
        if len(self.found) == 1:
            raise self.found[0]
        listed = "; ".join(error.detail for error in self.found[: self.MOST])
        more = len(self.found) - self.MOST
        listed += f"; and {more} more" if more > 0 else ""
        raise self.source.error(f"{len(self.found)} faults: {listed}")


def shown(value: object) -> str:
    """A value as it appears in a message: quoted, on one line, not longer than 40 characters."""
    try:
        text = SHORT.repr(value)
    except ValueError:  # an int of thousands of digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:36]} ..."
