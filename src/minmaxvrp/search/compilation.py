"""First use on a machine: another process compiles the search's kernels, and the caller waits for it.

Comes before `improve` and `improve_fleet`, which run the kernels: two programs, each compiled when it is
needed. Compiling takes none of a time limit.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
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

HERE = Path(__file__).resolve().parent
FIRST_USE = "first use on this machine: compiling, about 20 seconds"


@dataclass(frozen=True)
class Program:
    """Kernels that are compiled together."""

    room: Path
    """Folder of the sources."""
    entry: str
    """`module.function` of the entry that is compiled last."""
    fill_function: str
    """The function of this module that compiles all of them."""


PLAIN = Program(HERE, "anneal.anneal", "fill_cache")
FLEET = Program(HERE / "fleet", "annealing.anneal_fleet", "fill_fleet_cache")

_attempted: set[Program] = set()
"""What this process has let another one compile, or compiles itself."""


def kernels_cached(program: Program = PLAIN) -> bool:
    """Whether the kernels have been compiled before, so that the first call starts at once."""
    return is_cached(program.room, program.entry)


def start_compiling(program: Program = PLAIN) -> "Popen[bytes]":
    """Compile the kernels in another process; hand it to `wait_for`."""
    _attempted.add(program)
    return start_process(__name__, program.fill_function)


def wait_for(process: "Popen[bytes]", program: Program = PLAIN) -> None:
    """Wait for `start_compiling`. If it failed, keep nothing of it: the first call compiles as usual."""
    if process.wait() != 0:
        shutil.rmtree(program_folder(program.room), ignore_errors=True)


def compile_here() -> None:
    """From now on, let this process compile by itself what is not in the cache."""
    _attempted.update((PLAIN, FLEET))


def ensure_compiled(program: Program = PLAIN) -> None:
    """On first use, let another process compile, unless that was tried: code compiled here is slower."""
    if not (program in _attempted or kernels_cached(program)):
        wait_for(start_compiling(program), program)


def fill_cache() -> None:
    """Compile the kernels for plain instances; the work of the other process."""
    prepare_compiler()
    run_once(PLAIN)


def fill_fleet_cache() -> None:
    """Compile the kernels for fleets; the work of the other process."""
    prepare_compiler()
    run_once(FLEET)


def run_once(program: Program = PLAIN) -> None:
    """Run one iteration on a small instance: that compiles all kernels, or loads them from the cache.

    Raises `KeyboardInterrupt` if Ctrl-C came meanwhile.
    """
    compile_here()
    # long routes use all kernels
    points = np.stack([np.arange(LONG_ROUTE), np.arange(LONG_ROUTE) % 3], axis=1)
    instance = Instance.mtsp(np.zeros(2), points, 1)
    if program is FLEET:
        from .fleet.improve_fleet import improve_fleet

        outcome = improve_fleet(instance, MaxIterations(1))
    else:
        from .improve import improve

        outcome = improve(instance, MaxIterations(1))
    if outcome.interrupted:
        raise KeyboardInterrupt


class Compilation:
    """The kernels on their way: begun as early as possible, awaited before the search."""

    def __init__(self, notice: Callable[[str], None], program: Program = PLAIN) -> None:
        """Begin, with a notice, unless they are in the cache."""
        self.process: Popen[bytes] | None = None
        self.program = program
        if not kernels_cached(program):
            notice(FIRST_USE)
            self.process = start_compiling(program)

    @property
    def needed(self) -> bool:
        """Whether this is the first use."""
        return self.process is not None

    def wait(self) -> None:
        """Return when the kernels can be called at once; compile here if the other process failed."""
        if self.process is not None:
            wait_for(self.process, self.program)
            if not kernels_cached(self.program):
                run_once(self.program)
