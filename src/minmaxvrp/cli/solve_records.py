"""Results of `minmaxvrp solve FOLDER` on disk: one JSON line for each instance, solved once.

`solve_folder` asks what is done and appends what is new.
"""

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import InputError
from ..many import Solved
from ..problem.files.json_document import finite
from ..problem.files.json_lines import JsonLines
from .outputs import facts, limit_message

ResultKey = tuple[str, int | None, str, str]
Record = dict[str, Any]


def key_of(record: Record) -> ResultKey:
    """What makes a result this one: file name, place in a set, content, options."""
    options = json.dumps(record["options"], sort_keys=True)
    return record["file"], record["index"], record["sha256"], options


def result_fields(solved: Solved) -> Record:
    """What a line says about a solved instance, or why it failed."""
    result = solved.result
    if result is None:
        return {"failure": solved.failure}
    fields: Record = {
        "makespan": result.makespan,
        "gap": finite(result.gap),
        **facts(result),
        "lengths": list(result.lengths),
        "routes": [list(route.nodes) for route in result.solution.routes],
    }
    broken = limit_message(result)
    return fields | ({"over_limit": broken} if broken else {})


class SolveRecords:
    """The lines of a file, or of none if `path` is None; use it in a `with` block.

    Raises `InputError` for a file that holds something else, or that another process is writing.
    """

    def __init__(self, path: Path | None) -> None:
        self.file = None if path is None else JsonLines(path, "solve")
        self.known: dict[ResultKey, Record] = {}

    def __enter__(self) -> "SolveRecords":
        if self.file is not None:
            self.known = {key_of(record): record for record in self.file.resume(_parse)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.file is not None:
            self.file.__exit__(kind, error, trace)

    def done(self, record: Record) -> Record | None:
        """The line of an instance that was solved; those that failed are tried again."""
        known = self.known.get(key_of(record))
        return None if known is None or "failure" in known else known

    def append(self, record: Record) -> None:
        """Write a line, unless the last one of this instance is the same."""
        if self.file is not None and self.known.get(key_of(record)) != record:
            self.file.append(record)
        self.known[key_of(record)] = record


def _parse(where: str, line: bytes) -> Record:
    try:
        record: Record = json.loads(line)
        key_of(record)
        if "failure" not in record:
            float(record["makespan"])
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{where}: not a result of minmaxvrp solve ({error})") from None
    return record
