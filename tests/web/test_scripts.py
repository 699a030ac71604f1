"""The page's scripts without a browser, in node; skipped where node is not installed."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.picture import palette
from minmaxvrp.problem.distance import Distance, pairwise

STATIC = Path(__file__).resolve().parents[2] / "src" / "minmaxvrp" / "web" / "static"
TESTS = Path(__file__).parent / "page"
SCRIPTS = sorted(STATIC.glob("*.js"))


def node(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run node on the page's scripts; skips the test where there is none."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    environment = {**os.environ, "PAGE": STATIC.as_uri()}
    return subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, env=environment, timeout=120
    )


@pytest.mark.parametrize("name", ["paste", "plan"])
def test_the_scripts_pass_their_own_tests(name: str) -> None:
    """Rows of a spreadsheet, starts after a change, words and colours."""
    done = node("--test", str(TESTS / f"{name}.test.mjs"))
    assert done.returncode == 0, done.stdout


def test_distances_of_the_page_are_those_of_the_package() -> None:
    """Every kind but the matrix, at random places of the Earth, the same place twice included."""
    rng = np.random.default_rng(11)
    points = rng.uniform([-90.0, -180.0], [90.0, 180.0], size=(40, 2, 2)).round(4)
    points[0, 1] = points[0, 0]
    kinds = [kind for kind in Distance if kind is not Distance.MATRIX]
    done = node(str(TESTS / "distances.mjs"), text=json.dumps({"kinds": kinds, "pairs": points.tolist()}))
    assert done.returncode == 0, done.stderr
    for kind, lengths in zip(kinds, json.loads(done.stdout), strict=True):
        assert lengths == pytest.approx(pairwise(kind, points[:, 0], points[:, 1])), kind


def test_routes_have_the_colours_of_plot() -> None:
    """One palette: what the page draws in blue, the picture draws in blue."""
    text = (STATIC / "colours.js").read_text(encoding="utf-8")
    listed = text[text.index("COLOURS = [") : text.index("];")]
    assert re.findall(r"#[0-9A-Fa-f]{6}", listed) == list(palette.COLOURS)


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_a_script_says_what_it_is_for_and_never_parses_html(file: Path) -> None:
    """A comment first, a readable size, and nothing that could turn text of users into elements."""
    text = file.read_text(encoding="utf-8")
    assert text.startswith(("/**", "//"))
    assert len(text.splitlines()) <= 300
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert word not in text


def test_the_page_has_no_inline_script_or_style_and_asks_nobody_else() -> None:
    """What the content security policy forbids is not there, and no address leads elsewhere."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert all(
        re.match(r"<script (type=\"module\" )?src=\"static/", tag)
        for tag in re.findall(r"<script[^>]*>", page)
    )
    for file in (*STATIC.glob("*.css"), *SCRIPTS, STATIC / "index.html"):
        addresses = re.findall(r"https?://[^\s\"'`)]+", file.read_text(encoding="utf-8"))
        assert set(addresses) <= {"http://www.w3.org/2000/svg"}, file.name
