"""Rows of cells from CSV text or from an Excel sheet, as spreadsheets of many countries write them.

Comes before `stops_csv` and `matrix`, which say what the cells mean.
"""

import csv
import io
import zipfile
from dataclasses import dataclass
from typing import Any

from .source import LARGEST_FILE, FileError, Source

SAMPLE_LINES = 50
"""Lines that decide which character separates the cells."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that are not blank, and where each is."""

    rows: list[list[str]]
    lines: list[int]
    """Number of the line (CSV: where the row ends) or of the row (Excel) in the file."""
    decimal_comma: bool = False
    """Whether `1,5` is a number: possible where commas do not separate cells."""
    word: str = "line"

    def where(self, row: int) -> str:
        """The place of a row in the file, such as `line 17`."""
        return f"{self.word} {self.lines[row]}"

    def is_number(self, cell: str) -> bool:
        """Whether a cell holds a number."""
        try:
            float(self.plain(cell))
        except ValueError:
            return False
        return True

    def plain(self, cell: str) -> str:
        """A cell with its decimal comma, if it has one, as a point."""
        cell = cell.strip()
        return cell.replace(",", ".") if self.decimal_comma and "." not in cell else cell


def from_text(source: Source, text: str) -> Table:
    """The table in CSV text: commas, semicolons or tabs, quoted cells."""
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise source.error(f"not valid CSV: {error}", f"line {reader.line_num}") from None
    return Table(rows, lines, decimal_comma=delimiter != ",")


def from_xlsx(source: Source) -> Table:
    """The table in the first sheet of an Excel workbook; formulas count with the value last computed."""
    data = source.content()
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise source.error(".xlsx files need openpyxl: pip install 'minmaxvrp[excel]'") from None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise source.error(f"sheets of more than {LARGEST_FILE} bytes")
        sheet = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0]
        found = [[_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    except FileError:
        raise
    except Exception as error:  # zip and XML parsers fail in too many ways to list
        raise source.error(f"not a readable xlsx file: {type(error).__name__}") from None
    kept = [(number, row) for number, row in enumerate(found, 1) if any(cell.strip() for cell in row)]
    return Table([row for _, row in kept], [number for number, _ in kept], decimal_comma=True, word="row")


def _delimiter(text: str) -> str:
    """The character that all of the first lines have equally often, else the one that the first has most."""
    lines = [line for line in text.lstrip().splitlines()[:SAMPLE_LINES] if line.strip()]
    for mark in "\t;,":
        counts = {line.count(mark) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return mark
    return max(",;\t", key=(lines[0] if lines else "").count)


def _text(value: Any) -> str:
    """A cell's value as text; whole numbers without a decimal point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
