"""What an insertion costs, and what a step is worth."""

from ...jit import inlined
from ..arrays.distances import Problem
from ..arrays.random_numbers import uniform
from ..arrays.routes import Routes
from ..settings import SearchSettings

LOW_THRESHOLD_WEIGHT = 1000.0
"""Price of excess in a step with a low threshold: a route above it takes nothing that fits elsewhere."""


@inlined
def insertion_price(routes: Routes, length: float, added: float) -> float:
    """`added`, plus a multiple of what a route of `length` then exceeds the threshold by."""
    return with_excess(added, length - float(routes.state.threshold), float(routes.state.excess_weight))


@inlined
def with_excess(added: float, excess: float, weight: float) -> float:
    """The same for a route that exceeds the threshold by `excess` already; negative, it is the route's slack.

    Compiles to branch-free code: a processor would often mispredict whether a route has slack left.
    """
    over = excess + added
    return added + (weight * over if over > 0.0 else 0.0)


@inlined
def objective(problem: Problem, routes: Routes, settings: SearchSettings, longest: int) -> float:
    """The length of the longest route, plus a price for what the step adds to the mean length."""
    added = 0.0
    for k in range(routes.state.num_touched):
        vehicle = routes.touched_vehicles[k]
        added += float(routes.length[vehicle] - routes.length_before[vehicle])
    return float(routes.length[longest]) + settings.mean_length_weight * added / problem.num_vehicles


@inlined
def overlooks(routes: Routes, settings: SearchSettings) -> bool:
    """Whether to skip the cheapest choice this time; draws no random number where the chance is 0."""
    return settings.overlook > 0.0 and uniform(routes.rng) < settings.overlook
