"""A real Chromium without a window, and the page in it; tests are skipped where there is none."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed: the extra `dev`")

from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

__all__ = ["Browser", "Screen", "chromium"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
PATIENCE_MS = 60_000
"""For a busy machine; a test that passes waits for none of it."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, with a profile of its own that goes when it is closed."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        except Error as error:
            pytest.skip(f"{path} does not start: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


class Screen:
    """The page in a browser, with the few things that every test does."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.faults: list[str] = []
        self.requested: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.requested.append(request.url))
        page.goto(address)
        page.wait_for_selector(".example")

    def state(self, script: str) -> Any:
        """The value of an expression over the page's `state` and `map`."""
        return self.page.evaluate(
            "async () => { const { map, store } = await import('/static/main.js');"
            f" const {{ state }} = store; return ({script}); }}"
        )

    def load(self, document: dict[str, Any], name: str = "stops.json") -> None:
        """Choose a file that holds an instance."""
        before = self.state("state.doc.customers.map((stop) => stop.id)")
        content = json.dumps(document).encode()
        self.choose("#file", name, content)
        self.until(f"state.doc.customers.length && state.doc.customers[0].id !== {(before or [-1])[0]}")

    def choose(self, selector: str, name: str, content: bytes) -> None:
        """Choose a file as the file window would."""
        file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        self.page.set_input_files(selector, files=[file])

    def drop(self, name: str, content: str) -> None:
        """Let a file fall on the page."""
        self.page.evaluate(
            """([name, content]) => {
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([content], name));
                const fields = { dataTransfer, bubbles: true, cancelable: true };
                for (const kind of ['dragover', 'drop'])
                    document.body.dispatchEvent(new DragEvent(kind, fields));
            }""",
            [name, content],
        )

    def solve(self, seconds: float = 0.4) -> None:
        """Solve for the first time and wait for the end."""
        self.page.fill("#seconds", str(seconds))
        self.page.click("#solve")
        self.settle()

    def settle(self) -> None:
        """Wait until there is a plan for the stops as they are, no search runs, and the page has drawn it."""
        self.until("state.plan && !state.plan.changed && !state.solving")
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def shows(self, selector: str, text: str) -> None:
        """Wait until an element has this text: the page draws a moment after its state has changed."""
        expect(self.page.locator(selector)).to_have_text(text, timeout=PATIENCE_MS, use_inner_text=True)

    def has(self, selector: str, count: int) -> None:
        """Wait until there are so many of these elements."""
        expect(self.page.locator(selector)).to_have_count(count, timeout=PATIENCE_MS)

    def until(self, script: str) -> None:
        """Wait until an expression over the state is true."""
        for _ in range(PATIENCE_MS // 50):
            if self.state(script):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never true: {script}")

    def pixel(self, stop: str) -> tuple[float, float]:
        """Where a stop (an expression for its id) is on the screen."""
        x, y = self.state(
            f"(() => {{ const box = map.canvas.getBoundingClientRect(); const at = map.pixelOf({stop});"
            " return [box.left + at[0], box.top + at[1]]; })()"
        )
        return float(x), float(y)
