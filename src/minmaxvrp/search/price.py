"""What an insertion costs: the length it adds, and a price for making a route too long."""

from .compiled import inlined
from .layout import THRESHOLD, WEIGHT, Routes


@inlined
def priced(routes: Routes, length: float, added: float) -> float:
    """`added`, plus a multiple of what a route of `length` then exceeds the threshold by."""
    over = length + added - float(routes.value[THRESHOLD])
    return added + float(routes.value[WEIGHT]) * over if over > 0.0 else added
