"""Compiles a program in another process, which leaves the machine code in the cache for this one.

There LLVM optimises at its first level and each program as a whole (see `whole_program`): the code is about
as fast as the third level's, and made sooner.
"""

import gc
import os
import subprocess
import sys

from .cache import config
from .versions import PLAIN


def start_process(module: str, function: str) -> "subprocess.Popen[bytes]":
    """A process that calls a function without arguments, which fills the cache; wait for its exit code 0."""
    same = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []  # it changes the code
    program = [sys.executable, *same, "-c", f"from {module} import {function}; {function}()"]
    environment = {"NUMBA_OPT": "1"} | os.environ | {"NUMBA_CACHE_DIR": config.CACHE_DIR}
    return subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare_compiler() -> None:
    """For a process that fills the cache: from now on compile sooner, and faster code (see the package).

    Where numba's inner workings are not as expected, the process ends with an error, and the kernels are
    compiled as usual.
    """
    if PLAIN:
        return
    from .by_address import pass_tuples_by_address
    from .call_types import remember_call_types
    from .whole_program import compile_whole_programs
    from .wraparound import refuse_negative_indices

    compile_whole_programs()
    pass_tuples_by_address()
    remember_call_types()
    refuse_negative_indices()
    gc.disable()  # there is little garbage, and looking for it takes long
