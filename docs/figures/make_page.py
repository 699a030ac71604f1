"""Pictures of the page: start `minmaxvrp serve`, then `python docs/figures/make_page.py http://127.0.0.1:8000/`."""

import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

FIGURES = Path(__file__).parent
Scheme = Literal["light", "dark"]


def picture(browser: Browser, address: str, scheme: Scheme, example: int) -> None:
    """Solve one of the first examples for 10 seconds and save what the screen shows."""
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page.goto(address)
    page.click(f".example >> nth={example}")
    page.wait_for_selector("#page:not(.empty)")
    page.click("#solve")
    page.wait_for_selector("#page.solving")
    page.wait_for_selector("#page.has-plan:not(.solving)", timeout=120_000)
    page.evaluate("() => document.activeElement.blur()")
    page.wait_for_timeout(500)
    page.screenshot(path=FIGURES / f"page-{scheme}.png")
    page.close()


def main() -> None:
    """Both pictures of docs/web.md."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        picture(browser, sys.argv[1], "light", 0)
        picture(browser, sys.argv[1], "dark", 2)
        browser.close()


if __name__ == "__main__":
    main()
