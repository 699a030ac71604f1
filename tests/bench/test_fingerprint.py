"""A result knows its code: the digest follows the program and the weights, not the words about it."""

import subprocess
from pathlib import Path

import pytest

from minmaxvrp.bench import fingerprint
from minmaxvrp.bench.fingerprint import code_digest, commit, program
from minmaxvrp.bench.methods import METHODS, find_method
from minmaxvrp.bench.methods import fingerprint as of_method
from minmaxvrp.errors import InternalError

SOURCE = b'''"""A module."""
LIMIT = 3
"""A field."""


def least(values):
    """The least."""
    return min(values, key=lambda value: value + LIMIT)  # a reason
'''


@pytest.mark.parametrize(
    "words",
    [
        (b"# a reason", b"# a better reason"),
        (b'"""The least."""', b'"""The least value, and why."""'),
        (b'"""A field."""\n', b""),
        (b"values, key=", b"\n        values,\n        key="),
    ],
)
def test_comments_docstrings_and_layout_do_not_age_a_result(words: tuple[bytes, bytes]) -> None:
    """The program is the same."""
    assert words[0] in SOURCE
    assert program(SOURCE.replace(*words)) == program(SOURCE)


@pytest.mark.parametrize("words", [(b"LIMIT = 3", b"LIMIT = 4"), (b"min(", b"max("), (b"+ LIMIT", b"")])
def test_a_change_of_the_program_does(words: tuple[bytes, bytes]) -> None:
    """A constant, a call, an expression."""
    assert words[0] in SOURCE
    assert program(SOURCE.replace(*words)) != program(SOURCE)


def test_a_function_of_words_alone_can_be_compared() -> None:
    """A body that was a docstring only becomes empty."""
    assert program(b'def f():\n    """Nothing."""\n') == program(b'def f():\n    """None."""\n')


def test_the_digest_follows_code_and_weights(tmp_path: Path) -> None:
    """Same code, same digits; another method or other weights, other digits."""
    weights = tmp_path / "w.safetensors"
    weights.write_bytes(b"one")
    search = find_method("search")
    first = of_method(search, str(weights))
    assert first == of_method(search, str(weights))
    weights.write_bytes(b"two")
    assert len({first, of_method(search, str(weights)), of_method(find_method("greedy"))}) == 3


def test_every_file_of_a_folder_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs without their comments, data byte by byte, names as well."""
    monkeypatch.setattr(fingerprint, "PACKAGE", tmp_path)
    room = tmp_path / "room"
    room.mkdir()
    (room / "a.py").write_text("x = 1")
    (room / "a.json").write_text("{}")
    first = code_digest(["room"])
    (room / "a.py").write_text("x = 1  # one")
    assert code_digest(["room"]) == first
    (room / "a.json").write_text("{ }")
    second = code_digest(["room"])
    (room / "a.py").rename(room / "b.py")
    assert len({first, second, code_digest(["room"])}) == 3


@pytest.mark.parametrize("name", METHODS)
def test_the_sources_of_every_method_exist(name: str) -> None:
    """A renamed room would otherwise no longer count."""
    assert len(of_method(METHODS[name])) == 12


def test_a_source_that_does_not_exist_is_an_error() -> None:
    """Not an empty digest."""
    with pytest.raises(InternalError, match="no_such_room"):
        code_digest(["no_such_room"])


def test_the_commit_says_whether_files_were_changed(tmp_path: Path) -> None:
    """Ten digits, a plus for changed files, nothing for a folder that git does not know."""

    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True, capture_output=True)

    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("x = 1")
    git("init")
    assert commit(package) == ""
    git("add", ".")
    git("commit", "-m", "first")
    clean = commit(package)
    assert len(clean) == 10
    (package / "a.py").write_text("x = 2")
    assert commit(package) == clean + "+"
