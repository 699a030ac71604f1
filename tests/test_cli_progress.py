"""The line that people see while the search runs."""

import io
import sys
from dataclasses import replace

import pytest

from minmaxvrp import Instance, MaxIterations, MaxRuntime, Progress, Solution
from minmaxvrp.cli import search_progress
from minmaxvrp.cli.search_progress import SearchLine

INSTANCE = Instance.mtsp([0, 0], [[1, 1]], 1)
HALF = Progress(seconds=5.0, iterations=1_200, makespan=3.0, last_improvement=0, lower_bound=2.5)


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def test_line_tells_time_makespan_gap_and_how_to_end() -> None:
    """Half of ten seconds are over; 3 is 20 % above the bound 2.5."""
    text = SearchLine(INSTANCE, MaxRuntime(10.0)).text(HALF)
    assert text.split("  ") == [
        "5.0 s (50 %)",
        "longest route 3.0000",
        "gap at most 20.00 %",
        "1,200 iterations, Ctrl-C ends",
    ]


def test_line_tells_balance_and_total_of_the_best_plan() -> None:
    """Two of three vehicles drive 4 and 2: 2 on average, half of the longest."""
    square = Instance.mtsp([0, 0], [[2, 0], [0, 1]], 3)
    seen = replace(HALF, read_solution=lambda: Solution.of([[1], [2]]))
    parts = SearchLine(square, MaxRuntime(10.0)).text(seen).split("  ")
    assert parts[-3:] == ["balance 50 %", "total 6.0000", "1,200 iterations, Ctrl-C ends"]


def test_line_without_a_bound_tells_no_gap() -> None:
    """Nothing to divide by."""
    assert "gap" not in SearchLine(INSTANCE, MaxIterations(10_000)).text(replace(HALF, lower_bound=0.0))


@pytest.mark.parametrize(
    ("stream", "patience", "shown"),
    [(Terminal(), 0.0, True), (Terminal(), 100.0, False), (io.StringIO(), 0.0, False)],
)
def test_line_appears_on_a_terminal_and_only_after_a_moment(
    stream: io.StringIO, patience: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs and short searches see nothing."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(search_progress, "PATIENCE", patience)
    monkeypatch.setattr(search_progress, "EVERY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with SearchLine(INSTANCE, MaxRuntime(10.0)) as line:
        line.update(HALF)
        line.update(HALF)
    assert ("longest route 3.0000" in stream.getvalue()) is shown
