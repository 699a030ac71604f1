"""The page on Python runs as it stands, and its async example ends the search when it is cancelled."""

import asyncio
import re
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minmaxvrp import Instance, MaxRuntime, Result

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python.md"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the page's code has defined once it has run from top to bottom."""
    found: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, found)
    return found


def test_the_page_runs(page: dict[str, Any]) -> None:
    """Its last result is one of its instance."""
    assert isinstance(page["result"], Result)
    assert page["result"].iterations <= 1_000
    assert page["result"].gap < 1e-9


def test_the_fleets_of_the_page_keep_their_rules(page: dict[str, Any]) -> None:
    """Robots near the bound and without a way back; drivers end at the depot, within the limit."""
    scan, plan = page["scan"], page["plan"]
    assert [route.start for route in scan.solution.routes] == [0, 1, 2, 3, 4]
    assert all(route.is_open for route in scan.solution.routes)
    assert scan.gap < 0.3
    assert [(route.start, route.end) for route in plan.solution.routes if route.customers] == [
        *((1, 0), (2, 0), (3, 0))
    ]
    assert 7 in plan.solution.routes[1].customers
    assert plan.over_limit is None


def test_cancelling_the_task_ends_the_search(page: dict[str, Any]) -> None:
    """The thread of a search that had an hour is gone within seconds."""

    async def cancel() -> None:
        instance = Instance.mtsp([0.5, 0.5], np.random.default_rng(1).random((60, 2)), 3)
        task = asyncio.create_task(page["solve_async"](instance, MaxRuntime(3600.0)))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())  # waits for the threads of to_thread
    deadline = time.monotonic() + 120.0
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("asyncio")]
