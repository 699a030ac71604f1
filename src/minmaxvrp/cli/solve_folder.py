"""`minmaxvrp solve FOLDER`: every instance file of a folder, several at a time, here or on a cluster.

Between `solve` (the options) and `many` (the work): files are read when a worker is free, a line is kept for
each instance, and the table comes at the end.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..engines import Engine
from ..errors import InfeasibleError, InputError, MinmaxvrpError
from ..interrupt import sigterm_as_ctrl_c
from ..many import InstanceTask, Solved, SolveOptions, run_tasks
from ..natural_order import natural_key
from ..problem.instance import Instance
from .bench_progress import INTERRUPTED
from .folder_progress import FolderProgress
from .messages import say
from .outputs import LONGEST_TABLE
from .solve_records import Record, SolveRecords, result_fields


@dataclass(frozen=True)
class FolderRequest:
    """What to solve, and how."""

    source: Path
    """A folder, or one file."""
    read: Callable[[Path], list[Instance]]
    """All instances of a file."""
    solving: SolveOptions
    options: dict[str, Any]
    """Everything that the answer depends on besides the file, as the lines keep it."""
    engine: Engine
    out: Path | None = None
    """File of JSON lines."""
    json: bool = False
    """Print the lines instead of the table."""


@dataclass(frozen=True)
class TableRow:
    """An instance in the table."""

    record: Record
    cells: tuple[str, ...]


def solve_folder(request: FolderRequest) -> None:
    """Solve, keep, show; leaves with 0, or with the exit code of the first failure, 130 after Ctrl-C."""
    paths = _paths(request.source)
    with SolveRecords(request.out) as records:
        run = FolderRun(request, records, len(paths))
        interrupted = False
        try:
            with sigterm_as_ctrl_c(), run.progress:
                run.solve(paths)
        except KeyboardInterrupt:
            interrupted = True
    if not request.json:
        _show(run.rows)
    run.summarise(interrupted)
    if interrupted or run.exit_code:
        raise typer.Exit(INTERRUPTED if interrupted else run.exit_code)


class FolderRun:
    """One run over a folder: what is in work, and what has come of it."""

    def __init__(self, request: FolderRequest, records: SolveRecords, num_files: int) -> None:
        self.request, self.records = request, records
        self.progress = FolderProgress(str(request.source), num_files)
        self.in_work: list[Record] = []
        self.rows: list[TableRow] = []
        self.num_before = self.num_failed = self.exit_code = 0

    def solve(self, paths: list[Path]) -> None:
        """Solve what is not done, and keep each result as it comes."""
        with closing(run_tasks(self.request.engine, self._tasks(paths))) as found:
            for solved in found:
                self._settle(self.in_work[solved.index], solved)

    def _tasks(self, paths: list[Path]) -> Iterator[InstanceTask]:
        """Instances that are not done, read one file at a time."""
        for path in paths:
            named: Record = {"file": path.name, "index": None, "sha256": "", "options": self.request.options}
            try:
                named["sha256"] = hashlib.sha256(_content(path)).hexdigest()[:16]
                instances = self.request.read(path)
            except MinmaxvrpError as error:
                self._fail(named, str(error), error)
                continue
            self.progress.grow(len(instances) - 1)
            for number, instance in enumerate(instances):
                record = named | ({"index": number} if len(instances) > 1 else {})
                known = self.records.done(record)
                if known is not None:
                    self.num_before += 1
                    self._show(known, instance)
                    continue
                self.in_work.append(record)
                yield len(self.in_work) - 1, instance, self.request.solving

    def _settle(self, record: Record, solved: Solved) -> None:
        if solved.result is None:
            self._fail(record, solved.failure, solved.error)
            return
        record |= result_fields(solved)
        self.records.append(record)
        self._show(record, solved.instance)

    def _fail(self, record: Record, reason: str, error: Exception | None) -> None:
        self.num_failed += 1
        self.exit_code = self.exit_code or getattr(error, "exit_code", MinmaxvrpError.exit_code)
        record |= {"failure": reason}
        self.records.append(record)
        self._show(record, None)

    def _show(self, record: Record, instance: Instance | None) -> None:
        if "over_limit" in record:
            self.exit_code = self.exit_code or InfeasibleError.exit_code
        small = {name: record[name] for name in ("file", "index")}  # the routes of all would take much memory
        self.rows.append(TableRow(small, _cells(record, instance)))
        if self.request.json:
            import json

            typer.echo(json.dumps(record))
        self.progress.step()

    def summarise(self, interrupted: bool) -> None:
        """Say on stderr how many were solved, and where the results are."""
        solved = len(self.rows) - self.num_failed
        text = f"{solved} solved, {self.num_before} of them before, {self.num_failed} failed"
        where = "" if self.request.out is None else f"; results in {self.request.out}"
        if interrupted:
            rest = ", the same command goes on" if where else ""
            say(f"interrupted after {text}{where}{rest}")
        else:
            say(text + where)


def _paths(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    from ..bench.suites import instance_files

    return instance_files(source)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _cells(record: Record, instance: Instance | None) -> tuple[str, ...]:
    """Customers, vehicles, longest route, lower bound, gap, time, note."""
    if instance is None or "failure" in record:
        return ("–",) * 6 + (f"failed: {record['failure']}",)
    units, gap = instance.units, record["gap"]
    return (
        f"{instance.num_customers}",
        f"{instance.num_vehicles}",
        units.text(record["makespan"]),
        units.text(record["lower_bound"]),
        "–" if gap is None else f"{100 * gap:.2f} %",
        f"{record['seconds']:.2f} s",
        record.get("over_limit", "optimal" if gap == 0 else ""),
    )


def _show(rows: list[TableRow]) -> None:
    """The table on stdout, sorted by file."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("instance")
    for heading in ("customers", "vehicles", "longest route", "lower bound", "gap at most", "time"):
        table.add_column(heading, justify="right")
    table.add_column("note")
    rows = sorted(rows, key=lambda row: (natural_key(row.record["file"]), row.record["index"] or 0))
    for row in rows[:LONGEST_TABLE]:
        number = row.record["index"]
        name = row.record["file"] + ("" if number is None else f" #{number}")
        table.add_row(*(Text(cell) for cell in (name, *row.cells)))
    if len(rows) > LONGEST_TABLE:
        table.caption = f"and {len(rows) - LONGEST_TABLE} more: --json prints all, --out keeps them"
    Console(width=None if sys.stdout.isatty() else 160, highlight=False).print(table)
