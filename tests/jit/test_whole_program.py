"""The process that fills the cache compiles entries with their kernels as one program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minmaxvrp.jit import entry

PROGRAM = """
from minmaxvrp.jit import entry, kernel
from minmaxvrp.jit.whole_program import WholeProgram, compile_whole_programs

compiled = []
finalize = WholeProgram.finalize

def noted(self):
    finalize(self)
    if not self.waits:
        compiled.append(self.name)

WholeProgram.finalize = noted
compile_whole_programs()

@kernel
def third(a):
    return a * 3

@kernel
def sixth(a):
    return third(a) + third(a)

@entry
def total(a):
    return sixth(a) + third(a)

print(total(5), *compiled)
"""


def test_machine_code_is_made_of_the_entry_alone_and_is_right(tmp_path: Path) -> None:
    """Two levels of kernels, one called from both: 6·5 + 3·5. The second time it comes from the cache."""
    script = tmp_path / "script.py"  # numba keeps what comes from a file
    script.write_text(PROGRAM, encoding="utf-8")
    cache = {"MINMAXVRP_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}
    for expected in (["45", "total"], ["45"]):
        ran = subprocess.run(
            [sys.executable, script], env=os.environ | cache, capture_output=True, text=True, check=False
        )
        assert ran.stderr == ""
        assert ran.stdout.split() == expected


def test_a_kernel_cannot_call_an_entry() -> None:
    """What is in the cache may have been compiled another way: such a call would crash."""

    @entry
    def inner(a: int) -> int:
        return a

    @entry
    def outer(a: int) -> int:
        return inner(a)

    assert inner(1) == 1
    with pytest.raises(TypeError, match="inner is for Python to call; a kernel calls kernels"):
        outer(1)
