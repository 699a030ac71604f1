"""What an insertion costs, and what a step is worth."""

from .compiled import inlined
from .layout import THRESHOLD, TOUCHED, TOUCHED_LIST, WEIGHT, Routes
from .metric import Problem
from .settings import Settings


@inlined
def priced(routes: Routes, length: float, added: float) -> float:
    """`added`, plus a multiple of what a route of `length` then exceeds the threshold by."""
    over = length + added - float(routes.value[THRESHOLD])
    return added + float(routes.value[WEIGHT]) * over if over > 0.0 else added


@inlined
def objective(problem: Problem, routes: Routes, settings: Settings, longest: int) -> float:
    """The length of the longest route, plus a price for what the step adds to the mean length."""
    added = 0.0
    for k in range(routes.num[TOUCHED]):
        vehicle = routes.fleet[TOUCHED_LIST, k]
        added += float(routes.length[vehicle] - routes.was[vehicle])
    return float(routes.length[longest]) + settings.total * added / problem.num_vehicles
