"""First use on a machine: another process compiles the search's kernels, and the caller waits for it.

Comes before `improve`, which runs the kernels. Compiling takes none of a time limit.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..jit.background import prepare_compiler, start_process
from ..jit.cache import is_cached, program_folder
from ..problem.instance import Instance
from ..stop import MaxIterations
from .settings import LONG_ROUTE

if TYPE_CHECKING:
    from subprocess import Popen

ROOM = Path(__file__).resolve().parent
FIRST_USE = "first use on this machine: compiling, about 20 seconds"

_attempted = False
"""Whether this process has let another one compile, or is that one."""


def kernels_cached() -> bool:
    """Whether the kernels have been compiled before, so that the first call starts at once."""
    return is_cached(ROOM, "anneal.anneal")


def start_compiling() -> "Popen[bytes]":
    """Compile the kernels in another process; hand it to `wait_for`."""
    compile_here()
    return start_process(__name__, fill_cache.__name__)


def wait_for(process: "Popen[bytes]") -> None:
    """Wait for `start_compiling`. If it failed, keep nothing of it: the first call compiles as usual."""
    if process.wait() != 0:
        shutil.rmtree(program_folder(ROOM), ignore_errors=True)


def compile_here() -> None:
    """From now on, let this process compile by itself what is not in the cache."""
    global _attempted
    _attempted = True


def ensure_compiled() -> None:
    """On first use, let another process compile, unless that was tried: code compiled here is slower."""
    if not (_attempted or kernels_cached()):
        wait_for(start_compiling())


def fill_cache() -> None:
    """Compile all kernels; the work of the other process."""
    prepare_compiler()
    run_once()


def run_once() -> None:
    """Run one iteration on a small instance: that compiles all kernels, or loads them from the cache.

    Raises `KeyboardInterrupt` if Ctrl-C came meanwhile.
    """
    from .improve import improve

    compile_here()
    # long routes use all kernels
    points = np.stack([np.arange(LONG_ROUTE), np.arange(LONG_ROUTE) % 3], axis=1)
    if improve(Instance.mtsp(np.zeros(2), points, 1), MaxIterations(1)).interrupted:
        raise KeyboardInterrupt


class Compilation:
    """The kernels on their way: begun as early as possible, awaited before the search."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """Begin, with a notice, unless they are in the cache."""
        self.process: Popen[bytes] | None = None
        if not kernels_cached():
            notice(FIRST_USE)
            self.process = start_compiling()

    @property
    def needed(self) -> bool:
        """Whether this is the first use."""
        return self.process is not None

    def wait(self) -> None:
        """Return when the kernels can be called at once; compile here if the other process failed."""
        if self.process is not None:
            wait_for(self.process)
            if not kernels_cached():
                run_once()
