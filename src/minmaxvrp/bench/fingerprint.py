"""Which code made a measurement: a digest of the program, and the commit it was checked out from.

`measure` stores both with every result. The digest decides whether a result counts as done: it changes
with the program and the weights, not with comments, docstrings or layout. The commit is for people.
"""

import ast
import hashlib
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import InternalError

PACKAGE = Path(__file__).resolve().parents[1]
PROGRAM, DATA = (".py",), (".json", ".safetensors")


def code_digest(sources: Sequence[str], policy: str = "auto") -> str:
    """12 hex digits for files and folders of this package, and for the weights file `policy` if it is one."""
    digest = hashlib.sha256()
    for source in sources:
        for file in _files(PACKAGE / source):
            digest.update(str(file.relative_to(PACKAGE)).encode())
            digest.update(program(file.read_bytes()) if file.suffix in PROGRAM else file.read_bytes())
    weights = Path(policy)
    if weights.is_file():
        digest.update(weights.read_bytes())
    return digest.hexdigest()[:12]


@cache  # a run of several suites asks for the same files again and again
def program(source: bytes) -> bytes:
    """Python source without comments, docstrings and layout: two that run alike up to those are equal."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, [s for s in statements if not _is_text(s)])
    return ast.unparse(tree).encode()


def commit(folder: Path = PACKAGE) -> str:
    """The commit of `folder`'s checkout, with a `+` if files differ from it; empty without git."""
    if not _git(folder, "ls-files", "."):  # the repository around an installed package says nothing of it
        return ""
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return _git(folder, "rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise InternalError(f"{path}: a method of bench names it among its sources, but it does not exist")
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [file for file in found if file.suffix in PROGRAM + DATA]


def _is_text(statement: ast.stmt) -> bool:
    """A string that stands alone: the docstring of a module, class, function or field."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
