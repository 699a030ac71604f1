"""Machine code is used again only where it fits; where it cannot be kept, everything still works."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import json, os, resource, sys, warnings
if "--small-files" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
if "--no-user" in sys.argv:  # HOME is not set, and the system does not know the user
    import pwd
    def getpwuid(uid):
        raise KeyError(uid)
    pwd.getpwuid = getpwuid
warnings.simplefilter("error")
from minmaxvrp.jit.cache import cache_problem, config, is_kept
from minmaxvrp.jit.decorators import entries_of, njit
import kernels
from pathlib import Path

if "--full-later" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
entries = entries_of(Path(kernels.__file__).resolve().parent)
kept = is_kept(entries)
answer = kernels.twice(20)
print(json.dumps([kept, answer, cache_problem(), is_kept(entries), config.CACHE_DIR]))
"""
KERNELS = '''
"""A kernel."""
from minmaxvrp.jit import entry, kernel

@kernel
def once(x):
    return x + 1

@entry
def twice(x):
    """Python's optimisation takes this text away, and with it the bytecode changes."""
    return once(x) + once(x)
'''


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs `PROGRAM` in a process and with a cache of its own, unless the environment says otherwise."""
    sources, temporary = tmp_path / "sources", tmp_path / "temporary"
    sources.mkdir()
    temporary.mkdir()
    (sources / "kernels.py").write_text(KERNELS, encoding="utf-8")
    path = os.pathsep.join([str(sources), *sys.path])
    own = {"PYTHONPATH": path, "MINMAXVRP_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(temporary)}

    def process(*options: str, flags: tuple[str, ...] = (), **environment: str | None) -> list[Any]:
        wanted = {**os.environ, **own, **environment, "NUMBA_CACHE_DIR": None}
        given = {key: value for key, value in wanted.items() if value is not None}
        command = [sys.executable, *flags, "-c", PROGRAM, *options]
        done = subprocess.run(command, env=given, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        assert list(temporary.iterdir()) == []  # nothing is left behind
        found: list[Any] = json.loads(done.stdout)
        return found

    return process


def test_code_is_kept_for_the_same_processor_and_options_only(run: Any, tmp_path: Path) -> None:
    """Compiled once; not used on another processor, under `python -OO`, or when a file was cut off."""
    assert run()[:4] == [False, 42, None, True]
    assert run()[:4] == [True, 42, None, True]
    assert run(NUMBA_CPU_NAME="generic")[0] is False
    assert run(flags=("-OO",))[0] is False
    for index in (tmp_path / "cache").rglob("*.nbi"):
        index.write_bytes(index.read_bytes()[:20])
    assert run()[:4] == [False, 42, None, True]
    assert run(NUMBA_DISABLE_JIT="1")[:2] == [True, 42]


@pytest.mark.parametrize(
    ("options", "environment", "problem"),
    [
        ([], {"MINMAXVRP_CACHE_DIR": "/dev/null/cache"}, "not a directory"),
        (
            [],
            {"MINMAXVRP_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": "/nowhere/at/all"},
            "there is no home folder",
        ),
        (
            ["--no-user"],
            {"MINMAXVRP_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": None},
            "there is no home folder",
        ),
        (["--small-files"], {}, "file too large"),
    ],
    ids=["cannot be made", "no home", "no user", "full"],
)
def test_without_a_folder_code_is_compiled_for_the_process_only(
    run: Any, options: list[str], environment: dict[str, str | None], problem: str
) -> None:
    """It works, says why, and leaves nothing behind."""
    kept, answer, said, _, _ = run(*options, **environment)
    assert (kept, answer) == (False, 42)
    assert problem in said
    if environment.get("HOME"):
        assert not Path("/nowhere").exists()


def test_without_compiling_no_cache_folder_is_made(run: Any, tmp_path: Path) -> None:
    """`NUMBA_DISABLE_JIT=1` keeps nothing, so it leaves nothing behind."""
    assert run(NUMBA_DISABLE_JIT="1")[1:3] == [42, None]
    assert not (tmp_path / "cache").exists()


def test_a_disk_that_fills_up_later_is_no_error(run: Any, tmp_path: Path) -> None:
    """The code is used, not kept, and no half of it stays."""
    assert run("--full-later")[:4] == [False, 42, None, False]
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
