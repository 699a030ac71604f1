"""The search's programs of kernels: are they on disk, else let them be compiled.

Plain instances need one, those whose total length counts a second one as well; fleets have their own.

Whatever runs kernels calls `ensure_compiled` first; `compilation` begins sooner, beside other work. Compiling
takes none of a time limit.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..jit.background import start_process
from ..jit.cache import is_kept, program_folder
from ..jit.decorators import entries_of
from ..problem.instance import Instance
from ..result import Then

if TYPE_CHECKING:
    from subprocess import Popen

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Program:
    """Kernels that are compiled together."""

    room: Path
    """Folder of the sources."""
    fill_function: str
    """The function of `compilation` that compiles all of them."""


PLAIN = Program(HERE, "fill_cache")
ELIMINATION = Program(HERE / "elimination", "fill_elimination_cache")
FLEET = Program(HERE / "fleet", "fill_fleet_cache")


def programs_for(instance: Instance, then: Then) -> tuple[Program, ...]:
    """The kernels that a search of the instance needs."""
    if instance.has_fleet:
        return (FLEET,)
    return (PLAIN, ELIMINATION) if then == "total" and instance.num_vehicles > 1 else (PLAIN,)


_attempted: set[Program] = set()
"""What this process has let another one compile, or compiles itself."""


def imported_kernels_cached(program: Program) -> bool:
    """Whether the kernels of all modules imported so far are on disk as this process needs them."""
    return is_kept(entries_of(program.room))


def start_compiling(program: Program = PLAIN) -> "Popen[bytes]":
    """Compile the kernels in another process; hand it to `wait_for`."""
    _attempted.add(program)
    return start_process(f"{__package__}.compilation", program.fill_function)


def wait_for(process: "Popen[bytes]", program: Program = PLAIN) -> None:
    """Wait for `start_compiling`. If it failed, keep nothing of it: the first call compiles as usual."""
    if process.wait() != 0:
        forget(program)


def forget(program: Program) -> None:
    """Remove the kernels from the disk."""
    shutil.rmtree(program_folder(program.room), ignore_errors=True)


def compile_here() -> None:
    """From now on, let this process compile by itself what is not in the cache."""
    _attempted.update((PLAIN, ELIMINATION, FLEET))


def ensure_compiled(program: Program = PLAIN) -> None:
    """On first use, let another process compile, unless that was tried: code compiled here is slower.

    Whoever calls this has imported the kernels that it is about to run.
    """
    if not (program in _attempted or imported_kernels_cached(program)):
        wait_for(start_compiling(program), program)
