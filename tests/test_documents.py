"""What the documents name exists: names of the program, modules, commands and their options."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from minmaxvrp.cli import app

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "minmaxvrp"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/api/*.md")),
]
"""Of what is. The logs in docs/research also tell of what was."""
NAME = r"\b[A-Z][a-z]+(?:[A-Z][A-Za-z]*)+\b|\b[A-Z]{2,}(?:_[A-Z]+)+\b|\b[a-z]+(?:_[a-z]+)+\b"
"""Such as `MaxRuntime`, `NUMBA_BOUNDSCHECK` or `is_large`: words that are no English ones."""


@cache
def program() -> str:
    """The text of the program, its tests and benchmarks, with the names of their files."""
    files = [
        file
        for folder in ("src", "tests", "benchmarks")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".js", ".sh", ".toml")
    ]
    return "\n".join(f"{file.stem}\n{file.read_text(encoding='utf-8')}" for file in files)


def spans(page: Path) -> list[str]:
    """What stands between backticks in a page, and each line of its blocks."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    rest = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.M | re.S)
    return re.findall(r"`([^`]+)`", rest) + lines


def identity(page: Path) -> str:
    """The name of a page in test reports."""
    return str(page.relative_to(ROOT))


def unknown_names(texts: list[str]) -> set[str]:
    """The names in some texts that occur nowhere in the program."""
    named = {name for text in texts for name in re.findall(NAME, text)}
    return {name for name in named if not re.search(rf"\b{name}\b", program())}


@pytest.mark.parametrize("page", PAGES, ids=identity)
def test_names_that_a_page_quotes_occur_in_the_program(page: Path) -> None:
    """Classes, functions, settings, constants."""
    text = re.sub(r"^```\w*\n.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert unknown_names(re.findall(r"`([^`\n]+)`", text)) == set()


def test_a_name_that_is_gone_is_found() -> None:
    """The test above can fail."""
    gone = "_".join(("farther", "routes"))  # written apart: this file is searched too
    assert unknown_names([f"{gone}(SearchSettings)"]) == {gone}


def exists(dotted: str) -> bool:
    """Whether a name such as `minmaxvrp.search.settings.SearchSettings` leads to a module, or into one."""
    place = PACKAGE
    for part in dotted.split(".")[1:]:
        if (place / part).is_dir():
            place = place / part
        elif (place / f"{part}.py").is_file():
            place = place / f"{part}.py"
        else:
            file = place / "__init__.py" if place.is_dir() else place
            return re.search(rf"\b{part}\b", file.read_text(encoding="utf-8")) is not None
    return True


@pytest.mark.parametrize("page", PAGES, ids=identity)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    """Those of the API reference too."""
    named = set(re.findall(r"\bminmaxvrp(?:\.\w+)+", page.read_text(encoding="utf-8")))
    assert {name for name in named if not exists(name)} == set()
    assert not exists("minmaxvrp.search.warm")


def options(words: list[str]) -> Iterator[str]:
    """The long options among the words of a command, without their values."""
    yield from (word.split("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word))


def split(line: str) -> list[str]:
    """The words of a command, up to a pipe, a comment or the next command."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # prose with an apostrophe
        return []
    ends = [k for k, word in enumerate(words) if word in ("|", "&&", ";", ">")]
    return words[: min(ends, default=len(words))]


def unknown_options(line: str) -> list[str]:
    """Options, commands and scripts of a `minmaxvrp …` or `python benchmarks/….py …` that do not exist."""
    words = split(line)
    if words[:1] == ["minmaxvrp"] and len(words) > 1 and re.fullmatch(r"[a-z][a-z-]*", words[1]):
        commands = get_command(app).commands  # type: ignore[attr-defined]
        if words[1] not in commands:
            return [words[1]]
        known = {"--help", "--debug"}
        for parameter in commands[words[1]].params:
            known |= {*parameter.opts, *parameter.secondary_opts}
        return [option for option in options(words) if option not in known]
    if words[:1] == ["python"] and len(words) > 1 and words[1].startswith("benchmarks/"):
        file = ROOT / words[1]
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        return [option for option in options(words) if f'"{option}"' not in text] if text else [words[1]]
    return []


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("docs/research/*.md"))], ids=identity)
def test_commands_of_the_pages_have_their_options(page: Path) -> None:
    """In the text and in blocks."""
    assert {line: found for line in spans(page) if (found := unknown_options(line))} == {}


def test_wrong_commands_are_found() -> None:
    """The test above can fail, and sees most of what the pages name."""
    assert unknown_options("minmaxvrp solve a.csv --fast --time 3 --seed=1") == ["--fast"]
    assert unknown_options("minmaxvrp sing") == ["sing"]
    assert unknown_options("python benchmarks/duel.py OLD --rounds 3 --laps 2") == ["--laps"]
    assert unknown_options("python benchmarks/none.py") == ["benchmarks/none.py"]
    lines = [line for page in PAGES for line in spans(page)]
    assert sum(bool(re.match(r"minmaxvrp [a-z]|python benchmarks/", line)) for line in lines) > 100
