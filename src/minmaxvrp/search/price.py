"""What an insertion costs: the length it adds, and a price for making a route too long."""

from .compiled import inlined
from .layout import THRESHOLD, WEIGHT, Routes


@inlined
def priced(routes: Routes, length: float, added: float) -> float:
    """`added`, plus a multiple of what a route of `length` then exceeds the threshold by."""
    over = length + added - routes.value[THRESHOLD]
    if over > 0.0:
        return added + routes.value[WEIGHT] * over
    return added
