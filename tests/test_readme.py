"""The commands and the code of README and docs/cli.md work as they stand."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minmaxvrp.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/cli.md")
SOURCES = ("src", "tests", "benchmarks", "docs", "examples")


def blocks(page: str, language: str = "") -> list[str]:
    """The fenced blocks of a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), flags=re.M | re.S)


def commands(page: str) -> list[list[str]]:
    """The arguments of every `minmaxvrp` line of a page, its limits of time and steps shortened."""
    lines = [line for block in blocks(page) for line in block.splitlines()]
    found = [shlex.split(line)[1:] for line in lines if line.startswith("minmaxvrp ")]
    for arguments in found:
        for option, value in (("--time", "0.3"), ("--iterations", "1000")):
            if option in arguments:
                arguments[arguments.index(option) + 1] = value
        arguments[:] = ["steps=20" if a.startswith("steps=") else a for a in arguments]
    return found


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_page_run_in_order(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the repository's folder, one after the other, each with exit code 0."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(commands(page)) >= 5
    for arguments in commands(page):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (arguments, result.output)


def test_files_that_a_page_names_exist() -> None:
    """Such as `search/improve.py`: the end of the path of a file of the repository."""
    known = [f"/{file.relative_to(ROOT)}" for folder in SOURCES for file in (ROOT / folder).rglob("*.*")]
    named = re.compile(r"`(?:python )?([\w/]+\.(?:py|toml|sh))\b")
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        for name in set(named.findall(page.read_text())):
            assert any(path.endswith(f"/{name}") for path in known), f"{page.name} names {name}"


def test_every_room_is_on_the_map_of_the_readme() -> None:
    """Each folder of the package, in README and in docs/architecture.md."""
    rooms = [file.parent.name for file in (ROOT / "src" / "minmaxvrp").glob("*/__init__.py")]
    assert len(rooms) >= 10
    for page in ("README.md", "docs/architecture.md"):
        text = (ROOT / page).read_text()
        assert [room for room in rooms if f"{room}/`" not in text] == []


def test_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """And prints the longest route."""
    (code,) = blocks("README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    assert "longest route" in capsys.readouterr().out


def test_python_of_the_tutorial_runs_from_top_to_bottom(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its blocks share their names; what it says of the missing customer is printed."""
    monkeypatch.chdir(ROOT)
    code = blocks("docs/tutorial.md", "python")
    assert len(code) >= 6
    names: dict[str, object] = {}
    for block in code:
        exec(compile(block, "docs/tutorial.md", "exec"), names)
    assert "customer 4" in capsys.readouterr().out


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Every page is reachable, every link and every name of the API reference resolves."""
    pytest.importorskip("mkdocs", reason="needs the extra 'docs': pip install 'minmaxvrp[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "lower_bound" in (tmp_path / "api" / "solve" / "index.html").read_text()


def test_links_of_the_pages_lead_somewhere() -> None:
    """Every relative link names a file of the repository."""
    for page in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *ROOT.glob("docs/*.md"),
    ]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_make_target_of_the_readme_exists() -> None:
    """The two commands a newcomer types first."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"\bmake ([a-z][a-z-]*)", "\n".join(blocks("README.md"))))
    assert targets == {"demo", "test"}
    for target in targets | {"figures"}:
        assert re.search(rf"^{target}:", makefile, flags=re.M)


def test_every_option_of_solve_is_in_the_reference() -> None:
    """docs/cli.md names each."""
    from typer.main import get_command

    page = (ROOT / "docs/cli.md").read_text()
    solve = get_command(app).commands["solve"]  # type: ignore[attr-defined]
    for parameter in solve.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert f"`{option}" in page, option
