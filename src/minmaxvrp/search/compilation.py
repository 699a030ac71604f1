"""Before the first search of a process: its kernels are loaded, or on first use compiled by another process.

Comes before `improve` and `improve_fleet`, which run the kernels: two programs (`programs`), each loaded when
it is needed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..jit.background import prepare_compiler
from ..jit.cache import cache_problem, config, program_folder
from ..problem.instance import Instance
from ..stop import MaxIterations
from .improve import improve
from .programs import (
    ELIMINATION,
    FLEET,
    PLAIN,
    Program,
    compile_here,
    forget,
    imported_kernels_cached,
    start_compiling,
    wait_for,
)
from .settings import LONG_ROUTE

if TYPE_CHECKING:
    from subprocess import Popen

FIRST_USE = "first use on this machine: compiling, about 20 seconds"
AGAIN = "compiled for another processor, Python or version of this file: compiling again, about 20 seconds"
NOT_KEPT = "compiling for this process only"
NOT_COMPILED = "NUMBA_DISABLE_JIT is set: the search runs some hundred times slower"

_ready: set[Program] = set()
"""What can be called at once."""


def kernels_cached(program: Program = PLAIN) -> bool:
    """Whether the kernels are on disk as this process needs them, so that the first call starts soon."""
    if program is FLEET:
        from .fleet import improve_fleet  # noqa: F401  its kernels are known once it is imported
    if program is ELIMINATION:
        from .elimination import fewer_routes  # noqa: F401
    return imported_kernels_cached(program)


def fill_cache() -> None:
    """Compile the kernels for plain instances; the work of the other process."""
    prepare_compiler()
    run_once(PLAIN)


def fill_elimination_cache() -> None:
    """Compile the kernels that save routes where the total length counts."""
    prepare_compiler()
    run_once(ELIMINATION)


def fill_fleet_cache() -> None:
    """Compile the kernels for fleets; the work of the other process."""
    prepare_compiler()
    run_once(FLEET)


def run_once(program: Program = PLAIN) -> None:
    """Run one iteration on a small instance: that compiles all kernels, or loads them from the cache.

    Raises `KeyboardInterrupt` if Ctrl-C came meanwhile.
    """
    compile_here()
    if program is ELIMINATION:
        from .elimination.fewer_routes import run_kernels  # only the total length needs it

        run_kernels()
        _ready.add(program)
        return
    # long routes use all kernels
    points = np.stack([np.arange(LONG_ROUTE), np.arange(LONG_ROUTE) % 3], axis=1)
    instance = Instance.mtsp(np.zeros(2), points, 1)
    if program is FLEET:
        from .fleet.improve_fleet import improve_fleet  # plain instances never load it

        outcome = improve_fleet(instance, MaxIterations(1))
    else:
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
