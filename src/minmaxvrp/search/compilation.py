"""Before the first search of a process: its kernels are loaded, or on first use compiled by another process.

Comes before `improve` and `improve_fleet`, which run the kernels: two programs, each loaded when it is
needed. Compiling takes none of a time limit.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..jit.background import prepare_compiler, start_process
from ..jit.cache import cache_problem, config, is_kept, program_folder
from ..jit.decorators import entries_of
from ..problem.instance import Instance
from ..stop import MaxIterations
from .settings import LONG_ROUTE

if TYPE_CHECKING:
    from subprocess import Popen

HERE = Path(__file__).resolve().parent
FIRST_USE = "first use on this machine: compiling, about 20 seconds"
AGAIN = "compiled for another processor, Python or version of this file: compiling again, about 20 seconds"
NOT_KEPT = "compiling for this process only"
NOT_COMPILED = "NUMBA_DISABLE_JIT is set: the search runs some hundred times slower"


@dataclass(frozen=True)
class Program:
    """Kernels that are compiled together."""

    room: Path
    """Folder of the sources."""
    module: str
    """The module with the function that runs them; imported, all entries are known."""
    fill_function: str
    """The function of this module that compiles all of them."""


PLAIN = Program(HERE, ".improve", "fill_cache")
FLEET = Program(HERE / "fleet", ".fleet.improve_fleet", "fill_fleet_cache")


def program_for(instance: Instance) -> Program:
    """The kernels that a search of the instance needs."""
    return FLEET if instance.has_fleet else PLAIN


_attempted: set[Program] = set()
"""What this process has let another one compile, or compiles itself."""
_ready: set[Program] = set()
"""What can be called at once."""


def kernels_cached(program: Program = PLAIN) -> bool:
    """Whether the kernels are on disk as this process needs them, so that the first call starts soon."""
    import_module(program.module, __package__)
    return is_kept(entries_of(program.room))


def start_compiling(program: Program = PLAIN) -> "Popen[bytes]":
    """Compile the kernels in another process; hand it to `wait_for`."""
    _attempted.add(program)
    return start_process(__name__, program.fill_function)


def wait_for(process: "Popen[bytes]", program: Program = PLAIN) -> None:
    """Wait for `start_compiling`. If it failed, keep nothing of it: the first call compiles as usual."""
    if process.wait() != 0:
        forget(program)


def forget(program: Program) -> None:
    """Remove the kernels from the disk."""
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

        twice = {"cycles": 2, "reheat": 0.5, "polish_kicks": 1.0}  # what comes between two cycles as well
        outcome = improve(instance, MaxIterations(2), settings=twice)
        if not outcome.interrupted:  # what several depots need
            instance = Instance(np.concatenate([points[:2], points]), 2, 1)
            outcome = improve(instance, MaxIterations(2), settings=twice)
    if outcome.interrupted:
        raise KeyboardInterrupt
    _ready.add(program)


class Compilation:
    """The kernels on their way: begun as early as possible, awaited before the search."""

    def __init__(self, notice: Callable[[str], None], program: Program = PLAIN) -> None:
        """Begin to compile, with a notice, unless the kernels are on disk or in this process already."""
        self.notice, self.program = notice, program
        self.process: Popen[bytes] | None = None
        self.needed = False
        """Whether something is compiled, which takes none of a time limit."""
        if not (program in _ready or config.DISABLE_JIT or kernels_cached(program)):
            self._begin()

    def _begin(self) -> None:
        self.needed = True
        known = any(program_folder(self.program.room).rglob("*.nbi"))
        if config.CACHE_DIR:
            self.process = start_compiling(self.program)
        problem = cache_problem()
        self.notice(f"{problem}: {NOT_KEPT}" if problem else AGAIN if known else FIRST_USE)

    def wait(self) -> bool:
        """Return when the kernels can be called at once; False if Ctrl-C came meanwhile."""
        try:
            if self.program not in _ready and config.DISABLE_JIT:
                self.notice(NOT_COMPILED)
                _ready.add(self.program)
            elif self.program not in _ready and not self.needed:
                self._load()
            if self.process is not None:
                wait_for(self.process, self.program)
            if self.program not in _ready:  # from the disk, or compiled here if the other process failed
                run_once(self.program)
        except KeyboardInterrupt:
            return False
        return True

    def _load(self) -> None:
        """Load the kernels from the disk; if they are damaged, remove them and begin to compile."""
        try:
            run_once(self.program)
        except Exception:
            forget(self.program)
            self._begin()
