"""Finds once what an operator or function means for arguments of given types.

numba asks it of dozens of candidates for every place where `a[i]` or `x + y` is written, which took much of
the time to compile. Only the process that fills the cache does this (see `background`).
"""

from typing import Any

import numba.core.types

types: Any = numba.core.types


def remember_call_types() -> None:
    """From now on, remember the answers in this process."""
    function: Any = types.BaseFunction
    resolve = function.get_call_type
    known: dict[Any, Any] = {}

    def resolve_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = self, context, tuple(args), tuple(kws.items())
        found = known.get(key)
        if found is None:
            found = known[key] = resolve(self, context, args, kws)
        return found

    function.get_call_type = resolve_once
