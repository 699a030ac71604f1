"""An entry and all its kernels become one program, in the process that fills the cache (see `background`).

By itself numba optimises each kernel together with everything below it and makes machine code of it,
though Python calls only the entry: what lies deep down is compiled once for every level above it.
Here kernels wait until an entry links them, and nothing but the entry can be called from outside, so
that LLVM may change how kernels call each other: the code is faster, and made sooner.
"""

from typing import Any

import numba.core.codegen

codegen: Any = numba.core.codegen

_FOR_PYTHON = "_ZN7cpython"
"""How numba begins the name of a function that Python calls."""


class WholeProgram(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel; compiled only if Python calls it, and then with all that it calls."""

    _linking_libraries: list[Any]
    waits = False
    """Whether this is a kernel that no machine code was made of."""
    kept: frozenset[str] = frozenset()
    """Names of the functions of an entry itself."""

    def finalize(self) -> None:
        """Make machine code of an entry; let a kernel wait."""
        own = frozenset(f.name for f in self._final_module.functions if not f.is_declaration)
        if not any(name.startswith(_FOR_PYTHON) for name in own):
            self.waits = self._finalized = True
            return
        self.kept = own
        below = dict.fromkeys(self._linking_libraries)
        waiting = list(below)
        while waiting:
            new = [library for library in waiting.pop()._linking_libraries if library not in below]
            below |= dict.fromkeys(new)
            waiting += new
        self._linking_libraries = list(below)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise an entry, with kernels that nobody else calls."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in self.kept:
                function.linkage = "internal"
        super()._optimize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function, 0 where there is none."""
        self._ensure_finalized()
        return 0 if self.waits else super().get_pointer_to_function(name)


def compile_whole_programs() -> None:
    """From now on, compile this way in this process."""
    generator = codegen.JITCPUCodegen
    set_env = generator.set_env

    def set_where_compiled(self: Any, name: str, env: Any) -> None:
        if self._engine.is_symbol_defined(name):
            set_env(self, name, env)

    generator.set_env = set_where_compiled
    generator._library_class = WholeProgram
