"""Leaves out what numba asks of every index in the compiled code: whether it counts from the end.

Only the process that fills the cache does this (see `background`).
"""

from typing import Any

import numba.core.types
import numba.np.arrayobj

types: Any = numba.core.types


def refuse_negative_indices() -> None:
    """From now on, an index below 0 is an error like one beyond the end, instead of counting from there.

    Kernels use none: the tests run them with bounds checked, and with this.
    """
    arrays: Any = numba.np.arrayobj

    def unchanged(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrays.fix_integer_index = unchanged
